"""What the tests of the task page do again and again."""

import re

from annotation.models import Assignment
from annotation.services.tasks import claim
from tests.browser import world

SUMMARY = "The night boat is back: the council pays until April, and visitors pay one crown more."
WATCH_SAVE_STATE = """() => {
    window.seenTexts = [];
    const place = document.querySelector("[data-save-state]");
    const note = () => window.seenTexts.push(place.innerText);
    new MutationObserver(note).observe(place, {subtree: true, childList: true, characterData: true});
}"""


def claim_task(project, user) -> Assignment:
    assignment = claim.claim_next(project=project, annotator=user).assignment
    assert assignment is not None
    return assignment


def open_first_task(open_page, project, **options):
    """The first task of a project, open in a browser: (page, assignment)."""
    user = world.make_annotator(project)
    assignment = claim_task(project, user)
    page = open_page(user, f"/tasks/{assignment.public_id}/", **options)
    page.wait_for_selector("[data-task][data-ready]")
    return page, assignment


def find_segment_button(page, n):
    """The button with the number of a segment, from 1."""
    return page.locator(".turn-mark").nth(n - 1)


def select_words(page, n: int, words: str) -> None:
    """Select these words of a segment, as a mouse would."""
    page.evaluate(
        """([n, words]) => {
            const node = document.querySelectorAll(".turn-text")[n - 1].firstChild;
            const from = node.data.indexOf(words);
            getSelection().setBaseAndExtent(node, from, node, from + words.length);
        }""",
        [n, words],
    )


def freeze_topics(page) -> None:
    page.get_by_role("button", name="Continue", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("button", name="Lock and continue").click()
    page.wait_for_selector("[data-task][data-ready]")


def submit_task(page, title: str) -> None:
    """Steps 3 and 4, once the text is there and segments are marked."""
    page.get_by_role("button", name="Continue to relevant segments").click()
    page.get_by_role("button", name="Confirm these segments").click()
    page.get_by_label("I have reviewed it").check()
    page.get_by_label("Title").fill(title)


def press_submit(page) -> None:
    """Submit, and a second time where the page asks whether a text far outside its band is meant."""
    is_far = page.locator("[data-to-do].to-do-warn").count() > 0
    page.get_by_role("button", name="Submit", exact=True).click()
    if is_far:
        page.get_by_role("button", name="Submit anyway").click()


def wait_saved(page) -> None:
    page.wait_for_selector('[data-save-state][data-state="saved"]:has-text("Saved ")')


def read_chips(page) -> list[str]:
    return [re.sub(r"\s+", " ", text).strip() for text in page.locator(".request .chip").all_inner_texts()]
