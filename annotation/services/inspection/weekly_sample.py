"""The weekly sample for inspection: drawn with a seed, per annotator and ISO week of the project's time zone.

A week ends on Sunday night; then the sweeper draws it. Staff can draw the current week early: later submissions add to
its sample and remove nothing.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil, floor
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs.registry import register_sweeper
from annotation.models import Annotation, AssignmentState, AuditVerb, InspectionSample, InspectionWeek, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.retry import retry_on_contention
from annotation.transactions import write_transaction

METHOD = "inspection@1"
"""Name and version of the sampling method; a changed method needs a new name."""
SHARE = 0.10
LEAST = 5
TWICE = 0.20
"""Share of the sample that a second reviewer inspects too."""
PASS = 0.80
"""Share of an annotator's sampled texts that must be accepted on first inspection to accept the rest of the week."""
WEEK = re.compile(r"[0-9]{4}-W[0-9]{2}")
NOT_WORK = (AssignmentState.SURPLUS, AssignmentState.VOID)


@dataclass(frozen=True, slots=True)
class Piece:
    """One attempt of a week: it belongs to the week of its first submission."""

    attempt: int
    annotator: int
    name: str


def project_zone(project: Project) -> ZoneInfo:
    try:
        return ZoneInfo(project.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a time zone that is unknown on this machine
        return ZoneInfo("UTC")


def week_of(moment: datetime, project: Project) -> str:
    year, week, _day = moment.astimezone(project_zone(project)).isocalendar()
    return f"{year:04d}-W{week:02d}"


def week_bounds(week: str, project: Project) -> tuple[datetime, datetime]:
    """Start of a week and of the next one. Raises BadInput for an invalid ISO week."""
    try:
        if not WEEK.fullmatch(week):
            raise ValueError(week)
        monday = date.fromisocalendar(int(week[:4]), int(week[6:]), 1)
        next_monday = monday + timedelta(days=7)
    except (ValueError, OverflowError) as error:
        raise BadInput(_("Write the week like 2026-W47, not %(seen)s.") % {"seen": week[:20]}, field="week") from error
    tzinfo = project_zone(project)
    return datetime.combine(monday, time(), tzinfo), datetime.combine(next_monday, time(), tzinfo)


def submitted_in_week(project: Project, week: str) -> "QuerySet[Annotation]":
    """First revisions of a week's attempts, without surplus and void ones."""
    start, end = week_bounds(week, project)
    rows = Annotation.objects.filter(
        project=project, origin=Annotation.Origin.PERSON, revision=1, sample__isnull=False, assignment__isnull=False
    )
    return rows.filter(created_at__gte=start, created_at__lt=end).exclude(assignment__state__in=NOT_WORK)


def choose_sample(pieces: Collection[Piece], *, seed: str, week: str) -> tuple[list[Piece], list[Piece]]:
    """The sample of a week, and its part that is inspected twice. Deterministic for the same seed and pieces."""
    by_person: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_person[piece.annotator].append(piece)
    first: list[Piece] = []
    second: list[Piece] = []
    for person_pieces in by_person.values():
        person_pieces.sort(key=lambda piece: _draw_rank(piece, seed, week))
        drawn = person_pieces[: max(LEAST, ceil(SHARE * len(person_pieces)))]
        first += drawn
        second += drawn[: floor(TWICE * len(drawn) + 0.5)]
    return first, second


def _draw_rank(piece: Piece, seed: str, week: str) -> bytes:
    return hashlib.sha256(f"{METHOD}\n{seed}\n{week}\n{piece.annotator}\n{piece.name}".encode()).digest()


def seed_of(project: Project, week: str) -> str:
    """The default seed of a week, from the project's salt, so that annotators cannot predict it."""
    return hashlib.sha256(f"{METHOD}\n{project.export_salt}\n{week}".encode()).hexdigest()[:16]


@retry_on_contention(unique_keys=True)
def draw_week(*, project: Project, week: str, by: AbstractBaseUser | None = None, seed: str | None = None) -> int:
    """Draw a week's sample, or add what was submitted since; returns the number of new rows.

    The seed of a week is set when it is first drawn. Raises BadInput for a week that has not begun.
    """
    start, end = week_bounds(week, project)
    now = timezone.now()
    if start > now:
        raise BadInput(_("The week %(week)s has not started yet.") % {"week": week}, field="week")
    with write_transaction():
        week_row, _created = InspectionWeek.objects.select_for_update().get_or_create(
            project=project, week=week, defaults={"seed": seed or seed_of(project, week), "drawn_at": now}
        )
        rows = submitted_in_week(project, week).values_list(
            "assignment_id", "assignment__annotator_id", "sample__document__external_id", "sample__position"
        )
        pieces = [Piece(pk, who, f"{source}#{position}") for pk, who, source, position in rows]
        first, second = choose_sample(pieces, seed=week_row.seed, week=week)
        added = _add_samples(project, week, week_row.seed, first, second)
        InspectionWeek.objects.filter(pk=week_row.pk).update(final=end <= now, drawn_at=now)
        if added or by is not None:
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.INSPECTION_DRAW,
                target=f"project:{project.public_id}",
                rows=added,
            )
    return added


