"""The table of a run in a project that asks as CCSBench does."""

import pytest

from annotation.models import Annotation, Group
from annotation.services.people.projects import create_project
from evaluation.services.runs_compared.run_comparison import compare_runs
from tests.bridge_pages.conftest import with_summaries
from tests.export.factories import import_rows, row

WORDS = {0: 40, 1: 90, 2: 160}
ASKED = [
    {"length": "0", "readability": "normal", "focus": "low"},
    {"length": "1", "readability": "high", "focus": "low"},
    {"length": "2", "readability": "high", "focus": "high"},
]


@pytest.fixture
def project(db, tmp_path, monkeypatch):
    """One paper, three samples that ask for the keywords bridge and tunnel; each human summary has 45 words."""
    made = create_project(slug="runs", schema="ccsbench")
    import_rows(made, tmp_path, [row(0)])
    monkeypatch.setattr("tests.export.factories.VALUES", ASKED)
    with_summaries(made)
    Group.objects.update(chosen={"keywords": ["bridge", "tunnel"]})
    Annotation.objects.update(payload={"summary": " ".join(["word"] * 45), "title": ""})
    return made


def text_of(sample):
    """As many words as the bin has; hard ones where normal readability was asked for."""
    word = "incomprehensibility" if sample.values["readability"] == "normal" else "so"
    return " ".join([*[word] * (WORDS[sample.position] - 1), "bridges."])


def test_distance_correlation_keywords_and_grades_stand_in_the_table(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)

    (numbers,) = (found := compare_runs(project, [run])).runs

    papers = {key: each.value.value for key, each in numbers.papers.items()}
    assert papers["mad"] == pytest.approx(4 / 3)  # bins 0, 1 and 3; the human summaries are all in bin 0
    assert papers["pcc"] == pytest.approx(0.9954, abs=1e-4)
    assert papers["sr"] == 0.5  # "bridges" has the stem that was asked for
    assert papers["gap"] == pytest.approx(papers["normal"] - papers["high"]) and papers["gap"] > 0
    assert "mad" not in found.gold.papers and "pcc" in found.gold.papers
    text = client.get(f"/p/runs/runs/{run.public_id}/").content.decode()
    assert "CCSBench" in text and "MAD ↓" in text and "Focus takes a judge." in text
    assert "ccsbench:1" in found.signature


def test_other_projects_have_no_such_columns(db, tmp_path):
    made = create_project(slug="macsum", schema="macsum-doc")

    assert compare_runs(made, []).signature.count("ccsbench") == 0
