"""What a pilot's rows say for a plan."""

from collections.abc import Sequence

import numpy as np

from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.combined.planner import Assumptions, assume_from
from epitome.combined.rows import CombinedRow, group_rows, make_items, pair_items
from epitome.metrics.bootstrap import Floats

BINARY = 2


class NoPilot(ValueError):
    """The rows do not say what is to be planned; the message says what to choose."""


def assume_from_rows(
    rows: Sequence[CombinedRow], question: str | None = None, systems: Sequence[str] | None = None
) -> Assumptions:
    """Assumptions of one question: of the difference of two systems, or of all systems' items together (each item's
    distance from its system's mean), as for the mean of one system. question: needed where the rows have several.

    Raises NoPilot with the names to choose from, and where there are too few items with both judgements.
    """
    questions = list(dict.fromkeys(row.question for row in rows))
    if question is None and len(questions) == 1:
        question = questions[0]
    if question not in questions:
        raise NoPilot(f"choose a question with --question: {', '.join(questions)}")
    judges = list(dict.fromkeys(row.judge for row in rows))
    groups = group_rows(row for row in rows if row.question == question and row.judge == judges[-1])
    by_system = {group.system: members for group, members in groups.items() if not group.other}
    try:
        if systems is None:
            return assume_from(*_pool_systems(list(groups.values())))
        if lacking := [name for name in systems if name not in by_system]:
            raise NoPilot(f"there is no system {lacking[0]!r:.60}: there are {', '.join(by_system)}")
        items = pair_items(by_system[systems[0]], by_system[systems[1]])
        return assume_from(items, predict_error(items.judge))
    except TooFew as error:
        raise NoPilot(str(error)) from error


def _pool_systems(groups: Sequence[Sequence[CombinedRow]]) -> tuple[JudgedItems, Floats | None]:
    """All systems' items around their own means, so that differences of systems do not count as variance; and what
    predicts the judge's error."""
    systems_items = [make_items(rows) for rows in groups]
    human = np.concatenate([items.human - np.nanmean(items.human) for items in systems_items])
    judge = np.concatenate([items.judge - items.judge.mean() for items in systems_items])
    names = [row.source for rows in groups for row in rows]
    codes = np.unique(names, return_inverse=True)[1]
    chance = np.concatenate([items.chance for items in systems_items])
    features = predict_error(np.concatenate([items.judge for items in systems_items]))
    return JudgedItems(human, judge, chance, codes, -1.0, 1.0), features


def predict_error(judged: Floats) -> Floats | None:
    """(T, 2) features known before people are asked: the judge's value, and how far it is from the middle of its
    values; None where it says only yes and no, which says nothing of how certain it is."""
    if len(np.unique(judged)) <= BINARY:
        return None
    return np.column_stack([judged, np.abs(judged - np.median(judged))])
