"""A model as a rater of a round: it reads what raters read and answers the same questions, on rows of its own.

A run that stops goes on where it was: what is stored is not asked again.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.jobs import JobRefused, NoProgress, Progress, handler
from annotation.models import Job, Project
from annotation.services.errors import BadInput, Conflict
from annotation.services.starting import start_job
from annotation.transactions import write
from evaluation.models import Item, MachineJudgement, Round, RoundState
from evaluation.reports.judges import INVALID
from evaluation.rounds.questions import Question
from modelbridge.models import System, SystemRevision
from modelbridge.services.requests import request_of
from modelbridge.systems.protocol import Judge, Output, Request, SystemFault

KIND = "judge-round"
BATCH = 16
Ask = tuple[Item, Question, bool]
"""An item, a question about it, and whether the texts of a pair are exchanged."""


def judge_round(
    *, round_: Round, revision: SystemRevision, judge: Judge, progress: Progress | None = None
) -> dict[str, int]:
    """Ask the judge everything it has not answered yet; returns counts. Raises Conflict for a draft, SystemFault."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round is not launched: there is nothing to judge."), code="state")
    progress = progress or NoProgress()
    asks = list(_to_ask(round_, revision))
    progress.set(0, len(asks))
    counts = {"asked": 0, "invalid": 0}
    for question, swapped in dict.fromkeys((ask[1].key, ask[2]) for ask in asks):
        part = [ask for ask in asks if (ask[1].key, ask[2]) == (question, swapped)]
        for place in range(0, len(part), BATCH):
            progress.check()
            rows = _answered(revision, judge, part[place : place + BATCH])
            with write():
                MachineJudgement.objects.bulk_create(rows, ignore_conflicts=True)
            counts["asked"] += len(rows)
            counts["invalid"] += sum(row.answer == INVALID for row in rows)
            progress.set(counts["asked"])
    return counts


def _to_ask(round_: Round, revision: SystemRevision) -> Iterator[Ask]:
    """Every question about every real item, those about pairs twice; without what is answered."""
    joined = ("first", "second", "reference", "document__source_text", "sample__group", "sample__schema_version")
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL).select_related(*joined, "sample__document")
    rows = MachineJudgement.objects.filter(round=round_, revision=revision)
    done = set(rows.values_list("item_id", "question", "swapped"))
    for item in items.order_by("number"):
        for key in item.questions:
            question = round_.rules.question(key)
            turns = (False, True) if item.second_id is not None and question.about == "pair" else (False,)
            for swapped in turns:
                if not question.asks.free and (item.pk, key, swapped) not in done:
                    yield item, question, swapped


def _answered(revision: SystemRevision, judge: Judge, asks: Sequence[Ask]) -> list[MachineJudgement]:
    """One question about several items; all asks are of the same question."""
    question = asks[0][1]
    words = {option.label: option.value for option in question.asks.options(question)}
    outputs = judge.judge([_request(item, each, swapped) for item, each, swapped in asks], question.text, list(words))
    if len(outputs) != len(asks):
        raise SystemFault(f"{revision} gave {len(outputs)} answers to {len(asks)} questions")
    return [_row(revision, ask, words, output) for ask, output in zip(asks, outputs, strict=True)]


def _request(item: Item, question: Question, swapped: bool) -> Request:
    """What a rater sees of the item: the source and the request only where the round shows them."""
    shows = item.round.instructions.shows
    asked = request_of(item.sample, 0)
    told = {key: value for key, value in item.request.items() if value}
    values = {key: tuple(value) if isinstance(value, list) else str(value) for key, value in told.items()}
    segments = asked.segments if "source" in shows else _reference(item) if "reference" in shows else ()
    texts = [item.first.text, *([item.second.text] if item.second is not None else [])]
    if len(texts) == 2 and question.about in ("a", "b"):
        texts = [texts[question.about == "b"]]
    shown = texts[::-1] if swapped else texts
    return Request(
        id=str(item.public_id),
        segments=segments,
        values=values if "request" in shows else {},
        schema=asked.schema,
        text=shown[0] if len(shown) == 1 else None,
        candidates=tuple(shown) if len(shown) == 2 else (),
    )


def _reference(item: Item) -> tuple[dict[str, str], ...]:
    return ({"speaker": "", "text": item.reference.text},) if item.reference is not None else ()


def _row(revision: SystemRevision, ask: Ask, words: dict[str, str], output: Output) -> MachineJudgement:
    item, question, swapped = ask
    value = words.get(output.text)
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


def judges_of(project: Project) -> list[SystemRevision]:
    """The newest revision of each system of the project that is a judge, by key."""
    systems = System.objects.filter(project=project).order_by("key").prefetch_related("revisions")
    newest = [max(one.revisions.all(), key=lambda each: each.number, default=None) for one in systems]
    return [one for one in newest if one is not None and one.role == "judge"]


def start(*, round_: Round, revision: SystemRevision, by: AbstractBaseUser | None) -> Job:
    """Queue it. Raises BadInput for a system that is no judge, Conflict for a draft."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round is not launched: there is nothing to judge."), code="state")
    if revision.role != "judge":
        raise BadInput(_("%(name)s is not a judge: its role is %(role)s.") % {"name": revision, "role": revision.role})
    arguments = {"round": round_.pk, "revision": revision.pk}
    return start_job(kind=KIND, project=round_.project, by=by, arguments=arguments)


@handler(KIND, queue="text")
def run_judging(job: Job, progress: Progress) -> dict[str, Any]:
    from modelbridge.systems.registry import make

    round_ = Round.objects.filter(pk=job.arguments["round"]).select_related("project").first()
    revision = SystemRevision.objects.filter(pk=job.arguments["revision"]).select_related("system").first()
    if round_ is None or revision is None:
        raise JobRefused(_("The round or the system is gone."))
    try:
        judge: Any = make(revision.config)
        return dict(judge_round(round_=round_, revision=revision, judge=judge, progress=progress))
    except (SystemFault, Conflict) as error:
        raise JobRefused(str(error)) from error
