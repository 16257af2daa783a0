"""The result of labelling by hand as a table, and as plain values for scripts."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from epitome.figures.tables import Table
from epitome.prompts.questions import JudgeQuestion
from epitome.reports.judge_check import CheckedJudge, describe_accuracy_signature, judge_check_table
from evaluation.services.judge_checks.validity import HandTruth, JudgeValidity, load_hand_truth, measure_judges


def build_check_table(project: Project, question: JudgeQuestion) -> Table:
    """Every judge of a question, newest first; only the published row where nothing can be compared yet."""
    judges = [
        CheckedJudge(validity.judge, validity.accuracy, validity.interval, validity.kappa, validity.confusion)
        for validity in measure_judges(project, question)
    ]
    return judge_check_table(
        judges,
        question.answers,
        title=question.title,
        published=question.published_accuracy,
        source=question.source,
        notes=_describe_truth(load_hand_truth(project, question)),
    )


def _describe_truth(truth: HandTruth) -> list[str]:
    n = len(truth.answers)
    sentence = ngettext("%(n)d text is labelled by hand.", "%(n)d texts are labelled by hand.", n) % {"n": n}
    notes = [sentence]
    left_out = truth.unsure + truth.tied
    if left_out:
        message = ngettext(
            "%(n)d more is left out: people could not tell, or disagree evenly.",
            "%(n)d more are left out: people could not tell, or disagree evenly.",
            left_out,
        )
        notes.append(message % {"n": left_out})
    if truth.several:
        message = ngettext(
            "%(n)d text was labelled by several people, who agree on %(agreed)d.",
            "%(n)d texts were labelled by several people, who agree on %(agreed)d.",
            truth.several,
        )
        notes.append(message % {"n": truth.several, "agreed": truth.agreed})
    return notes


def validity_as_dict(question: JudgeQuestion, validity: JudgeValidity) -> dict[str, Any]:
    """One judge as JSON values. Accuracy with its Wilson interval; kappa null where it is undefined."""
    return {
        "judge": validity.judge,
        "texts": validity.n,
        "accuracy": validity.accuracy.value.value,
        "ci95": [validity.interval.low, validity.interval.high],
        "kappa": validity.kappa.value,
        "kappa_undefined": validity.kappa.undefined,
        "confusion": [
            {"by_hand": hand, "by_judge": judged, "texts": n}
            for hand in question.answers
            for judged in (*question.answers, "")
            if (n := validity.confusion.get((hand, judged), 0))
        ],
        "signature": describe_accuracy_signature(validity.accuracy),
    }


def check_as_dict(project: Project, question: JudgeQuestion) -> dict[str, Any]:
    """The question, the labels given by hand, and every judge."""
    truth = load_hand_truth(project, question)
    return {
        "question": question.key,
        "published_accuracy": question.published_accuracy,
        "labelled": len(truth.answers),
        "unsure": truth.unsure,
        "tied": truth.tied,
        "people": truth.people,
        "labelled_by_several": truth.several,
        "agreed": truth.agreed,
        "judges": [validity_as_dict(question, validity) for validity in measure_judges(project, question)],
    }


def describe_cannot_say() -> str:
    return _("cannot say")
