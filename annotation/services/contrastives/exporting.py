"""Exports the contrastive examples of a project as JSON lines, in the order of the sources."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Contrastive, ContrastiveState, Project
from annotation.services.contrastives.golds import Gold, check_project, list_golds
from annotation.services.contrastives.sets import find_current_set
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.withdrawn_people import load_withdrawn
from annotation.services.exports.exporting import open_atomically
from annotation.transactions import write_transaction

FORMAT = "epitome-contrastives-1"
GOLDS = 200
"""Golds whose examples are read with one query."""
COLUMNS = ("annotation_id", "rule", "text", "edits", "from_source", "state", "seed", "generator")


def export_lines(project: Project) -> Iterator[bytes]:
    """One line for each example of a gold that still counts; excluded ones are marked, withdrawn ones left out. Raises
    NotFound where the project has no examples, before the first line."""
    check_project(project)
    if find_current_set(project) is None:
        raise NotFound(_("This project has no contrastive examples yet."))
    return _render_lines(project)


def _render_lines(project: Project) -> Iterator[bytes]:
    golds: list[Gold] = []
    for gold in _list_exported_golds(project):
        golds.append(gold)
        if len(golds) == GOLDS:
            yield _render_examples(project, golds)
            golds = []
    if golds:
        yield _render_examples(project, golds)


def _list_exported_golds(project: Project) -> Iterator[Gold]:
    """Without those of people whose lines exports leave out."""
    left_out = load_withdrawn(project).left_out
    hidden: set[int] = set()
    if left_out:
        rows = Contrastive.objects.filter(project=project, annotation__assignment__annotator__in=left_out).order_by()
        hidden.update(rows.values_list("annotation_id", flat=True).distinct())
    return (gold for gold in list_golds(project) if gold.annotation_id not in hidden)


def _render_examples(project: Project, golds: list[Gold]) -> bytes:
    rows = Contrastive.objects.filter(annotation__in=[gold.annotation_id for gold in golds])
    rows = rows.exclude(state=ContrastiveState.WITHDRAWN).order_by("pk")
    by_gold: dict[int, list[dict[str, Any]]] = {}
    for row in rows.values(*COLUMNS):
        by_gold.setdefault(row.pop("annotation_id"), []).append(row)
    lines = [
        json.dumps(_build_line(project, gold, row), ensure_ascii=False, sort_keys=True)
        for gold in golds
        for row in by_gold.get(gold.annotation_id, ())
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _build_line(project: Project, gold: Gold, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "task": "contrastive",
        "project": project.slug,
        "source_id": gold.sample_key.rpartition("#")[0],
        "sample_id": gold.sample_key,
        "split": gold.split,
        "tuple": gold.key,
        "gold": gold.text,
        **row,
    }


def export_to(*, project: Project, path: Path, by: AbstractBaseUser | None = None) -> int:
    """Write the file; returns the number of its lines. Raises BadInput when it cannot be written, NotFound."""
    chunks, n_lines = export_lines(project), 0
    try:
        with open_atomically(path) as temp_path, temp_path.open("wb") as out:
            for chunk in chunks:
                n_lines += chunk.count(b"\n")
                out.write(chunk)
    except OSError as error:
        message = _("%(file)s cannot be written: %(why)s")
        raise BadInput(message % {"file": path.name, "why": error.strerror}, field="output") from error
    with write_transaction():
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.DATASET_EXPORT,
            target=f"project:{project.public_id}",
            format=FORMAT,
            examples=n_lines,
        )
    return n_lines
