"""Let a model rate a round: it sees what raters see and answers the same questions, stored in a separate table.

An interrupted run can be resumed: stored answers are not asked again.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, create_job, register_handler
from annotation.models import Job, Project
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from epitome.reports.judges import INVALID
from epitome.rounds.judge_marks import read_judge_marks
from epitome.rounds.marks import OMISSION, write_marks
from epitome.systems.protocol import ErrorKinds, Judge, Marker, Output, SystemFault
from epitome.systems.roles import traits_of
from evaluation.models import MachineJudgement, Round, RoundState
from evaluation.models.machines import MARKED
from evaluation.services.rating.judge_questions import JudgeQuestion, has_answered_all, list_open_questions
from evaluation.services.rating.judge_requests import build_request, list_worked_examples
from evaluation.services.rating.people_choice import choose_when_judged
from evaluation.services.rounds.frozen_judges import list_frozen_judges
from evaluation.services.rounds.launch import LAUNCHED
from modelbridge.models import System, SystemRevision
from modelbridge.services.runs.worked_examples import find_example_options

KIND = "judge-round"
BATCH = 16
MOST_SAID = 8000
"""Characters of a judge's own words that are kept."""


def judge_round(
    *,
    round_: Round,
    revision: SystemRevision,
    judge: Judge,
    n_examples: int = 0,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Ask the judge every question it has not answered yet; return counts. Where the round waited for this judge as the
    last one, the items for people are chosen. n_examples: worked examples of the round shown before each question, as
    far as there are any about it. Raises Conflict for a draft, SystemFault."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round has not been launched, so there is nothing to rate."), code="state")
    progress = progress or NoProgress()
    asks = list(list_open_questions(round_, revision))
    counts = progress.carry({"asked": 0, "invalid": 0})
    progress.set(counts["asked"], counts["asked"] + len(asks))
    for question, swapped in dict.fromkeys((ask[1].key, ask[2]) for ask in asks):
        same_question = [ask for ask in asks if (ask[1].key, ask[2]) == (question, swapped)]
        for index in range(0, len(same_question), BATCH):
            progress.checkpoint()
            rows = _ask_judge(revision, judge, same_question[index : index + BATCH], n_examples)
            with write_transaction():
                MachineJudgement.objects.bulk_create(rows, ignore_conflicts=True)
            counts["asked"] += len(rows)
            counts["invalid"] += sum(row.answer == INVALID for row in rows)
            progress.set(counts["asked"])
    choose_when_judged(round_)
    return counts


def _ask_judge(
    revision: SystemRevision, judge: Judge, asks: Sequence[JudgeQuestion], n_examples: int
) -> list[MachineJudgement]:
    """Ask one question about several items. All entries must share the same question."""
    item, question, _swapped = asks[0]
    if question.asks.marks:
        outputs = _ask_marker(judge, asks)
        return [_build_marked_row(revision, ask, output) for ask, output in zip(asks, outputs, strict=True)]
    values_by_label = {option.label: option.value for option in question.asks.options(question)}
    examples = list_worked_examples(item, question)[:n_examples] if n_examples else ()
    outputs = judge.judge(
        [replace(build_request(*ask), examples=tuple(examples)) for ask in asks],
        question.text,
        list(values_by_label),
    )
    if len(outputs) != len(asks):
        raise SystemFault(f"{revision} gave {len(outputs)} answers to {len(asks)} questions")
    return [_build_row(revision, ask, values_by_label, output) for ask, output in zip(asks, outputs, strict=True)]


def _ask_marker(judge: Judge, asks: Sequence[JudgeQuestion]) -> list[Output]:
    """Ask for the errors of several texts. Raises SystemFault for a judge that cannot mark."""
    if not hasattr(judge, "mark"):
        raise SystemFault(f"{judge.key} answers questions with options; it cannot mark errors in a text")
    question = asks[0][1]
    labels = [question.labels.get(name, name) for name in question.values]
    severities = [question.labels.get(name, name) for name, _weight in question.severities]
    omission = question.labels.get(OMISSION, OMISSION) if question.omission else ""
    kinds = ErrorKinds(tuple(labels), tuple(severities), omission)
    outputs = cast(Marker, judge).mark([build_request(*ask) for ask in asks], question.text, kinds)
    if len(outputs) != len(asks):
        raise SystemFault(f"{judge.key} gave {len(outputs)} answers to {len(asks)} questions")
    return outputs


def _build_marked_row(revision: SystemRevision, ask: JudgeQuestion, output: Output) -> MachineJudgement:
    """The marks of a model; its whole answer is kept beside them, with the quotes that were not alignment."""
    item, question, _swapped = ask
    alignment = read_judge_marks(question, item.first.text, output.text)
    row = _start_row(revision, ask, output)
    row.said = output.text[:MOST_SAID]
    if alignment is None:
        row.answer = INVALID
        return row
    row.answer = MARKED
    row.provenance |= {
        "marks": json.loads(write_marks(alignment.marks)),
        "quotes": alignment.n_quotes,
        "fuzzy": alignment.n_fuzzy,
        "unaligned": len(alignment.unaligned),
    }
    return row


