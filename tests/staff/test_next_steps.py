"""The overview leads on after the writing: inspection, systems, a round, a release."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, InspectionSample, Release, Role, Slot
from evaluation.models import RatingSlot, Round
from tests.rounds.factories import launch_new_round, make_run, project_with_gold, raters_of
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db


def step_of(project) -> tuple[str, str]:
    """(title, address) of the step that an admin is shown; "" without a button."""
    (admin,) = make_people(1, project, Role.ADMIN, start=Slot.objects.count() + 500 + project.memberships.count())
    client = Client()
    client.force_login(admin)
    page = client.get(reverse("project", args=[project.slug])).content.decode()
    (block,) = re.findall(r'<div class="next-step".*?</div>\s*</div>|<div class="next-step".*?</a>', page, re.DOTALL)
    title = re.search(r"<strong>(.*?)</strong>", block)
    link = re.search(r'<a class="button primary" href="([^"]+)"', block)
    return title[1] if title else "", link[1] if link else ""


@pytest.fixture
def written():
    """A project with gold whose slots are all filled."""
    project = project_with_gold()
    raters_of(project)
    Slot.objects.update(state="filled")
    project.documents.update(extractor="test@1")
    return project


def test_writing_in_progress_is_said_with_real_numbers():
    project = make_project("one", documents=1, groups=1, size=2, frozen=True)
    make_people(1, project)
    project.documents.update(extractor="test@1")
    first = Slot.objects.order_by("pk")[0]
    Slot.objects.filter(pk=first.pk).update(state="taken")
    (admin,) = make_people(1, project, Role.ADMIN, start=40)
    client = Client()
    client.force_login(admin)
    page = client.get("/p/one/").content.decode()
    assert "Writing in progress" in page and "0 of 2 summaries written, 1 in progress." in page


def test_the_steps_follow_each_other_to_a_release(written):
    slug = written.slug
    annotation = Annotation.objects.filter(project=written)[0]
    person = written.memberships.first().user
    drawn = InspectionSample.objects.create(
        project=written, annotation=annotation, annotator=person, week="2026-W10", seed="s"
    )
    assert step_of(written) == ("Inspect the sample", f"/p/{slug}/inspection/")
    drawn.delete()
    assert step_of(written) == ("Run systems", f"/p/{slug}/systems/")
    make_run(written, "lead-3")
    assert step_of(written) == ("Have summaries rated", f"/p/{slug}/rounds/new/")
    round_ = launch_new_round(written, read=False)
    address = f"/p/{slug}/rounds/{round_.public_id}/"
    assert step_of(written) == ("Rating in progress", address)
    RatingSlot.objects.update(state="filled")
    assert step_of(written) == ("Close round 1", address)
    Round.objects.update(state="closed", closed_at=timezone.now())
    assert step_of(written) == ("Unblind round 1", address)
    Round.objects.update(state="unblinded", unblinded_at=timezone.now())
    assert step_of(written) == ("Make a release", f"/p/{slug}/export/")
    Release.objects.create(project=written, tag="v1", rows={})
    assert step_of(written) == ("The dataset is released", f"/p/{slug}/export/")
