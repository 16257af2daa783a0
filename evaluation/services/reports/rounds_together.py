"""One report over several unblinded rounds, also of different projects: their answers in one table, a round's texts a
domain of their own.

Computed by a job whose result is no part of the API's answer, because not everybody in its project may see the others.
"""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Job, Project
from annotation.services.core.access import Person, list_maker_projects
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.job_start import start_job
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.transactions import write_transaction
from epitome.reports.answers import Answer, Frame
from evaluation.models import Round, RoundRater, RoundState
from evaluation.services.reports import report_jobs
from evaluation.services.reports.report_rows import build_frame, load_answers

KIND = "rounds-report"
MOST_ROUNDS = 8
LISTED = 100


class TogetherReport(NamedTuple):
    """The newest stored report over these rounds. is_stale: newer answers exist."""

    at: datetime | None
    report: dict[str, Any]
    is_stale: bool


def list_choices(user: Person) -> list[Round]:
    """The unblinded rounds of all projects in which the user is a researcher or admin, the newest first."""
    rounds = Round.objects.filter(project__in=list_maker_projects(user), state=RoundState.UNBLINDED)
    return list(rounds.select_related("project").order_by("-pk")[:LISTED])


def choose_rounds(user: Person, public_ids: Sequence[str]) -> list[Round]:
    """The rounds of these ids in their order. Raises NotFound for one that the user may not read, BadInput for too many
    or too few."""
    chosen_ids = list(dict.fromkeys(public_ids))
    if len(chosen_ids) > MOST_ROUNDS:
        text = ngettext("At most %(n)d round goes into a table.", "At most %(n)d rounds go into a table.", MOST_ROUNDS)
        raise BadInput(text % {"n": MOST_ROUNDS}, field="round")
    try:
        ids = [uuid.UUID(public_id) for public_id in chosen_ids]
    except ValueError as error:
        raise NotFound() from error
    rounds = Round.objects.filter(public_id__in=ids, project__in=list_maker_projects(user) if ids else [])
    by_id = {round_.public_id: round_ for round_ in rounds.select_related("project")}
    if len(by_id) != len(ids):
        raise NotFound()
    return [by_id[public_id] for public_id in ids]


def combine_rounds(rounds: Sequence[Round], *, replicates: int = 1000) -> tuple[Frame, list[Answer]]:
    """The frame over all rounds and their answers. An account that rated in several projects is one rater; other ids of
    different projects never meet. Raises Conflict for a blind round."""
    frames, answers_of_rounds = [], []
    people = _name_people(rounds)
    for round_ in rounds:
        report_jobs.check_unblinded(round_)
        answers = load_answers(round_)
        frames.append(build_frame(round_, answers, replicates=replicates))
        answers_of_rounds.append(answers)
    names = Counter(name for frame in frames for _key, name in frame.domains)
    domains, rows = [], []
    for number, (round_, frame, answers) in enumerate(zip(rounds, frames, answers_of_rounds, strict=True), 1):
        for key, name in frame.domains:
            domain_label = name if names[name] == 1 else f"{round_.project.name}, {round_.name}: {name}"
            domains.append((f"{number}:{key}", domain_label))
        rows += [_set_apart(row, number, round_.project_id, people) for row in answers]
    first = frames[0]
    questions = {question.key: question for frame in reversed(frames) for question in frame.questions}
    order = list(dict.fromkeys(question.key for frame in frames for question in frame.questions))
    return (
        replace(
            first,
            name=" + ".join(f"{round_.project.name}: {round_.name}" for round_ in rounds),
            systems=tuple(dict.fromkeys(name for frame in frames for name in frame.systems)),
            questions=tuple(questions[key] for key in order),
            raters=tuple(
                dict.fromkeys(
                    people.get((round_.project_id, name), f"{round_.project_id}:{name}")
                    for round_, frame in zip(rounds, frames, strict=True)
                    for name in frame.raters
                )
            ),
            excluded=(),
            judges=(),
            domains=tuple(domains),
            facts=_join_facts(frames),
        ),
        rows,
    )


def _name_people(rounds: Sequence[Round]) -> dict[tuple[int, str], str]:
    """By project and pseudonym there, the name of a rater in a report over these rounds: that of the first round which
    the account rated."""
    names_by_account: dict[int, str] = {}
    people: dict[tuple[int, str], str] = {}
    for round_ in rounds:
        pseudonyms = Pseudonyms(round_.project)
        for account in RoundRater.objects.filter(round=round_).order_by("pk").values_list("rater_id", flat=True):
            pseudonym = pseudonyms.of(account) or ""
            name = names_by_account.setdefault(account, f"{round_.project_id}:{pseudonym}")
            people[round_.project_id, pseudonym] = name
    return people


