"""A table of a project has the pairs of the file that was imported."""

import json

import pytest

from annotation.services.people.projects import create_project
from annotation.services.scores import score_jobs
from epitome.formats.reading import InputFile
from epitome.formats.sample_files import SampleFileOptions
from epitome.metrics.macsum_samples import read_macsum_file
from epitome.metrics.report import Options, make_report
from evaluation.services.runs_compared.run_comparison import compare_runs
from tests.bridge_pages.conftest import tagger  # noqa: F401  a fixture
from tests.rounds.factories import make_run
from tests.sources.conftest import import_

pytestmark = pytest.mark.django_db
TURNS = ["Chair: The mill closed because the roof leaked, and the rent rose."]


def sample(length, topic, summary):
    request = {"length": length, "extractiveness": "normal", "specificity": "normal", "topic": topic, "speaker": ""}
    return {"control_attribute": request, "summary": summary, "title": "Mill", "relevant_turns": []}


def test_neighbours_that_spell_a_list_in_two_ways_are_no_pair_as_in_the_file(tmp_path, tagger):  # noqa: F811
    references = [
        sample("short", "mill", "The mill closed."),
        sample("long", "mill", "The mill closed because the roof leaked and the rent rose."),
        sample("short", "mill, rent", "The mill closed."),
        sample("long", "mill; rent", "The mill closed as the rent rose."),
    ]
    metadata = {"dataset": "qmsum", "split": "test", "file_id": 1, "turns": [0, 1]}
    file = tmp_path / "test.json"
    file.write_text(json.dumps([{"metadata": metadata, "source": TURNS, "references": references}]), encoding="utf-8")
    project = create_project(slug="dial", schema="macsum-dial")
    import_(project, file, with_references=True)
    run = make_run(project, "lead")
    score_jobs.score_project(project=project, tagger=tagger)

    ours = compare_runs(project, [run]).gold.cc["length"]
    samples = read_macsum_file(InputFile(file, file.name), SampleFileOptions())
    texts = [row.summary for row in samples.samples]
    theirs = make_report(samples, texts, tagger=tagger, options=Options(replicates=1)).scores.cc["length"]
    assert (ours.n, ours.value.value) == (theirs.n, pytest.approx(theirs.value.value))
    assert ours.n == 1
