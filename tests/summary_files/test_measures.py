"""The table of measures of summaries that nothing was requested of."""

import pytest
from django.contrib.auth.models import User

from annotation.services.scores import score_jobs
from evaluation.services.runs_compared.run_comparison import compare_runs
from evaluation.services.runs_compared.score_tables import control_table
from evaluation.services.summary_files.project_creation import create_project_from_table
from tests.bridge_pages.conftest import tagger  # noqa: F401  a fixture
from tests.summary_files.test_project_creation import SETTINGS, build_table

pytestmark = pytest.mark.django_db


def build_measured(tagger, table):  # noqa: F811
    project, runs = create_project_from_table(
        table=table, file_name="table.csv", by=User.objects.create_user("admin"), **SETTINGS
    )
    score_jobs.score_project(project=project, tagger=tagger)
    return project, runs


def test_means_stand_in_place_of_errors_of_control(tagger):  # noqa: F811
    """`BART on a0.` has the tokens BART, on, a0 and the stop; `Lead 3 on a0.` has one more."""
    project, runs = build_measured(tagger, build_table())
    comparison = compare_runs(project, runs)

    assert not comparison.has_requests
    assert [run.means["length"].value.value for run in comparison.runs] == [4.0, 5.0]
    assert set(comparison.gold.means) == {"length", "extractiveness", "specificity"}
    shown = control_table(comparison, runs)
    assert [label for label, _n in shown.heads if label] == ["Mean", "ROUGE ↑"]
    assert [label for label, _is_text in shown.labels][:5] == [
        "System",
        "Texts",
        "Length",
        "Extractiveness",
        "Specificity",
    ]
    assert [cells[0].text for cells in shown.rows] == ["Human summaries", "BART", "Lead 3"]
    assert "Nothing was requested of these summaries" in shown.table.notes[0]


def test_without_references_there_are_means_alone(tagger):  # noqa: F811
    project, runs = build_measured(tagger, build_table(references=False))
    shown = control_table(compare_runs(project, runs), runs)
    assert [label for label, _n in shown.heads if label] == ["Mean"]
    assert [cells[0].text for cells in shown.rows] == ["BART", "Lead 3"]
