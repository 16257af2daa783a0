"""A check of sixteen contrastive examples: designed from the preset, rated by keyboard, reported, and cleaned up."""

from playwright.sync_api import expect

from annotation.models import Annotation, Contrastive, Role
from evaluation.models import Judgement, Round
from evaluation.services.reports import report_jobs
from tests.api.world import work_off
from tests.browser import world
from tests.browser.conftest import PHONE, shows_text
from tests.browser.test_rounds import rate_by_keyboard, ready, shot
from tests.rounds.aggregations import aggregation_kind, aggregation_project, answer_all  # noqa: F401  fixture
from tests.rounds.examples import check_round, make_examples
from tests.rounds.factories import claim, config, launch_new_round, member, project_with_gold
from tests.tasks.factories import make_people

GOLDS = ("Gold ferries keep the island supplied until April", "Gold fares for visitors rise after the council's vote")


def shot_both(page, name):
    """Screenshots in light and in dark."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        shot(page, f"{name}-{scheme}")


def keys():
    """Hard to read, wrong, both, neither, in turn."""
    while True:
        yield from ("y", "n", "n", "y", "y", "y", "n", "n")


def test_a_check_from_preset_to_exclusion(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    for number, gold in enumerate(Annotation.objects.filter(project=project).order_by("pk")):
        gold.payload = {**gold.payload, "summary": GOLDS[number % 2]}
        gold.save()
    make_examples(project)
    researcher, rater = member(project, "researcher", Role.RESEARCHER), member(project, "rater1", Role.RATER)

    page = open_page(researcher, f"/p/{project.slug}/rounds/new/")
    page.get_by_role("link", name="Human check of the contrastive examples").click()
    page.get_by_label("Samples per target").fill("16")
    page.get_by_role("button", name="Check design").click()
    expect(page.locator("[data-part=check] .facts")).to_contain_text("16")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    page.get_by_role("button", name="Launch the round").click()
    page.get_by_text("Round launched").wait_for()

    other_page = open_page(rater, f"/p/{project.slug}/rating/")
    other_page.get_by_role("link", name="Read the instructions").press("Enter")
    shot(other_page, "check-instructions")
    other_page.get_by_label("I have read the instructions").press("Space")
    other_page.get_by_role("button", name="Confirm and continue").press("Enter")
    ready(other_page)
    word = other_page.locator(".changed").first
    note = word.locator(".was")
    assert note.evaluate("node => getComputedStyle(node).opacity") == "0"
    word.focus()
    other_page.wait_for_function("document.querySelector('.changed .was').checkVisibility({opacityProperty: true})")
    shows_text(note, "was: Gold")
    shot_both(other_page, "check-item")
    assert rate_by_keyboard(other_page, keys()) == 16
    assert Judgement.objects.count() == 32

    page.reload()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Unblind").click()
    page.get_by_label("Name of the round").fill("Human check of the contrastive examples")
    page.get_by_role("button", name="Unblind").click()
    page.wait_for_url("**/report/")
    work_off(report_jobs.find_running_job(Round.objects.get()))
    page.reload()
    table = page.locator("section.part", has=page.get_by_role("heading", name="Human check of contrastive examples"))
    assert "as printed: ABS+" in table.inner_text() and report_jobs.stored_report(Round.objects.get()) is not None
    shot(page, "check-report")
    page.get_by_role("link", name="Exclude examples").click()
    shot_both(page, "check-exclude")
    expect(page.get_by_role("checkbox")).to_have_count(4)
    page.get_by_role("checkbox").first.uncheck()
    page.get_by_role("button", name="Exclude the selected examples").click()
    page.get_by_text("3 examples excluded.").wait_for()
    assert Contrastive.objects.filter(state="excluded", excluded_by=researcher).count() == 3


def test_a_changed_word_tells_on_a_phone_what_stood_there(open_page):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_examples(project)
    rater = member(project, "rater1", Role.RATER)
    round_ = launch_new_round(project, text=check_round(per_rule=1))
    page = ready(open_page(rater, f"/items/{claim(round_, rater).public_id}/", viewport=PHONE, has_touch=True))
    page.locator(".changed").first.tap()
    page.wait_for_function("document.querySelector('.changed .was').checkVisibility({opacityProperty: true})")
    box = page.locator(".changed .was").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    shot(page, "check-phone")


def test_phrases_are_rated_beside_their_entities(open_page, aggregation_kind):  # noqa: F811
    project = aggregation_project(documents=3)
    answer_all(project, make_people(3, project))
    rater = member(project, "rater1", Role.RATER)
    round_ = launch_new_round(project, text=config(template="aggregation", n_raters=1, n=2))
    page = ready(open_page(rater, f"/items/{claim(round_, rater).public_id}/"))
    shot_both(page, "phrase")
    shows_text(page.locator("main"), "A painter of harbours.")
    page.keyboard.press("2")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert Judgement.objects.get().answer == "too generic"
    ready(page)
    page.set_viewport_size(PHONE)
    page.get_by_text("Texts", exact=True).click()
    shot(page, "phrase-phone")
