"""Reads uploaded predictions: one JSON line per sample, with faults that name the line and the field."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.reading import InputFile, Spot, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

MAX_CANDIDATES = 1000
MAX_SCORES = 10_000
"""Numbers in the `scores` of one line."""
PROVENANCE_KEYS = {"prompt": str, "decoding": dict, "seed": int, "weights": str, "versions": dict, "truncated": int,
         "seconds": float, "usage": dict, "told": dict, "steps": list}  # fmt: skip
"""Optional keys of a line that describe how its prediction was produced."""


@dataclass(frozen=True)
class Prediction:
    """One line. sample_id or position identify its sample; with neither, the order of the lines does.

    system: key, "" if the line has none. candidates: {"text", "score"} each. about: see PROVENANCE_KEYS.
    split: of its sample, "" if the line has none. has_scores_alone: there is no prediction, but scores of contrastive
    examples.
    """

    spot: Spot
    text: str
    sample_id: str = ""
    position: int | None = None
    system: str = ""
    split: str = ""
    candidates: tuple[Mapping[str, Any], ...] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    has_scores_alone: bool = False


def read_predictions(file: InputFile, longest: int) -> Iterator[Prediction | Fault]:
    """One item per non-blank line. longest: maximum characters of a text. Raises UnreadableFile."""
    for item in read_lines(file):
        if isinstance(item, Fault):
            yield item
            continue
        spot = Spot(file, item[0], 1, item[1])
        try:
            yield _parse_prediction(spot, parse_strict_json(spot.raw), longest)
        except (BadJson, FieldFault) as error:
            yield spot.fault(error)


def _parse_prediction(spot: Spot, value: object, longest: int) -> Prediction:
    if isinstance(value, str):
        return Prediction(spot, _check_text(value, (), longest))
    if not isinstance(value, dict):
        raise FieldFault((), f'must be text or {{"prediction": "..."}}, not {json_type_name(value)}', value, "type")
    scores = _check_scores(value.get("scores"))
    has_scores_alone = "prediction" not in value and "contrastive" in scores
    if "prediction" not in value and not has_scores_alone:
        raise FieldFault(("prediction",), "is missing", code="missing")
    position = value.get("position")
    if position is not None and (not isinstance(position, int) or isinstance(position, bool) or position < 0):
        raise FieldFault(("position",), "must be a whole number from 0", position, "type")
    return Prediction(
        spot=spot,
        text="" if has_scores_alone else _check_text(value["prediction"], ("prediction",), longest),
        sample_id=_read_short_text(value, "sample_id"),
        position=position,
        system=_read_short_text(value, "system"),
        split=_read_short_text(value, "split") if value.get("split") else "",
        candidates=_parse_candidates(value.get("candidates"), longest),
        scores=scores,
        about={
            key: _check_provenance(value[key], key, kind, longest)
            for key, kind in PROVENANCE_KEYS.items()
            if value.get(key) is not None
        },
        has_scores_alone=has_scores_alone,
    )


def _check_text(value: object, path: tuple[str | int, ...], longest: int) -> str:
    if not isinstance(value, str):
        raise FieldFault(path, f"must be text, not {json_type_name(value)}", value, "type")
    if len(value) > longest:
        raise FieldFault(path, f"has {len(value):,} characters; a prediction may have {longest:,}", code="long")
    return value


def _read_short_text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or not value or len(value) > 300:
        raise FieldFault((key,), "must be a short text", value, "type")
    return value


def _parse_candidates(value: object, longest: int) -> tuple[Mapping[str, Any], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_CANDIDATES:
        raise FieldFault(("candidates",), f"must be a list of at most {MAX_CANDIDATES}", value, "type")
    candidates = []
    for index, candidate in enumerate(value):
        path: tuple[str | int, ...] = ("candidates", index)
        if not isinstance(candidate, dict) or not {"text", "score"} >= set(candidate) or "text" not in candidate:
            raise FieldFault(path, 'must be {"text": "...", "score": number}', candidate, "type")
        score = candidate.get("score")
        if score is not None and not _is_number(score):
            raise FieldFault((*path, "score"), f"must be a number, not {json_type_name(score)}", score, "type")
        candidates.append({"text": _check_text(candidate["text"], (*path, "text"), longest), "score": score})
    return tuple(candidates)


def _check_scores(value: object) -> Mapping[str, Any]:
    """Numbers by name, also nested in objects and lists (contrastive texts with their rule and score)."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldFault(("scores",), f"must be an object, not {json_type_name(value)}", value, "type")
    if _count_values(value) > MAX_SCORES:
        raise FieldFault(("scores",), f"holds more than {MAX_SCORES:,} values", code="long")
    return value


def _count_values(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_count_values, value.values()))
    return sum(map(_count_values, value)) if isinstance(value, list) else 1


def _check_provenance(value: object, key: str, kind: type, longest: int) -> object:
    if kind is str:
        return _check_text(value, (key,), longest * 10)
    if kind is float and _is_number(value):
        return max(0.0, float(value))  # type: ignore[arg-type]
    if not isinstance(value, kind) or isinstance(value, bool):
        expected = {dict: "an object", list: "a list", int: "a whole number", float: "a number"}[kind]
        raise FieldFault((key,), f"must be {expected}, not {json_type_name(value)}", value, "type")
    if isinstance(value, int) and not 0 <= value < 2**63:
        raise FieldFault((key,), "must be a whole number from 0", value, "type")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
