"""What an import of a file would store, in counts, from the part of it that can be read while a person waits."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from epitome.formats.faults import Fault
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile, UnreadableFile, empty_file_fault
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.registry import FORMATS
from epitome.formats.row_references import AUTHOR
from epitome.formats.row_table import join_rows
from epitome.formats.sources import remark_source

LEAST_UNITS, MOST_UNITS = 100, 2000
"""A short file is counted whole however busy the machine is; the first rows also wait for what reads them to load."""
MOST_SECONDS = 0.3
SHOWN = 5


@dataclass(slots=True)
class Outlook:
    """Counts of the first n_read rows or units of a file. is_whole: there are no more. n_sources, n_references: that
    would be stored; left_out: answers that would not, by state; n_authors: people who wrote the references, where the
    file names them. n_faults: rows that would be refused; faults: the first of them. sources: the first of them. notes:
    remarks of the reader."""

    n_read: int = 0
    is_whole: bool = True
    n_sources: int = 0
    n_references: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    n_authors: int = 0
    n_faults: int = 0
    notes: list[str] = field(default_factory=list)
    sources: list[SourceRecord] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def look_ahead(file: InputFile, kind: str, options: ImportOptions) -> Outlook:
    """Count what the first MOST_UNITS rows or units would become, fewer (but LEAST_UNITS) where they take longer than
    MOST_SECONDS. Nothing is compared with a project. Raises UnreadableFile, and ValueError for an unusable mapping."""
    known = FORMATS[kind]
    options = replace(options, format=kind)
    file = replace(file, progress=None, notes=Notes())
    if known.is_single_text:
        n_units, is_whole = 1, True
    else:
        n_units, is_whole = _count_units(known.read_units(replace(file, notes=Notes()), options))
    if not n_units:
        raise UnreadableFile(empty_file_fault(file))
    outlook = Outlook(n_read=n_units, is_whole=is_whole)

    def read(once: InputFile) -> Iterator[Unit]:
        return islice(known.read_units(once, options), n_units)

    joins = known.rows is not None and not known.is_single_text
    authors: set[str] = set()
    for unit in join_rows(file, read, by_text=options.row_ids) if joins else read(file):
        if isinstance(unit, Fault):
            outlook.n_faults += 1
            outlook.faults += [unit] if len(outlook.faults) < SHOWN else []
        elif isinstance(unit, SourceRecord):
            outlook.n_sources += 1
            outlook.sources += [unit] if len(outlook.sources) < SHOWN else []
            remark_source(file, unit)
            outlook.n_references += len(unit.references)
            outlook.left_out.update(unit.left_out)
            names = (reference.raw_extra.get(AUTHOR) for reference in unit.references)
            authors.update(name for name in names if isinstance(name, str))
    outlook.n_authors = len(authors)
    if file.part is not None and file.part.is_cut:
        outlook.is_whole = False
        file.notes.add("only the beginning of the file was read to show it here; the import reads all of it")
    outlook.notes = file.notes.as_list()
    return outlook


def _count_units(units: Iterator[Unit]) -> tuple[int, bool]:
    """How many units are looked at, and whether these are all."""
    ends = time.monotonic() + MOST_SECONDS
    n_units = 0
    for _unit in units:
        n_units += 1
        if n_units >= MOST_UNITS or (n_units >= LEAST_UNITS and time.monotonic() > ends):
            return n_units, next(units, None) is None
    return n_units, True
