"""Reads judgements: JSON lines {"item_id", "rater", "question", "answer"}, with "system" and more where known.

Lines with "extra" are left out: such ratings were requested because the others of their item disagree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.scales import Ints
from epitome.agreement.table import Label, Ratings, complete_yes_no, label_key
from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.reading import InputFile, Spot, empty_file_fault, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

MAX_NAME = 1000
# Above it, two whole numbers can be the same float.
MAX_NUMBER = float(2**53)
EXTRA = (True, "yes")
"""How JSON lines and CSV files of a round mark an additional rating."""
Key = tuple[int, float | str]


class BadJudgements(ValueError):
    """A file of judgements that cannot be used; holds the first fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True)
class Judgements:
    """All judgements as numbers from 0; names and labels say what they mean, each list in sorted order.

    left_out: lines of additional ratings. item, rater, question, answer: (judgements,). system_of_item: (items,),
    -1 where it is not known. source_of_item: (items,), or None where the file does not name the source of every
    item.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    questions: tuple[str, ...]
    systems: tuple[str, ...]
    labels: tuple[Label, ...]
    item: Ints
    rater: Ints
    question: Ints
    answer: Ints
    system_of_item: Ints
    source_of_item: Ints | None = None
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.item)

    def ratings(self, question: int | None = None, system: int | None = None) -> tuple[Ratings, tuple[str, ...]]:
        """The ratings of one question (None: of all) about one system's items (None: about all), and their raters.

        Over all questions a unit is a question about an item; the clusters are sources, or items where the
        sources are unknown. The labels are those that the question has anywhere in the file, about whatever system,
        and of yes and no both: a file does not say which other answers its scale has.
        """
        mask = self.kept(question, system)
        raters, rater = np.unique(self.rater[mask], return_inverse=True)
        scale = np.unique(self.answer[self.kept(question)])
        keys = [label_key(self.labels[code]) for code in scale]
        labels = complete_yes_no([self.labels[code] for code in scale])
        place_by_key = {label_key(label): index for index, label in enumerate(labels)}
        place_of_code = np.full(len(self.labels), -1)
        place_of_code[scale] = [place_by_key[key] for key in keys]
        answer = place_of_code[self.answer[mask]]
        pairs = self.item[mask] * len(self.questions) + self.question[mask]
        cells, unit = np.unique(pairs, return_inverse=True)
        item = cells // len(self.questions)
        drawn = item if self.source_of_item is None else self.source_of_item[item]
        clusters = np.unique(drawn, return_inverse=True)[1]
        ratings = Ratings(unit, rater, answer, labels, clusters, len(raters))
        return ratings, tuple(self.raters[code] for code in raters)

    def kept(self, question: int | None = None, system: int | None = None) -> NDArray[np.bool_]:
        """Which judgements are about one question and one system's items; (judgements,)."""
        mask = np.ones(len(self), dtype=bool) if question is None else self.question == question
        return mask if system is None else mask & (self.system_of_item[self.item] == system)


def read_judgements(file: InputFile) -> Judgements:
    """All judgements of a file, in an order that does not depend on that of its lines.

    Raises BadJudgements at the first fault: broken JSON, a field missing or of a wrong kind, a rater's second answer to
    one question about one item, an item of two systems or sources, a question with answers of two kinds, no judgement
    at all; and UnreadableFile.
    """
    reader = _Reader()
    for line in read_lines(file):
        if isinstance(line, Fault):
            raise BadJudgements(line)
        number, raw = line
        try:
            reader.take(number, parse_strict_json(raw))
        except (BadJson, FieldFault) as error:
            raise BadJudgements(Spot(file, number, 1, raw).fault(error)) from error
    if not reader.rows:
        raise BadJudgements(empty_file_fault(file))
    return reader.judgements()


