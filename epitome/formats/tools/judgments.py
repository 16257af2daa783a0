"""Marks in systems' outputs as Pearmut and factgenie export them, with positions in code points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zipfile import is_zipfile

from epitome.formats.archives import ArchiveFault, copy_zip_members
from epitome.formats.elements import read_entries
from epitome.formats.faults import Fault
from epitome.formats.reading import InputFile, input_file
from epitome.formats.tools.tool import dicts_of, name_person
from epitome.formats.utf16 import Utf16Offsets

PEARMUT, FACTGENIE = "Pearmut", "factgenie"
COMMENT = "comment"
"""The label of what a person wrote about an output as a whole."""
DESCRIPTION = "metadata.json"
"""The file of a campaign of factgenie that holds no judgments."""
MOST_MEMBER = 200_000_000
"""Bytes of one file of a zip."""
_DAMAGED = (AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class OutsideMark:
    """A marked part of an output: code points, end exclusive. An omission is empty and stands behind the output."""

    start: int
    end: int
    severity: str = ""
    category: str = ""

    @property
    def is_omission(self) -> bool:
        return self.start == self.end


@dataclass(frozen=True, slots=True)
class OutsideJudgment:
    """What one person said of one output. rater: as the file names the person: whoever stores it decides about a
    pseudonym. score: of the whole output, 0 to 100; None for none. tool: PEARMUT or FACTGENIE."""

    item: str
    system: str
    output: str
    rater: str
    marks: tuple[OutsideMark, ...] = ()
    score: float | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    tool: str = ""


def is_pearmut(entry: Mapping[str, Any]) -> bool:
    """Whether an object holds the annotations of Pearmut's campaigns: {campaign: [{"annotation", "item", ...}]}."""
    campaigns = [dicts_of(value) for value in entry.values()]
    keys = {"annotation", "item", "user_id"}
    return bool(campaigns) and all(items and all(keys <= item.keys() for item in items) for items in campaigns)


