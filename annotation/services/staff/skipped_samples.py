"""Skipped samples: reasons and rates, retiring samples after too many skips, and redrawing their combination."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs.registry import register_sweeper
from annotation.kinds import get_task_kind
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    PoolExit,
    Project,
    Sample,
    Slot,
    SlotState,
    SourceDocument,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.list_pages import LARGE
from annotation.services.core.retry import retry_on_contention
from annotation.services.sampling import draw as sample_draw
from annotation.transactions import write_transaction

REDRAW = "redraw@1"
"""How the other source is selected: the usable one with the fewest samples of the combination, then with the fewest
samples, then by a hash of the skipped sample's id and the source's id. A changed method needs a new name."""
ALERT = 0.05
DECIDED = (*AssignmentState.SUBMITTED_ONCE, AssignmentState.SKIPPED)
"""States of finished tasks: the denominator of skip rates."""
BATCH = 500


@dataclass(frozen=True, slots=True)
class Skips:
    """Skips of one person: counts by reason, and the number of all finished tasks."""

    username: str
    reasons: Mapping[str, int]
    decided: int

    @property
    def skipped(self) -> int:
        return sum(self.reasons.values())

    @property
    def rate(self) -> float | None:
        return self.skipped / self.decided if self.decided else None


def skip_rates(project: Project) -> Sequence[Skips]:
    """One row for everybody who finished or skipped something, by name. Counted again when something was written."""
    return keep_while_unchanged(
        project,
        ("skip rates",),
        lambda: _count_skips(project),
        is_large=lambda rates: sum(rate.decided for rate in rates) >= LARGE,
    )


def _count_skips(project: Project) -> Sequence[Skips]:
    """Three queries."""
    rows = Assignment.objects.filter(project=project, sample__isnull=False).order_by()
    # By state too, so that the index alone answers it; names are looked up afterwards.
    decided: Counter[int] = Counter()
    for person, _state, n in rows.filter(state__in=DECIDED).values_list("annotator", "state").annotate(n=Count("pk")):
        decided[person] += n
    reasons: dict[int, Counter[str]] = defaultdict(Counter)
    skipped = rows.filter(state=AssignmentState.SKIPPED).values_list("annotator", "skip_reason")
    for person, reason, n in skipped.annotate(n=Count("pk")):
        reasons[person][reason] = n
    people = User.objects.filter(pk__in=decided).order_by("username").values_list("pk", "username")
    return tuple(Skips(name, MappingProxyType(reasons[pk]), decided[pk]) for pk, name in people)


@register_sweeper
def retire_skipped_samples() -> int:
    """Retire samples that reached their project's skip limit; returns how many."""
    projects = Project.objects.filter(archived_at=None, pilot_of=None)
    rows = Assignment.objects.filter(
        project__in=projects, state=AssignmentState.SKIPPED, sample__isnull=False, sample__pool_exit__isnull=True
    )
    due = (
        rows.values("sample_id", limit=F("project__skip_limit"))
        .annotate(n=Count("annotator_id"))
        .filter(n__gte=F("limit"))
        .order_by("sample_id")
    )
    n_retired = sum(_retire_sample(row["sample_id"], row["n"]) for row in due[:BATCH])
    park_again()
    return n_retired


@retry_on_contention(unique_keys=True)
def _retire_sample(sample_id: int, n: int) -> int:
    with write_transaction():
        sample = Sample.objects.select_for_update(of=("self",), no_key=True).select_related("project").get(pk=sample_id)
        _pool_exit, new = PoolExit.objects.get_or_create(
            sample=sample, defaults={"project": sample.project, "skips": n, "at": timezone.now()}
        )
        if not new:
            return 0
        parked = Slot.objects.free().filter(sample=sample).update(state=SlotState.PARKED)
        target = f"sample:{sample.public_id}"
        audit.record_event(
            project=sample.project, actor=None, verb=AuditVerb.SAMPLE_LEAVE_POOL, target=target, skips=n, slots=parked
        )
    return 1


def park_again() -> None:
    """Park slots that were released after their sample had left the pool."""
    open_again = Slot.objects.filter(
        state__in=SlotState.FREE, sample__pool_exit__back_at=None, sample__pool_exit__isnull=False
    )
    rows = list(open_again.select_related("sample__project").order_by("sample_id")[:BATCH])
    for _sample_id, slots in groupby(rows, key=lambda slot: slot.sample_id):
        _park_slots(list(slots))


