"""A small project with human summaries, and somebody who may run systems over it."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, Sample
from annotation.services.people.projects import create_project
from annotation.services.scores import score_jobs
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from modelbridge.services.runs.predictions_upload import upload_predictions
from tests.export.factories import add_samples
from tests.scores.conftest import FakeTagger


@pytest.fixture
def tagger(monkeypatch):
    """No test here needs the shipped weights."""
    fake_tagger = FakeTagger()
    monkeypatch.setattr("annotation.services.scores.score_queries.installed_id", lambda _name: fake_tagger.id)
    monkeypatch.setattr("annotation.services.scores.measure_batches.settings_tagger", lambda: fake_tagger)
    return fake_tagger


@pytest.fixture
def project(db, tmp_path):
    """Three sources with three samples each, each with a human summary."""
    other_project = create_project(slug="runs", schema="macsum-doc")
    file = tmp_path / "rows.jsonl"
    rows = [
        {
            "id": f"d{number}",
            "text": f"Report {number}. The council met on Monday. It voted on the bridge. Work begins.",
        }
        for number in range(3)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(project=other_project, path=file, file_name=file.name, options=ImportOptions())
    with_summaries(other_project)
    return other_project


def with_summaries(project):
    for document in project.documents.order_by("pk"):
        for place, sample in enumerate(add_samples(document, n=3)):
            Annotation.objects.create(
                project=project,
                sample=sample,
                schema_version=sample.schema_version,
                origin="import",
                revision=1,
                created_at=timezone.now(),
                payload={"summary": " ".join(["The council met on"] * (place + 1)), "title": "A vote"},
            )


@pytest.fixture
def client(project):
    """Signed in as a site admin."""
    other_client = Client()
    other_client.force_login(User.objects.create_superuser("admin"))
    return other_client


@pytest.fixture
def predicted(project, tmp_path):
    """A function: text of each sample -> a finished run with it, measured when a tagger is given."""

    def upload(text_of, system="ours", tagger=None):
        samples = Sample.objects.filter(project=project).select_related("document").order_by("document_id", "position")
        lines = [
            {"sample_id": f"{sample.document.external_id}#{sample.position}", "prediction": text_of(sample)}
            for sample in samples
        ]
        file = tmp_path / f"{system}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run = upload_predictions(project=project, file=input_file(file), by=None, system=system, name=system.title())
        if tagger is not None:
            score_jobs.score_project(project=project, tagger=tagger)
        return run

    return upload


def build_upload(name, lines):
    """A file as a form sends it."""
    return SimpleUploadedFile(name, "".join(json.dumps(line) + "\n" for line in lines).encode())
