"""What the page shows of a draft's measures while somebody writes, and what it does when the server does not answer."""

import json
import re

import pytest
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Group, Sample, SchemaVersion
from annotation.views.tasks.task_meters import list_meter_modules, meter_messages
from epitome.measures import SourceIndex, overlap
from epitome.schema import content_hash, preset_text
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.browser.task_steps import find_segment_button, open_first_task, wait_saved

TEXT = "Fares will rise from 4 to 5 crowns for visitors, and the regional council pays 🚢 until April."
HIGHLIGHTS = """() => [...(CSS.highlights.get("copied") ?? [])].map((range) => [
    range.startContainer.parentElement.className, range.toString()])"""
METERS = "**/meters/**"


@pytest.fixture
def open_task(open_page):
    """Open the first task of a project: all drawn values known, topics (and speakers) chosen. Ends with all saved."""
    pages = []

    def open_it(assistance="full", make=world.news, chosen=None, **options):
        project = make(frozen=True, assistance=assistance)
        Sample.objects.update(values={"length": "short", "extractiveness": "high", "specificity": "high"})
        Group.objects.update(chosen=chosen or {"topic": ["night sailing", "fares"]})
        pages.append(open_first_task(open_page, project, **options)[0])
        return pages[-1]

    yield open_it
    for page in pages:
        page.wait_for_selector("[data-save-state]:not([data-state=changed], [data-state=saving])", state="attached")


def assistance(page) -> str:
    """What the help of the page says of the assistance."""
    return " ".join(page.locator("[data-assistance]").text_content().split())


def row(page, measure):
    return page.locator(f"[data-meter={measure}]")


def value_of(page, measure) -> str:
    return row(page, measure).locator("[data-value]").inner_text()


def wait_value(page, measure, text) -> None:
    page.wait_for_selector(f"[data-meter={measure}] [data-value]:text-is('{text}')")


def answers(page, *looks):
    """Play the worker: these answers in turn, the last one for ever. Returns the list of what was asked."""
    items, other_looks = [], list(looks)

    def handle(route):
        if route.request.method == "POST":
            items.append(route.request.post_data_json)
            return route.fulfill(status=202, json={"id": "6f1c2c1e-0000-4000-8000-000000000000"})
        look = other_looks.pop(0) if len(other_looks) > 1 else other_looks[0]
        if look is None:
            return route.abort()
        return route.fulfill(json={"revision": items[-1]["revision"], **look})

    page.route(METERS, handle)
    return items


def done(**values):
    return {"state": "done", "values": values}


# Minimal: words and ratio, nothing else


def test_minimal_shows_words_and_ratio_and_nothing_else(open_task):
    page = open_task("minimal")
    find_segment_button(page, 5).click()
    page.locator("#summary").fill(TEXT)
    wait_saved(page)

    expect(page.locator("[data-words]")).to_have_text("18 words", use_inner_text=True)
    expect(page.locator("[data-ratio]")).to_have_text(
        "95 % of the 19 words in the marked segments", use_inner_text=True
    )
    expect(page.locator("[role=meter]")).to_have_count(1)
    expect(
        page.locator("[data-meter], .meters, [data-copied], [data-show-copied], .copied, .runs, .hits")
    ).to_have_count(0)
    assert page.evaluate(HIGHLIGHTS) == []
    assert "Assistance: minimal (words and ratio). This is recorded" in assistance(page)

    seen = page.inner_text("main")
    sentences = [
        text
        for meter_message in meter_messages().values()
        for text in (meter_message.values() if isinstance(meter_message, dict) else [meter_message])
    ]
    results = {word.strip(" :.,") for text in sentences for word in re.split(r"\{\w+\}", text)}
    assert {"copied", "found", "missing", "detail", "theirs", "currently unavailable"} <= results
    assert not [item for item in results if len(item) > 3 and item in seen]
    assert not set(meter_messages()) & set(json.loads(page.locator("#task-words").text_content()))
    block = json.loads(page.locator("#task-data").text_content())
    assert not {"meters", "scores", "measures", "copied"} & set(block)
    assert {key for attribute in block["attributes"] for key in attribute} == ATTRIBUTE_KEYS
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert any("/js/writing.js" in url for url in loaded)
    assert not [url for url in loaded if any(f"/js/{name}.js" in url for name in list_meter_modules())]
    assert not [url for url in loaded if "/meters/" in url]


