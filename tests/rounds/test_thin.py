"""A round from its file to the export."""

import pytest

from evaluation.models import Judgement, RatingSlot
from evaluation.services import judgements, steering
from tests.rounds.factories import launched, make_run, project_with_gold, rate_all, raters_of

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def test_every_item_is_rated_exactly_as_often_as_asked():
    project = project_with_gold()
    make_run(project, "lead")
    one, two = raters_of(project)
    made = launched(project, more='[[target]]\nsystem = "lead"')
    assert made.n_items == 12

    views = rate_all(made, one) + rate_all(made, two)

    assert len(views) == 24 == RatingSlot.objects.filter(state="filled").count()
    assert Judgement.objects.count() == 24 * 3
    lines = list(judgements.export_lines(made))
    assert len(lines) == 72 and "system" not in lines[0]
    steering.move(round_=made, what="unblind", by=None)
    assert {line["system"] for line in judgements.export_lines(made)} == {"gold", "lead"}
