"""Setting up a pilot: choosing its samples, settling what they are about, switching it on, starting it over.

A sample that is chosen is copied with its source into the pilot, and set aside in the project: it leaves the work, so
that nobody is asked for it twice. Every candidate faces the same request, so topics and speakers are settled by staff
where no annotator has chosen them yet.
"""

import uuid
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import About, Chosen, Refused
from annotation.kinds.choosing import check_chosen
from annotation.models import (
    Annotation,
    Assignment,
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
from annotation.services import asking, audit, pilot
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.retrying import retried
from annotation.transactions import write

MOST = 50
"""Samples of one pilot; each candidate writes them all."""
COPIED = ("kind", "domain", "preset", "language", "timezone", "assistance", "lease_minutes", "export_salt", "name")
DOCUMENT = (
    *("external_id", "origin_id", "title", "split", "licence", "may_release_text", "metadata_json"),
    *("content_hash", "n_segments", "n_words", "n_tokens", "extractor"),
)
FREE = (SlotState.OPEN, SlotState.WAITING)


def samples_of(room: Project) -> QuerySet[PilotSample]:
    """The samples of a pilot, in the order they were added."""
    rows = PilotSample.objects.filter(pilot=room).select_related(
        "sample__group__document", "sample__schema_version", "origin__document"
    )
    return rows.order_by("pk")


def is_begun(room: Project) -> bool:
    """Whether a candidate has been given a task of it: from then on its samples stay."""
    return Assignment.objects.filter(project=room).exists()


@retried(unique_keys=True)
def add_sample(*, project: Project, sample: Sample, by: AbstractBaseUser, chosen: Any = None) -> PilotSample:
    """Copy a sample into the pilot and set it aside in the project.

    chosen: as in services.choosing, for a sample whose group nobody has settled; the project's own group stays open.
    Raises Conflict once the pilot is begun, or for a sample somebody works on; BadInput for the choice.
    """
    with write():
        room = _open_room(project, by)
        pilot.lock(room)
        if is_begun(room):
            raise _begun()
        if PilotSample.objects.filter(pilot=room).count() >= MOST:
            raise Conflict(_("A pilot has at most %(n)d samples.") % {"n": MOST}, code="toomany")
        found = Sample.objects.select_related("group__document__source_text", "schema_version").get(pk=sample.pk)
        settled = _settled(found, chosen)
        _set_aside(found)
        row = PilotSample.objects.create(
            pilot=room,
            sample=_copy(room, found, settled, by),
            origin=found,
            added_by_id=by.pk,
            added_at=timezone.now(),
        )
        pilot.add_places(room, [row], n=PilotCandidate.objects.filter(pilot=room).count())
        audit.record(project=project, actor=by, verb="pilot.add_sample", target=f"sample:{found.public_id}")
    return row


def _begun() -> Conflict:
    return Conflict(
        _("A candidate has begun: every candidate writes the same samples. Start the pilot over to change them."),
        code="begun",
    )


def _settled(sample: Sample, chosen: Any) -> tuple[dict[str, list[str]], list[dict[str, Any]]]:
    """What the copy is about: (attribute key -> texts, decisions)."""
    group = sample.group
    if group.frozen_at is not None or not group.asks:
        if chosen:
            raise BadInput(_("What this sample is about is settled already."), field="chosen")
        return group.chosen, group.decisions
    try:
        found: Chosen = check_chosen(chosen or {}, about(sample))
    except Refused as error:
        asking.refuse(error)
    return found.values, found.decisions


def about(sample: Sample) -> About:
    """What staff choose from, as `check_chosen` wants it."""
    schema = sample.schema_version.schema
    stand_in = Assignment(group=sample.group, sample=sample)
    return About(
        segments=sample.group.document.source_text.segments,
        schema=schema,
        values=sample.values,
        asks=tuple(sample.group.asks),
        frozen=False,
        candidates=lambda: {
            key: [row["text"] for row in rows] for key, rows in asking.candidates_for(stand_in, schema).items()
        },
    )


def _set_aside(sample: Sample) -> None:
    """Take a sample nobody works on out of the work. Conflict for any other."""
    if sample.state != SampleState.ACTIVE:
        raise Conflict(_("This sample is void or set aside already; choose another."), code="state")
    slots = Slot.objects.filter(sample=sample)
    n = slots.count()
    if slots.filter(state__in=FREE).update(state=SlotState.PARKED) != n:
        raise Conflict(_("Somebody works on this sample, has written it or skipped it; choose another."), code="taken")
    if Annotation.objects.filter(sample=sample, assignment__isnull=False).exists():
        raise Conflict(_("There are summaries of this sample already; choose another."), code="taken")
    Sample.objects.filter(pk=sample.pk).update(state=SampleState.PILOT)


def _put_back(sample: Sample) -> None:
    Sample.objects.filter(pk=sample.pk, state=SampleState.PILOT).update(state=SampleState.ACTIVE)
    if not sample.document.damaged:
        waits = sample.group.frozen_at is None and sample.project.phases == Project.Phases.TWO
        state = SlotState.WAITING if waits else SlotState.OPEN
        Slot.objects.filter(sample=sample, state=SlotState.PARKED).update(state=state)


@retried()
def remove_sample(*, row: PilotSample, by: AbstractBaseUser) -> None:
    """Take a sample out of a pilot nobody has begun, and give it back to the work. Conflict once it is begun."""
    with write():
        pilot.lock(row.pilot)
        if is_begun(row.pilot):
            raise _begun()
        origin = Sample.objects.select_related("group", "document", "project").get(pk=row.origin_id)
        copy, group = row.sample, row.sample.group
        Slot.objects.filter(sample=copy).delete()
        row.delete()
        copy.delete()
        group.delete()
        _put_back(origin)
        audit.record(project=origin.project, actor=by, verb="pilot.remove_sample", target=f"sample:{origin.public_id}")


def _open_room(project: Project, by: AbstractBaseUser) -> Project:
    """The project's pilot; a new one where none is open."""
    found = pilot.pilot_of(project)
    if found is not None:
        return found
    room = Project(slug=f"pilot-{uuid.uuid4().hex}", pilot_of=project, claim_unit=Project.ClaimUnit.SAMPLE)
    for name in COPIED:
        setattr(room, name, getattr(project, name))
    room.save(force_insert=True)
    audit.record(project=project, actor=by, verb="pilot.open", target=f"project:{room.public_id}")
    return room


def _copy(
    room: Project, sample: Sample, settled: tuple[dict[str, list[str]], list[dict[str, Any]]], by: AbstractBaseUser
) -> Sample:
    document = _copied_document(room, sample.group.document)
    last: int | None = Group.objects.filter(document=document).aggregate(last=Max("position"))["last"]
    group = Group.objects.create(
        project=room,
        document=document,
        position=0 if last is None else last + 1,
        asks=sample.group.asks,
        chosen=settled[0],
        decisions=settled[1],
        frozen_at=timezone.now(),
        chosen_by_id=sample.group.chosen_by_id or by.pk,
    )
    version, _made = SchemaVersion.objects.get_or_create(
        project=room,
        number=sample.schema_version.number,
        defaults={"text": sample.schema_version.text, "content_hash": sample.schema_version.content_hash},
    )
    return Sample.objects.create(
        project=room,
        document=document,
        group=group,
        schema_version=version,
        position=sample.position,
        values=sample.values,
        combination=sample.combination,
        seed=sample.seed,
        sampler=sample.sampler,
    )


def _copied_document(room: Project, source: SourceDocument) -> SourceDocument:
    """The source with its text and candidates, once per pilot."""
    there = SourceDocument.objects.filter(project=room, external_id=source.external_id).first()
    if there is not None:
        return there
    came = SourceImport.objects.filter(project=room).first() or SourceImport.objects.create(
        project=room, file_name="pilot", file_hash="", format="pilot", published_at=timezone.now()
    )
    copy = SourceDocument.everything.create(
        project=room,
        source_import=came,
        published=True,
        position=SourceDocument.everything.filter(project=room).count(),
        **{name: getattr(source, name) for name in DOCUMENT},
    )
    SourceText.objects.create(document=copy, segments_json=source.source_text.segments_json)
    Candidate.objects.bulk_create(
        Candidate(document=copy, **values)
        for values in source.candidates.values("kind", "text", "rank", "score", "mentions", "words", "extractor")
    )
    return copy


def switch(*, project: Project, on: bool, by: AbstractBaseUser) -> None:
    """Ask annotators for the pilot before ordinary tasks, or no longer. Raises Conflict without samples to write."""
    with write():
        room = pilot.pilot_of(project)
        if on and (room is None or not PilotSample.objects.filter(pilot=room).exists()):
            raise Conflict(_("Choose the samples of the pilot first."), code="nosamples")
        if Project.objects.filter(pk=project.pk, needs_pilot=not on).update(needs_pilot=on):
            verb = "pilot.on" if on else "pilot.off"
            audit.record(project=project, actor=by, verb=verb, target=f"project:{project.public_id}")
    project.needs_pilot = on


@retried()
def start_over(*, project: Project, by: AbstractBaseUser) -> int:
    """Close the pilot and open an empty one; who is not decided about is invited anew. Returns how many.

    What was written stays with the closed pilot. Its samples stay set aside: people have seen them. The project gives
    no tasks to new annotators until the new pilot has samples.
    """
    with write():
        room = pilot.pilot_of(project)
        if room is None or not is_begun(room):
            raise Conflict(_("Nobody has begun this pilot; change its samples."), code="notbegun")
        pilot.lock(room)
        if Assignment.objects.filter(project=room, claim__closed_at=None, state="claimed").exists():
            raise Conflict(_("A candidate is writing at this moment; wait until it is handed in."), code="held")
        Project.objects.filter(pk=room.pk).update(archived_at=timezone.now())
        new = _open_room(project, by)
        n = PilotCandidate.objects.filter(pilot=room, verdict="").update(pilot=new, invited_at=timezone.now())
        audit.record(
            project=project, actor=by, verb="pilot.start_over", target=f"project:{new.public_id}", candidates=n
        )
    return n


def pilot_sample(project: Project, public_id: Any) -> PilotSample:
    """A sample of the pilot that is open, by the id of its copy. NotFound for any other."""
    found = PilotSample.objects.filter(
        sample__public_id=public_id, pilot__pilot_of=project, pilot__archived_at=None
    ).select_related("pilot", "sample__group__document__source_text", "sample__schema_version", "origin__document")
    row = found.first()
    if row is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return row


def choosable(project: Project) -> QuerySet[Sample]:
    """Samples of the project that nobody works on, has written or skipped last."""
    own = Slot.objects.filter(sample=OuterRef("pk"))
    rows = Sample.objects.filter(Exists(own), ~Exists(own.exclude(state__in=FREE)), project=project)
    rows = rows.filter(state=SampleState.ACTIVE, document__selected=True, document__damaged=False)
    return rows.select_related("group__document").defer("group__document__metadata_json")
