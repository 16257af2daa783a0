"""The file of a report: what it says of the round, the rows behind it, and each number with how it was computed."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

FORMAT = "epitome-report-1"
KINDS = ("formula", "answer", "combined", "score", "number")
"""The kinds of lines between the first, which has the format, and the last, of the kind "end"."""
HEAD = ("seed", "replicates", "swaps", "systems", "raters", "questions")
Known = TypeVar("Known")
ANOTHER = "download the file for checking from the page of the report, under Files"


class BadReport(ValueError):
    """The file cannot be checked; says which line is at fault and what to do."""


class Answer(NamedTuple):
    """One answer. systems: what it is about: one, two, or a list. words: [start, end] of each word of a text whose
    errors were marked; n_words: their number; unaligned: quotes of a model that are not in the text."""

    item: str
    rater: str
    question: str
    answer: str
    systems: tuple[str, ...]
    domain: str
    source: str
    sample: str = ""
    requested: str = ""
    kind: str = "real"
    expected: str = ""
    rule: str = ""
    words: tuple[tuple[int, int], ...] = ()
    n_words: int = 0
    unaligned: int = 0


class Number(NamedTuple):
    """One printed number. statistic: by which formula; "" where none is stated, then `reason` says why. interval: the
    method of low and high, "" where the number has none. of: which rows it is computed from."""

    table: str
    row: tuple[str, ...]
    column: str
    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    statistic: str = ""
    interval: str = ""
    of: Mapping[str, Any] = {}
    reason: str = ""

    @property
    def name(self) -> str:
        return " / ".join([self.table, *self.row, self.column])


@dataclass(frozen=True, eq=False)
class Report:
    """head: of the round; questions: by key; formulas: by the name of the statistic or the method of the interval.
    memory: what several numbers need, computed once."""

    head: Mapping[str, Any]
    questions: Mapping[str, Mapping[str, Any]]
    formulas: Mapping[str, str]
    answers: tuple[Answer, ...]
    combined: tuple[Mapping[str, Any], ...]
    scores: tuple[Mapping[str, Any], ...]
    numbers: tuple[Number, ...]
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        return int(self.head["seed"])

    @property
    def replicates(self) -> int:
        return int(self.head["replicates"])

    @cached_property
    def people(self) -> frozenset[str]:
        """The raters whose answers count."""
        return frozenset(self.head["raters"])

    @cached_property
    def by_question(self) -> dict[str, list[tuple[int, Answer]]]:
        """The answers to each question with their places in the file."""
        answers: dict[str, list[tuple[int, Answer]]] = {}
        for place, answer in enumerate(self.answers):
            answers.setdefault(answer.question, []).append((place, answer))
        return answers

    def remember(self, name: str, of: Mapping[str, Any], compute: Callable[[], Known]) -> Known:
        """What `compute` gives for the rows of a number, computed once."""
        key = f"{name} {json.dumps(of, sort_keys=True)}"
        if key not in self.memory:
            self.memory[key] = compute()
        known: Known = self.memory[key]
        return known


def read_report(path: Path) -> Report:
    """The file at a path. Raises BadReport."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadReport(f"{path.name}: is no UTF-8 text, so no report; {ANOTHER}") from error
    except OSError as error:
        raise BadReport(f"{path}: cannot be read: {error.strerror}") from error
    return parse_report(text.split("\n"), path.name)


def parse_report(lines: Iterable[str], name: str = "report") -> Report:
    """The lines of a file. name: for messages. Raises BadReport."""
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise BadReport(f"{name}: is empty; {ANOTHER}")
    entries = [_parse_line(name, number, line, is_last=number == numbered[-1][0]) for number, line in numbered]
    head = entries[0]
    if head.get("format") != FORMAT:
        raise BadReport(f"{name}, line 1: is no report for checking (no format {FORMAT!r}); {ANOTHER}")
    if missing := [key for key in HEAD if key not in head]:
        raise BadReport(f"{name}, line 1: lacks {', '.join(missing)}; {ANOTHER}")
    _check_end(name, entries)
    return _sort_lines(name, numbered, entries)


def _parse_line(name: str, number: int, line: str, *, is_last: bool) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        why = "the file ends within a line, so a part of it is missing" if is_last and number > 1 else "is no JSON"
        raise BadReport(f"{name}, line {number}: {why}; {ANOTHER}") from error
    if not isinstance(entry, dict):
        raise BadReport(f"{name}, line {number}: is no JSON object; {ANOTHER}")
    return entry


def _check_end(name: str, entries: list[dict[str, Any]]) -> None:
    last = entries[-1]
    if last.get("kind") != "end":
        raise BadReport(
            f"{name}: ends after line {len(entries)} without its last line, so a part is missing; {ANOTHER}"
        )
    if last.get("lines") != len(entries):
        raise BadReport(f"{name}: has {len(entries)} lines and says {last.get('lines')}: lines were lost or added")


def _sort_lines(name: str, numbered: list[tuple[int, str]], entries: list[dict[str, Any]]) -> Report:
    by_kind: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for (number, _line), entry in zip(numbered[1:-1], entries[1:-1], strict=True):
        kind = entry.pop("kind", None)
        if kind not in by_kind:
            raise BadReport(f"{name}, line {number}: has the kind {kind!r}, not one of {', '.join(KINDS)}")
        try:
            by_kind[kind].append(_build_entry(kind, entry))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise BadReport(f"{name}, line {number}: is no line of the kind {kind}: {error}") from error
    return Report(
        entries[0],
        {question["key"]: question for question in entries[0]["questions"]},
        dict(by_kind["formula"]),
        tuple(by_kind["answer"]),
        tuple(by_kind["combined"]),
        tuple(by_kind["score"]),
        tuple(by_kind["number"]),
    )


def _build_entry(kind: str, entry: dict[str, Any]) -> object:
    if kind == "formula":
        return entry["name"], entry["text"]
    if kind == "answer":
        words = tuple((int(start), int(end)) for start, end in entry.pop("words", ()))
        answered = {"quality": entry.pop("quality", "real"), "systems": tuple(entry.pop("systems"))}
        return Answer(kind=answered.pop("quality"), **answered, words=words, **entry)
    if kind == "number":
        return Number(row=tuple(map(str, entry.pop("row"))), **entry)
    return entry
