"""A project whose lengths are in words, and a server that does what it is told."""

import json

import pytest

from annotation.services.people.projects import create_project
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from modelbridge.services.runs.system_processes import HOSTS
from tests.bridge.conftest import start_run, work_off  # noqa: F401  fixtures
from tests.chat.stub import Stub
from tests.export.factories import add_samples
from tests.refine.factories import TEXT, obey


@pytest.fixture
def project(db, tmp_path):
    """Four sources with two samples each, which ask for a short text."""
    short_articles = create_project(slug="short", schema="short-articles")
    file = tmp_path / "rows.jsonl"
    rows = [{"id": f"d{number}", "text": f"Report {number}. {TEXT}"} for number in range(4)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(project=short_articles, path=file, file_name=file.name, options=ImportOptions())
    for document in short_articles.documents.order_by("pk"):
        add_samples(document, n=2)
    return short_articles


@pytest.fixture
def stub(monkeypatch, settings):
    obedient = Stub()
    obedient.answer = obey
    monkeypatch.setenv("EPITOME_CHAT_SERVERS", f"lab={obedient.base}")
    settings.EPITOME_CHAT_SERVERS = ["lab"]
    yield obedient
    for key in list(HOSTS.loaded):  # their server is gone
        HOSTS.loaded.pop(key).close()
    obedient.close()
