"""What the modules of an import pass to each other: checked options, request, result of checking, report."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.extension_points import ExtensionPoint
from annotation.jobs import Progress
from annotation.models import Job, Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.reading_apart import FileReader
from epitome.formats import registry
from epitome.formats.answers import STATES
from epitome.formats.encodings import ENCODINGS
from epitome.formats.faults import Fault, LeftOut
from epitome.formats.options import CHOSEN, SUMMARY_LISTS, ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import SourceRecord
from epitome.formats.request_values import SEPARATORS
from epitome.formats.row_references import AUTHOR
from epitome.formats.row_table import line_of

FORMATS = ("auto", *registry.FORMATS)
MAX_FAULTS = 100
OPTION_TYPES: dict[str, Any] = {
    **dict.fromkeys(("with_references", "dry_run", "partial", "may_release_text", "row_ids", "exact_mapping"), bool),
    "add_summaries": bool,
    "answer_states": list | tuple,
    "skipped_columns": list | tuple,
    "summary_metadata": Mapping,
    "licence": str,
    "summary_lists": str,
    "encoding": str,
    "split": str | None,
    "max_words": int | None,
    "mapping": Mapping | None,
}


def parse_options(values: Mapping[str, Any]) -> ImportOptions:
    """Checked options from JSON. Raises BadInput naming the option."""
    for name in values:
        if name not in CHOSEN:
            raise BadInput(_("There is no import option %(name)s.") % {"name": name[:60]}, field=name[:60])
    options = ImportOptions(**values)
    check_options(options)
    return options


def check_options(options: ImportOptions) -> None:
    """Raises BadInput for a value of the wrong type or out of range."""
    for name, kind in OPTION_TYPES.items():
        if not isinstance(getattr(options, name), kind):
            raise BadInput(_("This value has the wrong type."), field=name)
    if options.format not in FORMATS:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(FORMATS)}, field="format")
    if options.list_separator not in SEPARATORS:
        raise BadInput(_("Use one of: %(list)s.") % {"list": " ".join(SEPARATORS)}, field="list_separator")
    if options.summary_lists not in SUMMARY_LISTS:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(SUMMARY_LISTS)}, field="summary_lists")
    if options.encoding and options.encoding not in ENCODINGS:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(ENCODINGS)}, field="encoding")
    if not set(options.answer_states) <= set(STATES):
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(STATES)}, field="answer_states")
    if not all(isinstance(value, str) and name for name, value in options.summary_metadata.items()):
        raise BadInput(_("This value has the wrong type."), field="summary_metadata")
    for name, text, limit in (("split", options.split or "", 20), ("licence", options.licence, 200)):
        if len(text) > limit or not text.isprintable():
            raise BadInput(_("Use at most %(n)d printable characters.") % {"n": limit}, field=name)
    if options.max_words is not None and options.max_words < 1:
        raise BadInput(_("The limit must be at least 1 word."), field="max_words")


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """One file to import into a project, by whom, where progress is reported, and what reads the file. file_name: as
    people know it."""

    project: Project
    file: InputFile
    file_name: str
    options: ImportOptions
    by: AbstractBaseUser | None
    job: Job | None
    progress: Progress
    reader: FileReader


@dataclass(slots=True)
class CheckResult:
    """Result of checking a file. new: sources to store; duplicate: already stored; references: summaries to add;
    n_faults: number of all faults. columns_of: name of the earlier file whose column mapping is used, "" for none.
    answers_left_out: answers that are no references, by state. authors: pseudonyms of who wrote the references.
    notes: remarks of the file's reader."""

    format: str
    split: str
    staging: Path
    read: int = 0
    new: int = 0
    duplicate: int = 0
    left_out: int = 0
    rejected: int = 0
    references: int = 0
    n_faults: int = 0
    faults: list[Fault] = field(default_factory=list)
    fatal: bool = False
    columns_of: str = ""
    rows_left_out: list[dict[str, Any]] = field(default_factory=list)
    answers_left_out: Counter[str] = field(default_factory=Counter)
    authors: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def count_answers(self, record: SourceRecord) -> None:
        """Count who wrote the references of a source, and the answers about it that are none."""
        self.answers_left_out.update(record.left_out)
        authors = (reference.raw_extra.get(AUTHOR) for reference in record.references)
        self.authors.update(author for author in authors if isinstance(author, str))

    def leave_out(self, unit: LeftOut) -> None:
        """Count a source past the limit of words; the first hundred are listed."""
        self.read += 1
        self.left_out += 1
        place = unit.place.rsplit(", ", 1)[-1] if ", " in unit.place else unit.place
        self._list_row(place, unit.external_id, "long", unit.n_words)

    def pass_over(self, place: str, external_id: str) -> None:
        """Count a source that the project has already; the first hundred are listed."""
        self.duplicate += 1
        self._list_row(place, external_id, "duplicate")

    def _list_row(self, place: str, external_id: str, reason: str, n_words: int = 0) -> None:
        if len(self.rows_left_out) < MAX_FAULTS:
            row = {"line": line_of(place), "place": place, "id": external_id, "reason": reason, "words": n_words}
            self.rows_left_out.append(row)

    def refuse(self, fault: Fault) -> None:
        """Count a fault; only the first hundred are listed."""
        if not (fault.code == "empty" and fault.fatal):  # an empty file has no unit that could count as read
            self.read += 1
            self.rejected += 1
        self.n_faults += 1
        self.fatal = self.fatal or fault.fatal
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)


