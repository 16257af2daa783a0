"""Tables of texts with summaries to evaluate: a column for each system, or a row for each summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any

from epitome.formats.column_names import OUTPUT_NAMES, SYNONYMS, SYSTEM_NAMES, fold_column
from epitome.formats.faults import Fault
from epitome.formats.reading import InputFile
from epitome.formats.registry import FORMATS
from epitome.formats.rows import MISSING_WORDS, Row
from epitome.text.words import n_words

TEXT, ID, TITLE, REFERENCE, OUTPUT, SYSTEM, SKIP = "text", "id", "title", "reference", "output", "system", "skip"
SINGLE = (TEXT, ID, TITLE, REFERENCE, SYSTEM)
"""Roles that one column can have."""
REFERENCE_NAMES = (
    *("reference", "references", "referencesummary", "gold", "goldsummary", "humansummary", "human", "highlights"),
    *("abstract", "target", "referenz", "zusammenfassung", "summary"),
)
MOST_TEXTS = 2000
MOST_FAULTS = 20
MIN_WORDS = 3
"""Mean words of a column that can hold summaries."""


@dataclass(slots=True)
class EvaluatedText:
    """A text of the table. place: of its first row, in words."""

    id: str
    text: str
    title: str
    place: str
    reference: str = ""


@dataclass(slots=True)
class SummaryTable:
    """texts: by id, in the order of the file. outputs: name of a system -> id -> summary. faults: what prevents
    that the file is used, the first MOST_FAULTS of them."""

    texts: dict[str, EvaluatedText] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def n_references(self) -> int:
        return sum(bool(text.reference) for text in self.texts.values())

    @property
    def median_words(self) -> int:
        """Words of the median text; 0 without any."""
        return median_low(n_words(row.text) for row in self.texts.values()) if self.texts else 0

    def list_missing(self, system: str) -> list[str]:
        """Ids of the texts that a system has no summary of."""
        return [text_id for text_id in self.texts if text_id not in self.outputs[system]]


def guess_roles(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What each column is, by its name and its first rows."""
    words = {name: _mean_words(rows, name) for name in columns}
    roles = dict.fromkeys(columns, SKIP)
    prose = [name for name in columns if words[name] >= MIN_WORDS]
    named_text = next((name for name in prose if fold_column(name) in SYNONYMS["text"]), "")
    text = named_text or max(prose, key=lambda name: words[name], default="")
    if text:
        roles[text] = TEXT
    for role in (ID, TITLE):
        roles |= dict.fromkeys(_named(columns, roles, SYNONYMS[role])[:1], role)
    systems = [name for name in _named(columns, roles, SYSTEM_NAMES) if words[name] < MIN_WORDS]
    roles |= dict.fromkeys(systems[:1], SYSTEM)
    summaries = [name for name in prose if roles[name] == SKIP]
    if systems:
        output_names = [name for name in summaries if fold_column(name) in (*OUTPUT_NAMES, "summary", "text", "output")]
        roles |= dict.fromkeys((output_names or summaries)[:1], OUTPUT)
        summaries = [name for name in summaries if roles[name] == SKIP]
    references = sorted(_named(summaries, roles, REFERENCE_NAMES), key=_place_of_reference)[:1]
    roles |= dict.fromkeys(references, REFERENCE)
    if not systems:
        roles |= {name: OUTPUT for name in summaries if roles[name] == SKIP}
    return roles


def _named(columns: Sequence[str], roles: Mapping[str, str], names: Sequence[str]) -> list[str]:
    return [name for name in columns if roles[name] == SKIP and fold_column(name) in names]


def _place_of_reference(name: str) -> int:
    return REFERENCE_NAMES.index(fold_column(name))


def _mean_words(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    cells = [text for row in rows if (text := read_cell(row.get(name)))]
    return sum(map(n_words, cells)) / len(cells) if cells else 0.0


def read_cell(value: Any) -> str:
    """The text of a cell; a list of texts as lines; "" for none."""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := read_cell(item)))
    text = "" if value is None or isinstance(value, dict) else str(value).strip()
    return "" if text in MISSING_WORDS else text


