"""Samples that ask for nothing a round asks about: none of its items, and its check says how many there are."""

import pytest

from annotation.models import Group, Sample
from evaluation.services.rounds.design_check import check_design, parse_config
from tests.rounds.designs import build_candidates, plan_design
from tests.rounds.factories import config, launch_new_round, project_with_gold, raters_of

pytestmark = pytest.mark.django_db
NOTHING = {"length": None, "topic": [], "speaker": []}


def make_references(n: int):
    """A project of 12 sources with two samples each, of which the first n ask for nothing."""
    project = project_with_gold()
    raters_of(project)
    samples = Sample.objects.filter(project=project).select_related("group").order_by("pk")
    for sample in samples[:n]:
        group = Group.objects.create(
            project=project, document_id=sample.document_id, position=90 + sample.pk, frozen_at=sample.group.frozen_at
        )
        Sample.objects.filter(pk=sample.pk).update(sampler="import", values={}, combination="___", group=group)
    return project


def check(project, **options):
    return check_design(project, parse_config(project, config(**options)))


def test_a_yes_no_round_takes_only_samples_with_a_question():
    project = make_references(18)
    result = check(project, n=6)
    assert result.can_launch
    assert all(item.questions for item in result.plan.items)
    assert "18 of 24 samples ask for nothing that this round asks about, so they cannot be selected." in result.warnings


def test_where_too_few_are_left_the_check_says_why():
    project = make_references(20)
    result = check(project, n=6)
    assert not result.can_launch
    assert result.faults[0] == "Not enough data: 4 samples fit, 6 are needed."
    assert result.faults[1].startswith("20 of 24 samples ask for nothing that this round asks about")


def test_a_round_of_overall_quality_may_use_them():
    project = make_references(24)
    result = check(project, n=6, template="likert")
    assert result.can_launch and len(result.plan.items) == 6
    assert not any("ask for nothing" in text for text in result.warnings)


def test_a_launched_round_has_no_item_without_a_question():
    project = make_references(12)
    round_ = launch_new_round(project, n=8, read=False)
    assert round_.items.count() == 8
    assert all(item.questions for item in round_.items.all())


def test_a_plan_leaves_them_out_for_every_target():
    rows = [
        row if place % 2 else type(row)(row.key, row.source, row.domain, dict(NOTHING))
        for place, row in enumerate(build_candidates(60, 1))
    ]
    _config, plan = plan_design(rows=rows)
    assert len(plan.items) == 90 and all(item.questions for item in plan.items)
