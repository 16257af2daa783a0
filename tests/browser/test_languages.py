"""The pages in German and Arabic: people choose the language, and work, at a desk and on a phone."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import translation
from playwright.sync_api import expect

from annotation.models import Annotation, LanguageChoice, Membership, Role
from annotation.services.accounts.languages import choose_language
from evaluation.models import Judgement
from tests.browser import world
from tests.browser.task_steps import SUMMARY, find_segment_button, open_first_task
from tests.browser.test_every_page import AXE, AXE_RUN
from tests.browser.test_rounds import keys, rate_by_keyboard, ready
from tests.rounds.factories import launch_new_round, member, project_with_gold
from tests.tasks.factories import make_project

LAYOUT = Path(__file__).parent / "layout.js"
LANGUAGES = ("de", "ar")
WIDTHS = (360, 390, 1280)
PASSWORD = "correct-horse-9-battery"


def word(language: str, message: str) -> str:
    """What the page says for a message, in any state of the catalogue."""
    with translation.override(language):
        return translation.gettext(message)


def press(page, language: str, message: str) -> None:
    page.get_by_role("button", name=word(language, message), exact=True).click()


def check_page(page) -> None:
    """Nothing overflows or overlaps at any width, and axe finds nothing serious."""
    size = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(LAYOUT.read_text(encoding="utf-8")) == [], f"{page.url} at {width}"
    page.set_viewport_size(size)
    if AXE.exists():
        page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
        assert page.evaluate(AXE_RUN) == [], page.url


def check_language(page, language: str) -> None:
    root = page.locator("html")
    assert root.get_attribute("lang") == language
    assert root.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_annotator_writes_and_submits(open_page, language):
    project = world.news()
    choose_language(world.make_annotator(project), language)
    page, assignment = open_first_task(open_page, project)
    check_language(page, language)
    assert page.locator(".turn-text").first.get_attribute("lang") == "en"
    check_page(page)

    page.get_by_label("night sailing").check()
    press(page, language, "Continue")
    with page.expect_navigation():
        press(page, language, "Lock and continue")
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 1).click()
    check_page(page)
    press(page, language, "Continue to relevant segments")
    press(page, language, "Confirm these segments")
    page.locator("[data-reread]").check()
    page.locator("#title").fill("The night boat returns")
    check_page(page)
    press(page, language, "Submit")
    expect(page.locator("[data-submit-said]")).to_be_visible()  # far outside the band: it is asked whether it is meant
    check_page(page)
    with page.expect_navigation():
        page.locator("[data-submit]").click()

    row = Annotation.objects.get()
    assert row.assignment_id == assignment.pk
    assert row.payload["summary"] == SUMMARY and row.payload["relevant_segments"] == [0]


TO_THE_END = """() => {
    const foot = document.querySelector(".panel-foot"), style = getComputedStyle(foot);
    const [outer, inner] = [foot, foot.querySelector("[data-submit]")].map((each) => each.getBoundingClientRect());
    return style.direction === "rtl"
        ? inner.left - outer.left - parseFloat(style.paddingLeft)
        : outer.right - inner.right - parseFloat(style.paddingRight);
}"""


@pytest.mark.parametrize("language", ("en", *LANGUAGES))
def test_the_button_that_submits_stands_at_the_end_of_its_line(open_page, language):
    project = world.news(frozen=True)
    choose_language(world.make_annotator(project), language)
    page, _assignment = open_first_task(open_page, project)
    for width in (360, 390, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        if width < 900:
            page.locator("label:has([name=pane][value=work])").click()
        assert abs(page.evaluate(TO_THE_END)) < 2, width


@pytest.mark.parametrize("language", ("en", *LANGUAGES))
def test_on_a_phone_only_trouble_with_saving_is_told_in_words(open_page, language):
    project = world.news(frozen=True)
    choose_language(world.make_annotator(project), language)
    page, _assignment = open_first_task(open_page, project, viewport={"width": 390, "height": 844})
    words, navigation = page.locator("[data-save-state] > span"), page.locator(".nav")
    assert words.bounding_box()["width"] < 2 and navigation.is_visible()

    page.evaluate("document.querySelector('[data-save-state]').dataset.state = 'offline'")
    assert words.bounding_box()["width"] > 20 and not navigation.is_visible()
    check_page(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rater_answers_by_keyboard(open_page, language):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    rater = member(project, "rater1", Role.RATER)
    member(project, "rater2", Role.RATER)
    choose_language(rater, language)
    launch_new_round(project)
    page = open_page(rater, f"/p/{project.slug}/rating/")
    check_language(page, language)
    page.locator("[data-action=next-item]").press("Enter")
    ready(page)
    check_page(page)

    items = rate_by_keyboard(page, keys())

    assert items and Judgement.objects.exists()
    check_page(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_admin_chooses_the_language_and_walks_the_project(open_page, language):
    project = make_project("news")
    admin = User.objects.create_user("admin")
    Membership.objects.create(project=project, user=admin, role=Role.ADMIN)
    page = open_page(admin, f"/p/{project.slug}/")
    check_language(page, "en")

    page.locator(".who-am-i").click()
    page.get_by_role("link", name="Language", exact=True).click()
    check_page(page)
    page.locator(f"[name=language][value={language}]").click()
    page.wait_for_url(f"**/p/{project.slug}/")

    assert LanguageChoice.objects.get().language == language
    for path in ("", "members/", "settings/", "sources/", "samples/", "export/", "rounds/", "audit/", "guideline/"):
        page.goto(page.url.split("/p/")[0] + f"/p/{project.slug}/{path}")
        check_language(page, language)
        check_page(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sign_in_page_offers_every_language_by_its_own_name(chromium, live_server, transactional_db, language):
    User.objects.create_user("annotator1", password=PASSWORD)
    page = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en-GB").new_page()
    page.goto(f"{live_server.url}/sign-in/")
    check_language(page, "en")

    page.get_by_role("button", name={"de": "Deutsch", "ar": "العربية"}[language]).click()
    check_language(page, language)
    check_page(page)
    page.locator("[name=username]").fill("annotator1")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main form.form button.primary").click()
    page.locator(".who-am-i").wait_for()

    check_language(page, language)
    assert not LanguageChoice.objects.exists()
    page.context.close()
