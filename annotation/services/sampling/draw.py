"""Sampling: groups, samples and their slots for the sources that have none yet, in the order of the sources."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import sampling as pure
from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import AuditVerb, Group, Job, Project, Sample, SchemaVersion, Slot, SlotState, SourceDocument
from annotation.sampling import DryRun, GroupPlan, SamplerError, SamplerOptions, SourcePlan
from annotation.schema import Variant, Weights
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction

__all__ = ["DryRun", "SamplerOptions", "default_options", "dry_run", "sample_attributes", "start_sampling"]

BATCH = 100
PACE = 10.0
"""Minutes per summary of the dry run, unless another pace is given."""


def default_options(project: Project, seed: int = 0, **changes: Any) -> SamplerOptions:
    """Options of the project's overlap and schema, with changes. Raises BadInput naming the field."""
    known = {item.name for item in fields(SamplerOptions)}
    for name in changes:
        if name not in known:
            raise BadInput(_("There is no sampling option %(name)s.") % {"name": name[:60]}, field=name[:60])
    try:
        usual = SamplerOptions(overlap=project.overlap).resolved(project.schema_version.schema)
        of_schema = {name: value for name, value in asdict(usual.grouping).items() if name != "weights"}
        return SamplerOptions(seed=seed, **{"overlap": usual.overlap} | of_schema | changes)
    except SamplerError as error:
        raise BadInput(_without_field(error), field=error.field) from error


def _without_field(error: SamplerError) -> str:
    return str(error).removeprefix(f"{error.field}: ")


