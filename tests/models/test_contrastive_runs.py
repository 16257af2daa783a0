"""From MACSum's documents to a table: a tiny trained model scores golds and damaged texts in a run of its own."""

import os
from pathlib import Path

import pytest

from annotation.models import Annotation, Contrastive, Project
from annotation.services.people.projects import create_project
from evaluation.services.contrastive_report.contrastive_tables import ReportOptions, build_contrastive_report
from modelbridge.models import Run
from modelbridge.services.runs import run_worker, runs
from modelbridge.services.systems import systems
from tests.contrastive_report.factories import add_examples, damage_text
from tests.export.factories import import_project_file
from tests.models.tiny_scorers import train_tiny

MACSUM = Path(os.environ.get("EPITOME_SHARED", "")) / "data" / "macsum" / "macdoc" / "val.json"
MOST_WORDS = 40
pytestmark = [
    pytest.mark.models,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not MACSUM.is_file(), reason="MACSum's files are not on this machine (EPITOME_SHARED)"),
]


def make_tuples(project: Project, n_golds: int, n_texts: int) -> list[tuple[str, str]]:
    """Contrastive examples of the first short golds; returns (source, gold) of each."""
    golds = Annotation.objects.filter(project=project).select_related("sample__document__source_text").order_by("pk")
    pairs = []
    for gold in [gold for gold in golds if len(gold.payload["summary"].split()) <= MOST_WORDS][:n_golds]:
        source = " ".join(segment["text"] for segment in gold.sample.document.source_text.segments)
        pairs.append((source, gold.payload["summary"]))
        add_examples(gold, damage_text(gold.payload["summary"], source, n_texts, gold.pk))
    return pairs


def score_with(project: Project, kind: str, folder: Path) -> Run:
    """The finished run of a scorer over the project's contrastive examples, by a process of its own."""
    options = f'weights = "{folder}"\nmax_source_tokens = 128\nmax_text_tokens = 200\ndevice = "cpu"\n'
    toml = f'[system]\nkey = "tiny-{kind}"\nkind = "{kind}"\n[options]\n{options}'
    revision = systems.register_system(project=project, toml_text=toml, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, over="contrastives", queue_it=False)
    run_worker.work_in_process(run)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize(("architecture", "kind"), [("bart", "seq2seq-scorer"), ("gpt2", "causal-scorer")])
def test_a_tiny_model_prefers_summaries_it_learnt_to_damaged_ones(tmp_path, architecture, kind):
    project = create_project(slug="macsum", schema="macsum-doc")
    import_project_file(project, MACSUM, with_references=True)
    pairs = make_tuples(project, n_golds=3, n_texts=5)
    run = score_with(project, kind, train_tiny(tmp_path / architecture, architecture, pairs, steps=60))
    assert run.state == "done" and run.n_samples == 3
    report = build_contrastive_report(project, [run], ReportOptions())
    _name, tuples, contrastives, _excluded, dodged, _escaped = report["tables"][0]["rows"][0]
    assert (tuples["value"], contrastives["value"]) == (3, Contrastive.objects.count())
    assert contrastives["value"] == 30
    assert dodged["value"] > 70  # these very golds were learnt; chance is 50
