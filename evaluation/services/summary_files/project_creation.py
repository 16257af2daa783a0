"""A project made of a table of summaries: its texts, their references, and every system with its summaries."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import IMPORTED, Group, Project, Sample, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.people.projects import create_project
from annotation.services.sources.import_types import ImportRefused
from annotation.services.sources.importing import import_file
from annotation.transactions import write_transaction
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.summary_tables import MOST_TEXTS, EvaluatedText, SummaryTable, name_keys
from epitome.sampling.asked_lengths import SHORT_TEXT
from modelbridge.models import Run
from modelbridge.services.runs.predictions_upload import upload_predictions

MOST_SYSTEMS = 50


def find_obstacles(table: SummaryTable) -> list[str]:
    """What prevents that a project is made of the table, in words; [] for nothing."""
    obstacles = list(table.faults)
    if not obstacles and not table.texts:
        obstacles.append(_("The table has no texts."))
    if len(table.texts) > MOST_TEXTS:
        message = _(
            "The table has more texts than fit here (%(n)d). Make a dataset, import its sources and upload the "
            "predictions of each system."
        )
        obstacles.append(message % {"n": MOST_TEXTS})
    if len(table.outputs) > MOST_SYSTEMS:
        message = _("The table names more systems than fit here (%(n)d). Check the column with their names.")
        obstacles.append(message % {"n": MOST_SYSTEMS})
    if not obstacles and not table.outputs and not table.n_references:
        obstacles.append(_("The columns of the summaries are empty."))
    return obstacles


def choose_preset(table: SummaryTable) -> str:
    """The template whose lengths fit the texts, for requests that may be drawn later."""
    return "short-articles" if table.median_words < SHORT_TEXT else "macsum-doc"


def create_project_from_table(
    *, table: SummaryTable, file_name: str, by: AbstractBaseUser, **settings: Any
) -> tuple[Project, list[Run]]:
    """A project with the table's texts as sources, a sample for each, and a finished run of every system; all of it or
    nothing. settings: name, language, timezone. Raises BadInput, Conflict."""
    if obstacles := find_obstacles(table):
        raise BadInput(obstacles[0], field="file")
    keys = name_keys(list(table.outputs))
    with tempfile.TemporaryDirectory() as folder, write_transaction():
        project = create_project(schema=choose_preset(table), created_by=by, **settings)
        _import_texts(project, table, Path(folder) / "texts.jsonl", file_name, by)
        samples = _complete_samples(project)
        runs = []
        for system, outputs in table.outputs.items():
            path = Path(folder) / f"{keys[system]}.jsonl"
            lines = ({"sample_id": samples[text_id], "prediction": text} for text_id, text in outputs.items())
            _write_lines(path, lines)
            file = input_file(path, file_name)
            runs.append(upload_predictions(project=project, file=file, by=by, system=keys[system], name=system))
    return project, runs


def _import_texts(project: Project, table: SummaryTable, path: Path, file_name: str, by: AbstractBaseUser) -> None:
    """Import the texts with their references. Raises BadInput that names the row."""
    texts = list(table.texts.values())
    _write_lines(path, map(_build_line, texts))
    names = ("id", "title", "text", "summary")
    options = ImportOptions(
        format="jsonl", mapping={name: name for name in names}, with_references=True, exact_mapping=True
    )
    try:
        import_file(project=project, path=path, file_name=file_name, options=options, by=by)
    except ImportRefused as error:
        fault = error.report.faults[0]
        place = texts[fault.line - 1].place if fault.line else file_name
        raise BadInput(f"{place}: {fault.message}", field="file") from error


def _build_line(text: EvaluatedText) -> dict[str, str]:
    line = {"id": text.id, "title": text.title, "text": text.text, "summary": text.reference}
    return {name: value for name, value in line.items() if value}


def _write_lines(path: Path, lines: Iterable[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _complete_samples(project: Project) -> dict[str, str]:
    """Id of a text -> name of its sample; texts without a reference get one that asks for nothing."""
    rows = list(SourceDocument.objects.filter(project=project).order_by("pk"))
    having = set(Sample.objects.filter(project=project).values_list("document_id", flat=True))
    bare = [row for row in rows if row.pk not in having]
    shared: dict[str, Any] = {"project": project, "position": 0}
    groups = [Group(document=row, asks=[], chosen={}, frozen_at=timezone.now(), **shared) for row in bare]
    Group.objects.bulk_create(groups, batch_size=500)
    version = project.schema_version
    combination = version.schema.combination({})
    Sample.objects.bulk_create(
        [
            Sample(
                document=group.document,
                group=group,
                schema_version=version,
                values={},
                combination=combination,
                sampler=IMPORTED,
                **shared,
            )
            for group in groups
        ],
        batch_size=500,
    )
    return {row.external_id: f"{row.external_id}#0" for row in rows}
