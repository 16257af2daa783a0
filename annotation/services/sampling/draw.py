"""Sampling: groups, samples and their slots for the sources that have none yet, in the order of the sources."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.kinds import get_task_kind
from annotation.models import AuditVerb, Draw, Group, Job, Project, Sample, Slot, SlotState, SourceDocument
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.job_start import start_job
from annotation.services.core.slot_priorities import lock_priorities
from annotation.services.sampling.planned_draw import DrawLimit, PlannedDraw, plan_sources, without_field
from annotation.transactions import write_transaction
from epitome import sampling as pure
from epitome.sampling import DryRun, GroupPlan, SamplerError, SamplerOptions, SourcePlan
from epitome.schema import Variant, Weights

__all__ = [
    "DrawLimit",
    "DryRun",
    "SamplerOptions",
    "default_options",
    "dry_run",
    "sample_attributes",
    "start_sampling",
]

SAMPLES_KEPT = gettext_lazy("The samples drawn so far stay; the draw can be undone on its page.")
BATCH = 100


def check_kind(project: Project) -> None:
    """Raise BadInput where samples are not drawn from the values of the schema."""
    if not get_task_kind(project.kind, has_sample=True).draws_samples:
        message = _("Samples of this project are not drawn: its tasks are extracted from the sources.")
        raise BadInput(message, field="project")


def default_options(project: Project, seed: int = 0, **changes: Any) -> SamplerOptions:
    """Options of the project's overlap and schema, with changes. Raises BadInput naming the field."""
    known = {item.name for item in fields(SamplerOptions)}
    for name in changes:
        if name not in known:
            raise BadInput(_("There is no sampling option %(name)s.") % {"name": name[:60]}, field=name[:60])
    try:
        usual = SamplerOptions(overlap=project.overlap).resolved(project.schema_version.schema)
        is_per_source = "per_source" in changes or (usual.grouping.per_source and "per_2000_words" not in changes)
        left_out = ("weights", "per_2000_words" if is_per_source else "per_source")
        of_schema = {name: value for name, value in asdict(usual.grouping).items() if name not in left_out}
        chosen = SamplerOptions(seed=seed, **{"overlap": usual.overlap} | of_schema | changes)
        if chosen.more_writers is not None and chosen.more_writers <= chosen.overlap:
            message = ngettext(
                "Every sample has %(n)d annotator already. Give a larger number.",
                "Every sample has %(n)d annotators already. Give a larger number.",
                chosen.overlap,
            )
            raise BadInput(message % {"n": chosen.overlap}, field="more_writers")
        return chosen
    except SamplerError as error:
        raise BadInput(without_field(error), field=error.field) from error


