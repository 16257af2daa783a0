"""Extracting instances: a seeded draw of entity tuples in their contexts, stored as groups, samples and slots.

The draw needs no memory: an instance has a fixed place in the order of a seed (`rank_key`), and what is stored counts.
So an interrupted run, a second run and a run beside it all end with the same instances, each stored once.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.kinds import get_task_kind
from annotation.models import (
    AggregationInstance,
    AuditVerb,
    BackgroundState,
    Draw,
    EntityBackground,
    Group,
    Job,
    Project,
    Sample,
    SampleState,
    Slot,
)
from annotation.services.aggregations import articles, backgrounds
from annotation.services.aggregations.instance_rows import build_instance
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, ServiceError
from annotation.services.core.job_start import start_job
from annotation.services.core.slot_priorities import lock_priorities
from annotation.services.core.word_patterns import join_names
from annotation.services.sampling.draw import SAMPLES_KEPT, next_positions
from annotation.transactions import write_transaction
from epitome.aggregations.articles import Article
from epitome.aggregations.backgrounds import Background
from epitome.aggregations.drawing import (
    DEFAULT_N,
    DEFAULT_SEED,
    DrawnInstance,
    ExtractionFigures,
    LowestRanks,
    list_turns,
)
from epitome.aggregations.mentions import MentionsByEntity
from epitome.aggregations.tuples import FoundInstance, find_instances

VERSION = 1
"""Increment when the same seed would give other instances; it is stored with every sample."""
EACH_INSTANCE, EACH_ARTICLE = "instances", "articles"
WAYS = (EACH_INSTANCE, EACH_ARTICLE)
WAY_BY_SOURCE = {articles.METADATA: EACH_INSTANCE, articles.NER: EACH_ARTICLE}
"""As published where the entities are given; what a pipeline finds makes crowded articles outnumber all others."""
MAX_N = 1_000_000
MAX_SEED = 2**63 - 1
BATCH = 50


@dataclass(frozen=True)
class ExtractionOptions:
    """source: "metadata" or "ner". n: instances that the project is to have. by: "instances", each equally likely, or
    "articles", each article in turn; empty: as `WAY_BY_SOURCE` says. Raises BadInput."""

    source: str = articles.METADATA
    n: int = DEFAULT_N
    seed: int = DEFAULT_SEED
    by: str = ""

    def __post_init__(self) -> None:
        if self.source not in articles.SOURCES:
            raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(articles.SOURCES)}, field="source")
        if self.by not in ("", *WAYS):
            raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(WAYS)}, field="by")
        for name, value, largest in (("n", self.n, MAX_N), ("seed", self.seed, MAX_SEED)):
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
                raise BadInput(
                    _("This must be a whole number from 0 to %(most)s.") % {"most": largest},
                    field=name,
                )

    @property
    def takes_turns(self) -> bool:
        return (self.by or WAY_BY_SOURCE[self.source]) == EACH_ARTICLE

    @property
    def algorithm(self) -> str:
        return f"tuples-{self.source}-by-article" if self.takes_turns else f"tuples-{self.source}"

    @property
    def sampler(self) -> str:
        return f"{self.algorithm}@{VERSION}"

    def as_record(self) -> dict[str, Any]:
        return {"sampler": self.sampler, "algorithm": self.algorithm, "seed": self.seed, "n": self.n}


@dataclass
class _Plan:
    """What an extraction takes: instances by document, with what it needs to store them."""

    figures: ExtractionFigures
    drawn: list[DrawnInstance]
    documents: list[int]
    articles: dict[int, tuple[Article, MentionsByEntity]]
    counts: dict[str, int] = field(default_factory=dict)

    def by_document(self) -> dict[int, list[FoundInstance]]:
        rows: dict[int, list[FoundInstance]] = defaultdict(list)
        for row in self.drawn:
            rows[self.documents[row.article]].append(row.instance)
        return rows


def check_project(project: Project) -> None:
    """Raise BadInput unless the project's tasks are about instances."""
    if not get_task_kind(project.kind, has_sample=True).has_instances:
        raise BadInput(_("Instances are extracted in projects of the kind aggregation only."), field="project")