ATTRIBUTE_KEYS = {
    "key", "label", "code", "kind", "guide", "measure", "filled_by", "values", "value", "value_label", "value_guide",
    "value_example", "revealed", "band", "min", "max",
}  # fmt: skip


# Full: all of them


def test_full_shows_each_measure_beside_what_was_asked_for(open_task):
    page = open_task()
    answers(page, {"state": "pending"}, done(specificity={"value": 4.21, "undefined": ""}))
    page.locator("#summary").fill(TEXT)
    source = SourceIndex(world.document_segments(world.NEWS), domain="document")
    ext = f"{overlap.extractiveness(TEXT, source):.2f}".removeprefix("0")
    wait_value(page, "extractiveness", f"{ext} copied")
    assert 0.3 < float(ext) < 0.9
    shows_text(row(page, "extractiveness"), "Requested: High. Lift whole phrases")
    meter = page.get_by_role("meter", name="Extractiveness")
    assert meter.get_attribute("aria-valuetext") == f"{ext} copied"
    assert abs(float(meter.get_attribute("aria-valuenow")) - overlap.extractiveness(TEXT, source)) < 1e-12

    assert value_of(page, "topic") == ".33 found"
    hits = page.locator("[data-hits] li")
    assert [" ".join(text.split()) for text in hits.all_inner_texts()] == [
        "night sailing missing: “night” and “sailing”",
        "fares found: “fares”",
    ]
    wait_value(page, "specificity", "4.2 detail")
    shows_text(row(page, "specificity"), "Requested: High. Keep the detail")
    result = assistance(page)
    assert "full (all meters, copied and topic words highlighted, suggestions). This is recorded" in result
    expect(page.locator("[data-words]")).to_have_text("18 words", use_inner_text=True)


def test_copied_words_are_lit_in_both_texts_and_listed_in_words(open_task):
    page = open_task()
    answers(page, {"state": "pending"})
    page.locator("#summary").fill(TEXT)
    page.wait_for_selector("[data-runs-count]:text-is('1 copied run of three words or more')")
    copied = "Fares will rise from 4 to 5 crowns for visitors,"  # "the regional council" begins with a capital there
    assert page.evaluate(HIGHLIGHTS) == [["mirror", copied], ["turn-text", copied]]


def test_the_lit_words_stay_on_their_words_while_one_types(open_task):
    page = open_task()
    answers(page, {"state": "pending"})
    page.locator("#summary").fill(f"Now {TEXT}")
    copied = "Fares will rise from 4 to 5 crowns for visitors,"
    page.wait_for_function(f"() => ({HIGHLIGHTS})().some(([, text]) => text === {json.dumps(copied)})")
    page.evaluate("window.requestIdleCallback = () => 0")
    page.clock.install()  # nothing is counted again from here on
    page.locator("#summary").evaluate("e => e.setSelectionRange(0, 0)")
    page.keyboard.type("Yes 🚢: ")
    assert [text for place, text in page.evaluate(HIGHLIGHTS) if place == "mirror"] == [copied]
    same = "() => document.querySelector('.mirror').textContent === document.querySelector('#summary').value + '\\n'"
    assert page.evaluate(same)
    sizes = "() => [document.querySelector('.mirror'), document.querySelector('#summary')].map((e) => e.scrollHeight)"
    mirror, field = page.evaluate(sizes)
    assert mirror == field