@dataclass
class _Reader:
    """Judgements so far; names are numbered as they are met, and renumbered in sorted order at the end."""

    rows: list[tuple[int, int, int, int]] = field(default_factory=list)
    line_of: dict[tuple[int, int, int], int] = field(default_factory=dict)
    system_of: dict[int, tuple[int, int]] = field(default_factory=dict)
    source_of: dict[int, tuple[int, int]] = field(default_factory=dict)
    kind_of_question: dict[int, tuple[str, int]] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    raters: dict[str, int] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    labels: dict[Key, int] = field(default_factory=dict)
    label_of: dict[Key, Label] = field(default_factory=dict)
    left_out: int = 0

    def take(self, line: int, row: object) -> None:
        """Adds one line. Raises FieldFault."""
        if not isinstance(row, dict):
            raise FieldFault((), f"is {json_type_name(row)}, not a judgement {{...}}", row)
        if row.get("extra") in EXTRA:
            self.left_out += 1
            return
        item = self.items.setdefault(_parse_name(row, "item_id", numbers=True), len(self.items))
        rater = self.raters.setdefault(_parse_name(row, "rater", numbers=True), len(self.raters))
        question = self.questions.setdefault(_parse_name(row, "question"), len(self.questions))
        key = self._answer(line, row, question)
        for extra in ("domain", "project", "task"):
            if row.get(extra) is not None:
                _parse_name(row, extra)
        for extra, known, of_item in (
            ("system", self.systems, self.system_of),
            ("source_id", self.sources, self.source_of),
        ):
            if row.get(extra) is not None:
                self._of_item(line, row, item, extra, known, of_item)
        if (earlier := self.line_of.setdefault((item, rater, question), line)) != line:
            message = f"rater {row['rater']!s:.40} already answered this question about item {row['item_id']!s:.40}"
            raise FieldFault(("rater",), f"{message} on line {earlier}; keep one answer", row["rater"], "doubled")
        self.rows.append((item, rater, question, self.labels.setdefault(key, len(self.labels))))

    def _answer(self, line: int, row: Mapping[str, Any], question: int) -> Key:
        label = _parse_label(row)
        kind = "true/false" if isinstance(label, bool) else "text" if isinstance(label, str) else "a number"
        known_kind, where = self.kind_of_question.setdefault(question, (kind, line))
        if kind != known_kind:
            message = f"is {kind}, but on line {where} the answer to this question was {known_kind}"
            raise FieldFault(("answer",), message, label, "kind")
        key = label_key(label)
        self.label_of.setdefault(key, label)
        return key

    def _of_item(
        self,
        line: int,
        row: Mapping[str, Any],
        item: int,
        key: str,
        known: dict[str, int],
        of_item: dict[int, tuple[int, int]],
    ) -> None:
        """Checks that all judgements of an item name the same system or source. Raises FieldFault."""
        name = _parse_name(row, key)
        number = known.setdefault(name, len(known))
        known_number, where = of_item.setdefault(item, (number, line))
        if known_number != number:
            message = (
                f"differs from that of the same item on line {where}; give each thing that was shown its own item_id"
            )
            raise FieldFault((key,), message, name, key)

    def judgements(self) -> Judgements:
        """All judgements, every list of names sorted."""
        columns = np.array(self.rows, dtype=np.int64).T
        items, item_order = _sort_names(self.items)
        raters, rater_order = _sort_names(self.raters)
        questions, question_order = _sort_names(self.questions)
        systems, system_order = _sort_names(self.systems)
        keys = sorted(self.labels)
        label_order = _new_codes([self.labels[key] for key in keys])
        system_of_item = np.full(len(items), -1)
        for item, (system, _) in self.system_of.items():
            system_of_item[item_order[item]] = system_order[system]
        source_of_item = np.full(len(items), -1)
        _sources, source_order = _sort_names(self.sources)
        for item, (source, _) in self.source_of.items():
            source_of_item[item_order[item]] = source_order[source]
        return Judgements(
            items=items,
            raters=raters,
            questions=questions,
            systems=systems,
            labels=tuple(self.label_of[key] for key in keys),
            item=item_order[columns[0]],
            rater=rater_order[columns[1]],
            question=question_order[columns[2]],
            answer=label_order[columns[3]],
            system_of_item=system_of_item,
            source_of_item=None if -1 in source_of_item else source_of_item,
            left_out=self.left_out,
        )


def _sort_names(names: Mapping[str, int]) -> tuple[tuple[str, ...], Ints]:
    """The names in order, and for each old number the new one."""
    ordered = sorted(names)
    return tuple(ordered), _new_codes([names[name] for name in ordered])


def _new_codes(old: list[int]) -> Ints:
    new = np.zeros(len(old), dtype=np.int64)
    new[old] = np.arange(len(old))
    return new


def _parse_name(row: Mapping[str, Any], key: str, numbers: bool = False) -> str:
    """A name of one line; whole numbers may identify item and rater. Raises FieldFault."""
    if key not in row:
        raise FieldFault((key,), "is missing", code="missing")
    value = row[key]
    if numbers and type(value) is int and abs(value) < MAX_NUMBER:
        return str(value)
    if not isinstance(value, str):
        raise FieldFault((key,), f"is {json_type_name(value)}, not text", value, "kind")
    if not value.strip():
        raise FieldFault((key,), "is empty", value, "empty")
    if len(value) > MAX_NAME:
        raise FieldFault((key,), f"is longer than {MAX_NAME:,} characters", value, "long")
    return value


def _parse_label(row: Mapping[str, Any]) -> Label:
    """The answer of one line: text, true/false or a number. Raises FieldFault."""
    if row.get("answer", "") is None:
        raise FieldFault(("answer",), "is null; leave the line out where a rating is missing", None, "kind")
    value = row.get("answer")
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if abs(value) > MAX_NUMBER:
            raise FieldFault(("answer",), "is too large a number for an answer", value, "number")
        return float(value)
    if "answer" in row and not isinstance(value, str):
        raise FieldFault(("answer",), f"is {json_type_name(value)}, not text, a number or true/false", value, "kind")
    return _parse_name(row, "answer")
