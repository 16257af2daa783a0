"""Staff look at the project and take a person's work back, on a desk, in the dark and on a phone."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, Inspection, Job, Project, Role, Sample
from annotation.services.staff import skipped_samples
from annotation.services.tasks import claim, skip, submit
from tests.browser.conftest import DESK, PHONE, shows_text
from tests.browser.test_interim import check_page
from tests.tasks.factories import make_people, make_project, payload

SHOTS = os.environ.get("EPITOME_SHOTS", "")


@pytest.fixture
def project(transactional_db):
    project = make_project("news", documents=6, groups=3, size=3, frozen=True, claim_unit="sample", skip_limit=2)
    for sample in Sample.objects.filter(project=project).order_by("pk"):
        values = sample.values
        code = "".join(str(values[key])[0] for key in ("length", "extractiveness", "specificity"))
        Sample.objects.filter(pk=sample.pk).update(combination=code)
    first, second = make_people(2, project)
    for who, written, remaining in ((first, 0, 1), (second, 0, 1), (first, 9, 0), (second, 14, 0), (second, 0, 1)):
        for _ in range(written + remaining):
            task = claim.claim_next(project=project, annotator=who).assignment
            if written:
                submit.submit_task(assignment=task, payload=payload(), idempotency_key=f"k{task.pk}")
            else:
                skip.skip_task(assignment=task, reason="nothing_fits")
    skipped_samples.retire_skipped_samples()
    assignments = list(Assignment.objects.filter(state="submitted").values_list("pk", flat=True))
    Assignment.objects.filter(pk__in=assignments[:8]).update(state="accepted")
    Job.objects.all().delete()
    return project


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("sam")


def shot(page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"staff-{name}.png"), full_page=True)


def test_a_persons_work_is_voided_after_a_look_and_restored(project, admin, open_page):
    page = open_page(admin, "/p/news/")
    page.get_by_role("heading", name="Coverage of combinations").wait_for()
    page.get_by_text("1 sample retired").wait_for()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="People").click()
    page.get_by_role("link", name="Steering").click()
    page.get_by_label("void a person's work").check()
    page.get_by_label("User name", exact=True).fill("annotator1")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("Affects 9 tasks of 9 samples").wait_for()
    shot(page, "steering")
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("Done. You can undo it below.").wait_for()
    assert Assignment.objects.filter(annotator__username="annotator1", state="void").count() == 9
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone: 9 tasks were restored.").wait_for()
    page.get_by_role("button", name="Pause assignment").click()
    page.get_by_text("Assignment paused since").wait_for()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Quality").click()
    page.get_by_role("link", name="Skips").click()
    page.get_by_role("button", name="from another source").click()
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_text("Combination drawn from another source.").wait_for()
    assert Sample.objects.filter(sampler="redraw@1").count() == 1


def test_the_overview_leads_to_days_weeks_and_hours(project, admin, open_page):
    Project.objects.filter(pk=project.pk).update(pay_per_hour=18, pay_currency="EUR")
    spread_over_weeks(project)
    page = open_page(admin, "/p/news/")
    page.get_by_role("link", name="Days, weeks and hours").click()
    page.get_by_role("heading", name="Hours and pay").wait_for()
    expect(page.get_by_role("img", name=re.compile("23 of 54 summaries written"))).to_be_visible()
    effort = page.locator("#t-effort")
    shows_text(effort.get_by_role("row", name="To come"), "EUR")
    assert page.locator("#t-weeks tbody tr").count() >= 4
    expect(page.get_by_role("img", name=re.compile("Accepted on first review"))).to_be_visible()
    page.get_by_text("The last days as a table").click()
    expect(page.locator("#t-days tbody tr")).to_have_count(14)
    expect(page.locator("#t-days")).to_be_visible()
    check_page(page, "progress")


def spread_over_weeks(project: Project) -> None:
    """One summary a day with active time; two of three are inspected, every fifth of these is returned."""
    (reviewer,) = make_people(1, project, Role.REVIEWER, start=500)
    for back, annotation in enumerate(Annotation.objects.filter(project=project).order_by("-pk"), 1):
        moment = timezone.now() - timedelta(days=back)
        Annotation.objects.filter(pk=annotation.pk).update(created_at=moment, timings={"active_seconds": 500.0 + back})
        if back % 3:
            verdict = "accept" if back % 5 else "revise"
            Inspection.objects.create(
                project=project,
                annotation=annotation,
                reviewer=reviewer,
                verdict=verdict,
                verdicts={},
                created_at=moment,
            )


@pytest.mark.parametrize(("look", "size"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_every_page_fits_its_width(project, admin, open_page, look, size):
    page = open_page(admin, "/p/news/", viewport=size, color_scheme=look)
    for name in ("", "progress/", "annotations/", "skips/", "ledger/", "steering/"):
        page.goto(page.url.split("/p/news/")[0] + f"/p/news/{name}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, name
        shot(page, f"{name.strip('/') or 'overview'}-{look}-{size['width']}")