def read_summary_table(file: InputFile, kind: str, roles: Mapping[str, str]) -> SummaryTable:
    """Read a whole file of a format with columns. roles: column -> role. Raises UnreadableFile."""
    reader = _TableReader(roles)
    for row in FORMATS[kind].read_rows(file):
        if len(reader.table.faults) >= MOST_FAULTS or len(reader.table.texts) > MOST_TEXTS:
            break
        if isinstance(row, Fault):
            reader.table.faults.append(str(row))
        elif any(read_cell(value) for value in row.values.values()):
            reader.take(row)
    return reader.table


class _TableReader:
    """Collects the rows of a table. A row is refused whole."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self.table = SummaryTable()
        self.column = {role: name for name, role in roles.items() if role in SINGLE}
        self.outputs = [name for name, role in roles.items() if role == OUTPUT]
        self.is_long = SYSTEM in self.column
        self._ids_by_text: dict[str, str] = {}
        self._places: dict[tuple[str, str], str] = {}

    def take(self, row: Row) -> None:
        cells = {role: read_cell(row.values.get(name)) for role, name in self.column.items()}
        fault = self._add_text(cells, row.place) or self._add_outputs(cells, row)
        if fault:
            self.table.faults.append(f"{row.place}: {fault}")

    def _add_text(self, cells: dict[str, str], place: str) -> str:
        """Store the text of a row, and set its id in the cells; what is wrong with it, else ""."""
        text = cells[TEXT]
        text_id = cells.get(ID, "") or (self._ids_by_text.get(text, "") if self.is_long else "")
        if ID in self.column and not text_id:
            return "has no ID"
        cells[ID] = text_id = text_id or f"text-{len(self.table.texts) + 1}"
        if len(text_id) > 200:
            return "has an ID of more than 200 characters"
        known = self.table.texts.get(text_id)
        if known is None:
            if not text:
                return "has no text"
            self._ids_by_text[text] = text_id
            self.table.texts[text_id] = EvaluatedText(
                text_id, text, cells.get(TITLE, ""), place, cells.get(REFERENCE, "")
            )
            return ""
        if not self.is_long:
            return f"has the ID {text_id} of {known.place} again"
        if text and text != known.text:
            return f"has another text than {known.place} for the ID {text_id}"
        reference = cells.get(REFERENCE, "")
        if reference and known.reference and reference != known.reference:
            return f"has another reference than {known.place} for the ID {text_id}"
        known.reference = known.reference or reference
        return ""

    def _add_outputs(self, cells: Mapping[str, str], row: Row) -> str:
        text_id = cells[ID]
        for column in self.outputs:
            summary = read_cell(row.values.get(column))
            system = cells[SYSTEM] if self.is_long else clean_name(column)
            if self.is_long and not system:
                return "names no system"
            if not summary:
                continue
            if self.is_long and fold_column(system) in REFERENCE_NAMES:
                self.table.texts[text_id].reference = self.table.texts[text_id].reference or summary
                continue
            earlier = self._places.setdefault((system, text_id), row.place)
            if earlier != row.place:
                return f"has a second summary of {text_id} by {system}, after {earlier}"
            self.table.outputs.setdefault(system, {})[text_id] = summary
        return ""


def clean_name(column: str) -> str:
    """The name of a system from that of its column: `summary_bart` is bart."""
    name = re.sub(
        r"^(?:summary|output|prediction|predictions|system|model)[ _.:-]+(?=\w)", "", column.strip(), flags=re.I
    )
    return (re.sub(r"[ _.:-]+(?:summary|output|prediction|predictions)$", "", name, flags=re.I) or name)[:200]


def name_keys(names: Sequence[str]) -> dict[str, str]:
    """Name of a system -> a key for it: lower-case letters, digits and hyphens, different for each."""
    keys: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:50]
        key = plain if re.match(r"[a-z]", plain) else f"system-{plain or number}".strip("-")
        while key in keys.values():
            key = f"{key}-{number}"
        keys[name] = key
    return keys


def find_role_faults(roles: Mapping[str, str]) -> Iterator[str]:
    """Codes of what is wrong with a choice of roles: no-text, no-summary, one-output, twice-ROLE."""
    chosen = list(roles.values())
    if TEXT not in chosen:
        yield "no-text"
    if not {OUTPUT, REFERENCE} & set(chosen):
        yield "no-summary"
    if SYSTEM in chosen and chosen.count(OUTPUT) != 1:
        yield "one-output"
    yield from (f"twice-{role}" for role in SINGLE if chosen.count(role) > 1)
