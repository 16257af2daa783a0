"""Pilot setup: add and remove samples, fix their topics and speakers, enable the pilot, start it over.

A chosen sample is copied with its source into the pilot and excluded from assignment in the project itself, so that
nobody gets it twice. Every candidate gets the same request, so staff choose topics and speakers where no annotator has
chosen them yet.
"""

import uuid
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import GroupChoice, PayloadRefused, TaskContext
from annotation.kinds.choosing import check_chosen
from annotation.models import (
    Annotation,
    Assignment,
    AuditVerb,
    Candidate,
    Group,
    PilotCandidate,
    PilotSample,
    Project,
    Sample,
    SampleState,
    SchemaVersion,
    Slot,
    SlotState,
    SourceDocument,
    SourceImport,
    SourceText,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.sample_subjects import find_subject
from annotation.services.tasks import pilot_gate, task_context
from annotation.transactions import write_transaction

MAX_SAMPLES = 50
"""Maximum number of samples in a pilot; each candidate writes all of them."""
COPIED_PROJECT_FIELDS = (
    "kind",
    "domain",
    "preset",
    "language",
    "timezone",
    "assistance",
    "lease_minutes",
    "export_salt",
    "name",
)
COPIED_SOURCE_FIELDS = (
    *("external_id", "origin_id", "title", "split", "licence", "may_release_text", "metadata_json"),
    *("content_hash", "n_segments", "n_words", "n_tokens", "extractor"),
)


def pilot_samples(pilot_project: Project) -> QuerySet[PilotSample]:
    """The samples of a pilot, in the order they were added."""
    rows = PilotSample.objects.filter(pilot=pilot_project).select_related(
        "sample__group__document", "sample__schema_version", "origin__document"
    )
    return rows.order_by("pk")


def has_begun(pilot_project: Project) -> bool:
    """Whether any candidate has got a task of the pilot; from then on its samples are fixed."""
    return Assignment.objects.filter(project=pilot_project).exists()


@retry_on_contention(unique_keys=True)
def add_sample(*, project: Project, sample: Sample, by: AbstractBaseUser, chosen: Any = None) -> PilotSample:
    """Copy a sample into the pilot and set it aside in the project.

    chosen: topics and speakers, only for a sample whose group is not frozen; the project's own group stays unfrozen.
    Raises Conflict once the pilot has begun or when the sample is in use; BadInput for an invalid choice.
    """
    with write_transaction():
        pilot_project = _get_or_open_pilot(project, by)
        pilot_gate.lock_pilot(pilot_project)
        if has_begun(pilot_project):
            raise _already_begun_error()
        if PilotSample.objects.filter(pilot=pilot_project).count() >= MAX_SAMPLES:
            raise Conflict(_("A pilot has at most %(n)d samples.") % {"n": MAX_SAMPLES}, code="toomany")
        origin = Sample.objects.select_related("group__document__source_text", "schema_version").get(pk=sample.pk)
        choice = _resolve_choice(origin, chosen)
        _set_aside(origin)
        row = PilotSample.objects.create(
            pilot=pilot_project,
            sample=_copy_sample(pilot_project, origin, choice, by),
            origin=origin,
            added_by_id=by.pk,
            added_at=timezone.now(),
        )
        pilot_gate.add_places(pilot_project, [row], n=PilotCandidate.objects.filter(pilot=pilot_project).count())
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.PILOT_ADD_SAMPLE, target=f"sample:{origin.public_id}"
        )
    return row


def _already_begun_error() -> Conflict:
    return Conflict(
        _("A candidate has started, and every candidate writes the same samples. Restart the pilot to change them."),
        code="begun",
    )


def _resolve_choice(sample: Sample, chosen: Any) -> tuple[dict[str, list[str]], list[dict[str, Any]]]:
    """Chosen values of the copy: (attribute key -> texts, decisions)."""
    group = sample.group
    if group.frozen_at is not None or not group.asks:
        if chosen:
            raise BadInput(_("The topics of this sample have already been chosen."), field="chosen")
        return group.chosen, group.decisions
    try:
        choice: GroupChoice = check_chosen(chosen or {}, build_choice_context(sample))
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    return choice.values, choice.decisions


