"""The rows of the evaluation room, one file per subject."""

from evaluation.models.cases import Case
from evaluation.models.judge_checks import HandLabel, JudgeCheck
from evaluation.models.machines import MachineJudgement
from evaluation.models.ratings import ItemAssignment, ItemAssignmentState, Judgement, JudgementChange, RatingSlot
from evaluation.models.reports import Adjudication, ReportLink
from evaluation.models.rounds import (
    Item,
    ItemText,
    RaterReading,
    Round,
    RoundLink,
    RoundRater,
    RoundState,
    RoundTemplate,
    RoundText,
    SourceClearance,
)

__all__ = [
    "Adjudication",
    "Case",
    "HandLabel",
    "Item",
    "ItemAssignment",
    "ItemAssignmentState",
    "ItemText",
    "JudgeCheck",
    "Judgement",
    "JudgementChange",
    "MachineJudgement",
    "RaterReading",
    "RatingSlot",
    "ReportLink",
    "Round",
    "RoundLink",
    "RoundRater",
    "RoundState",
    "RoundTemplate",
    "RoundText",
    "SourceClearance",
]
