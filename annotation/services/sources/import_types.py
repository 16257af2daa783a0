"""What the modules of an import hand to each other: options, the result of checking, the report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.extension_points import ExtensionPoint
from annotation.formats.detect import FORMATS as READABLE_FORMATS
from annotation.formats.faults import Fault, LeftOut
from annotation.formats.request_values import SEPARATORS
from annotation.formats.row_table import line_of
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names

FORMATS = ("auto", *READABLE_FORMATS)
MAX_FAULTS = 100


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to read a file.

    split: of every source; None: derived from the file name. mapping: our field -> the file's column (None: the
    mapping that the project keeps for such columns, if any). max_words: longer units are left out (None: the setting
    for QMSum units, no limit for others). licence and may_release_text: for sources that do not specify them.
    skipped_columns: columns that are not stored. row_ids: ids are made from the file's name and the row numbers.
    exact_mapping: a field that the mapping does not name is not read from a column of its own name. list_separator:
    of lists in a cell. summary_metadata: kept with every summary. add_summaries: also to sources that have summaries of
    an earlier import, those that they lack.
    """

    format: str = "auto"
    split: str | None = None
    with_references: bool = False
    dry_run: bool = False
    partial: bool = False
    mapping: Mapping[str, str] | None = None
    max_words: int | None = None
    licence: str = ""
    may_release_text: bool = False
    skipped_columns: Sequence[str] = ()
    row_ids: bool = False
    exact_mapping: bool = False
    list_separator: str = SEPARATORS[0]
    summary_metadata: Mapping[str, str] = field(default_factory=dict)
    add_summaries: bool = False

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"skipped_columns": list(self.skipped_columns)}

    @property
    def takes_references(self) -> bool:
        """Whether summaries are imported: asked for, or a column of them is named."""
        return self.with_references or "summary" in (self.mapping or {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ImportOptions":
        """Checked options from JSON. Raises BadInput naming the option."""
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise BadInput(_("There is no import option %(name)s.") % {"name": name[:60]}, field=name[:60])
        options = cls(**values)
        options.check()
        return options

    def check(self) -> None:
        """Raises BadInput for a value of the wrong type or out of range."""
        types: dict[str, Any] = {"with_references": bool, "dry_run": bool, "partial": bool, "may_release_text": bool}
        types |= {"row_ids": bool, "exact_mapping": bool, "skipped_columns": list | tuple}
        types |= {"add_summaries": bool, "summary_metadata": Mapping}
        types |= {"licence": str, "split": str | None, "max_words": int | None, "mapping": Mapping | None}
        for name, kind in types.items():
            if not isinstance(getattr(self, name), kind):
                raise BadInput(_("This value has the wrong type."), field=name)
        if self.format not in FORMATS:
            raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(FORMATS)}, field="format")
        if self.list_separator not in SEPARATORS:
            raise BadInput(_("Use one of: %(list)s.") % {"list": " ".join(SEPARATORS)}, field="list_separator")
        if not all(isinstance(value, str) and name for name, value in self.summary_metadata.items()):
            raise BadInput(_("This value has the wrong type."), field="summary_metadata")
        for name, text, limit in (("split", self.split or "", 20), ("licence", self.licence, 200)):
            if len(text) > limit or not text.isprintable():
                raise BadInput(_("Use at most %(n)d printable characters.") % {"n": limit}, field=name)
        if self.max_words is not None and self.max_words < 1:
            raise BadInput(_("The limit must be at least 1 word."), field="max_words")


@dataclass(slots=True)
class CheckResult:
    """Result of checking a file. new: sources to store; duplicate: already stored; references: summaries to add;
    n_faults: number of all faults. columns_of: name of the earlier file whose column mapping is used, "" for none."""

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
    columns_of: see CheckResult."""

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
    """Imports files of one format by itself. run: called with the keyword arguments of `import_file`."""

    format: str
    run: Callable[..., ImportReport]


FORMAT_IMPORTERS = ExtensionPoint[FormatImporter]("format importers", key=lambda importer: importer.format)
"""Formats that bring more than sources; a higher feature registers how they are imported."""
