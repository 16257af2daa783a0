"""Answers of people or of judges as JSON lines, as rounds export them: one line per item, question and rater."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.combined.rows_file import BadRows, Known, compare_fields, parse_name
from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.reading import InputFile, Spot, empty_file_fault, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

LIST_SIZE = 2


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer; line: where it is, from 1. other: the second system of a comparison. chance: pi, None where the
    line does not say it. swapped: a judge's about a pair whose texts were exchanged."""

    line: int
    item: str
    rater: str
    question: str
    answer: str | bool | float
    source: str
    sample: str
    system: str
    other: str
    chance: float | None = None
    swapped: bool = False


@dataclass(frozen=True)
class AnswersFile:
    """file: for errors about its lines. left_out: lines of foils, repeats, excluded raters and additional ratings."""

    file: InputFile
    answers: tuple[GivenAnswer, ...]
    left_out: int = 0

    def fault(self, answer: GivenAnswer, field: str, message: str, value: object = "") -> BadRows:
        """An error about one line."""
        return BadRows(self.file.fault(message, line=answer.line, field=field, value=value, code="value"))


def read_answers(file: InputFile, default_rater: str = "") -> AnswersFile:
    """All answers of a file. default_rater: of lines without one; "": each must have one.

    Raises BadRows at the first fault: broken JSON, a field missing or of a wrong kind, a second answer of a rater to
    one question about one item, an item of two systems or sources; and UnreadableFile.
    """
    answers: list[GivenAnswer] = []
    line_by_key: dict[Hashable, int] = {}
    places: dict[str, Known] = {}
    left_out = 0
    for line in read_lines(file):
        if isinstance(line, Fault):
            raise BadRows(line)
        number, raw = line
        try:
            values = parse_strict_json(raw)
            if not isinstance(values, dict):
                raise FieldFault((), f"is {json_type_name(values)}, not an answer {{...}}", values)
            if values.get("kind", "real") != "real" or values.get("excluded") or values.get("extra"):
                left_out += 1
                continue
            answer = _parse_answer(number, values, default_rater)
            _check_answer(answer, line_by_key, places)
        except (BadJson, FieldFault) as error:
            raise BadRows(Spot(file, number, 1, raw).fault(error)) from error
        answers.append(answer)
    if not answers:
        raise BadRows(empty_file_fault(file))
    return AnswersFile(file, tuple(answers), left_out)


def _check_answer(answer: GivenAnswer, line_by_key: dict[Hashable, int], places: dict[str, Known]) -> None:
    key = (answer.item, answer.rater, answer.question, answer.swapped)
    if (earlier := line_by_key.setdefault(key, answer.line)) != answer.line:
        message = f"{answer.rater:.40} already answered this question about item {answer.item:.40} on line {earlier}"
        raise FieldFault(("item_id",), f"{message}; keep one answer", answer.item, "doubled")
    place = {"source_id": answer.source, "system": answer.system, "systems": answer.other}
    compare_fields(place, *places.setdefault(answer.item, (place, answer.line)), "item")


def _parse_answer(line: int, values: Mapping[str, Any], default_rater: str) -> GivenAnswer:
    systems = _parse_systems(values)
    source = _parse_key(values, "source_id")
    return GivenAnswer(
        line=line,
        item=_parse_key(values, "item_id"),
        rater=_parse_key(
            values, "judge" if "judge" in values and "rater" not in values else "rater", default_rater or None
        ),
        question=parse_name(values, "question"),
        answer=_parse_label(values),
        source=source,
        sample=_parse_key(values, "sample_id", source),
        system=systems[0],
        other=systems[1],
        chance=_parse_chance(values),
        swapped=values.get("swapped") is True,
    )


def _parse_key(values: Mapping[str, Any], key: str, default: str | None = None) -> str:
    number = values.get(key)
    return str(number) if type(number) is int else parse_name(values, key, default)


def _parse_systems(values: Mapping[str, Any]) -> tuple[str, str]:
    names = values.get("systems")
    if names is None:
        return parse_name(values, "system"), ""
    if not isinstance(names, list) or len(names) != LIST_SIZE or not all(isinstance(name, str) for name in names):
        raise FieldFault(("systems",), "is not a list of two systems: only comparisons of two can be combined", names)
    return names[0], names[1]


def _parse_label(values: Mapping[str, Any]) -> str | bool | float:
    label = values.get("answer")
    if label is None:
        message = "is null; leave the line out where an answer is missing" if "answer" in values else "is missing"
        raise FieldFault(("answer",), message, code="missing")
    if not isinstance(label, str | bool | int | float):
        raise FieldFault(("answer",), f"is {json_type_name(label)}, not text, a number or true/false", label, "kind")
    return label


def _parse_chance(values: Mapping[str, Any]) -> float | None:
    field = "pi" if values.get("pi") is not None else "chance"
    chance = values.get(field)
    if chance is None:
        return None
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 < chance <= 1:
        raise FieldFault((field,), "is not a chance above 0 and at most 1", chance, "range")
    return float(chance)
