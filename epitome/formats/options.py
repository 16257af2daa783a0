"""How one file is imported, as chosen in a form, a request or a command; the same object reaches the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from epitome.formats.answers import SUBMITTED
from epitome.formats.request_values import SEPARATORS
from epitome.schema import Schema

SEVERAL, PIECES = "several", "pieces"
SUMMARY_LISTS = (SEVERAL, PIECES)
"""What a list of texts in a cell of summaries is: several summaries, or one in pieces, such as its sentences."""


class TextSource(Protocol):
    """Texts of another file by the id of their row. name: of that file."""

    name: str

    def find(self, name: str, /) -> dict[str, Any] | None:
        """The values that the other file has for an id; None where it does not have it."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to read and store a file.

    format: a name in the registry, or auto. split: of every source; None: from the rows and the file name. mapping:
    our field -> the file's column (None: the mapping that the project keeps for such columns, if any). max_words:
    longer units are left out (None: the limit of the format, 0: none). licence and may_release_text: for sources that
    do not specify them. skipped_columns: columns that are not stored. row_ids: ids are made from the file's name and
    the row numbers. exact_mapping: a field that the mapping does not name is not read from a column of its own name.
    list_separator: of lists in a cell. summary_metadata: kept with every summary. add_summaries: also to sources that
    have summaries of an earlier import, those that they lack. answer_states: the states of answers that become
    references. summary_lists: one of SUMMARY_LISTS. encoding: of what is not UTF-8, one of ENCODINGS; "": as guessed.

    Known only when the file is read: schema, what the attributes of its summaries are (None: MACSum's own); texts, of
    rows that have none; pseudonym_key, of the project.
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
    answer_states: Sequence[str] = (SUBMITTED,)
    summary_lists: str = SEVERAL
    encoding: str = ""
    schema: Schema | None = None
    texts: TextSource | None = None
    pseudonym_key: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What was chosen, as JSON."""
        values: dict[str, Any] = {name: getattr(self, name) for name in CHOSEN}
        values["mapping"] = None if self.mapping is None else dict(self.mapping)
        return values | {
            "skipped_columns": list(self.skipped_columns),
            "summary_metadata": dict(self.summary_metadata),
            "answer_states": list(self.answer_states),
        }

    @property
    def takes_references(self) -> bool:
        """Whether summaries are imported: asked for, or a column of them is named."""
        return self.with_references or "summary" in (self.mapping or {})


CHOSEN = tuple(item.name for item in fields(ImportOptions) if item.name not in ("schema", "texts", "pseudonym_key"))
"""The options that a person chooses."""