def preview_extraction(
    *,
    project: Project,
    options: ExtractionOptions,
    given: Mapping[str, Background] | None = None,
    most_articles: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What an extraction would find and store; nothing is stored. most_articles: look at no more. Raises BadInput."""
    check_project(project)
    plan = _plan_extraction(project, options, progress or NoProgress(), most_articles)
    found_rows = EntityBackground.objects.filter(project=project, state=BackgroundState.FOUND)
    known_names = {*found_rows.values_list("name", flat=True), *(given or {})}
    return {
        **plan.figures.as_dict(known_names, (row.instance for row in plan.drawn)),
        "stored_before": _count_instances(project),
        "all_articles": articles.count_articles(project),
    }


def extract_tuples(
    *,
    project: Project,
    options: ExtractionOptions,
    given: Mapping[str, Background] | None = None,
    by: AbstractBaseUser | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Fill the project up to `options.n` instances; returns articles, instances (stored now), groups, slots, before
    (stored earlier) and without_background. given: backgrounds by name, used where the project has none yet.

    Stored article by article: an interrupted run resumes, a second one adds nothing. Raises BadInput, Conflict.
    """
    check_project(project)
    progress = progress or NoProgress()
    plan = _plan_extraction(project, options, progress)
    counts = {"articles": plan.figures.articles, "instances": 0, "groups": 0, "slots": 0}
    counts["before"] = _count_instances(project)
    draw = _find_interrupted(project, options, job) or Draw(
        project=project, job=job, drawn_by_id=by.pk if by else None, options=options.as_record()
    )
    rows = sorted(plan.by_document().items())
    progress.set(0, len(rows))
    for start in range(0, len(rows), BATCH):
        progress.check()
        batch = rows[start : start + BATCH]
        is_last = start + BATCH >= len(rows)
        with write_transaction():
            _store_batch(_Storing(project, options, draw, plan, given or {}, counts), batch)
            if is_last and draw.pk is not None:
                _record_draw(draw, counts, by)
        progress.advance(len(batch))
    counts["without_background"] = backgrounds.count_missing(project)
    return counts


def _find_interrupted(project: Project, options: ExtractionOptions, job: Job | None) -> Draw | None:
    """The draw that this run continues: of the same job, or one by command with the same options that did not end."""
    if job is not None:
        return Draw.objects.filter(job=job).first()
    rows = Draw.objects.filter(project=project, job=None, finished_at=None, undone_at=None).order_by("-id")
    newest = rows.first()
    return newest if newest is not None and newest.options == options.as_record() else None


def _count_instances(project: Project) -> int:
    return AggregationInstance.objects.filter(project=project, sample__state=SampleState.ACTIVE).count()


def _plan_extraction(
    project: Project, options: ExtractionOptions, progress: Progress, most_articles: int | None = None
) -> _Plan:
    """Read all articles and draw what is missing to n. Entities that were dropped are in no instance."""
    dropped = set(
        EntityBackground.objects.filter(project=project, state=BackgroundState.DROPPED).values_list("name", flat=True)
    )
    stored = set(AggregationInstance.objects.filter(project=project).values_list("key", flat=True))
    lowest = LowestRanks(max(0, options.n - _count_instances(project)), options.seed)
    figures = ExtractionFigures()
    documents: list[int] = []
    read: dict[int, tuple[Article, MentionsByEntity]] = {}
    total = articles.count_articles(project)
    progress.set(0, total)
    for document, article in articles.read_articles(project, options.source):
        if len(documents) == most_articles:
            break
        progress.check()
        offered = find_instances(article)
        figures.count_article(offered)
        documents.append(document)
        in_order = list_turns(options.seed, offered.instances) if options.takes_turns else offered.instances
        for place, instance in enumerate(in_order):
            if instance.key not in stored and dropped.isdisjoint(instance.names):
                lowest.offer(len(documents) - 1, instance, turn=place if options.takes_turns else 0)
        if offered.instances:
            # Without the text: mentions and names are all that is stored.
            read[document] = (Article(article.key, (), "", article.entities), offered.mentions)
        progress.set(len(documents), total)
    return _Plan(figures, lowest.list_drawn(), documents, read)


@dataclass(frozen=True)
class _Storing:
    project: Project
    options: ExtractionOptions
    draw: Draw
    plan: _Plan
    given: Mapping[str, Background]
    counts: dict[str, int]


def _store_batch(storing: _Storing, batch: Sequence[tuple[int, list[FoundInstance]]]) -> None:
    """Groups, samples, instances and slots of some articles, inside a transaction that locks the project: of two runs
    the second one sees what the first one stored."""
    project, options = storing.project, storing.options
    Project.objects.select_for_update().get(pk=project.pk)
    ids = [document for document, _rows in batch]
    priorities = lock_priorities(ids)
    room = options.n - _count_instances(project)
    keys = [instance.key for _document, rows in batch for instance in rows]
    stored = set(AggregationInstance.objects.filter(project=project, key__in=keys).values_list("key", flat=True))
    new = [(document, row) for document, rows in batch for row in rows if row.key not in stored][: max(0, room)]
    if not new:
        return
    _open_draw(storing.draw)
    groups = _store_groups(project, new)
    samples = _store_samples(storing, new, groups)
    background_rows = backgrounds.get_or_create_rows(
        project, {name for _document, row in new for name in row.names}, storing.given
    )
    instances = []
    for (document, row), sample in zip(new, samples, strict=True):
        article, mentions = storing.plan.articles[document]
        instances.append(build_instance(project, sample, row, article, mentions, background_rows))
    AggregationInstance.objects.bulk_create(instances, batch_size=200)
    backgrounds.link_instances(instances, background_rows)
    slots = [
        Slot(
            project=project,
            document_id=sample.document_id,
            group_id=sample.group_id,
            sample=sample,
            number=number,
            priority=priorities[sample.document_id],
        )
        for sample in samples
        for number in range(1, project.overlap + 1)
    ]
    Slot.objects.bulk_create(slots, batch_size=500)
    for name, number in (("instances", len(new)), ("groups", len(groups)), ("slots", len(slots))):
        storing.counts[name] += number
    Draw.objects.filter(pk=storing.draw.pk).update(
        sources_served=F("sources_served") + len({document for document, _row in new}),
        groups_stored=F("groups_stored") + len(groups),
        samples_stored=F("samples_stored") + len(samples),
    )


def _open_draw(draw: Draw) -> None:
    """Create the row of the draw with its first batch; later lock it against an undo. Raises Conflict."""
    if draw.pk is None:
        draw.save(force_insert=True)
    elif not Draw.objects.select_for_update(no_key=True).filter(pk=draw.pk, undone_at=None).exists():
        raise Conflict(_("This draw was undone meanwhile. Extract again."))


def _store_groups(project: Project, new: Sequence[tuple[int, FoundInstance]]) -> dict[tuple[int, str], Group]:
    """One group for each tuple of an article."""
    positions = next_positions(Group, [document for document, _row in new])
    now = timezone.now()
    groups: dict[tuple[int, str], Group] = {}
    for document, row in new:
        if (document, row.tuple_key) not in groups:
            position = positions.get(document, 0)
            positions[document] = position + 1
            group = Group(project=project, document_id=document, position=position, asks=[], chosen={}, frozen_at=now)
            groups[document, row.tuple_key] = group
    Group.objects.bulk_create(groups.values(), batch_size=500)
    return groups


def _store_samples(
    storing: _Storing, new: Sequence[tuple[int, FoundInstance]], groups: Mapping[tuple[int, str], Group]
) -> list[Sample]:
    positions = next_positions(Sample, [document for document, _row in new])
    version = storing.project.schema_version
    samples = []
    for document, row in new:
        position = positions.get(document, 0)
        positions[document] = position + 1
        samples.append(
            Sample(
                project=storing.project,
                document_id=document,
                group=groups[document, row.tuple_key],
                draw=storing.draw,
                schema_version=version,
                position=position,
                values={},
                combination=f"{row.type}-{len(row.members)}",
                seed=storing.options.seed,
                sampler=storing.options.sampler,
            )
        )
    return Sample.objects.bulk_create(samples, batch_size=500)


def _record_draw(draw: Draw, counts: Mapping[str, int], by: AbstractBaseUser | None) -> None:
    """Record the extraction on the project and in the audit log, in the transaction of its last batch."""
    Project.objects.filter(pk=draw.project_id).update(sampler=draw.options)
    Draw.objects.filter(pk=draw.pk).update(finished_at=timezone.now())
    audit.record_event(
        project=draw.project,
        actor=by,
        verb=AuditVerb.SAMPLE_EXTRACT,
        target=f"project:{draw.project.public_id}",
        **counts,
    )


def start_extraction(*, project: Project, options: ExtractionOptions, by: AbstractBaseUser | None = None) -> Job:
    """Queue an extraction. Raises BadInput for a project of another kind, Conflict for too many jobs."""
    check_project(project)
    arguments = {"source": options.source, "n": options.n, "seed": options.seed, "by": options.by}
    return start_job(kind="tuples", project=project, by=by, arguments=arguments)


@register_handler("tuples", gettext_lazy("Extract instances"), page="samples", kept=SAMPLES_KEPT)
def run_extraction(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        options = ExtractionOptions(**job.arguments)
        return dict(
            extract_tuples(project=job.project, options=options, by=job.requested_by, job=job, progress=progress)
        )
    except ServiceError as error:
        raise JobRefused(error.message) from error