def test_a_run_leads_to_its_place_and_the_marks_can_be_put_out(open_task):
    page = open_task(make=lambda **o: world.news(segments=world.document_segments(world.NEWS * 9), **o))
    answers(page, {"state": "pending"})
    page.locator("#summary").fill("They say that lights from a late boat will disturb storm petrels.")
    page.get_by_text("1 copied run of three words or more").click()
    run = page.locator("[data-runs] li").first
    expect(run.locator("q")).to_have_text(
        "that lights from a late boat will disturb storm petrels", use_inner_text=True
    )
    assert run.locator("button").all_inner_texts() == ["6", "14", "22"]
    run.get_by_role("button", name="Show 22 in the source").click()
    assert page.locator(".turn").nth(21).evaluate("e => e.getBoundingClientRect().top < innerHeight")
    page.locator("[data-show-copied]").uncheck()
    assert page.evaluate(HIGHLIGHTS) == []
    page.locator("[data-show-copied]").check()
    assert len(page.evaluate(HIGHLIGHTS)) == 10


def test_a_meeting_has_the_share_of_its_speakers(open_task):
    chosen = {"topic": ["solar panel"], "speaker": ["Tomasz Wilk"]}
    page = open_task(make=world.meeting, chosen=chosen)
    result = answers(page, done(specificity={"value": 3.0, "undefined": ""}, speaker={"value": 0.714, "undefined": ""}))
    page.locator("#summary").fill("Tomasz wants one cell.")
    wait_value(page, "speaker", ".71 theirs")
    shows_text(row(page, "speaker"), "Requested: Tomasz Wilk.")
    assert page.get_by_role("meter", name="Speaker").get_attribute("aria-valuenow") == "0.714"
    assert [item["summary"] for item in result] == ["Tomasz wants one cell."]


def test_who_asked_for_no_speaker_sees_no_such_meter(open_task):
    page = open_task(make=world.meeting, chosen={"topic": ["label"], "speaker": []})
    expect(row(page, "specificity")).to_have_count(1)
    expect(row(page, "speaker")).to_have_count(0)


def test_a_band_of_the_schema_is_drawn_and_said(open_page):
    """No preset has one for anything but length; a project's own schema may."""
    bands = {"extractiveness": (0.34, 0.51), "specificity": (4.5, 6)}
    text = preset_text("macsum-doc")
    for key, code in (("extractiveness", "Ext"), ("specificity", "Spe")):
        low, high = bands[key]
        band = f'bands = {{ high = {{ of = "measure", low = {low}, high = {high} }} }}'
        text = text.replace(f'code = "{code}"', f'code = "{code}"\n{band}')
    project = world.news(frozen=True, assistance="full")
    SchemaVersion.objects.update(text=text, content_hash=content_hash(text))
    Sample.objects.update(values={"length": "short", "extractiveness": "high", "specificity": "high"})
    page, _assignment = open_first_task(open_page, project)
    answers(page, done(specificity={"value": 5.0, "undefined": ""}))
    page.locator("#summary").fill("Fares will rise from 4 to 5 crowns")
    wait_value(page, "specificity", "5.0 detail")
    shows_text(row(page, "specificity"), "Within the guideline’s band, 4.5 to 6.0.")
    meter = page.get_by_role("meter", name="Extractiveness")
    assert meter.get_attribute("aria-valuetext") == "1.00 copied. Over the guideline’s band, .34 to .51."
    assert row(page, "extractiveness").locator(".gauge .band").get_attribute("x") == "34%"
    wait_saved(page)


# The server's part may fail; the writing goes on


def test_a_worker_measures_what_the_browser_cannot(open_task):
    """Without a stand-in: the question, the job, and the value on the page are those of the program."""
    chosen = {"topic": ["solar panel"], "speaker": ["Tomasz Wilk"]}
    page = open_task(make=world.meeting, chosen=chosen)
    with page.expect_response(lambda r: r.url.endswith("/meters/") and r.request.method == "POST"):
        page.locator("#summary").fill("A single lithium iron cell, seven gulls.")
    wait_value(page, "speaker", "counting …")
    for job, _queue in jobs.list_open_jobs():
        jobs.run_job(job)
    page.wait_for_selector("[data-meter=speaker] [role=meter]")
    # Content words: single lithium iron cell seven gulls; Tomasz said the first four.
    assert value_of(page, "speaker") == ".67 theirs"
    assert value_of(page, "specificity").endswith(" detail")