def _set_apart(row: Answer, number: int, project_id: int, people: Mapping[tuple[int, str], str]) -> Answer:
    """The row with ids that no other round has; sources of a project stay the same in all of its rounds, and people
    everywhere."""
    project = f"{project_id}:"
    return replace(
        row,
        item=f"{number}:{row.item}",
        rater=people.get((project_id, row.rater), project + row.rater),
        domain=f"{number}:{row.domain}",
        source=project + row.source,
        sample=project + row.sample,
        repeats=f"{number}:{row.repeats}" if row.repeats else "",
    )


def _join_facts(frames: Sequence[Frame]) -> dict[str, object]:
    """What the methods paragraph may say of all: what is the same in every round, and the largest number of samples."""
    first, *others = [frame.facts for frame in frames]
    same = {key: value for key, value in first.items() if all(facts.get(key) == value for facts in others)}
    samples = [n for facts in (first, *others) if isinstance(n := facts.get("samples"), int)]
    key_lists = [keys for facts in (first, *others) if isinstance(keys := facts.get("asked"), Iterable)]
    question_keys = {key for keys in key_lists for key in keys}
    return {**same, "samples": max(samples, default=0), "asked": sorted(question_keys)}


def make_report(rounds: Sequence[Round], progress: Progress | None = None) -> dict[str, Any]:
    """Compute the report synchronously, as JSON values. Raises Conflict for a blind round."""
    from epitome.reports.build import build_report

    progress = progress or NoProgress()
    progress.set(0, report_jobs.PROGRESS_STEPS)
    frame, answers = combine_rounds(rounds)
    return build_report(frame, answers, advance=lambda _section: progress.advance()).as_json()


def _version(rounds: Sequence[Round]) -> str:
    return hashlib.sha256("".join(report_jobs.data_version(round_) for round_ in rounds).encode()).hexdigest()[:24]


def stored_report(project: Project, rounds: Sequence[Round]) -> TogetherReport | None:
    jobs = Job.objects.done().filter(project=project, kind=KIND, result__has_key="views")
    job = jobs.filter(arguments__rounds=[round_.pk for round_ in rounds]).order_by("-pk").first()
    if job is None:
        return None
    return TogetherReport(job.finished_at, job.result["views"], job.result["version"] != _version(rounds))


def find_running_job(project: Project, rounds: Sequence[Round]) -> Job | None:
    jobs = Job.objects.under_way().filter(project=project, kind=KIND)
    return jobs.filter(arguments__rounds=[round_.pk for round_ in rounds]).order_by("pk").first()


def start_report(*, project: Project, rounds: Sequence[Round], by: AbstractBaseUser | None) -> Job:
    """Queue the report, or return the job that is already queued or running. Raises Conflict for a blind round."""
    for round_ in rounds:
        report_jobs.check_unblinded(round_)
    with write_transaction():
        # A concurrent call waits for this lock and then finds the job.
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        waiting = find_running_job(project, rounds)
        if waiting is not None:
            return waiting
        arguments = {"rounds": [round_.pk for round_ in rounds]}
        return start_job(kind=KIND, project=project, by=by, arguments=arguments)


def _clear_older(job: Job) -> None:
    """Clear the results of older jobs over the same rounds."""
    older = Job.objects.done().filter(project=job.project, kind=KIND, pk__lt=job.pk)
    older.filter(arguments__rounds=job.arguments["rounds"], result__has_key="views").update(result={})


@register_handler(KIND, gettext_lazy("Report of several rounds"), queue="text", stored=_clear_older, page="rounds")
def run_report(job: Job, progress: Progress) -> dict[str, Any]:
    by_key = Round.objects.select_related("project").in_bulk(job.arguments["rounds"])
    rounds = [by_key[key] for key in job.arguments["rounds"] if key in by_key]
    if len(rounds) != len(job.arguments["rounds"]):
        raise JobRefused(_("The round was deleted."))
    version = _version(rounds)
    try:
        report = make_report(rounds, progress)
    except Conflict as error:
        raise JobRefused(error.message) from error
    return {"version": version, "views": report}
