"""Faults of a design that belong to one field of its form, each with the nearest value that is right."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from epitome.rounds.config import RoundConfig
from epitome.rounds.designing import plan_round
from epitome.rounds.selecting import NotEnough
from epitome.rounds.writing import Sketch
from epitome.schema import SchemaError
from evaluation.services.rounds.round_material import Material

MOST_STEPS = 20
"""Values tried before a remedy is given up."""


class Remedy(NamedTuple):
    """field: of the form of a design. message: what is wrong with its value. value: the nearest one that is right, ""
    to leave it out; None where there is none."""

    field: str
    message: str
    value: int | str | None = None


class _Place(NamedTuple):
    """Where a fault of the text belongs in the form. values: those that may be right, the nearest first."""

    field: str
    values: Callable[[Sketch], Sequence[int | str]] = lambda _sketch: ()


def _switch_off(_sketch: Sketch) -> tuple[int]:
    return (0,)


def _leave_out(_sketch: Sketch) -> tuple[str]:
    return ("",)


PLACES: dict[tuple[str, ...], _Place] = {
    ("round", "name"): _Place("name"),
    ("round", "template"): _Place("template"),
    ("round", "raters_per_item"): _Place("raters_per_item", lambda sketch: (len(sketch.raters) or 1,)),
    ("round", "raters"): _Place("raters_per_item", lambda sketch: (len(sketch.raters),)),
    ("round", "extra_ratings"): _Place("extra_ratings", _switch_off),
    ("round", "qualification"): _Place("qualification", _switch_off),
    ("selection", "n"): _Place("n"),
    ("selection", "floor"): _Place("floor", lambda sketch: (sketch.n, 0)),
    ("selection", "stratify"): _Place("stratify", _leave_out),
    ("selection", "require_nonempty"): _Place("topics_only", _leave_out),
    ("selection", "share_for_people"): _Place("people_share", lambda sketch: (100,)),
    ("selection", "least_chance"): _Place("people_share", lambda sketch: (5,)),
    ("selection", "for_people"): _Place("active", _leave_out),
    ("target",): _Place("runs"),
    ("pairs",): _Place("pairs_by", _leave_out),
    ("reference",): _Place("reference", lambda sketch: ("gold", "")),
    ("quality",): _Place("other_source", _switch_off),
    ("questions", "extra"): _Place("extra", _leave_out),
    ("judge",): _Place("judges", _leave_out),
    ("stopping", "width"): _Place("width"),
    ("stopping",): _Place("stopping", _leave_out),
}
"""Tables and keys of a round's text -> fields."""
LISTS = ("judges", "topics_only", "extra")


def find_remedy(error: SchemaError, sketch: Sketch, parse: Callable[[Sketch], Any]) -> Remedy | None:
    """The remedy of a fault in the text that was written from the form; None where it belongs to no field.

    parse: writes the text of a form and reads it. Raises SchemaError.
    """
    names = tuple(step for step in error.path if isinstance(step, str))
    place = PLACES.get(names[:2]) or PLACES.get(names[:1])
    if place is None:
        return None
    message = f"{error.message[:1].upper()}{error.message[1:]}."
    for value in place.values(sketch):
        if value != getattr(sketch, place.field) and _is_right(place.field, value, error, sketch, parse):
            return Remedy(place.field, message, value)
    return Remedy(place.field, message)


def _is_right(field: str, value: int | str, error: SchemaError, sketch: Sketch, parse: Callable[[Sketch], Any]) -> bool:
    """Whether the fault is gone with this value; another one may be left."""
    typed: Any = () if field in LISTS else bool(value) if field == "active" else value
    try:
        parse(replace(sketch, **{field: typed}))
    except SchemaError as other:
        return other.path != error.path
    return True


def find_enough(config: RoundConfig, material: Material, error: NotEnough) -> int | None:
    """The largest value of the number that asks for too much for which there is enough; None if there is none.

    error: raised for this configuration, with `too_large`.
    """
    key = error.too_large
    for _step in range(MOST_STEPS):
        if error.nearest is None:
            return None
        config = _with_number(config, key, error.nearest)
        try:
            plan_round(config, material.pools, material)
        except NotEnough as other:
            if other.too_large != key:  # of another field, or of none
                return error.nearest if other.too_large else None
            error = other
        else:
            return error.nearest
    return None


def _with_number(config: RoundConfig, key: str, value: int) -> RoundConfig:
    number: dict[str, Any] = {key: value}
    if key in ("n", "floor"):
        return replace(config, selection=replace(config.selection, **number))
    return replace(config, quality=replace(config.quality, **number))