@dataclass(slots=True)
class ImportReport:
    """Result of an import. references: summaries added. n_faults: number of all faults; faults: the first 100.
    columns_of, answers_left_out, notes: see CheckResult. n_authors: people who wrote the references, where known."""

    format: str = ""
    split: str = ""
    read: int = 0
    stored: int = 0
    duplicate: int = 0
    left_out: int = 0
    rejected: int = 0
    references: int = 0
    n_faults: int = 0
    dry_run: bool = False
    columns_of: str = ""
    faults: list[Fault] = field(default_factory=list)
    rows_left_out: list[dict[str, Any]] = field(default_factory=list)
    answers_left_out: dict[str, int] = field(default_factory=dict)
    n_authors: int = 0
    notes: list[str] = field(default_factory=list)

    @classmethod
    def from_check(cls, checked: CheckResult, options: ImportOptions) -> "ImportReport":
        """The report of a checked file, before anything of it is stored."""
        report = cls(
            format=checked.format,
            split=checked.split,
            read=checked.read,
            stored=checked.new,
            duplicate=checked.duplicate,
            left_out=checked.left_out,
            rejected=checked.rejected,
            references=checked.references,
            n_faults=checked.n_faults,
            dry_run=options.dry_run,
            columns_of=checked.columns_of,
            faults=checked.faults,
            rows_left_out=checked.rows_left_out,
            answers_left_out=dict(checked.answers_left_out),
            n_authors=len(checked.authors),
            notes=checked.notes,
        )
        if checked.faults and (checked.fatal or not options.partial):
            # Nothing of a refused file is stored, so its valid units count as rejected too.
            report.rejected += report.stored
            report.stored = report.references = 0
        return report

    @property
    def refused(self) -> bool:
        """Whether faults prevented the import (or would, on a dry run)."""
        return bool(self.faults) and not self.stored and not self.references

    def counts(self) -> dict[str, int]:
        names = ("read", "stored", "duplicate", "left_out", "rejected", "references")
        return {name: getattr(self, name) for name in names}

    def as_dict(self) -> dict[str, Any]:
        """For JSON: counts, format, split, faults with their places."""
        faults = [asdict(fault) | {"place": fault.place} for fault in self.faults]
        return {
            **self.counts(),
            "format": self.format,
            "split": self.split,
            "dry_run": self.dry_run,
            "columns_of": self.columns_of,
            "found": self.n_faults,
            "faults": faults,
            "rows_left_out": self.rows_left_out,
            "answers_left_out": self.answers_left_out,
            "n_authors": self.n_authors,
            "notes": self.notes,
        }


class ImportRefused(BadInput):
    """The file has faults and nothing was stored; `report` lists them, the message describes the first one."""

    def __init__(self, report: ImportReport) -> None:
        first, more = str(report.faults[0])[:450], report.n_faults - 1
        message = ngettext("%(fault)s (and %(n)d more)", "%(fault)s (and %(n)d more)", more)
        text = message % {"fault": first, "n": more} if more > 0 else first
        super().__init__(text, field="file", code="import_refused")
        self.report = report


class FormatImporter(NamedTuple):
    """Imports files of one format by itself."""

    format: str
    run: Callable[[ImportRequest], ImportReport]


FORMAT_IMPORTERS = ExtensionPoint[FormatImporter]("format importers", key=lambda importer: importer.format)
"""Formats that bring more than sources; a higher feature registers how they are imported."""
