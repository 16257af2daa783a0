"""Extracts candidates and token counts from imported sources, in resumable batches."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Candidate, Group, Job, Project, SourceDocument, SourceText
from annotation.services.core.errors import BadInput
from annotation.services.core.job_start import start_job
from annotation.services.sources import damaged
from annotation.transactions import write_transaction

if TYPE_CHECKING:
    from epitome.candidates.protocol import Extractor, Segments, TopicCandidate
    from epitome.candidates.reading import SearchFault
    from epitome.candidates.speakers import SpeakerCandidate

BATCH = 16
TOPICS = 20
MAX_TEXT = 400
MAX_NAME = 120


def default_extractor() -> "Extractor":
    """The configured extractor. Raises BadInput with instructions if it is not available."""
    from epitome.candidates.protocol import ExtractorNotAvailable, get_extractor
    from epitome.text.pipeline import PipelineNotFound, load_pipeline

    try:
        nlp = load_pipeline(settings.EPITOME_SPACY_PIPELINE, profile="topics")
        return get_extractor(settings.EPITOME_TOPIC_EXTRACTOR, nlp)
    except (ExtractorNotAvailable, PipelineNotFound) as error:
        raise BadInput(str(error), field="extractor") from error


def name_of(extractor: "Extractor") -> str:
    """key@version, as it is stored with every candidate."""
    return f"{extractor.key}@{extractor.version}"[:MAX_NAME]


def extract_candidates(
    *,
    project: Project,
    progress: Progress | None = None,
    limit_to: Sequence[int] | None = None,
    extractor: "Extractor | None" = None,
    force: bool = False,
) -> dict[str, int]:
    """Extract topics and speakers of the project's usable sources; returns sources, skipped, topics, speakers, parked.

    Sources that cannot be searched in bounded time are parked: flagged as damaged, with the reason. Sources with
    candidates of this extractor and version are skipped, unless `force`. If somebody has already chosen from a source's
    candidates, they are kept. Every batch is stored on its own: an interrupted run resumes where it stopped, and a job
    (never with `force`) gives way to others between batches.
    """
    progress = progress or NoProgress()
    extractor = extractor or default_extractor()
    name = name_of(extractor)
    usable = SourceDocument.objects.filter(project=project).usable()
    if limit_to is not None:
        usable = usable.filter(pk__in=limit_to)
    to_do = list(_pending_sources(usable, name, force).order_by("pk").values_list("pk", flat=True))
    zeros = {"sources": 0, "skipped": usable.count() - len(to_do), "topics": 0, "speakers": 0, "parked": 0}
    counts = progress.carry(zeros)
    with_topics = any(attribute.traits.picks_topics for attribute in project.schema_version.schema.chosen)
    progress.set(counts["sources"], counts["sources"] + len(to_do))
    for start in range(0, len(to_do), BATCH):
        progress.checkpoint()
        batch = to_do[start : start + BATCH]
        extracted, faults = _extract_batch(extractor, batch, with_topics, progress)
        _store_candidates(extracted, faults, name, force, counts)
        progress.advance(len(batch))
    return counts


def _pending_sources(rows: "QuerySet[SourceDocument]", name: str, force: bool) -> "QuerySet[SourceDocument]":
    chosen = Group.objects.filter(document_id=OuterRef("pk"), chosen_by__isnull=False)
    without_choice = rows.filter(~Exists(chosen))
    return without_choice if force else without_choice.exclude(extractor=name)


Extracted = dict[int, "tuple[list[TopicCandidate], list[SpeakerCandidate]]"]


def _extract_batch(
    extractor: "Extractor", ids: Sequence[int], with_topics: bool, progress: Progress
) -> "tuple[Extracted, dict[int, SearchFault]]":
    """document -> (topics, speakers), and the faults of those that are not searched.

    Writes nothing, so no lock is held while the pipeline runs. Asks before every source whether to go on.
    """
    from epitome.candidates.speakers import list_speakers

    texts = SourceText.objects.in_bulk(ids)
    segments = {pk: texts[pk].segments for pk in ids if pk in texts}
    faults: dict[int, SearchFault] = {}
    topics: dict[int, list[TopicCandidate]] = {}
    if with_topics:
        faults = {pk: fault for pk in segments if (fault := extractor.find_fault(segments[pk])) is not None}
        searched = [pk for pk in segments if pk not in faults]
        rankings = extractor.extract_many(_check_before_each((segments[pk] for pk in searched), progress), TOPICS)
        topics = {pk: list(ranking) for pk, ranking in zip(searched, rankings, strict=True)}
    else:
        progress.check()
    return {pk: (topics.get(pk, []), list_speakers(segments[pk])) for pk in segments}, faults


def _check_before_each(sources: "Iterable[Segments]", progress: Progress) -> "Iterator[Segments]":
    for source in sources:
        progress.check()
        yield source


def _store_candidates(
    extracted: Extracted, faults: "dict[int, SearchFault]", name: str, force: bool, counts: dict[str, int]
) -> None:
    with write_transaction():
        # A concurrent extraction of the same sources waits here and then skips them.
        rows = SourceDocument.objects.select_for_update().filter(pk__in=list(extracted)).order_by("pk")
        ids = list(_pending_sources(rows, name, force).values_list("pk", flat=True))
        Candidate.objects.filter(document_id__in=ids).delete()
        candidates = [row for pk in ids for row in _build_candidates(pk, *extracted[pk], name)]
        Candidate.objects.bulk_create(candidates, batch_size=500)
        SourceDocument.objects.filter(pk__in=ids).update(extractor=name)
        for document in rows.filter(pk__in=[pk for pk in ids if pk in faults]).select_related("project"):
            damaged.flag_damaged(document=document, reason=_explain_fault(faults[document.pk]), by=None)
            counts["parked"] += 1
    counts["sources"] += len(ids)
    for candidate in candidates:
        counts["topics" if candidate.is_topic else "speakers"] += 1


def _explain_fault(fault: "SearchFault") -> str:
    from epitome.candidates.reading import MAX_RUN, SearchFault

    if fault == SearchFault.HARDLY_ANY_SPACES:
        return _("Not searched for topics: most of the text is runs of more than %(n)d characters without a space.") % {
            "n": MAX_RUN
        }
    return _("Not searched for topics: too many very long words; splitting them into tokens would take too long.")


def _build_candidates(
    document_id: int, topics: "list[TopicCandidate]", speakers: "list[SpeakerCandidate]", name: str
) -> list[Candidate]:
    """Build the rows without duplicates; phrases too long for one (e.g. a turn without a colon) are left out."""
    rows = [
        Candidate(
            document_id=document_id,
            kind=Candidate.Kind.TOPIC,
            text=topic.text,
            rank=topic.rank,
            score=topic.score,
            mentions=topic.mentions,
            extractor=name,
        )
        for topic in {topic.text: topic for topic in reversed(topics)}.values()
    ]
    rows.sort(key=lambda row: row.rank)
    rows += [
        Candidate(
            document_id=document_id,
            kind=Candidate.Kind.SPEAKER,
            text=speaker.text,
            rank=speaker.rank,
            mentions=speaker.turns,
            words=speaker.words,
            extractor=name,
        )
        for speaker in speakers
    ]
    return [row for row in rows if len(row.text) <= MAX_TEXT]


def start_extraction(*, project: Project, by: AbstractBaseUser | None) -> Job:
    return start_job(kind="extract", project=project, by=by)


@register_handler(
    "extract",
    gettext_lazy("Extract candidates"),
    queue="text",
    takes_turns=True,
    page="documents",
    kept=gettext_lazy("The candidates found so far stay; extract again for the rest."),
)
def run_extraction(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        return dict(extract_candidates(project=job.project, progress=progress))
    except BadInput as error:
        raise JobRefused(error.message) from error
