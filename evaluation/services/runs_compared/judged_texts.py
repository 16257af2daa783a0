"""What judges answered to a published question about the texts of a run, or about the human summaries."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from annotation.models import Project
from epitome.prompts.questions import JudgeQuestion, find_question
from evaluation.services.judge_checks.validity import JudgeValidity, labels_state, measure_judge
from modelbridge.models import OutputState, Run, RunState

REFERENCES = "references"


@dataclass(frozen=True)
class JudgedTexts:
    """judge: the run that judged. labels: sample id -> value of the attribute, None for an invalid answer; samples
    whose text could not be judged are absent."""

    judge: Run
    labels: Mapping[int, str | None]
    validity: JudgeValidity | None
    """How often this judge is right by the labels given by hand; None where nothing can be compared."""


def find_judged_texts(project: Project, over: str, question: str) -> JudgedTexts | None:
    """The newest finished judging of the texts `over` with a published question; None where there is none."""
    judge = _finished_judgings(project, over, question).select_related("revision__system").order_by("-pk").first()
    published_question = find_question(question)
    if judge is None or published_question is None:
        return None
    rows = judge.outputs.filter(state=OutputState.DONE).values_list("sample_id", "scores")
    labels = {sample: _value_of(published_question, scores.get("label", "")) for sample, scores in rows}
    return JudgedTexts(judge, labels, measure_judge(project, published_question, judge.revision))


def is_judged(project: Project, run: Run, question: str) -> bool:
    """Whether a judge has finished with the outputs of a run."""
    return _finished_judgings(project, over_of(run), question).exists()


def _finished_judgings(project: Project, over: str, question: str) -> "QuerySet[Run]":
    return Run.objects.filter(project=project, over=over, state=RunState.DONE, options__preset=question)


def over_of(run: Run | None) -> str:
    """`Run.over` of what judges a run's outputs; of the human summaries for None."""
    return REFERENCES if run is None else f"run:{run.public_id}"


def judging_state(project: Project) -> object:
    """Changes with everything that judges and people have said of texts in a project."""
    runs = Run.objects.filter(project=project).exclude(over="")
    return runs.aggregate(n=Count("pk"), last=Max("finished_at")), labels_state(project)


def _value_of(question: JudgeQuestion, answer: str) -> str | None:
    return question.values.get(answer)
