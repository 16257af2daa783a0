"""Let a model rate a round: it sees what raters see and answers the same questions, stored in a separate table.

An interrupted run can be resumed: stored answers are not asked again.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Job, Project
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from evaluation.models import Item, MachineJudgement, Round, RoundState
from evaluation.reports.judges import INVALID
from evaluation.rounds.questions import Question
from modelbridge.models import System, SystemRevision
from modelbridge.services.runs.system_requests import request_of
from modelbridge.systems.protocol import Judge, Output, Request, SystemFault

KIND = "judge-round"
BATCH = 16
JudgeQuestion = tuple[Item, Question, bool]
"""An item, a question about it, and whether the texts of a pair are exchanged."""


def judge_round(
    *, round_: Round, revision: SystemRevision, judge: Judge, progress: Progress | None = None
) -> dict[str, int]:
    """Ask the judge every question it has not answered yet; return counts. Raises Conflict for a draft, SystemFault."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round has not been launched, so there is nothing to rate."), code="state")
    progress = progress or NoProgress()
    asks = list(_open_questions(round_, revision))
    progress.set(0, len(asks))
    counts = {"asked": 0, "invalid": 0}
    for question, swapped in dict.fromkeys((ask[1].key, ask[2]) for ask in asks):
        same_question = [ask for ask in asks if (ask[1].key, ask[2]) == (question, swapped)]
        for place in range(0, len(same_question), BATCH):
            progress.check()
            rows = _ask_judge(revision, judge, same_question[place : place + BATCH])
            with write_transaction():
                MachineJudgement.objects.bulk_create(rows, ignore_conflicts=True)
            counts["asked"] += len(rows)
            counts["invalid"] += sum(row.answer == INVALID for row in rows)
            progress.set(counts["asked"])
    return counts


def _open_questions(round_: Round, revision: SystemRevision) -> Iterator[JudgeQuestion]:
    """Yield the unanswered questions about real items; questions about pairs are asked in both orders."""
    joined = ("first", "second", "reference", "document__source_text", "sample__group", "sample__schema_version")
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL).select_related(*joined, "sample__document")
    rows = MachineJudgement.objects.filter(round=round_, revision=revision)
    answered = set(rows.values_list("item_id", "question", "swapped"))
    for item in items.order_by("number"):
        for key in item.questions:
            question = round_.rules.question(key)
            turns = (False, True) if item.second_id is not None and question.about == "pair" else (False,)
            for swapped in turns:
                if _suits_models(question) and (item.pk, key, swapped) not in answered:
                    yield item, question, swapped


def _suits_models(question: Question) -> bool:
    """Whether a model is asked: the answers are options, and it sees one summary or two."""
    return question.asks.by_option and question.about != "list"


def _ask_judge(revision: SystemRevision, judge: Judge, asks: Sequence[JudgeQuestion]) -> list[MachineJudgement]:
    """Ask one question about several items. All entries must share the same question."""
    question = asks[0][1]
    values_by_label = {option.label: option.value for option in question.asks.options(question)}
    outputs = judge.judge(
        [_build_request(item, item_question, swapped) for item, item_question, swapped in asks],
        question.text,
        list(values_by_label),
    )
    if len(outputs) != len(asks):
        raise SystemFault(f"{revision} gave {len(outputs)} answers to {len(asks)} questions")
    return [_build_row(revision, ask, values_by_label, output) for ask, output in zip(asks, outputs, strict=True)]


def _build_request(item: Item, question: Question, swapped: bool) -> Request:
    """Build the request from what a rater sees: the source and the request only if the round shows them."""
    shows = item.round.instructions.shows
    sample_request = request_of(item.sample, 0)
    requested = {key: value for key, value in item.request.items() if value}
    values = {key: tuple(value) if isinstance(value, list) else str(value) for key, value in requested.items()}
    segments = (
        sample_request.segments if "source" in shows else _reference_segments(item) if "reference" in shows else ()
    )
    texts = [item.first.text, *([item.second.text] if item.second is not None else [])]
    if len(texts) == 2 and question.about in ("a", "b"):
        texts = [texts[question.about == "b"]]
    ordered_texts = texts[::-1] if swapped else texts
    return Request(
        id=str(item.public_id),
        segments=segments,
        values=values if "request" in shows else {},
        schema=sample_request.schema,
        text=ordered_texts[0] if len(ordered_texts) == 1 else None,
        candidates=tuple(ordered_texts) if len(ordered_texts) == 2 else (),
    )


def _reference_segments(item: Item) -> tuple[dict[str, str], ...]:
    return ({"speaker": "", "text": item.reference.text},) if item.reference is not None else ()


def _build_row(
    revision: SystemRevision, ask: JudgeQuestion, values_by_label: dict[str, str], output: Output
) -> MachineJudgement:
    item, question, swapped = ask
    value = values_by_label.get(output.text)
    answer = question.asks.canonical(value, 2 if swapped else 1) if value is not None else INVALID
    return MachineJudgement(
        round_id=item.round_id,
        item=item,
        revision=revision,
        question=question.key,
        swapped=swapped,
        answer=answer,
        said="" if value is not None else output.text[:2000],
        provenance={
            "decoding": dict(output.decoding),
            "seed": output.seed,
            "versions": dict(output.versions),
            "usage": dict(output.usage),
            "truncated": output.truncated,
        },
    )


def list_judges(project: Project) -> list[SystemRevision]:
    """The newest revision of each system of the project whose role is judge, ordered by key."""
    systems = System.objects.filter(project=project).order_by("key").prefetch_related("revisions")
    newest = [max(system.revisions.all(), key=lambda candidate: candidate.number, default=None) for system in systems]
    return [revision for revision in newest if revision is not None and revision.role == "judge"]


def start_judging(*, round_: Round, revision: SystemRevision, by: AbstractBaseUser | None) -> Job:
    """Queue the judging job. Raises BadInput if the system is not a judge, Conflict for a draft."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round has not been launched, so there is nothing to rate."), code="state")
    if revision.role != "judge":
        raise BadInput(_("%(name)s is not a judge: its role is %(role)s.") % {"name": revision, "role": revision.role})
    arguments = {"round": round_.pk, "revision": revision.pk}
    return start_job(kind=KIND, project=round_.project, by=by, arguments=arguments)


@register_handler(KIND, gettext_lazy("Rate with a model"), queue="text")
def run_judging(job: Job, progress: Progress) -> dict[str, Any]:
    from modelbridge.systems.registry import make_system

    round_ = Round.objects.filter(pk=job.arguments["round"]).select_related("project").first()
    revision = SystemRevision.objects.filter(pk=job.arguments["revision"]).select_related("system").first()
    if round_ is None or revision is None:
        raise JobRefused(_("The round or the system was deleted."))
    try:
        judge: Any = make_system(revision.config)
        return dict(judge_round(round_=round_, revision=revision, judge=judge, progress=progress))
    except (SystemFault, Conflict) as error:
        raise JobRefused(str(error)) from error
