"""One round over human summaries and a run, with two raters who have read the instructions."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from annotation.models import Project
from evaluation.models import Round
from tests.rounds.factories import launch_new_round, make_run, project_with_gold, raters_of


@dataclass
class Rated:
    project: Project
    round: Round
    raters: list[User]


@pytest.fixture
def rated(db) -> Rated:
    """Six samples of two targets: twelve items, two ratings each."""
    project = project_with_gold()
    make_run(project, "lead")
    raters = raters_of(project)
    return Rated(project, launch_new_round(project, more='[[target]]\nsystem = "lead"'), raters)
