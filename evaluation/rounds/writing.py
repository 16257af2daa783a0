"""A round's configuration as TOML, from the fields of a form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sketch:
    """The fields of the form. runs: ids of runs with a key for each. raters: user names, none for all raters."""

    name: str
    template: str
    n: int
    raters_per_item: int
    seed: int
    gold: bool = True
    runs: Sequence[tuple[str, str]] = ()
    no_control: bool = False
    raters: Sequence[str] = ()
    split: str = ""
    topics_only: Sequence[str] = ()
    stratify: str = ""
    floor: int = 0
    reference: str = ""
    pairs_by: str = ""
    extra: Sequence[str] = ()
    one_by_one: bool = False
    qualification: int = 0
    other_source: int = 0
    repeats: int = 0


def build_toml(sketch: Sketch) -> str:
    """The TOML text; what the template already gives is left out."""
    tables = [
        _toml_table(
            "[round]",
            name=sketch.name,
            template=sketch.template,
            seed=sketch.seed,
            raters_per_item=sketch.raters_per_item,
            raters=list(sketch.raters),
            show="one" if sketch.one_by_one else "",
            qualification=sketch.qualification / 100,
        ),
        _toml_table(
            "[selection]",
            n=sketch.n,
            split=sketch.split,
            require_nonempty=list(sketch.topics_only),
            stratify=sketch.stratify,
            floor=sketch.floor if sketch.stratify else 0,
        ),
    ]
    if sketch.gold:
        tables.append(_toml_table("[[target]]", kind="gold"))
    for run, key in sketch.runs:
        tables.append(_toml_table("[[target]]", key=key, run=run))
    if sketch.no_control:
        for run, key in sketch.runs[:1]:
            tables.append(_toml_table("[[target]]", key=f"{key}-no-control", run=run, no_control=True))
    if sketch.reference:
        tables.append(_toml_table("[reference]", **{"from": sketch.reference}))
    if sketch.pairs_by:
        tables.append(_toml_table("[pairs]", by="value", attribute=sketch.pairs_by))
    if sketch.extra:
        tables.append(_toml_table("[questions]", extra=list(sketch.extra)))
    if sketch.other_source or sketch.repeats:
        tables.append(_toml_table("[quality]", other_source=sketch.other_source, repeats=sketch.repeats))
    return "\n".join(tables)


def _toml_table(head: str, **values: object) -> str:
    """A table without its empty values. JSON strings, numbers and lists of strings are valid TOML, except DEL."""
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007F")
        for key, value in values.items()
        if value not in ("", 0, [], False, 0.0)
    ]
    return "\n".join([head, *lines, ""])
