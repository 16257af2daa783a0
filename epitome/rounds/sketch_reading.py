"""A round's TOML text as the values of the form, and changes of the form back into the text.

What the form cannot say stays in the text: only what was changed in the form is written.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

from epitome.rounds.templates import RoundTemplate
from epitome.rounds.writing import N_RULES, Sketch, build_toml
from epitome.schema.toml_editing import write_data

Data = Mapping[str, Any]


def read_sketch(text: str, template: RoundTemplate) -> Sketch:
    """The values of the form for a sound text. template: the one that the text names."""
    data = tomllib.loads(text)
    head, selection, quality = (data.get(name, {}) for name in ("round", "selection", "quality"))
    targets = data.get("target", [])
    contrastive = any(target.get("kind") == "contrastive" for target in targets)
    share = selection.get("share_for_people", 0)
    stopping, pausing = data.get("stopping", {}), data.get("pausing", {})
    return Sketch(
        name=head.get("name", ""),
        template=template.key,
        n=N_RULES * selection.get("per_rule", 1) if contrastive else selection.get("n", template.n),
        raters_per_item=head.get("raters_per_item", template.raters_per_item),
        seed=head.get("seed", 1),
        gold=any(target.get("kind") == "gold" for target in targets),
        runs=[_read_run(target) for target in targets if "run" in target and not target.get("no_control")],
        no_control=any(target.get("no_control") for target in targets),
        raters=head.get("raters", []),
        split=selection.get("split", ""),
        topics_only=selection.get("require_nonempty", []),
        stratify=selection.get("stratify", ""),
        floor=selection.get("floor", 0),
        reference=data.get("reference", {}).get("from", ""),
        pairs_by=data.get("pairs", {}).get("attribute", ""),
        extra=data.get("questions", {}).get("extra", []),
        one_by_one=head.get("show") == "one",
        qualification=round(100 * head.get("qualification", 0)),
        other_source=quality.get("other_source", 0),
        repeats=quality.get("repeats", 0),
        contrastive=contrastive,
        judges=data.get("judge", {}).get("systems", []),
        people_share=round(100 * share) or 100,
        active=selection.get("for_people") == "active",
        stopping=stopping.get("rule", ""),
        width=round(100 * stopping.get("width", 0)),
        extra_ratings=head.get("extra_ratings", 0),
        **{f"pause_{name}": round(pausing.get(name, 0)) for name in ("foils_wrong", "seconds", "same_answers")},
    )


def _read_run(target: Data) -> tuple[str, str]:
    return str(target["run"]), str(target.get("key", target["run"]))


def list_other_targets(text: str) -> list[str]:
    """What is rated beside what the form shows: targets that name a system."""
    return [str(target["system"]) for target in tomllib.loads(text).get("target", []) if "system" in target]


def write_sketch(text: str, before: Sketch, after: Sketch) -> str:
    """The text with what changed in the form. before: as `read_sketch` read it from the text."""
    old, new = (tomllib.loads(build_toml(sketch)) for sketch in (before, after))
    data = tomllib.loads(text)
    if old == new:
        return text
    return write_data(text, _apply(data, old, new))


def _apply(data: Data, old: Data, new: Data) -> dict[str, Any]:
    """The data with the differences between old and new."""
    changed = dict(data)
    for key in [*new, *(key for key in old if key not in new)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, Mapping | None) and isinstance(after, Mapping | None):
            changed[key] = _apply(data.get(key, {}), before or {}, after or {})
        elif key == "target":
            changed[key] = _change_targets(data.get(key, []), before or [], after or [])
        else:
            changed[key] = after
        if changed[key] in (None, {}, []):
            del changed[key]
    return changed


def _change_targets(targets: list[Data], before: list[Data], after: list[Data]) -> list[Data]:
    """The targets without those that the form took out, and with those that it added."""
    added = [target for target in after if target not in before]
    removed = [target for target in before if target not in after]
    return [*(target for target in targets if not any(_covers(target, gone) for gone in removed)), *added]


def _covers(target: Data, part: Data) -> bool:
    """Whether a target of the text is the one that the form knows: it may say more."""
    return part.items() <= target.items()