def _build_row(
    revision: SystemRevision, ask: JudgeQuestion, values_by_label: dict[str, str], output: Output
) -> MachineJudgement:
    _item, question, swapped = ask
    value = values_by_label.get(output.text)
    row = _start_row(revision, ask, output)
    row.answer = question.asks.canonical(value, 2 if swapped else 1) if value is not None else INVALID
    row.said = "" if value is not None else output.text[:MOST_SAID]
    return row


def _start_row(revision: SystemRevision, ask: JudgeQuestion, output: Output) -> MachineJudgement:
    """A row without its answer."""
    item, question, swapped = ask
    return MachineJudgement(
        round_id=item.round_id,
        item=item,
        revision=revision,
        question=question.key,
        swapped=swapped,
        provenance={
            "decoding": dict(output.decoding),
            "seed": output.seed,
            "versions": dict(output.versions),
            "usage": dict(output.usage),
            "truncated": output.truncated,
        },
    )


def make_judge(revision: SystemRevision) -> tuple[Judge, int]:
    """A judge and how many worked examples it is configured to show. In a round these are the round's own, so that the
    judge itself does not insist on those of a run. Raises SystemFault."""
    from epitome.systems.registry import make_system

    config, options = revision.config, find_example_options(revision)
    if options is not None:
        config = replace(config, settings=replace(config.settings, examples=None))
    return cast(Judge, make_system(config)), options.n if options is not None else 0


def list_judges(project: Project) -> list[SystemRevision]:
    """The newest revision of each system of the project whose role is judge, ordered by key."""
    systems = System.objects.filter(project=project).order_by("key").prefetch_related("revisions")
    newest = [max(system.revisions.all(), key=lambda candidate: candidate.number, default=None) for system in systems]
    return [revision for revision in newest if revision is not None and traits_of(revision.role).judges]


def start_judging(*, round_: Round, revision: SystemRevision, by: AbstractBaseUser | None) -> Job:
    """Queue the judging job. Raises BadInput if the system is not a judge, Conflict for a draft."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round has not been launched, so there is nothing to rate."), code="state")
    if not traits_of(revision.role).judges:
        raise BadInput(_("%(name)s is not a judge: its role is %(role)s.") % {"name": revision, "role": revision.role})
    arguments = {"round": round_.pk, "revision": revision.pk, "system": revision.system.key}
    return start_job(kind=KIND, project=round_.project, by=by, arguments=arguments)


@LAUNCHED.register
def ask_frozen_judges(round_: Round, by: AbstractBaseUser | None) -> int:
    """Queue a job for each judge of the design that has not answered all; return how many. Those queued already are
    not queued twice."""
    lacking = [revision for revision in list_frozen_judges(round_) if not has_answered_all(round_, revision)]
    under_way = Job.objects.under_way().filter(project=round_.project, kind=KIND, arguments__round=round_.pk)
    queued = set(under_way.values_list("arguments__revision", flat=True))
    fresh = [revision for revision in lacking if revision.pk not in queued]
    for revision in fresh:
        create_job(
            kind=KIND,
            project=round_.project,
            by=by,
            arguments={"round": round_.pk, "revision": revision.pk, "system": revision.system.key},
            idempotency_key=f"{KIND}:{round_.pk}:{revision.pk}:{uuid.uuid4()}",
        )
    return len(fresh)


def find_judge(round_: Round, system: System) -> SystemRevision:
    """The revision that answers for a system: the one that the design froze until it has answered all, else the newest,
    whose answers are a column of their own."""
    frozen = (revision for revision in list_frozen_judges(round_) if revision.system_id == system.pk)
    lacking = (revision for revision in frozen if not has_answered_all(round_, revision))
    return next(lacking, system.newest)


def _title_job(job: Job) -> str:
    system = job.arguments.get("system", "")
    return _("Rate with %(system)s") % {"system": system} if system else ""


@register_handler(
    KIND,
    gettext_lazy("Rate with a model"),
    queue="text",
    takes_turns=True,
    page="rounds",
    kept=gettext_lazy("The answers so far stay; start it again for the rest."),
    title=_title_job,
)
def run_judging(job: Job, progress: Progress) -> dict[str, Any]:
    round_ = Round.objects.filter(pk=job.arguments["round"]).select_related("project").first()
    revision = SystemRevision.objects.filter(pk=job.arguments["revision"]).select_related("system").first()
    if round_ is None or revision is None:
        raise JobRefused(_("The round or the system was deleted."))
    try:
        judge, n_examples = make_judge(revision)
        return dict(
            judge_round(round_=round_, revision=revision, judge=judge, n_examples=n_examples, progress=progress)
        )
    except (SystemFault, Conflict) as error:
        raise JobRefused(str(error)) from error