def build_choice_context(sample: Sample) -> TaskContext:
    """The input of `check_chosen`: segments, schema and candidates that staff choose from."""
    schema = sample.schema_version.schema
    stand_in = Assignment(group=sample.group, sample=sample)
    return TaskContext(
        segments=sample.group.document.source_text.segments,
        schema=schema,
        values=sample.values,
        asks=tuple(sample.group.asks),
        frozen=False,
        candidates=lambda: {
            key: [row["text"] for row in rows] for key, rows in task_context.candidates_for(stand_in, schema).items()
        },
    )


def _set_aside(sample: Sample) -> None:
    """Park the slots of an unused sample and exclude it from assignment. Raises Conflict for a sample in use."""
    if sample.state != SampleState.ACTIVE:
        raise Conflict(_("This sample is void or already set aside. Choose another."), code="state")
    slots = Slot.objects.filter(sample=sample)
    n = slots.count()
    if slots.free().update(state=SlotState.PARKED) != n:
        raise Conflict(_("This sample is in progress, written or skipped. Choose another."), code="taken")
    if Annotation.objects.filter(sample=sample, assignment__isnull=False).exists():
        raise Conflict(_("This sample already has summaries. Choose another."), code="taken")
    Sample.objects.filter(pk=sample.pk).update(state=SampleState.PILOT)


def _put_back(sample: Sample) -> None:
    Sample.objects.filter(pk=sample.pk, state=SampleState.PILOT).update(state=SampleState.ACTIVE)
    if not sample.document.damaged:
        waits = sample.group.frozen_at is None and sample.project.phases == Project.Phases.TWO
        state = SlotState.WAITING if waits else SlotState.OPEN
        Slot.objects.filter(sample=sample, state=SlotState.PARKED).update(state=state)


@retry_on_contention()
def remove_sample(*, row: PilotSample, by: AbstractBaseUser) -> None:
    """Remove a sample from a pilot and make it assignable again. Raises Conflict once the pilot has begun."""
    with write_transaction():
        pilot_gate.lock_pilot(row.pilot)
        if has_begun(row.pilot):
            raise _already_begun_error()
        origin = Sample.objects.select_related("group", "document", "project").get(pk=row.origin_id)
        copy, group = row.sample, row.sample.group
        Slot.objects.filter(sample=copy).delete()
        if subject := find_subject(copy.project.kind):
            subject.delete([copy.pk])
        row.delete()
        copy.delete()
        group.delete()
        _put_back(origin)
        audit.record_event(
            project=origin.project, actor=by, verb=AuditVerb.PILOT_REMOVE_SAMPLE, target=f"sample:{origin.public_id}"
        )


def _get_or_open_pilot(project: Project, by: AbstractBaseUser) -> Project:
    """The project's open pilot; creates one if there is none."""
    open_pilot = pilot_gate.pilot_of(project)
    if open_pilot is not None:
        return open_pilot
    pilot_project = Project(slug=f"pilot-{uuid.uuid4().hex}", pilot_of=project, claim_unit=Project.ClaimUnit.SAMPLE)
    for name in COPIED_PROJECT_FIELDS:
        setattr(pilot_project, name, getattr(project, name))
    pilot_project.save(force_insert=True)
    audit.record_event(
        project=project, actor=by, verb=AuditVerb.PILOT_OPEN, target=f"project:{pilot_project.public_id}"
    )
    return pilot_project


def _copy_sample(
    pilot_project: Project,
    sample: Sample,
    choice: tuple[dict[str, list[str]], list[dict[str, Any]]],
    by: AbstractBaseUser,
) -> Sample:
    document = _copy_document(pilot_project, sample.group.document)
    last_position: int | None = Group.objects.filter(document=document).aggregate(last=Max("position"))["last"]
    group = Group.objects.create(
        project=pilot_project,
        document=document,
        position=0 if last_position is None else last_position + 1,
        asks=sample.group.asks,
        chosen=choice[0],
        decisions=choice[1],
        frozen_at=timezone.now(),
        chosen_by_id=sample.group.chosen_by_id or by.pk,
    )
    version, _created = SchemaVersion.objects.get_or_create(
        project=pilot_project,
        number=sample.schema_version.number,
        defaults={"text": sample.schema_version.text, "content_hash": sample.schema_version.content_hash},
    )
    copied = Sample.objects.create(
        project=pilot_project,
        document=document,
        group=group,
        schema_version=version,
        position=sample.position,
        values=sample.values,
        combination=sample.combination,
        seed=sample.seed,
        sampler=sample.sampler,
    )
    if subject := find_subject(pilot_project.kind):
        subject.copy(sample, copied)
    return copied


