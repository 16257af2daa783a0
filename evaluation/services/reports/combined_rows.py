"""The rows of combined estimates: what people and each judge said of every item of a round, as values from 0 to 1."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.claiming import SlotState
from epitome.combined.rows import CombinedRow, Scale
from epitome.rounds.questions import Question
from evaluation.models import Item, RatingSlot, Round
from evaluation.services.rating.judge_values import find_scales, load_judge_values
from evaluation.services.reports.judgements import ExportOptions, export_lines
from evaluation.services.rounds.pilots import ROW_LOADERS

PLACES = {"a": 1, "b": 2}
HumanValues = dict[tuple[str, str], list[float]]
"""(item as exports name it, question as exports name it) -> the values of all people."""


@ROW_LOADERS.register
def load_rows(round_: Round) -> list[CombinedRow]:
    """One row per item, question, system and judge, in the frozen order; without judges one each with no judge.

    They name systems: for callers that may know them. Answers of raters whom the rules exclude do not count, and
    neither do imported ones: the chances and looks were planned for the round's own raters.
    """
    return list(_build_rows(round_, _load_human(round_), find_looks(round_)))


def find_looks(round_: Round) -> dict[str, int]:
    """Source -> its place in the order of looks, from 1, as far as one source after the other is complete; {} for a
    round without interim results."""
    order: list[str] = json.loads(round_.design).get("sources", [])
    if not order:
        return {}
    slots = RatingSlot.objects.filter(round=round_, item__kind=Item.Kind.REAL)
    open_ = set(slots.exclude(state=SlotState.FILLED).values_list("document__external_id", flat=True).distinct())
    source_ids = set(slots.values_list("document__external_id", flat=True).distinct())
    looks: dict[str, int] = {}
    for position, source in enumerate(order, 1):
        if source in open_ or source not in source_ids:
            break
        looks[source] = position
    return looks


def _load_human(round_: Round) -> HumanValues:
    scales = {round_.rules.question(key).shared_key: scale for key, scale in find_scales(round_).items()}
    values: HumanValues = defaultdict(list)
    for line in export_lines(round_, ExportOptions(systems=False, outside=False)):
        if line["question"] in scales:
            values[line["item_id"], line["question"]].append(scales[line["question"]].value_of(line["answer"]))
    return values


def _build_rows(round_: Round, human: HumanValues, looks: Mapping[str, int]) -> Iterator[CombinedRow]:
    scales, judged = find_scales(round_), load_judge_values(round_)
    judges = sorted({judge for by_judge in judged.values() for judge in by_judge}) or [""]
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL).select_related("document", "sample")
    for item in items.order_by("number"):
        if item.chance is None:  # people's items are not chosen yet
            continue
        look = looks.get(item.document.external_id, 0) if item.for_people else 0
        for key in item.questions:
            if key not in scales:
                continue
            named = _name_row(item, round_.rules.question(key), scales[key])
            human_values = human.get((named["item"], named["question"]), [])
            value = sum(human_values) / len(human_values) if human_values else None
            by_judge = judged.get((item.pk, key), {})
            for judge in judges:
                yield CombinedRow(
                    **named,
                    judge=judge,
                    judged=by_judge.get(judge),
                    human=value,
                    raters=len(human_values),
                    chance=item.chance,
                    drawn=item.for_people,
                    look=look,
                )


def _name_row(item: Item, question: Question, scale: Scale) -> dict[str, Any]:
    """What a row is about. A question about one text of a pair is a row of that text; as a sample then counts the pair,
    in which both texts are beside each other."""
    place = PLACES.get(question.about, 0)
    systems = [target["target"] for target in item.targets]
    external = item.document.external_id
    sample = f"{external}#{item.sample.position}"
    return {
        "item": f"{item.public_id}:{place}" if place else str(item.public_id),
        "source": external,
        "sample": f"{sample} {item.public_id}" if place else sample,
        "system": systems[max(0, place - 1)],
        "other": systems[1] if len(systems) == 2 and not place else "",
        "question": question.shared_key,
        "scale": scale.name,
    }
