"""What the program knows of one format of import files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import Unit
from epitome.formats.row_table import join_rows, read_row_sources
from epitome.formats.rows import Rows


@dataclass(frozen=True, slots=True)
class Format:
    """One format. name: in options, the API and stored imports. label: in English, for pages, which translate it.

    How it is read. rows: the rows of a file, if it has columns that a mapping may name. units: its sources, where they
    are not just those of its rows; exactly one item per unit. Both raise UnreadableFile.
    has_own_columns: the columns bear our names unless a mapping says otherwise; else they are matched by name and
    content. header: the column names of a file, where its first rows may lack some. is_single_text: a file is one text,
    not a table. is_plain: texts come without segments. has_summaries: files without columns may hold human summaries.
    has_word_limit: longer units are left out even where no limit is given.

    How a file is recognized by its content. first_bytes: it starts with one of them. member: a zip file that holds it.
    has_entry: an object of its JSON is one of this format. has_header: so are the columns of a table. detect.py
    recognizes the others.
    """

    name: str
    label: str
    rows: Callable[[InputFile], Rows] | None = None
    units: Callable[[InputFile, ImportOptions], Iterator[Unit]] | None = None
    header: Callable[[InputFile], list[str]] | None = None
    has_own_columns: bool = False
    is_single_text: bool = False
    is_plain: bool = True
    has_summaries: bool = False
    has_word_limit: bool = False
    first_bytes: tuple[bytes, ...] = ()
    member: str = ""
    has_entry: Callable[[Mapping[str, Any]], bool] | None = None
    has_header: Callable[[Collection[str]], bool] | None = None

    def read_rows(self, file: InputFile) -> Rows:
        """The rows of a file of a format with columns; exactly one item per row. Raises UnreadableFile."""
        if self.rows is None:
            raise ValueError(f"{self.name} files have no columns")
        return self.rows(file)

    def read_units(self, file: InputFile, options: ImportOptions) -> Iterator[Unit]:
        """The sources of a file; exactly one item per unit or row: rows of one id are not joined.

        Raises UnreadableFile, and ValueError for an unusable mapping.
        """
        if self.units is not None:
            return self.units(file, options)
        is_typed = not (self.has_own_columns or self.is_single_text)
        has_markup = not self.is_single_text
        return read_row_sources(file, self.read_rows(file), options, is_typed=is_typed, has_markup=has_markup)

    def read_sources(self, file: InputFile, options: ImportOptions) -> Iterator[Unit]:
        """As read_units; rows of one id and text are one source with all their references."""
        if self.rows is None or self.is_single_text:
            return self.read_units(file, options)
        return join_rows(file, lambda once: self.read_units(once, options), by_text=options.row_ids)
