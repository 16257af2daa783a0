"""How a text came about: counts that leave the browser only with consent; proposals kept with what became of them."""

from playwright.sync_api import expect

from annotation.models import Annotation, Draft, Group, GuidelineReading
from tests.browser import world
from tests.browser.task_steps import find_segment_button, open_first_task, press_submit, submit_task, wait_saved

OUTSIDE = "An entirely different sentence that somebody else has written about quite another matter. " * 3
FROM_SOURCE = world.NEWS[1]
LIT = """name => [...(CSS.highlights.get(name) ?? [])].map((range) => [
    range.startContainer.parentElement.className, range.toString()])"""


def paste(page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def sent(page) -> list[dict]:
    """Bodies of the calls that may tell of the work, from now on."""
    bodies = []
    page.on("request", lambda call: bodies.append(call.post_data_json) if call.method in ("PUT", "POST") else None)
    return bodies


def test_pastes_and_typing_are_counted_and_no_text_of_theirs_is_sent(open_page):
    page, _assignment = open_first_task(
        open_page, world.news(frozen=True), permissions=["clipboard-read", "clipboard-write"]
    )
    bodies = sent(page)
    page.locator("#summary").click()
    page.keyboard.type("Typed words. ")
    paste(page, OUTSIDE)
    paste(page, FROM_SOURCE)
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+X")
    paste(page, "")
    page.keyboard.press("Control+V")
    page.keyboard.type("A short text.")
    wait_saved(page)
    find_segment_button(page, 1).click()
    submit_task(page, "Title")
    with page.expect_navigation():
        press_submit(page)

    row = Annotation.objects.get()
    assert row.authorship["typed"] == len("Typed words. A short text.")
    assert row.authorship["pasted"] == {"source": len(FROM_SOURCE), "outside": len(OUTSIDE), "own": 0}
    assert row.authorship["deleted"] == len("Typed words. ") + len(OUTSIDE) + len(FROM_SOURCE)
    assert row.outside_paste == len(OUTSIDE)
    assert set(row.timings["active_by_step"]) <= {"write", "mark", "review"}
    authorships = [body["authorship"] for body in bodies if body and "authorship" in body]
    keys = {"page", "typed", "deleted", "bursts", "longest_burst", "pastes"}
    assert authorships and all(set(item) == keys for item in authorships)
    assert all(set(other_paste) == {"size", "origin"} for counts in authorships for other_paste in counts["pastes"])


def test_without_consent_the_page_counts_nothing(open_page):
    project = world.news(frozen=True)
    world.make_annotator(project)
    GuidelineReading.objects.update(consent=False)
    page, _assignment = open_first_task(open_page, project)
    bodies = sent(page)
    page.locator("#summary").click()
    page.keyboard.type("Words.")
    wait_saved(page)
    assert bodies and not any({"authorship", "step"} & set(body or ()) for body in bodies)
    assert Draft.objects.get().authorship == {}


def test_proposals_come_after_ones_own_marks_and_each_decision_is_kept(open_page):
    project = world.news(frozen=True, assistance="full")
    Group.objects.update(chosen={"topic": ["regional council", "fares"]})
    page, _assignment = open_first_task(open_page, project)
    page.locator("#summary").fill(
        "The regional council voted 14 to 9, islanders keep the present price and birds are counted."
    )
    find_segment_button(page, 2).click()
    page.get_by_role("button", name="Continue to relevant segments").click()
    expect(page.locator("[data-proposals]")).to_be_hidden()
    page.get_by_role("button", name="Confirm these segments").click()

    rows = page.locator("[data-proposal-list] li")
    assert rows.locator(".quote").all_inner_texts() == ["islanders keep the present price"]
    page.get_by_role("button", name="Accept the words in 5").click()
    expect(page.locator("[data-proposals-said]")).to_have_text("All suggestions are decided.", use_inner_text=True)
    page.locator("#summary").fill("The council voted; lights from a late boat will disturb storm petrels.")
    page.get_by_role("button", name="Confirm these segments").click()
    page.get_by_role("button", name="Reject the words in 6").click()
    finish_from_three(page)

    payload = Annotation.objects.get().payload
    quote = "islanders keep the present price"
    at = world.NEWS[4].index(quote)
    assert [(proposal["segment"], proposal["decision"]) for proposal in payload["proposals"]] == [
        (4, "accepted"),
        (5, "rejected"),
    ]
    assert payload["spans"] == [{"segment": 4, "start": at, "end": at + len(quote), "quote": quote}]
    assert payload["relevant_segments"] == [1]


def finish_from_three(page) -> None:
    page.get_by_role("button", name="Confirm these segments").click()
    page.get_by_label("I have reviewed it").check()
    page.get_by_label("Title").fill("Title")
    with page.expect_navigation():
        press_submit(page)


def test_topic_words_are_lit_in_both_texts_and_speakers_told(open_page):
    project = world.meeting(frozen=True, assistance="full")
    Group.objects.update(chosen={"topic": ["solar panel"], "speaker": ["Tomasz Wilk", "Jonas Berg"]})
    page, _assignment = open_first_task(open_page, project)
    page.locator("#summary").fill("A panel: lasted nineteen days in the cold, solar or not.")
    page.wait_for_function("() => [...(CSS.highlights.get('topic') ?? [])].length >= 6")
    lit = page.evaluate(LIT, "topic")
    assert [text for place, text in lit if place == "mirror"] == ["panel", "solar"]
    assert [text for place, text in lit if "turn-text" in place] == ["solar", "panel", "solar", "panel"]
    hits = page.locator("[data-meter=speaker] .hits").inner_text()
    assert "Tomasz Wilk 1 copied run from their turns" in " ".join(hits.split())
    assert "Jonas Berg no copied run from their turns" in " ".join(hits.split())
    page.get_by_label("Topic words").uncheck()
    assert page.evaluate(LIT, "topic") == []
