"""What judges said of a round as values from 0 to 1."""

from collections import defaultdict

from epitome.combined.rows import Scale
from epitome.reports.judges import INVALID
from epitome.rounds.questions import Question
from evaluation.models import MachineJudgement, Round
from modelbridge.models import SystemRevision

JudgeValues = dict[tuple[int, str], dict[str, float | None]]
"""(key of an item, key of a question) -> judge -> value; None where no answer was one to the question."""


def judge_name(revision: SystemRevision) -> str:
    """A judge's column: a changed judge is another one."""
    return f"{revision.system.key}, revision {revision.number}"


def find_scales(round_: Round) -> dict[str, Scale]:
    """The scales of the questions that combined estimates are made of, by key."""
    return {question.key: scale for question in round_.rules.certain_questions if (scale := _find_scale(question))}


def _find_scale(question: Question) -> Scale | None:
    return Scale.of_question(question.type, question.values)


def load_judge_values(round_: Round) -> JudgeValues:
    """The mean of each judge's values over both orders of a pair's texts."""
    scales = find_scales(round_)
    rows = MachineJudgement.objects.filter(round=round_, question__in=scales).select_related("revision__system")
    values_by_item: defaultdict[tuple[int, str], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.defer("said", "provenance", "revision__config_toml").order_by("pk"):
        values = values_by_item[row.item_id, row.question][judge_name(row.revision)]
        if row.answer != INVALID:
            values.append(scales[row.question].value_of(row.answer))
    return {
        key: {judge: sum(values) / len(values) if values else None for judge, values in by_judge.items()}
        for key, by_judge in values_by_item.items()
    }