def _copy_document(pilot_project: Project, source: SourceDocument) -> SourceDocument:
    """Copy a source with its text and candidates into the pilot; returns the existing copy if there is one."""
    existing = SourceDocument.objects.filter(project=pilot_project, external_id=source.external_id).first()
    if existing is not None:
        return existing
    source_import = SourceImport.objects.filter(project=pilot_project).first() or SourceImport.objects.create(
        project=pilot_project, file_name="pilot", file_hash="", format="pilot", published_at=timezone.now()
    )
    copy = SourceDocument.everything.create(
        project=pilot_project,
        source_import=source_import,
        published=True,
        position=SourceDocument.everything.filter(project=pilot_project).count(),
        **{name: getattr(source, name) for name in COPIED_SOURCE_FIELDS},
    )
    SourceText.objects.create(document=copy, segments_json=source.source_text.segments_json)
    Candidate.objects.bulk_create(
        Candidate(document=copy, **values)
        for values in source.candidates.values("kind", "text", "rank", "score", "mentions", "words", "extractor")
    )
    return copy


def set_pilot_required(*, project: Project, on: bool, by: AbstractBaseUser) -> None:
    """Require the pilot before ordinary tasks, or stop requiring it. Raises Conflict when the pilot has no samples."""
    with write_transaction():
        pilot_project = pilot_gate.pilot_of(project)
        if on and (pilot_project is None or not PilotSample.objects.filter(pilot=pilot_project).exists()):
            raise Conflict(_("Choose the samples of the pilot first."), code="nosamples")
        if Project.objects.filter(pk=project.pk, needs_pilot=not on).update(needs_pilot=on):
            verb = AuditVerb.PILOT_ON if on else AuditVerb.PILOT_OFF
            audit.record_event(project=project, actor=by, verb=verb, target=f"project:{project.public_id}")
    project.needs_pilot = on


@retry_on_contention()
def start_over(*, project: Project, by: AbstractBaseUser) -> int:
    """Archive the pilot and open an empty one; undecided candidates are invited again. Returns how many.

    Submitted work stays with the archived pilot. Its samples stay excluded, because people have seen them. New
    annotators of the project get no tasks until the new pilot has samples.
    """
    with write_transaction():
        old_pilot = pilot_gate.pilot_of(project)
        if old_pilot is None or not has_begun(old_pilot):
            raise Conflict(_("Nobody has started this pilot, so you can still change its samples."), code="notbegun")
        pilot_gate.lock_pilot(old_pilot)
        if Assignment.objects.filter(project=old_pilot, claim__closed_at=None, state="claimed").exists():
            raise Conflict(_("A candidate is writing right now. Wait until the summary is submitted."), code="held")
        Project.objects.filter(pk=old_pilot.pk).update(archived_at=timezone.now())
        new_pilot = _get_or_open_pilot(project, by)
        n_invited = PilotCandidate.objects.filter(pilot=old_pilot, verdict="").update(
            pilot=new_pilot, invited_at=timezone.now()
        )
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.PILOT_START_OVER,
            target=f"project:{new_pilot.public_id}",
            candidates=n_invited,
        )
    return n_invited


def get_pilot_sample(project: Project, public_id: Any) -> PilotSample:
    """A sample of the pilot that is open, by the id of its copy. NotFound for any other."""
    rows = PilotSample.objects.filter(
        sample__public_id=public_id, pilot__pilot_of=project, pilot__archived_at=None
    ).select_related("pilot", "sample__group__document__source_text", "sample__schema_version", "origin__document")
    row = rows.first()
    if row is None:
        raise NotFound()
    return row


def choosable_samples(project: Project) -> QuerySet[Sample]:
    """Active samples of selected, undamaged sources whose slots are all open or waiting."""
    slots = Slot.objects.filter(sample=OuterRef("pk"))
    rows = Sample.objects.filter(Exists(slots), ~Exists(slots.exclude(state__in=SlotState.FREE)), project=project)
    rows = rows.active().filter(document__selected=True, document__damaged=False)
    return rows.select_related("group__document").defer("group__document__metadata_json")
