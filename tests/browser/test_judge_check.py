"""Labelling texts by hand with one key each."""

import pytest
from django.utils import timezone

from annotation.models import Annotation, Role, Sample
from evaluation.models import HandLabel
from evaluation.services.judge_checks import check_draws
from tests.rounds.factories import member
from tests.tasks.factories import make_project


@pytest.fixture
def check(transactional_db):
    project = make_project("papers", documents=2, frozen=True, preset="ccsbench", asks=("keywords",))
    for number, sample in enumerate(Sample.objects.filter(project=project).order_by("pk")):
        Sample.objects.filter(pk=sample.pk).update(values={"focus": ("low", "high")[number % 2]})
        Annotation.objects.create(
            project=project,
            sample=sample,
            schema_version=sample.schema_version,
            origin="import",
            created_at=timezone.now(),
            payload={"summary": f"Part {number}.", "title": ""},
        )
    return check_draws.draw_check(project=project, question="focus", over="references", n=4, seed=0, by=None)


def test_three_keys_label_and_the_question_mark_opens_no_help(open_page, check):
    reviewer = member(check.project, "reviewer", Role.REVIEWER)
    page = open_page(reviewer, f"/p/papers/judge-check/{check.public_id}/")
    for number, key in enumerate(("e", "c", "?"), 1):
        page.get_by_role("heading", name=f"Text {number} of 4").wait_for()
        with page.expect_navigation():
            page.keyboard.press(key)
    page.get_by_role("heading", name="Text 4 of 4").wait_for()
    assert list(HandLabel.objects.order_by("pk").values_list("label", flat=True)) == [
        "empirical",
        "conceptual",
        "cannot-say",
    ]
    with page.expect_navigation():
        page.keyboard.press("p")
    page.get_by_role("heading", name="Text 3 of 4").wait_for()
    assert page.get_by_role("button", name="cannot say").get_attribute("aria-pressed") == "true"
