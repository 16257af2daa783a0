"""From the gallery of templates to a project; a limited draw, undone by a button; a password generated and copied."""

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Draw, Job, Project, Sample
from tests.browser.conftest import PHONE
from tests.tasks.factories import make_project


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def test_a_project_is_made_by_keyboard_with_the_zone_of_the_browser(admin, open_page):
    page = open_page(admin, "/projects/new/", timezone_id="Asia/Tokyo")
    page.get_by_label("News and other articles").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("Заседания совета")
    page.get_by_label("Language of the texts").select_option("ru")
    page.get_by_role("button", name="Create project").press("Enter")
    page.wait_for_url("**/p/zasedaniya-soveta/")
    page.get_by_role("link", name="Import sources").first.wait_for()
    project = Project.objects.get()
    assert (project.preset, project.language, project.timezone) == ("short-articles", "ru", "Asia/Tokyo")


def test_a_project_is_made_on_a_phone_without_script(admin, open_page):
    page = open_page(admin, "/projects/new/", viewport=PHONE, java_script_enabled=False)
    page.get_by_label("Own attributes, documents").check()
    page.get_by_label("Name", exact=True).fill("My own")
    page.get_by_role("button", name="Create project").click()
    page.wait_for_url("**/p/my-own/schema/")
    page.get_by_text("Define its attributes here").wait_for()


def test_a_draw_of_so_many_hours_is_seen_before_and_undone_after(admin, open_page):
    make_project("news", documents=12, groups=0, n_words=540, topics=2)
    page = open_page(admin, "/p/news/samples/draw/")
    page.get_by_label("Draw at most").fill("3")
    page.get_by_label("Unit").select_option("hours of writing")
    page.get_by_role("button", name="Dry run").click()
    page.get_by_text("The limit of 18 samples leaves").wait_for()
    page.get_by_role("img", name="Length").wait_for()
    page.get_by_role("button", name="Draw samples", exact=True).click()
    page.wait_for_url("**/jobs/**")
    jobs.run_job(Job.objects.get(kind="sample").pk)
    n_samples = Sample.objects.count()
    assert 0 < n_samples <= 18

    page.goto(page.url.split("/jobs/")[0] + "/p/news/samples/")
    page.get_by_role("link", name="Undo this draw").click()
    page.get_by_role("heading", name="Undo this draw?").wait_for()
    page.get_by_role("button", name="Undo the draw").click()
    page.get_by_text(f"The draw was undone: {n_samples} samples were deleted.").wait_for()
    page.get_by_text("undone", exact=True).wait_for()
    assert not Sample.objects.exists() and Draw.objects.get().undone_by == admin


def test_a_password_is_generated_and_copied_before_it_is_sent(admin, open_page):
    make_project("news", documents=1)
    page = open_page(admin, "/p/news/members/", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Generate a password").click()
    password = page.get_by_label("First password").input_value()
    page.get_by_role("button", name="Copy password").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == password
    page.get_by_label("User name").fill("annotator1")
    page.get_by_role("button", name="Create account").click()
    page.get_by_text("annotator1").first.wait_for()
    assert User.objects.get(username="annotator1").check_password(password)