def is_factgenie(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is one of a campaign of factgenie."""
    return {"setup_id", "example_idx", "output", "annotations"} <= entry.keys()


def is_factgenie_outputs(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is an output of a system that factgenie shows."""
    return {"setup_id", "example_idx", "output", "dataset"} <= entry.keys()


def read_judgments(file: InputFile) -> Iterator[OutsideJudgment | Fault]:
    """The judgments of a file of Pearmut or factgenie, in its order; of a zip, those of its .json and .jsonl files but
    for the description of a campaign that factgenie packs with them. Raises UnreadableFile."""
    if not is_zipfile(file.path):
        yield from _read_file(file)
        return
    try:
        n_members = 0
        for name, path in copy_zip_members(file, (".jsonl", ".json"), MOST_MEMBER):
            if name.rsplit("/", 1)[-1] != DESCRIPTION:
                n_members += 1
                yield from _read_file(input_file(path, f"{file.name}: {name}"))
    except ArchiveFault as error:
        raise file.unreadable(str(error), code="archive", field=error.member) from error
    if not n_members:
        raise file.unreadable("holds no .jsonl or .json file of judgments", code="archive")


def _read_file(file: InputFile) -> Iterator[OutsideJudgment | Fault]:
    for row in read_entries(file):
        if isinstance(row, Fault):
            yield row
            continue
        line = row.spot.line
        if is_pearmut(row.values):
            yield from _read_pearmut(file, line, row.values)
        elif is_factgenie(row.values):
            try:
                yield _read_factgenie(row.values)
            except _DAMAGED as error:
                yield file.fault(f"is no judgment that can be read: {error}", line=line, code="entry")
        else:
            yield file.fault("is no judgment of Pearmut or factgenie", line=line, code="entry")


def _read_pearmut(file: InputFile, line: int | None, campaigns: Mapping[str, Any]) -> Iterator[OutsideJudgment | Fault]:
    """A campaign stands on one line, so that the place of a fault is the number of the entry, from 0."""
    for name, entries in campaigns.items():
        for number, entry in enumerate(entries):
            try:
                yield from list(_read_pearmut_entry(entry))
            except _DAMAGED as error:
                message = f"is no judgment that can be read: {error}"
                yield file.fault(message, line=line, field=f"{name}[{number}]", code="entry")


def _read_pearmut_entry(entry: Mapping[str, Any]) -> Iterator[OutsideJudgment]:
    """Positions are UTF-16 units, the last included; an omission stands on the length of the output."""
    for item, by_system in zip(entry["item"], entry["annotation"], strict=True):
        for system, judged in by_system.items():
            output = item["tgt"][system]
            offsets = Utf16Offsets(output)
            marks = tuple(_read_pearmut_mark(output, offsets, span) for span in judged.get("error_spans") or ())
            yield OutsideJudgment(
                str(item["item_id"]),
                system,
                output,
                name_person(entry.get("user_id")),
                marks,
                None if judged.get("score") is None else float(judged["score"]),
                {COMMENT: str(judged["textfield"])} if judged.get("textfield") else {},
                PEARMUT,
            )


def _read_pearmut_mark(output: str, offsets: Utf16Offsets, span: Mapping[str, Any]) -> OutsideMark:
    first, last = span["start_i"], span["end_i"]
    if first == "missing" or first == offsets.n_units:
        end = len(output)
        return OutsideMark(end, end, str(span.get("severity") or ""), str(span.get("category") or ""))
    start, end = _to_outer(offsets, first, last + 1)
    return OutsideMark(start, end, str(span.get("severity") or ""), str(span.get("category") or ""))


def _to_outer(offsets: Utf16Offsets, start: int, end: int) -> tuple[int, int]:
    """Positions in code points, moved outwards where one is inside a character: each unit can be clicked alone."""
    if not 0 <= start < end <= offsets.n_units:
        raise ValueError(f"a mark from {start} to {end} is outside an output of {offsets.n_units} UTF-16 units")
    first, last = offsets.to_characters(start), offsets.to_characters(end)
    if first is None:
        first = offsets.to_characters(start - 1)
    if last is None:
        last = offsets.to_characters(end + 1)
    assert first is not None and last is not None, "a character has at most two units"
    return first, last


def _read_factgenie(entry: Mapping[str, Any]) -> OutsideJudgment:
    """A mark is its start and its text. A person's start counts UTF-16 units, a model's code points: the text that
    stands there decides."""
    output, details = entry["output"], entry.get("metadata") or {}
    offsets = Utf16Offsets(output)
    categories = [str(category["name"]) for category in details.get("annotation_span_categories") or ()]
    marks = []
    for span in entry["annotations"]:
        start = _find_start(output, offsets, span["start"], span["text"])
        kind = span.get("type")
        name = categories[kind] if isinstance(kind, int) and 0 <= kind < len(categories) else str(kind)
        marks.append(OutsideMark(start, start + len(span["text"]), category=name))
    chosen = (*(entry.get("options") or ()), *(entry.get("sliders") or ()))
    answers = {str(item["label"]): str(item["value"]) for item in chosen}
    answers |= {str(item["label"]): str(item["value"]) for item in entry.get("text_fields") or () if item.get("value")}
    answers |= {str(item["label"]): "yes" for item in entry.get("flags") or () if item.get("value")}
    return OutsideJudgment(
        f"{entry.get('dataset', '')}/{entry.get('split', '')}/{entry['example_idx']}",
        str(entry["setup_id"]),
        output,
        name_person(details.get("annotator_id")),
        tuple(marks),
        answers=answers,
        tool=FACTGENIE,
    )


def _find_start(output: str, offsets: Utf16Offsets, start: int, quote: str) -> int:
    """Raises ValueError where the text of a mark stands at neither place, or is empty."""
    by_units = offsets.to_characters(start)
    for place in (by_units, start):
        if quote and place is not None and place >= 0 and output[place : place + len(quote)] == quote:
            return place
    raise ValueError(f"the text of a mark does not stand at its start {start}")