@pytest.mark.parametrize(
    "look",
    [{"state": "failed", "values": None}, {"state": "done", "values": None}],
    ids=["failed", "nothing"],
)
def test_a_failed_job_is_said_and_the_next_words_ask_again(open_task, look):
    page = open_task()
    result = answers(page, look)
    page.locator("#summary").fill("One.")
    wait_value(page, "specificity", "currently unavailable")
    page.unroute(METERS)
    again = answers(page, done(specificity={"value": 2.0, "undefined": ""}))
    page.locator("#summary").fill("One, two.")
    wait_value(page, "specificity", "2.0 detail")
    assert [result[-1]["summary"], again[-1]["summary"]] == ["One.", "One, two."]


@pytest.mark.parametrize("status", [500, 403, None], ids=["broken", "signed out", "offline"])
def test_without_an_answer_one_still_writes_and_saves(open_task, status):
    page = open_task(watch=False)
    page.route(METERS, lambda route: route.fulfill(status=status, json={}) if status else route.abort())
    page.locator("#summary").fill(TEXT)
    wait_value(page, "specificity", "currently unavailable")
    expect(row(page, "specificity").get_by_role("meter")).to_have_count(0)
    assert value_of(page, "extractiveness").endswith("copied")
    page.locator("#summary").press_sequentially(" More.")
    wait_saved(page)
    assert page.locator("#summary").input_value() == TEXT + " More."


def test_a_reason_is_shown_where_there_is_no_number(open_task):
    page = open_task()
    answers(page, done(specificity={"value": None, "undefined": "the summary has no sentence"}))
    page.locator("#summary").fill("…")
    wait_value(page, "specificity", "no value: the summary has no sentence")


def test_an_emptied_field_has_no_numbers_and_asks_nobody(open_task):
    page = open_task()
    result = answers(page, done(specificity={"value": 2.0, "undefined": ""}))
    page.locator("#summary").fill("One, two.")
    wait_value(page, "specificity", "2.0 detail")
    page.locator("#summary").fill(" ")
    for measure in ("specificity", "extractiveness", "topic"):
        wait_value(page, measure, "–")
    assert len(result) == 1


def test_the_page_can_be_written_on_when_the_meters_do_not_load(open_page):
    project = world.news(frozen=True, assistance="full")
    user = world.make_annotator(project)
    page = open_page(user, f"/p/{project.slug}/work/", watch=False)
    page.route("**/js/overlap.js", lambda route: route.abort())
    page.locator("[data-action=next-task]").click()
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(TEXT)
    wait_saved(page)
    assert value_of(page, "extractiveness") == "currently unavailable"


# Looks


@pytest.mark.parametrize("make", [world.news, world.meeting])
def test_all_meters_fit_a_phone(open_task, make):
    chosen = {"topic": ["W" * 60, "fares"]}
    if make is world.meeting:
        chosen["speaker"] = ["Tomasz Wilk", "Delphine Roux"]
    page = open_task(make=make, chosen=chosen, viewport=PHONE, has_touch=True, is_mobile=True)
    numbers = {measure: {"value": 0.5, "undefined": ""} for measure in ("specificity", "speaker")}
    answers(page, done(**numbers))
    page.get_by_text("Write", exact=True).click()
    page.locator("#summary").fill(TEXT)
    wait_value(page, "specificity", ".5 detail")
    page.locator("[data-copied] summary").click()
    assert not page.evaluate("document.scrollingElement.scrollWidth > innerWidth")
    edges = """() => [...document.querySelectorAll(".meters *, .runs *")]
        .filter((e) => e.getBoundingClientRect().right > innerWidth - 8).map((e) => e.className || e.tagName)"""
    assert page.evaluate(edges) == []


def test_the_meters_add_no_stop_to_the_keyboard_before_the_list_of_runs(open_task):
    page = open_task()
    answers(page, {"state": "pending"})
    page.locator("#summary").fill(TEXT)
    page.locator("#summary").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('[data-copied] summary')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.nextStep") == "3"
