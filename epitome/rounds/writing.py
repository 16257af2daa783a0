"""A round's configuration as TOML, from the fields of a form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

N_RULES = 8
"""Rules by which contrastive examples are made."""


@dataclass(frozen=True)
class Sketch:
    """The fields of the form. runs: ids of runs with a key for each. raters: user names, none for all raters.
    contrastive: the template is for contrastive examples, which are the only target; n is cut into equal parts by rule.
    judges: keys of judges. people_share: the share of samples that people judge, in percent; active: chosen by the
    judges' doubts. stopping: the rule, "" for none; width: of intervals, in hundredths. extra_ratings: items at most
    that get one more rating where raters disagree.
    """

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
    contrastive: bool = False
    judges: Sequence[str] = ()
    people_share: int = 0
    active: bool = False
    stopping: str = ""
    width: int = 0
    extra_ratings: int = 0
    pause_foils_wrong: int = 0
    pause_seconds: int = 0
    pause_same_answers: int = 0


def build_toml(sketch: Sketch) -> str:
    """The TOML text; what the template already gives is left out."""
    head = _toml_table(
        "[round]",
        name=sketch.name,
        template=sketch.template,
        seed=sketch.seed,
        raters_per_item=sketch.raters_per_item,
        raters=list(sketch.raters),
        show="one" if sketch.one_by_one else "",
        qualification=sketch.qualification / 100,
        extra_ratings=sketch.extra_ratings,
    )
    if sketch.contrastive:
        selection = _toml_table("[selection]", per_rule=-(-sketch.n // N_RULES), split=sketch.split)
        tables = [head, selection, _toml_table("[[target]]", kind="contrastive")]
        tables += [_toml_table("[quality]", repeats=sketch.repeats)] if sketch.repeats else []
        return "\n".join([*tables, *_pausing_tables(sketch)])
    tables = [
        head,
        _toml_table(
            "[selection]",
            n=sketch.n,
            split=sketch.split,
            require_nonempty=list(sketch.topics_only),
            stratify=sketch.stratify,
            floor=sketch.floor if sketch.stratify else 0,
            for_people="active" if sketch.active else "",
            share_for_people=sketch.people_share / 100 if sketch.people_share < 100 else 0,
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
    return "\n".join([*tables, *_pausing_tables(sketch), *_certainty_tables(sketch)])


def _pausing_tables(sketch: Sketch) -> list[str]:
    """[pausing], where the form sets a rule."""
    rules = {
        "foils_wrong": sketch.pause_foils_wrong,
        "seconds": sketch.pause_seconds,
        "same_answers": sketch.pause_same_answers,
    }
    return [_toml_table("[pausing]", **rules)] if any(rules.values()) else []


def _certainty_tables(sketch: Sketch) -> list[str]:
    """[judge] and [stopping], where the form says anything of them."""
    tables = []
    if sketch.judges:
        combine = "ppi" if 0 < sketch.people_share < 100 or sketch.stopping else ""
        tables.append(_toml_table("[judge]", systems=list(sketch.judges), combine=combine))
    if sketch.stopping:
        width = sketch.width / 100 if sketch.stopping == "width" else 0
        tables.append(_toml_table("[stopping]", rule=sketch.stopping, look="after every source", width=width))
    return tables


def _toml_table(head: str, **values: object) -> str:
    """A table without its empty values. JSON strings, numbers and lists of strings are valid TOML, except DEL."""
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007F")
        for key, value in values.items()
        if value not in ("", 0, [], False, 0.0)
    ]
    return "\n".join([head, *lines, ""])
