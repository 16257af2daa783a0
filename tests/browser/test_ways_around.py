"""Ways around: the search by keyboard, the jobs in the header, returned work from Home to the right step."""

from django.urls import reverse
from django.utils import timezone

from annotation.models import Group, Job, JobsSeen, JobState, Role, SourceDocument
from tests.browser import world
from tests.browser.conftest import shows_text
from tests.browser.task_steps import claim_task
from tests.inspection.factories import hand_in, save_inspection
from tests.tasks.factories import make_people

HITS = "() => document.querySelectorAll('#palette-list [role=option]').length"


def open_search(page) -> None:
    page.wait_for_selector("[data-palette][data-ready]", state="attached")
    page.keyboard.press("Control+k")
    page.wait_for_function(f"{HITS} > 0")


def read_selected(page) -> str:
    field = page.get_by_role("combobox", name="Search")
    return page.locator(f"#{field.get_attribute('aria-activedescendant')} > span").first.inner_text()


def test_a_page_and_a_source_are_reached_by_keyboard_alone(open_page):
    project = world.news()
    (admin,) = make_people(1, project, Role.ADMIN, start=30)
    page = open_page(admin, f"/p/{project.slug}/")
    open_search(page)
    page.keyboard.type("sam")
    page.wait_for_function("() => document.querySelector('[aria-selected=true] > span')?.textContent === 'Samples'")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('samples', args=[project.slug])}")

    open_search(page)
    page.keyboard.type("night ferry")
    page.wait_for_selector(".palette-heading:text-is('Sources')")
    titles = page.locator("#palette-list [role=option] > span:first-child").all_inner_texts()
    while read_selected(page) != SourceDocument.objects.get().title:
        page.keyboard.press("ArrowDown")
    assert SourceDocument.objects.get().title in titles
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{reverse('document', args=[project.slug, SourceDocument.objects.get().public_id])}")


def test_the_search_says_when_nothing_is_found_and_gives_the_focus_back(open_page):
    project = world.news()
    page = open_page(world.make_annotator(project), f"/p/{project.slug}/work/")
    page.wait_for_selector("[data-palette][data-ready]", state="attached")
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("qqzzq")
    page.wait_for_selector("text=Nothing found for “qqzzq”")
    assert page.get_by_role("combobox", name="Search").get_attribute("aria-expanded") == "false"
    page.context.set_offline(True)
    page.keyboard.type("!")
    page.wait_for_selector("[data-palette-said]:has-text('The search gives no answer')")
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('[data-open-palette]')")


def test_the_bell_tells_of_a_failure_until_it_was_opened(open_page):
    project = world.news()
    (admin,) = make_people(1, project, Role.ADMIN, start=30)
    now = timezone.now()
    Job.objects.create(project=project, kind="import", state=JobState.FAILED, error="line 3: no text", finished_at=now)
    page = open_page(admin, f"/p/{project.slug}/")
    page.locator("summary[aria-label='Jobs: 1 failed']").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=line 3: no text")
    page.wait_for_selector("summary[aria-label='Jobs']")
    assert JobsSeen.objects.filter(user=admin).exists()
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "Jobs"
    page.reload()
    page.wait_for_selector("summary[aria-label='Jobs']")


def test_returned_work_leads_from_home_to_the_step_of_the_remark(open_page):
    project = world.news()
    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at=timezone.now())
    writer = world.make_annotator(project)
    (reviewer,) = make_people(1, project, Role.REVIEWER, start=30)
    annotation = hand_in(claim_task(project, writer))
    save_inspection(annotation, reviewer, verdict="revise", comment="Leave the mast out.")

    page = open_page(writer, "/")
    hero = page.locator(".hero")
    shows_text(hero, "Leave the mast out.")
    hero.get_by_role("link", name="Revise summary").click()
    page.wait_for_selector("[data-task][data-ready]")
    assert page.locator("#step-2").get_attribute("data-compact") == "false"
    assert page.locator("#step-3").get_attribute("open") is None
