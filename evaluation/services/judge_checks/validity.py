"""How often each judge is right: its labels against those that people gave by hand.

Source: CCSBench, arXiv 2410.12601, section 4.2 and appendix A.3.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from epitome.figures.numbers import format_score
from epitome.measures import Value
from epitome.prompts.questions import JudgeQuestion
from evaluation.models import HandLabel
from evaluation.services.judge_checks.checked_texts import hash_text, load_texts
from modelbridge.models import OutputState, Run, RunState, SystemRevision

if TYPE_CHECKING:
    from epitome.agreement.intervals import Interval
    from epitome.metrics.aggregate import Aggregate

INVALID = ""


@dataclass(frozen=True)
class HandTruth:
    """What people said. answers: hash -> answer, of the texts on which most agree. unsure: texts that nobody could
    label; tied: texts on which people are even; several: texts that more than one person labelled, `agreed` of them
    alike."""

    answers: Mapping[str, str]
    unsure: int
    tied: int
    people: int
    several: int
    agreed: int


@dataclass(frozen=True)
class JudgeValidity:
    """One judge. confusion: (by hand, by the judge) -> texts; "" is an answer that was none, which counts as wrong and
    is left out of kappa."""

    revision: int
    judge: str
    accuracy: "Aggregate"
    interval: "Interval"
    kappa: Value
    confusion: Mapping[tuple[str, str], int]

    @property
    def n(self) -> int:
        return self.accuracy.n


def load_hand_truth(project: Project, question: JudgeQuestion) -> HandTruth:
    """The labels of a question, by majority where several people labelled a text."""
    labels: dict[str, list[str]] = {}
    people = set()
    rows = HandLabel.objects.filter(project=project, question=question.key).order_by("pk")
    for text_hash, label, person in rows.values_list("text_hash", "label", "by_id"):
        labels.setdefault(text_hash, []).append(label)
        people.add(person)
    answers, unsure, tied = {}, 0, 0
    for text_hash, votes_given in labels.items():
        votes = Counter(label for label in votes_given if label in question.values).most_common(2)
        if not votes:
            unsure += 1
        elif len(votes) > 1 and votes[0][1] == votes[1][1]:
            tied += 1
        else:
            answers[text_hash] = votes[0][0]
    several = [row for row in labels.values() if len(row) > 1]
    agreed = sum(len(set(row)) == 1 for row in several)
    return HandTruth(answers, unsure, tied, len(people), len(several), agreed)


def measure_judges(project: Project, question: JudgeQuestion) -> list[JudgeValidity]:
    """Every judge that has answered the question about a text labelled by hand, newest first."""
    truth = load_hand_truth(project, question)
    if not truth.answers:
        return []
    runs = _finished_runs(project, question)
    keys = dict.fromkeys(runs.order_by("-pk").values_list("revision", flat=True))
    revisions = SystemRevision.objects.select_related("system").in_bulk(list(keys))
    measured = (_measure_revision(project, question, revisions[key], truth) for key in keys)
    return [validity for validity in measured if validity is not None]


def measure_judge(project: Project, question: JudgeQuestion, revision: SystemRevision) -> JudgeValidity | None:
    """One judge; None where it has judged no text that was labelled by hand."""
    truth = load_hand_truth(project, question)
    return _measure_revision(project, question, revision, truth) if truth.answers else None


def labels_state(project: Project) -> object:
    """Changes with every label given by hand in a project."""
    return HandLabel.objects.filter(project=project).aggregate(n=Count("pk"), last=Max("at"))


def describe_validity(judge: str, validity: JudgeValidity | None) -> str:
    """A sentence for the note of a column of F1."""
    if validity is None or validity.interval.low is None or validity.interval.high is None:
        return _("%(judge)s, not validated by hand") % {"judge": judge}
    sentence = ngettext(
        "%(judge)s, right on %(accuracy)s of %(n)d text labelled by hand (95 %% interval %(low)s to %(high)s)",
        "%(judge)s, right on %(accuracy)s of %(n)d texts labelled by hand (95 %% interval %(low)s to %(high)s)",
        validity.n,
    )
    accuracy, low, high = (
        format_score(number)
        for number in (validity.accuracy.value.value, validity.interval.low, validity.interval.high)
    )
    return sentence % {"judge": judge, "accuracy": accuracy, "n": validity.n, "low": low, "high": high}


def describe_validities(pairs: Iterable[tuple[str, JudgeValidity | None]]) -> str:
    """`describe_validity` of several judges, each once, in the order of their names."""
    by_judge = dict(pairs)
    return "; ".join(describe_validity(judge, by_judge[judge]) for judge in sorted(by_judge))


def _finished_runs(project: Project, question: JudgeQuestion) -> "QuerySet[Run]":
    return Run.objects.filter(project=project, state=RunState.DONE, options__preset=question.key)


def _measure_revision(
    project: Project, question: JudgeQuestion, revision: SystemRevision, truth: HandTruth
) -> JudgeValidity | None:
    from epitome.agreement.intervals import wilson_interval
    from epitome.metrics.ccsbench_scores import judge_accuracy

    judged = _load_judged(project, question, revision)
    pairs = [(answer, judged[text_hash]) for text_hash, answer in truth.answers.items() if text_hash in judged]
    if not pairs:
        return None
    by_hand, by_judge = zip(*pairs, strict=True)
    accuracy = judge_accuracy(
        [question.values.get(answer) for answer in by_judge], [question.values[answer] for answer in by_hand]
    )
    n_right = sum(hand == judged_answer for hand, judged_answer in pairs)
    return JudgeValidity(
        revision=revision.pk,
        judge=str(revision),
        accuracy=accuracy,
        interval=wilson_interval(n_right, len(pairs)),
        kappa=_measure_kappa(question, pairs),
        confusion=Counter(pairs),
    )


def _measure_kappa(question: JudgeQuestion, pairs: list[tuple[str, str]]) -> Value:
    import numpy as np

    from epitome.agreement.kappa import cohen_kappa

    codes = {answer: index for index, answer in enumerate(question.answers)}
    columns = [np.array([codes.get(pair[side], -1) for pair in pairs], dtype=np.int64) for side in (0, 1)]
    return cohen_kappa(columns[0], columns[1], n_labels=len(codes))


def _load_judged(project: Project, question: JudgeQuestion, revision: SystemRevision) -> dict[str, str]:
    """hash -> the judge's answer, INVALID where it gave none; the newest run counts where several read a text."""
    by_origin: dict[str, str] = {}
    for run in _finished_runs(project, question).filter(revision=revision).order_by("pk"):
        for scores in run.outputs.filter(state=OutputState.DONE).values_list("scores", flat=True):
            by_origin[str(scores.get("of", ""))] = str(scores.get("label", INVALID))
    texts = load_texts(project, by_origin)
    return {hash_text(text): by_origin[origin] for origin, text in texts.items()}
