"""The main job through the pages: sign in, make a project, import, extract, draw, write one summary, export."""

import json
import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Annotation, Candidate, Group, Job, Membership, Project, Role, Sample, SourceDocument
from tests.browser.task_steps import SUMMARY, find_segment_button, press_submit, submit_task
from tests.tasks.factories import pass_gate

EXAMPLE = Path(__file__).resolve().parents[2] / "annotation" / "example"
PASSWORD = "correct-horse-9-battery"
FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
FIRST = 8
"""So many sources of each released file go in by default; make test-full takes the files as they are."""


@pytest.fixture
def people(transactional_db):
    User.objects.create_superuser("admin", password=PASSWORD)
    User.objects.create_user("annotator1", password=PASSWORD)


def sign_in(browser, base, name, **options):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{base}/sign-in/")
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    return page


def work_through(page, ended="Done"):
    """What a worker does while the page of the job is open; then look again. Counting and scoring can wait."""
    for job_id, _queue in jobs.list_open_jobs():
        if Job.objects.get(pk=job_id).kind not in ("count_tokens", "score"):
            jobs.run_job(job_id)
    page.locator(".notice").get_by_text(ended).first.wait_for()


def make_project(page, base, name, slug, preset):
    page.goto(f"{base}/projects/new/")
    page.locator("[name=name]").fill(name)
    page.locator(f"[name=schema][value={preset}]").check()
    page.get_by_text("Short name: made from the name").click()
    page.get_by_label("Short name", exact=True).fill(slug)
    page.get_by_role("button", name="Create project").click()
    page.get_by_role("heading", name=name).wait_for()


def bring_in(page, base, slug, file):
    page.goto(f"{base}/p/{slug}/import/")
    page.locator("[name=file]").set_input_files(file)
    page.get_by_label("Licence of the texts").select_option("CC0-1.0")
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/sources/imports/**")
    work_through(page, "imported")


def prepare(page, base, slug):
    """Candidates and samples, with a look at the dry run."""
    page.goto(f"{base}/p/{slug}/samples/")
    page.get_by_role("button", name="Extract candidates").click()
    page.wait_for_url("**/jobs/**")
    work_through(page)
    page.goto(f"{base}/p/{slug}/samples/draw/")
    page.get_by_role("button", name="Dry run").click()
    page.get_by_role("heading", name="What would be drawn").wait_for()
    assert not Sample.objects.filter(project__slug=slug, sampler__startswith="uniform").exists()
    page.get_by_role("button", name="Draw samples").click()
    page.wait_for_url("**/jobs/**")
    work_through(page)


def write_one(page, base, slug):
    """The next task, from the button to the stored row."""
    page.goto(f"{base}/p/{slug}/work/")
    page.locator('[data-action="next-task"]').first.click()
    page.wait_for_selector("[data-task][data-ready]")
    if page.locator(".picks .pick").first.is_visible():
        page.locator(".picks .pick").first.click()
        page.get_by_role("button", name="Continue", exact=True).click()
        with page.expect_navigation():
            page.get_by_role("button", name="Lock and continue").click()
        page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(SUMMARY)
    find_segment_button(page, 2).click()
    submit_task(page, "A title")
    with page.expect_navigation():
        press_submit(page)


def export(page, base, slug, folder):
    page.goto(f"{base}/p/{slug}/export/")
    page.get_by_role("button", name="Start export").click()
    page.wait_for_url("**/jobs/**")
    work_through(page)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download").first.click()
    target = folder / "export.jsonl"
    started.value.save_as(target)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def let_in(name: str) -> None:
    project, user = Project.objects.get(), User.objects.get(username=name)
    Membership.objects.create(project=project, user=user, role=Role.ANNOTATOR)
    pass_gate(project, user)


def test_a_team_makes_a_dataset_of_meetings_through_the_pages(chromium, live_server, people, tmp_path):
    base = live_server.url
    admin = sign_in(chromium, base, "admin")
    make_project(admin, base, "Meetings", "meetings", "macsum-dial")
    bring_in(admin, base, "meetings", EXAMPLE / "meetings.jsonl")
    assert SourceDocument.objects.count() == 3
    prepare(admin, base, "meetings")
    assert Candidate.objects.filter(kind="topic").count() == 60

    admin.goto(f"{base}/p/meetings/members/")
    let_in("annotator1")
    annotator = sign_in(chromium, base, "annotator1")
    write_one(annotator, base, "meetings")

    row = Annotation.objects.get()
    assert row.payload["summary"] == SUMMARY
    assert row.payload["relevant_segments"] == [1]
    chosen = Group.objects.get(pk=row.sample.group_id).chosen["topic"]
    lines = export(admin, base, "meetings", tmp_path)
    written = [line for line in lines if line["task"] == "summary"]
    assert [(line["text"], line["attributes"]["topic"]) for line in written] == [(SUMMARY, chosen)]
    assert sum(line["task"] == "source" for line in lines) == 3
    assert "annotator1" not in json.dumps(lines)
    admin.context.close()
    annotator.context.close()


@pytest.fixture
def released(shared, tmp_path):
    """MACDial's file of 41 sources and QMSum's of 35 meetings, or the beginning of each."""
    macdial, qmsum = shared / "data" / "macsum" / "macdial" / "val.json", shared / "data" / "qmsum" / "val.jsonl"
    if FULL:
        return macdial, qmsum, 41
    cut = tmp_path / "val.json", tmp_path / "val.jsonl"
    cut[0].write_text(json.dumps(json.loads(macdial.read_text(encoding="utf-8"))[:FIRST]), encoding="utf-8")
    cut[1].write_text("".join(qmsum.read_text(encoding="utf-8").splitlines(keepends=True)[:FIRST]), encoding="utf-8")
    return *cut, FIRST


def test_the_released_files_go_in_through_the_page(chromium, live_server, people, tmp_path, released):
    macdial, qmsum, sources = released
    base = live_server.url
    admin = sign_in(chromium, base, "admin")
    make_project(admin, base, "Real meetings", "real", "macsum-dial")
    bring_in(admin, base, "real", macdial)
    assert SourceDocument.objects.filter(project__slug="real").count() == sources
    bring_in(admin, base, "real", qmsum)
    text = admin.locator("main").inner_text()
    assert "left out" in text.lower()
    stored = SourceDocument.objects.filter(project__slug="real").count()
    assert stored > sources
    prepare(admin, base, "real")
    let_in("annotator1")
    annotator = sign_in(chromium, base, "annotator1")
    write_one(annotator, base, "real")
    lines = export(admin, base, "real", tmp_path)

    assert sum(line["task"] == "source" for line in lines) == stored
    assert [line["text"] for line in lines if line["task"] == "summary"] == [SUMMARY]
    admin.context.close()
    annotator.context.close()