def _add_samples(
    project: Project, week: str, seed: str, first: list[Piece], second: list[Piece], reason: str = ""
) -> int:
    """Store missing sample rows, on the newest revision of each attempt."""
    stored_keys = set(
        InspectionSample.objects.filter(project=project, week=week).values_list("annotation__assignment_id", "second")
    )
    additions = [(piece, False) for piece in first] + [(piece, True) for piece in second]
    additions = [(piece, is_second) for piece, is_second in additions if (piece.attempt, is_second) not in stored_keys]
    newest = newest_annotations({piece.attempt for piece, _is_second in additions})
    # The second inspection uses the same revision as the first.
    pinned = dict(
        InspectionSample.objects.filter(project=project, week=week, second=False).values_list(
            "annotation__assignment_id", "annotation_id"
        )
    )
    InspectionSample.objects.bulk_create(
        [
            InspectionSample(
                project=project,
                annotation_id=pinned.get(piece.attempt) or newest[piece.attempt],
                annotator_id=piece.annotator,
                week=week,
                seed=seed,
                second=is_second,
                reason=reason or InspectionSample.Reason.DRAWN,
            )
            for piece, is_second in additions
        ],
        batch_size=500,
    )
    return len(additions)


def newest_annotations(attempts: Collection[int]) -> dict[int, int]:
    """attempt -> its newest annotation."""
    newest_by_attempt: dict[int, int] = {}
    ids = sorted(attempts)
    for start in range(0, len(ids), 500):
        rows = Annotation.objects.filter(assignment_id__in=ids[start : start + 500]).order_by("revision")
        newest_by_attempt.update(rows.values_list("assignment_id", "pk"))
    return newest_by_attempt


@retry_on_contention(unique_keys=True)
def inspect_in_full(*, project: Project, week: str, annotator: int, by: AbstractBaseUser) -> int:
    """Add all submissions of an annotator's week to the sample, after a failed week; returns how many were added."""
    with write_transaction():
        week_row, _created = InspectionWeek.objects.select_for_update().get_or_create(
            project=project, week=week, defaults={"seed": seed_of(project, week), "drawn_at": timezone.now()}
        )
        rows = submitted_in_week(project, week).filter(assignment__annotator_id=annotator)
        rows = rows.filter(assignment__state=AssignmentState.SUBMITTED)
        pieces = [Piece(pk, annotator, "") for pk in rows.values_list("assignment_id", flat=True)]
        added = _add_samples(project, week, week_row.seed, pieces, [], InspectionSample.Reason.FULL)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.INSPECTION_IN_FULL,
            target=f"project:{project.public_id}",
            week=week,
            annotator=annotator,
            rows=added,
        )
    return added


@register_sweeper
def draw_finished_weeks(now: datetime | None = None) -> int:
    """Draw last week's sample of every project without a final one; returns how many weeks were drawn."""
    moment = (now or timezone.now()) - timedelta(days=7)
    due: list[tuple[Any, str]] = []
    projects = list(Project.objects.filter(archived_at=None, pilot_of=None))
    weeks = {project.pk: week_of(moment, project) for project in projects}
    drawn = set(
        InspectionWeek.objects.filter(week__in=set(weeks.values()), final=True).values_list("project_id", "week")
    )
    due = [(project, weeks[project.pk]) for project in projects if (project.pk, weeks[project.pk]) not in drawn]
    for project, week in due:
        draw_week(project=project, week=week)
    return len(due)
