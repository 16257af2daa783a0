"""Writes the folder of a publication: data, card, datasheet and Croissant description."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.jobs import NoProgress, Progress
from annotation.kinds import get_task_kind
from annotation.models import AuditVerb, Publication
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.exports.dataset_reader import Unit
from annotation.services.publications.dataset_facts import gather_facts
from annotation.services.publications.personal_hits import HitDecisions, further_fields
from annotation.services.publications.publication_check import plan_publication
from annotation.services.publications.publications import check_ready
from annotation.services.publications.published_units import lacks_licence, read_published_units, withhold_text
from annotation.services.publications.row_counts import RowCounts
from annotation.services.publications.split_checks import leave_out_leaks
from annotation.transactions import write_transaction
from epitome.publication.croissant import build_croissant
from epitome.publication.dataset_card import render_card
from epitome.publication.datasheet import render_datasheet
from epitome.publication.parquet_tables import SplitTables
from epitome.publication.split_names import name_split

CARD, DATASHEET, CROISSANT = "README.md", "DATASHEET.md", "croissant.json"
SOURCE_COLUMNS = {
    **dict.fromkeys(("id", "origin_id", "title"), "text"),
    "segments": "segments",
    "licence": "text",
    "n_words": "int",
}


def write_folder(
    *,
    publication: Publication,
    folder: Path,
    by: AbstractBaseUser | None = None,
    progress: Progress | None = None,
) -> RowCounts:
    """Write into an empty or new folder. Raises Conflict while something is undecided, also where rows changed since
    the check; BadInput where the folder cannot be written."""
    check_ready(publication)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(_("The folder %(name)s is not empty.") % {"name": folder.name}, field="output")
        written = _write_data(publication, folder, progress or NoProgress())
        facts = gather_facts(publication, written)
        texts = {
            CARD: render_card(facts),
            DATASHEET: render_datasheet(facts),
            CROISSANT: json.dumps(build_croissant(facts), ensure_ascii=False, indent=2) + "\n",
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            _("%(file)s cannot be written: %(why)s") % {"file": folder.name, "why": error.strerror}, field="output"
        ) from error
    with write_transaction():
        audit.record_event(
            project=publication.project,
            actor=by,
            verb=AuditVerb.PUBLICATION_WRITE,
            target=f"publication:{publication.public_id}",
            sources=written.n_sources,
            summaries=written.n_summaries,
        )
    return written


def _write_data(publication: Publication, folder: Path, progress: Progress) -> RowCounts:
    project = publication.project
    decisions, written = HitDecisions(publication), RowCounts()
    columns = _list_columns(publication)
    total = project.documents.count()
    splits = publication.checks["splits"]
    with ExitStack() as stack:
        summaries = stack.enter_context(SplitTables(folder, "summaries", columns))
        sources = stack.enter_context(SplitTables(folder, "sources", SOURCE_COLUMNS))
        for number, unit in enumerate(_select_units(publication, decisions, written), 1):
            written.count(unit)
            sources.add(name_split(unit.source["split"], splits), _build_source_row(unit.source))
            for line in unit.lines:
                summaries.add(name_split(line["split"], splits), _build_summary_row(unit.source, line, columns))
            progress.set(number, total)
    if decisions.missing:
        raise Conflict(_("Rows changed since the check. Check again, and decide about what is new."), code="notready")
    written.files = [*summaries.files, *sources.files]
    written.hits = decisions.counts
    written.n_left_out += decisions.n_lines_left_out
    if not written.files:
        raise Conflict(_("Nothing is left to publish."), code="empty")
    return written


def _select_units(publication: Publication, decisions: HitDecisions, written: RowCounts) -> Iterator[Unit]:
    """The units as they are published: without leaks, unlicensed texts and personal data that staff left out."""
    leave, choices = publication.checks["leave"], publication.choices
    drops_leaks, leaving = choices.get("leaks") == "leave_out", set(leave["documents"])
    for unit in read_published_units(publication.project, plan_publication(publication)):
        n_rows = 1 + len(unit.lines)
        if drops_leaks and not leave_out_leaks(unit, leave["kept_split"], leaving):
            written.n_left_out += n_rows
            continue
        written.n_left_out += n_rows - 1 - len(unit.lines)
        if lacks_licence(unit.source):
            if choices.get("unlicensed") != "leave_out":
                raise Conflict(_("Some texts have no licence. Set it, or leave these texts out."), code="notready")
            withhold_text(unit)
        n_rows = 1 + len(unit.lines)
        if decisions.apply(unit):
            yield unit
        else:
            written.n_left_out += n_rows


def _list_columns(publication: Publication) -> dict[str, str]:
    """Columns of the configuration `summaries`: name -> kind."""
    is_summary = get_task_kind(publication.project.kind, has_sample=True).summarizes
    attributes: dict[str, str] = {}
    for version in publication.project.schema_versions.order_by("number"):
        for attribute in version.schema.attributes:
            attributes[f"control_{attribute.key}"] = "texts" if attribute.filled_by == "annotator" else "text"
    return {
        **dict.fromkeys(("id", "source_id", "title", "summary"), "text"),
        **attributes,
        **({"relevant_segments": "ranges", "spans": "spans"} if is_summary else {"fields": "json"}),
        "segments": "segments",
        "annotator": "text",
        "extra": "bool",
        "licence": "text",
    }


def _build_source_row(source: Mapping[str, Any]) -> dict[str, Any]:
    names = ("origin_id", "title", "licence", "n_words")
    return {
        "id": source["source_id"],
        **{name: source[name] for name in names},
        "segments": _segment_rows(source),
    }


def _segment_rows(source: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    if source["segments"] is None:
        return None
    return [{"speaker": segment.get("speaker") or None, "text": segment["text"]} for segment in source["segments"]]


def _build_summary_row(
    source: Mapping[str, Any], line: Mapping[str, Any], columns: Mapping[str, str]
) -> dict[str, Any]:
    readers: dict[str, Callable[[], Any]] = {
        "id": lambda: line["sample_id"],
        "summary": lambda: line.get("text") or "",
        "segments": lambda: _segment_rows(source),
        "fields": lambda: line.get("masked_fields") or further_fields(line),
        "relevant_segments": lambda: [list(pair) for pair in line.get("relevant_segments") or ()],
        "spans": lambda: list(line.get("spans") or ()),
        "extra": lambda: line.get("extra", False),
    }
    row: dict[str, Any] = {}
    for name, kind in columns.items():
        if name.startswith("control_"):
            row[name] = _attribute_cell(line["attributes"].get(name.removeprefix("control_")), kind)
        else:
            row[name] = readers[name]() if name in readers else line.get(name)
    return row


def _attribute_cell(value: Any, kind: str) -> Any:
    """A list for several values, a text for one; null where the request does not name the attribute."""
    if value is None:
        return None
    values = value if isinstance(value, list) else [value]
    return [str(item) for item in values] if kind == "texts" else ", ".join(str(item) for item in values)
