"""Chooses the items that people see by the doubts of the judges, once, when all judges have answered.

Until then nobody can claim an item, because there is no slot. One transaction stores chances, choice, slots and orders.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.utils.translation import gettext as _

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction
from epitome.combined.chances import draw_items
from epitome.combined.doubts import describe_doubt, fit_doubts, share_chances
from epitome.combined.judged_items import TooFew
from epitome.rounds.lanes import build_lanes
from epitome.rounds.people_items import list_units
from epitome.rounds.plans import PlannedItem, ShownText
from evaluation.models import Item, Round, RoundState
from evaluation.services.rating.judge_questions import has_answered_all
from evaluation.services.rating.judge_values import JudgeValues, judge_name, load_judge_values
from evaluation.services.rounds.frozen_judges import list_frozen_judges
from evaluation.services.rounds.launch import store_slots
from evaluation.services.rounds.pilots import load_pilot

BATCH = 1000


def choose_when_judged(round_: Round) -> bool:
    """Choose the items for people if the round waits for that and every frozen judge has answered all; return whether
    it was done now. Idempotent."""
    if not Round.objects.filter(pk=round_.pk, waits_for_judges=True, state__in=RoundState.RUNNING).exists():
        return False
    judges = list_frozen_judges(round_)
    if not all(has_answered_all(round_, revision) for revision in judges):
        return False
    chances = _share_chances(round_, {judge_name(revision) for revision in judges})
    with write_transaction():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if not locked.waits_for_judges or locked.state not in RoundState.RUNNING:
            return False
        n_shown = _store_choice(locked, chances)
        audit.record_event(
            project=locked.project,
            actor=None,
            verb=AuditVerb.ROUND_CHOOSE,
            target=f"round:{locked.public_id}",
            items=n_shown,
        )
    round_.refresh_from_db()
    return True


def _share_chances(round_: Round, judges: Collection[str]) -> dict[str, float]:
    """Sample -> its chance. judges: names of the frozen ones; answers of others do not matter. Raises Conflict."""
    config = round_.rules
    doubts = _collect_doubts(round_, load_judge_values(round_), judges)
    try:
        model = fit_doubts(load_pilot(round_.project, config.judging.pilot)) if config.judging.pilot else None
    except TooFew as error:
        raise Conflict(_("The pilot is too small: %(why)s.") % {"why": str(error)}, code="pilot") from error
    chosen = config.selection.for_people
    shares = share_chances(doubts, chosen.count_of(len(doubts)), chosen.least_chance, model)
    return dict(zip(doubts, shares.tolist(), strict=True))


def _collect_doubts(
    round_: Round, values: JudgeValues, judges: Collection[str]
) -> dict[str, list[tuple[float, float, float]]]:
    """Sample -> the features of each of its questions, in the order of the samples' names."""
    doubts: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    rows = _load_rows(round_)
    planned = [_as_planned(row) for row in rows]
    for row, item in zip(rows, planned, strict=True):
        item_values = [values[row.pk, question] for question in item.questions if (row.pk, question) in values]
        if item.is_real:
            doubts[item.sample] += [
                describe_doubt([given.get(judge) for judge in sorted(judges)]) for given in item_values
            ]
    return {sample: doubts[sample] for sample in list_units(planned)}


def _load_rows(round_: Round) -> list[Item]:
    """The round's items in their frozen order."""
    return list(Item.objects.filter(round=round_).select_related("document", "sample").order_by("number"))


def _as_planned(row: Item) -> PlannedItem:
    return PlannedItem(
        kind=row.kind,  # type: ignore[arg-type]
        sample=f"{row.document.external_id}#{row.sample.position}",
        source=row.document.external_id,
        domain=row.domain,
        request=row.request,
        texts=tuple(ShownText(text["target"], text["sample"]) for text in row.targets),
        questions=tuple(row.questions),
        expected=row.expected,
        labelled=row.labelled,
    )


def _store_choice(round_: Round, chances: Mapping[str, float]) -> int:
    """Draw the samples, store chance and choice of every item, and the slots of those that people see; return how many
    items these are. Foils are always seen."""
    samples = list(chances)
    drawn = {samples[index] for index in draw_items(list(chances.values()), round_.seed).tolist()}
    rows = _load_rows(round_)
    planned = [_as_planned(row) for row in rows]
    numbers = tuple(index for index, item in enumerate(planned) if not item.is_real or item.sample in drawn)
    for row, item in zip(rows, planned, strict=True):
        row.for_people = not item.is_real or item.sample in drawn
        row.chance = chances[item.sample] if item.is_real else 1.0
    Item.objects.bulk_update(rows, ["for_people", "chance"], batch_size=BATCH)
    lanes, apart = build_lanes(round_.rules, planned, numbers)
    store_slots(round_, lanes, rows)
    Round.objects.filter(pk=round_.pk).update(waits_for_judges=False, n_people_items=len(numbers), apart=apart)
    return len(numbers)
