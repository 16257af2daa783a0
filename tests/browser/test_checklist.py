"""The overview leads on: an own file with summaries opens two ways, steps are skipped, an admin who writes starts."""

import csv
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Role
from annotation.services.people.projects import create_project
from tests.browser import world
from tests.export.factories import import_project_file, row
from tests.tasks.factories import make_people, pass_gate

N_SOURCES = 5


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


@pytest.fixture
def own_file(tmp_path):
    """A project of articles that came with a summary each."""
    project = create_project(slug="own", name="Own", schema="macsum-doc")
    file = tmp_path / "own.csv"
    with file.open("w", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["id", "text", "summary"])
        lines.writerows([f"d{number}", row(number)["text"] * 12, "The council voted."] for number in range(N_SOURCES))
    mapping = {"id": "id", "text": "text", "summary": "summary"}
    import_project_file(project, file, with_references=True, mapping=mapping)
    project.documents.update(extractor="words@1")
    return project


def test_an_own_file_with_summaries_is_drawn_from_in_three_clicks(admin, own_file, open_page):
    page = open_page(admin, "/p/own/")
    steps = page.locator(".checklist")
    expect(steps.get_by_text("5 sources · 5 reference summaries")).to_be_visible()
    expect(steps.get_by_role("link", name="Measure systems on the references")).to_be_visible()
    steps.get_by_role("link", name="Draw samples").click()
    page.wait_for_url("**/samples/draw/")
    expect(page.get_by_text("5 reference summaries came with the sources.")).to_be_visible()
    page.get_by_role("button", name="Dry run").click()
    facts = page.locator(".facts")
    expect(facts).to_contain_text(re.compile(rf"Sources\s*{N_SOURCES}"))
    expect(page.get_by_text("Nothing to draw")).to_have_count(0)


def test_the_other_way_leads_to_systems_that_can_run(admin, own_file, open_page):
    page = open_page(admin, "/p/own/")
    page.get_by_role("link", name="Measure systems on the references").click()
    page.wait_for_url("**/systems/")
    expect(page.get_by_text("No sample is ready for systems yet")).to_have_count(0)


def test_a_step_is_skipped_and_taken_up_again(admin, own_file, open_page):
    page = open_page(admin, "/p/own/")
    page.get_by_role("button", name="Skip: Draw requests for annotators").click()
    current = page.locator(".checklist-current")
    expect(current).to_contain_text("Run systems")
    expect(page.locator(".step-skipped")).to_have_count(5 - 1)
    page.get_by_role("button", name="Take up again").click()
    expect(current).to_contain_text("Draw requests for annotators")


def test_an_admin_who_writes_gets_the_next_task_and_finds_it_again(transactional_db, open_page):
    project = world.news(frozen=True)
    (person,) = make_people(1, project, Role.ADMIN)
    project.memberships.create(user=person, role=Role.ANNOTATOR)
    pass_gate(project, person)
    page = open_page(person, f"/p/{project.slug}/")
    page.get_by_role("button", name="Write the next summary").click()
    page.wait_for_url("**/tasks/**")
    page.goto(page.url.split("/tasks/")[0] + f"/p/{project.slug}/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="My work").click()
    page.wait_for_url("**/work/")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