def sample_attributes(
    *,
    project: Project,
    options: SamplerOptions | None = None,
    add: bool = False,
    most_samples: int | None = None,
    by: AbstractBaseUser | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Draw samples for the project's usable sources; returns sources, groups, samples, slots, passed_over; with a limit
    also left_sources, which a later draw continues with.

    Sources with samples are skipped; with `add` only those with samples of the same sampler and seed, so that the same
    call twice adds nothing. most_samples: draws for whole sources, in a seeded order, until the next one would exceed
    it (see `draw_order`). Stored in batches: an interrupted run resumes the same draw.
    Raises BadInput naming the option, Conflict when somebody else samples at the same time.
    """
    check_kind(project)
    options = replace(options or default_options(project), overlap=project.overlap)
    progress = progress or NoProgress()
    drawing = PlannedDraw.of(project, options, project.schema_version, add)
    draw = _find_interrupted(drawing, most_samples, job)
    counts = progress.carry({"sources": 0, "groups": 0, "samples": 0, "slots": 0, "passed_over": drawing.passed_over})
    if most_samples is not None:
        n_before = draw.samples_stored if draw is not None else 0
        drawing, counts["left_sources"] = drawing.limit(most_samples - n_before, is_resumed=n_before > 0)
    draw = draw or Draw(project=project, job=job, most_samples=most_samples, drawn_by_id=by.pk if by else None)
    draw.options, draw.sources_left = drawing.as_record(), counts.get("left_sources", 0)
    progress.set(counts["sources"], counts["sources"] + len(drawing.to_do))
    remaining = len(drawing.to_do)
    for batch in drawing.batches(BATCH):
        progress.checkpoint()
        remaining -= len(batch)
        try:
            with write_transaction():
                store_plans(drawing, batch, counts, draw)
                if not remaining:  # in the last batch's transaction, as a rerun would find nothing to do
                    _record_draw(drawing, draw, counts, by)
                progress.keep()
        except IntegrityError as error:
            raise Conflict(
                _("Someone else just drew samples of the same sources. Check the samples and try again.")
            ) from error
        progress.advance(len(batch))
    if counts["sources"]:
        project.sampler = drawing.as_record()
    return counts


def _find_interrupted(drawing: PlannedDraw, most_samples: int | None, job: Job | None) -> Draw | None:
    """The draw that this run continues: of the same job, or one by command with the same options that did not end."""
    if job is not None:
        return Draw.objects.filter(job=job).first()
    rows = Draw.objects.filter(project=drawing.project, job=None, finished_at=None, undone_at=None)
    newest = rows.filter(most_samples=most_samples).order_by("-id").first()
    return newest if newest is not None and newest.options == drawing.as_record() else None


def _record_draw(drawing: PlannedDraw, draw: Draw, counts: dict[str, int], by: AbstractBaseUser | None) -> None:
    """Record the options of the draw on the project and in the audit log, inside a transaction."""
    project = drawing.project
    Project.objects.filter(pk=project.pk).update(sampler=drawing.as_record())
    Draw.objects.filter(pk=draw.pk).update(finished_at=timezone.now())
    target = f"project:{project.public_id}"
    audit.record_event(project=project, actor=by, verb=AuditVerb.SAMPLE_DRAW, target=target, **counts)


def dry_run(
    *,
    project: Project,
    options: SamplerOptions | None = None,
    pace: float | None = None,
    add: bool = False,
    most_samples: int | None = None,
) -> DryRun:
    """What sampling would give now: counts, chi-square, pairs, hours and pay at `pace` minutes per summary (default:
    the project's). Raises BadInput."""
    check_kind(project)
    options = replace(options or default_options(project), overlap=project.overlap)
    version = project.schema_version
    drawing = PlannedDraw.of(project, options, version, add)
    plans = drawing.plans()
    left_plans: list[SourcePlan] = []
    if most_samples is not None:
        plans, left_plans = drawing.split_plans(plans, most_samples)
    try:
        return pure.dry_run(
            plans,
            version.schema,
            project.summary_minutes if pace is None else pace,
            options,
            left_plans=left_plans,
            most_samples=most_samples,
            pay_per_hour=project.pay_per_hour,
            currency=project.pay_currency,
            segment_words=drawing.segment_words,
        )
    except SamplerError as error:
        raise BadInput(without_field(error), field=error.field) from error


def store_plans(drawing: PlannedDraw, plans: Sequence[SourcePlan], counts: dict[str, int], draw: Draw) -> None:
    """Groups, samples and slots of some sources, inside a transaction. Raises Conflict once the draw was undone."""
    _open_draw(draw)
    ids = [drawing.to_do[plan.external_id] for plan in plans]
    priorities = lock_priorities(ids)
    group_at, sample_at = next_positions(Group, ids), next_positions(Sample, ids)
    now = timezone.now()
    drawn_groups: list[tuple[Group, list[Sample]]] = []
    writers: dict[tuple[int, int], int] = {}
    for plan in plans:
        document = drawing.to_do[plan.external_id]
        first_group, first_sample = group_at.get(document, 0), sample_at.get(document, 0)
        for planned in plan.groups:
            group = _build_group(drawing, document, planned, first_group, now)
            drawn_groups.append((group, _build_samples(drawing, draw, plan, planned, group, first_sample)))
            for row in planned.samples:
                n_writers = pure.count_writers(drawing.options, plan.external_id, row.position)
                writers[document, first_sample + row.position] = n_writers
    Group.objects.bulk_create([group for group, _members in drawn_groups], batch_size=500)
    samples = [sample for _group, members in drawn_groups for sample in members]
    for sample in samples:
        sample.group_id = sample.group.pk
    Sample.objects.bulk_create(samples, batch_size=500)
    slots = [
        slot
        for group, members in drawn_groups
        for slot in _build_slots(drawing.project, group, members, priorities[group.document_id], writers)
    ]
    Slot.objects.bulk_create(slots, batch_size=500)
    for name, number in (
        ("sources", len(plans)),
        ("groups", len(drawn_groups)),
        ("samples", len(samples)),
        ("slots", len(slots)),
    ):
        counts[name] += number
    Draw.objects.filter(pk=draw.pk).update(
        sources_served=F("sources_served") + len(plans),
        groups_stored=F("groups_stored") + len(drawn_groups),
        samples_stored=F("samples_stored") + len(samples),
    )


def _open_draw(draw: Draw) -> None:
    """Create the row of the draw with its first batch; later lock it against an undo. Raises Conflict."""
    if draw.pk is None:
        draw.save(force_insert=True)
    elif not Draw.objects.select_for_update(no_key=True).filter(pk=draw.pk, undone_at=None).exists():
        raise Conflict(_("This draw was undone meanwhile. Draw again."))


def next_positions(model: type[Group] | type[Sample], ids: Sequence[int]) -> dict[int, int]:
    rows = model.objects.filter(document_id__in=ids).values_list("document_id").annotate(Max("position"))
    return {document: last + 1 for document, last in rows}


def _build_group(drawing: PlannedDraw, document_id: int, planned: GroupPlan, first: int, now: datetime) -> Group:
    """Build a group; one that asks people to choose nothing is created frozen."""
    frozen = not planned.asks
    return Group(
        project=drawing.project,
        document_id=document_id,
        position=first + planned.position,
        asks=list(planned.asks),
        chosen={attribute.key: [] for attribute in drawing.version.schema.chosen} if frozen else {},
        frozen_at=now if frozen else None,
    )


def _build_samples(
    drawing: PlannedDraw, draw: Draw, plan: SourcePlan, planned: GroupPlan, group: Group, first: int
) -> list[Sample]:
    return [
        Sample(
            project=drawing.project,
            document_id=group.document_id,
            group=group,
            draw=draw,
            schema_version=drawing.version,
            position=first + sample.position,
            values=sample.values,
            combination=sample.combination,
            seed=plan.seed,
            sampler=plan.sampler,
        )
        for sample in planned.samples
    ]


def _build_slots(
    project: Project, group: Group, samples: Sequence[Sample], priority: int, writers: Mapping[tuple[int, int], int]
) -> list[Slot]:
    """Build the slots to fill. Where choosing topics is a separate task, it comes first and summaries wait for it.

    writers: (source, position) -> how many people write that sample.
    """
    waits = project.phases == Project.Phases.TWO and bool(group.asks)
    places: list[tuple[Sample | None, int, SlotState]] = [(None, 1, SlotState.OPEN)] if waits else []
    state = SlotState.WAITING if waits else SlotState.OPEN
    for sample in samples:
        n_writers = writers[sample.document_id, sample.position]
        places += [(sample, number, state) for number in range(1, n_writers + 1)]
    return [
        Slot(
            project=project,
            document_id=group.document_id,
            group=group,
            sample=sample,
            number=number,
            state=state,
            priority=priority,
        )
        for sample, number, state in places
    ]


def draw_again(*, sample: Sample, document: SourceDocument, places: int, sampler: str) -> Sample:
    """Create a sample with the same values on another source, in a new group, inside a transaction."""
    priority = lock_priorities([document.pk])[document.pk]
    ids, project, asks = [document.pk], sample.project, sample.group.asks
    group = Group.objects.create(
        project=project,
        document=document,
        position=next_positions(Group, ids).get(document.pk, 0),
        asks=asks,
        chosen={} if asks else sample.group.chosen,
        frozen_at=None if asks else timezone.now(),
    )
    new_sample = Sample.objects.create(
        project=project,
        document=document,
        group=group,
        schema_version_id=sample.schema_version_id,
        position=next_positions(Sample, ids).get(document.pk, 0),
        values=sample.values,
        combination=sample.combination,
        sampler=sampler,
    )
    writers = {(document.pk, new_sample.position): places}
    Slot.objects.bulk_create(_build_slots(project, group, [new_sample], priority, writers))
    return new_sample


def start_sampling(
    *,
    project: Project,
    options: SamplerOptions,
    add: bool = False,
    most_samples: int | None = None,
    by: AbstractBaseUser | None = None,
) -> Job:
    """Queue a draw. Raises BadInput now for options that cannot be used at all."""
    check_kind(project)
    plan_sources([("any", 2000)], project.schema_version, options)
    arguments = {"options": asdict(options), "add": add, "most_samples": most_samples}
    return start_job(kind="sample", project=project, by=by, arguments=arguments)


@register_handler("sample", gettext_lazy("Draw samples"), takes_turns=True, page="samples", kept=SAMPLES_KEPT)
def run_sampling(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        options = _options_from(job.arguments["options"])
        return dict(
            sample_attributes(
                project=job.project,
                options=options,
                add=job.arguments["add"],
                most_samples=job.arguments.get("most_samples"),
                job=job,
                by=job.requested_by,
                progress=progress,
            )
        )
    except (BadInput, Conflict) as error:
        raise JobRefused(error.message) from error


def _options_from(values: Mapping[str, Any]) -> SamplerOptions:
    """Options from the JSON of a job."""
    options = dict(values)
    if weights := options.get("weights"):
        variants = tuple(Variant(**variant) for variant in weights["variants"])
        options["weights"] = Weights(**{**weights, "opening": tuple(weights["opening"]), "variants": variants})
    return SamplerOptions(**options)
