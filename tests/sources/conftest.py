"""Projects and files for the tests of sources."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from annotation.models import Project, SourceDocument
from annotation.services.people.projects import create_project
from annotation.services.sources.import_types import ImportReport
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions


@pytest.fixture
def admin(db) -> User:
    return User.objects.create_superuser("admin")


@pytest.fixture
def news(db) -> Project:
    return create_project(slug="news", schema="macsum-doc")


@pytest.fixture
def meetings(db) -> Project:
    return create_project(slug="meetings", schema="macsum-dial")


@pytest.fixture
def jsonl(tmp_path):
    """Writes rows as JSON lines and gives the file's path."""

    def write(*rows: dict[str, Any], name: str = "sources.jsonl") -> Path:
        file = tmp_path / name
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return file

    return write


def row(number: int, text: str = "The council met. It voted on the bridge.") -> dict[str, Any]:
    return {"id": f"doc-{number}", "text": text}


def import_(project: Project, file: Path, **options: Any) -> ImportReport:
    return import_file(project=project, path=file, file_name=file.name, options=ImportOptions(**options))


def list_source_ids(project: Project) -> list[str]:
    """The ids that people see, in the file's order."""
    return list(SourceDocument.objects.filter(project=project).order_by("pk").values_list("external_id", flat=True))


def nothing_left(project: Project) -> bool:
    """Whether no row of any import is there, hidden or not."""
    from annotation.models import SourceImport, SourceText

    return not (
        SourceDocument.everything.filter(project=project).exists()
        or SourceText.objects.filter(document__project=project).exists()
        or SourceImport.objects.filter(project=project).exists()
    )