def _park_slots(slots: list[Slot]) -> None:
    sample = slots[0].sample
    assert sample is not None  # asked for by its exit
    with write_transaction():
        n_parked = Slot.objects.free().filter(pk__in=[slot.pk for slot in slots]).update(state=SlotState.PARKED)
        if n_parked:
            target = f"sample:{sample.public_id}"
            audit.record_event(
                project=sample.project, actor=None, verb=AuditVerb.SAMPLE_LEAVE_POOL, target=target, slots=n_parked
            )


def list_pool_exits(project: Project) -> "QuerySet[PoolExit]":
    """Samples that left the pool, the newest first."""
    rows = PoolExit.objects.filter(project=project).order_by("-pk")
    return rows.select_related("sample__document", "redrawn__document")


@retry_on_contention()
def put_sample_back(*, exit: PoolExit, by: AbstractBaseUser) -> int:
    """Return the sample to the pool; it is not retired a second time. Returns the number of reopened slots. Raises
    Conflict when its combination was redrawn elsewhere."""
    with write_transaction():
        locked = PoolExit.objects.select_for_update(of=("self",)).select_related("sample__document").get(pk=exit.pk)
        if locked.redrawn_id is not None:
            raise Conflict(_("Its combination has already been drawn for another source."), code="redrawn")
        if locked.back_at is not None:
            return 0
        PoolExit.objects.filter(pk=locked.pk).update(back_at=timezone.now())
        undamaged = Q() if not locked.sample.document.damaged else Q(pk__in=[])
        slots = Slot.objects.filter(undamaged, sample_id=locked.sample_id, state=SlotState.PARKED)
        waits = locked.sample.group.frozen_at is None and exit.project.phases == Project.Phases.TWO
        n = slots.update(state=SlotState.WAITING if waits else SlotState.OPEN)
        target = f"sample:{locked.sample.public_id}"
        audit.record_event(project=exit.project, actor=by, verb=AuditVerb.SAMPLE_PUT_BACK, target=target, slots=n)
    return n


def find_redraw_source(exit: PoolExit) -> SourceDocument | None:
    """The source on which the combination would be redrawn; None when there is no other usable one. One query."""
    sample = exit.sample
    if not get_task_kind(exit.project.kind, has_sample=True).draws_samples:
        return None  # what the sample is about is in its own source only
    rows = (
        SourceDocument.objects.filter(project_id=exit.project_id)
        .usable()
        .exclude(pk=sample.document_id)
        .annotate(same=Count("samples", filter=Q(samples__combination=sample.combination)), all=Count("samples"))
    )
    best = rows.order_by("same", "all").values_list("same", "all")[:1]
    if not best:
        return None
    alike = list(rows.filter(same=best[0][0], all=best[0][1]).only("pk", "external_id", "public_id"))
    return min(alike, key=lambda source: _rank_source(sample, source.external_id))


def _rank_source(sample: Sample, external_id: str) -> bytes:
    return hashlib.sha256(f"{REDRAW}\n{sample.public_id}\n{external_id}".encode()).digest()


@retry_on_contention(unique_keys=True)
def redraw_sample(*, exit: PoolExit, by: AbstractBaseUser, expect: str) -> Sample:
    """Create a sample with the same values on another source, in a new group, with as many slots as are parked.
    `expect`: the id of the source that was shown; raises Conflict when another one is next by now."""
    with write_transaction():
        locked = (
            PoolExit.objects.select_for_update(of=("self",)).select_related("sample__group", "project").get(pk=exit.pk)
        )
        if locked.redrawn_id is not None:
            raise Conflict(_("Its combination has already been drawn for another source."), code="redrawn")
        if locked.back_at is not None:
            raise Conflict(_("The sample was returned to the pool, so its combination is not missing."), code="back")
        source = find_redraw_source(locked)
        if source is None:
            raise Conflict(_("There is no other usable source."), code="nothing")
        if str(source.public_id) != expect:
            raise Conflict(_("Another source is now next. Check the preview again."), code="changed")
        places = Slot.objects.filter(sample_id=locked.sample_id, state=SlotState.PARKED).count()
        new_sample = sample_draw.draw_again(sample=locked.sample, document=source, places=places or 1, sampler=REDRAW)
        PoolExit.objects.filter(pk=locked.pk).update(redrawn=new_sample)
        target = f"sample:{new_sample.public_id}"
        audit.record_event(
            project=locked.project,
            actor=by,
            verb=AuditVerb.SAMPLE_REDRAW,
            target=target,
            instead=str(locked.sample.public_id),
        )
    return new_sample
