"""A meeting's transcript on the task page: shown without the transcriber's marks, marked in the stored text."""

from annotation.models import Draft
from tests.browser import world
from tests.browser.task_steps import open_first_task, select_words, wait_saved

TURNS = [
    ("Ana", "{vocalsound} Fine , {disfmarker} so we do n't  need the solar panel ."),
    ("Tom", "That 's what I said 🐦 , {gap} is n't it ?"),
]


def lit(page, name):
    return page.evaluate("name => [...CSS.highlights.get(name)].map(String)", name)


def test_words_across_a_mark_are_stored_with_their_place_in_the_imported_text(open_page):
    project = world.meeting(frozen=True, segments=world.dialogue_segments(TURNS))
    page, assignment = open_first_task(open_page, project)
    assert page.locator(".turn-text").all_inner_texts() == [
        "Fine, so we don't need the solar panel.",
        "That's what I said 🐦, isn't it?",
    ]
    select_words(page, 1, "Fine, so we don't need")
    page.get_by_role("button", name="Mark these words").click()
    select_words(page, 2, "🐦, isn't")
    page.get_by_role("button", name="Mark these words").click()
    page.wait_for_function("() => CSS.highlights.get('span').size === 2")
    wait_saved(page)
    assert lit(page, "span") == ["Fine, so we don't need", "🐦, isn't"]
    page.locator("[data-find]").fill("so we don't")
    page.wait_for_function("() => CSS.highlights.get('find-now')?.size === 1")
    assert lit(page, "find-now") == ["so we don't"]
    spans = Draft.objects.get(assignment=assignment).payload["spans"]
    texts = [turn["text"] for turn in assignment.group.document.source_text.segments]
    assert [span["quote"] for span in spans] == ["Fine , {disfmarker} so we do n't  need", "🐦 , {gap} is n't"]
    assert all(texts[span["segment"]][span["start"] : span["end"]] == span["quote"] for span in spans)
