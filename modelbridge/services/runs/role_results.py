"""The results of a run that scores, ranks, rewrites or judges texts, for its page."""

from dataclasses import dataclass

from django.db.models import Avg, Count, FloatField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from epitome.systems.roles import traits_of
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.contrastive_texts import KEY as CONTRASTIVES

SCORES_SHOWN = 8
"""Scores of a sample that a list shows."""


@dataclass(frozen=True)
class AnswerCount:
    """How often a judge gave an answer. answer "": it gave one that it was not offered."""

    answer: str
    n: int
    share: float


@dataclass(frozen=True)
class ScoreSummary:
    """Means over the samples of the gold text's log-probability (natural logarithm): its sum, and per token, None
    where scores were uploaded with one number for each text."""

    n: int
    mean_sum: float
    mean_per_token: float | None


def count_answers_of(run: Run) -> list[AnswerCount]:
    """The answers of a judge's run in the order of its question, invalid ones last; [] for other roles."""
    if not traits_of(run.revision.role).judges:
        return []
    rows = (
        run.outputs.filter(state=OutputState.DONE).order_by().values_list(KT("scores__label")).annotate(n=Count("pk"))
    )
    counts: dict[str, int] = dict(rows)
    total = sum(counts.values())
    answers = [*run.options["answers"], ""]
    return [AnswerCount(answer, n, n / total) for answer in answers if (n := counts.get(answer, 0))]


def summarize_scores(run: Run) -> ScoreSummary | None:
    """None for other roles, and where nothing is scored."""
    if not traits_of(run.revision.role).scores and run.over != CONTRASTIVES:
        return None
    means = {
        name: Avg(Cast(KT(f"scores__gold__{key}"), FloatField())) for name, key in (("sums", "sum"), ("means", "mean"))
    }
    totals = run.outputs.filter(state=OutputState.DONE).aggregate(n=Count("pk"), **means)
    return ScoreSummary(totals["n"], totals["sums"], totals["means"]) if totals["n"] else None


def describe_result(run: Run, output: SystemOutput) -> str:
    """The result of one finished output as one text: of many scores the first ones."""
    if traits_of(run.revision.role).scores or run.over == CONTRASTIVES:
        gold, texts = output.scores.get("gold", {}), output.scores.get("texts", {})
        sums = [gold.get("sum", 0.0), *(scored["sum"] for scored in texts.values())]
        described = ", ".join(f"{value:.3f}" for value in sums[:SCORES_SHOWN])
        return f"{described}, …" if len(sums) > SCORES_SHOWN else described
    return output.text