def sample_attributes(
    *,
    project: Project,
    options: SamplerOptions | None = None,
    add: bool = False,
    by: AbstractBaseUser | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Draw samples for the project's usable sources; returns sources, groups, samples, slots, passed_over.

    Sources with samples are skipped; with `add` only those with samples of the same sampler and seed, so that the same
    call twice adds nothing. Stored in batches: an interrupted run resumes the same draw.
    Raises BadInput naming the option, Conflict when somebody else samples at the same time.
    """
    options = replace(options or default_options(project), overlap=project.overlap)
    progress = progress or NoProgress()
    version = project.schema_version
    drawing = _Drawing.of(project, options, version, add)
    counts = {"sources": 0, "groups": 0, "samples": 0, "slots": 0, "passed_over": drawing.passed_over}
    progress.set(0, len(drawing.to_do))
    remaining = len(drawing.to_do)
    for batch in drawing.batches():
        progress.check()
        remaining -= len(batch)
        try:
            with write_transaction():
                store_plans(drawing, batch, counts)
                if not remaining:  # in the last batch's transaction, as a rerun would find nothing to do
                    _record_draw(drawing, counts, by)
        except IntegrityError as error:
            raise Conflict(_("Somebody else sampled the same sources at this moment; look and try again.")) from error
        progress.advance(len(batch))
    if counts["sources"]:
        project.sampler = options.resolved(version.schema).as_dict()
    return counts


def _record_draw(drawing: "_Drawing", counts: dict[str, int], by: AbstractBaseUser | None) -> None:
    """Record the options of the draw on the project and in the audit log, inside a transaction."""
    project = drawing.project
    record = drawing.options.resolved(drawing.version.schema).as_dict()
    Project.objects.filter(pk=project.pk).update(sampler=record)
    target = f"project:{project.public_id}"
    audit.record_event(project=project, actor=by, verb=AuditVerb.SAMPLE_DRAW, target=target, **counts)


def dry_run(
    *, project: Project, options: SamplerOptions | None = None, pace: float = PACE, add: bool = False
) -> DryRun:
    """What sampling would give now: counts, chi-square, pairs, hours at `pace` minutes per summary. Raises BadInput."""
    options = replace(options or default_options(project), overlap=project.overlap)
    version = project.schema_version
    plans = _Drawing.of(project, options, version, add).plans()
    try:
        return pure.dry_run(plans, version.schema, pace, options)
    except SamplerError as error:
        raise BadInput(_without_field(error), field=error.field) from error


@dataclass(frozen=True)
class _Drawing:
    """One draw: the sources that get samples (`to_do`), and those that an interrupted run of it has served already."""

    project: Project
    options: SamplerOptions
    version: SchemaVersion
    to_do: dict[str, int]
    words: dict[str, int]
    passed_over: int

    @classmethod
    def of(cls, project: Project, options: SamplerOptions, version: SchemaVersion, add: bool) -> "_Drawing":
        usable = SourceDocument.objects.filter(project=project).usable().order_by("pk")
        same = Exists(_samples_of_draw(options, version))
        free = usable.filter(~same) if add else usable.filter(~Exists(Sample.objects.filter(document=OuterRef("pk"))))
        rows = list(free.values_list("external_id", "pk", "n_words"))
        words = {external_id: n_words for external_id, _pk, n_words in rows}
        to_do = {external_id: pk for external_id, pk, _words in rows}
        drawing = cls(project, options, version, to_do, words, usable.count() - len(to_do))
        if drawing.is_dealt:
            # Values are dealt over all sources of the draw, so those of an interrupted run take part again, unstored.
            words |= dict(usable.filter(same).values_list("external_id", "n_words"))
        return drawing

    def plans(self) -> list[SourcePlan]:
        """The plans of the sources that are to be stored, in the order of the sources. Raises BadInput."""
        drawn = _plan_sources(self.words.items(), self.version, self.options)
        return [plan for plan in drawn if plan.external_id in self.to_do]

    def batches(self) -> Iterator[list[SourcePlan]]:
        """The same plans, a batch at a time; only `balanced` must have all at once. Raises BadInput."""
        if self.is_dealt:
            plans = self.plans()
            yield from (plans[start : start + BATCH] for start in range(0, len(plans), BATCH))
            return
        sources = list(self.words.items())
        for start in range(0, len(sources), BATCH):
            yield _plan_sources(sources[start : start + BATCH], self.version, self.options)

    @property
    def is_dealt(self) -> bool:
        return self.options.resolved(self.version.schema).grouping.algorithm == "balanced"


def _plan_sources(
    sources: Iterable[tuple[str, int]], version: SchemaVersion, options: SamplerOptions
) -> list[SourcePlan]:
    try:
        return pure.plan_project(sources, version.schema, options)
    except SamplerError as error:
        raise BadInput(_without_field(error), field=error.field) from error
    except ValueError as error:  # a weights file that is not there or does not fit
        raise BadInput(str(error), field="weights") from error


def _samples_of_draw(options: SamplerOptions, version: SchemaVersion) -> "QuerySet[Sample]":
    """Samples of a source (an outer query's row) that this sampler drew with this seed."""
    sampler = options.resolved(version.schema).sampler
    return Sample.objects.filter(document=OuterRef("pk"), seed=options.seed, sampler=sampler)


def store_plans(drawing: _Drawing, plans: Sequence[SourcePlan], counts: dict[str, int]) -> None:
    """Groups, samples and slots of some sources, inside a transaction."""
    ids = [drawing.to_do[plan.external_id] for plan in plans]
    list(SourceDocument.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))
    group_at, sample_at = _next_positions(Group, ids), _next_positions(Sample, ids)
    now = timezone.now()
    drawn_groups: list[tuple[Group, list[Sample]]] = []
    for plan in plans:
        document = drawing.to_do[plan.external_id]
        first_group, first_sample = group_at.get(document, 0), sample_at.get(document, 0)
        for planned in plan.groups:
            group = _build_group(drawing, document, planned, first_group, now)
            drawn_groups.append((group, _build_samples(drawing, plan, planned, group, first_sample)))
    Group.objects.bulk_create([group for group, _members in drawn_groups], batch_size=500)
    samples = [sample for _group, members in drawn_groups for sample in members]
    for sample in samples:
        sample.group_id = sample.group.pk
    Sample.objects.bulk_create(samples, batch_size=500)
    slots = [slot for group, members in drawn_groups for slot in _build_slots(drawing.project, group, members)]
    Slot.objects.bulk_create(slots, batch_size=500)
    for name, number in (
        ("sources", len(plans)),
        ("groups", len(drawn_groups)),
        ("samples", len(samples)),
        ("slots", len(slots)),
    ):
        counts[name] += number


def _next_positions(model: type[Group] | type[Sample], ids: Sequence[int]) -> dict[int, int]:
    rows = model.objects.filter(document_id__in=ids).values_list("document_id").annotate(Max("position"))
    return {document: last + 1 for document, last in rows}


def _build_group(drawing: _Drawing, document_id: int, planned: GroupPlan, first: int, now: datetime) -> Group:
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


def _build_samples(drawing: _Drawing, plan: SourcePlan, planned: GroupPlan, group: Group, first: int) -> list[Sample]:
    return [
        Sample(
            project=drawing.project,
            document_id=group.document_id,
            group=group,
            schema_version=drawing.version,
            position=first + sample.position,
            values=sample.values,
            combination=sample.combination,
            seed=plan.seed,
            sampler=plan.sampler,
        )
        for sample in planned.samples
    ]


def _build_slots(project: Project, group: Group, samples: Sequence[Sample]) -> list[Slot]:
    """Build the slots to fill. Where choosing topics is a separate task, it comes first and summaries wait for it."""
    waits = project.phases == Project.Phases.TWO and bool(group.asks)
    places: list[tuple[Sample | None, int, SlotState]] = [(None, 1, SlotState.OPEN)] if waits else []
    state = SlotState.WAITING if waits else SlotState.OPEN
    places += [(sample, number, state) for sample in samples for number in range(1, project.overlap + 1)]
    return [
        Slot(project=project, document_id=group.document_id, group=group, sample=sample, number=number, state=state)
        for sample, number, state in places
    ]


def draw_again(*, sample: Sample, document: SourceDocument, places: int, sampler: str) -> Sample:
    """Create a sample with the same values on another source, in a new group, inside a transaction."""
    list(SourceDocument.objects.select_for_update().filter(pk=document.pk).values_list("pk"))
    ids, project, asks = [document.pk], sample.project, sample.group.asks
    group = Group.objects.create(
        project=project,
        document=document,
        position=_next_positions(Group, ids).get(document.pk, 0),
        asks=asks,
        chosen={} if asks else sample.group.chosen,
        frozen_at=None if asks else timezone.now(),
    )
    new_sample = Sample.objects.create(
        project=project,
        document=document,
        group=group,
        schema_version_id=sample.schema_version_id,
        position=_next_positions(Sample, ids).get(document.pk, 0),
        values=sample.values,
        combination=sample.combination,
        sampler=sampler,
    )
    slots = [
        slot for slot in _build_slots(project, group, [new_sample]) if slot.sample is None or slot.number <= places
    ]
    Slot.objects.bulk_create(slots)
    return new_sample


def start_sampling(
    *, project: Project, options: SamplerOptions, add: bool = False, by: AbstractBaseUser | None = None
) -> Job:
    """Queue a draw. Raises BadInput now for options that cannot be used at all."""
    _plan_sources([("any", 2000)], project.schema_version, options)
    return start_job(kind="sample", project=project, by=by, arguments={"options": asdict(options), "add": add})


@register_handler("sample", gettext_lazy("Draw samples"))
def run_sampling(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project is gone."))
    try:
        options = _options_from(job.arguments["options"])
        return dict(
            sample_attributes(
                project=job.project,
                options=options,
                add=job.arguments["add"],
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
