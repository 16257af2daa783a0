"""Aggregation tasks as the material of a round: their golds, and the entities and the context that raters see."""

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from annotation.kinds import get_task_kind
from annotation.models import AggregationInstance, ContextKind, Project, Sample, SourceDocument
from epitome.aggregations.filters import Answered, apply_filters
from epitome.aggregations.normal import normalize_answer
from epitome.sampling.generator import Generator
from modelbridge.services.runs.references import human_summaries

DRAW = "aggregation-gold@1"

ENTITIES, CONTEXT = "entities", "context"


def has_instances(project: Project) -> bool:
    """Whether the project's golds are phrases that name the entities of an instance."""
    return get_task_kind(project.kind, has_sample=True).has_instances


class DescribedInstance(NamedTuple):
    """entities: name, url ("" unless it is one of the web), background. context: sentences, or the abstract."""

    entities: list[dict[str, str]]
    context: list[str]


class Phrase(NamedTuple):
    """A gold of an instance; annotation: of somebody who wrote it."""

    annotation: int
    text: str


def draw_phrases(project: Project, samples: Collection[int], seed: int) -> dict[int, Phrase]:
    """Sample -> one of its golds, all equally likely: the normalised answers that the filters keep, each once. Samples
    without a gold are absent."""
    rows = human_summaries(project).filter(sample__instance__isnull=False)
    columns = ("pk", "sample_id", "assignment__annotator_id", "raw_json", "sample__instance__key", "payload")
    answers: list[Answered] = []
    writers: dict[tuple[str, str], int] = {}
    sample_of: dict[str, int] = {}
    for pk, sample, annotator, raw_json, key, payload in rows.order_by("pk").values_list(*columns).iterator(2000):
        texts = tuple(text for text in payload.get("answers") or [] if isinstance(text, str) and text.strip())
        person = f"user {annotator}" if annotator is not None else _find_pseudonym(raw_json) or f"annotation {pk}"
        answers.append(Answered(person, key, texts, bool(payload.get("cannot"))))
        sample_of[key] = sample
        for text in texts:
            writers.setdefault((key, normalize_answer(text)), pk)
    phrases = {}
    for key, golds in apply_filters(answers).golds_by_instance().items():
        if sample_of[key] in samples:
            text = Generator(seed, DRAW, key).pick(golds)
            phrases[sample_of[key]] = Phrase(writers[key, text], text)
    return phrases


def _find_pseudonym(raw_json: str) -> str:
    """The annotator in the line that an annotation was restored from; "" without one."""
    return str((json.loads(raw_json) if raw_json else {}).get("annotator") or "")


def normalize_phrase(text: str) -> str:
    """An output as golds are shown, so that capitals and articles do not reveal who wrote it."""
    return normalize_answer(text) or text


def shows_instance(shows: Sequence[str]) -> bool:
    """Whether a template shows anything of an aggregation task."""
    return ENTITIES in shows or CONTEXT in shows


def find_instance(sample: Sample) -> AggregationInstance | None:
    """The entities of a sample; None for a sample of another kind of task."""
    return getattr(sample, "instance", None)


def describe_instance(instance: AggregationInstance, document: SourceDocument) -> DescribedInstance:
    entities = [
        {
            "name": str(entity.get("name", "")),
            "url": _check_url(str(entity.get("url") or "")),
            "background": str(entity.get("background") or ""),
        }
        for entity in instance.entities
    ]
    return DescribedInstance(entities, _list_context(instance, document))


def _list_context(instance: AggregationInstance, document: SourceDocument) -> list[str]:
    if instance.context_kind == ContextKind.ABSTRACT:
        abstract = document.metadata.get("abstract")
        return [abstract] if isinstance(abstract, str) and abstract else []
    segments = document.source_text.segments[instance.first_segment : (instance.last_segment or 0) + 1]
    return [str(segment["text"]) for segment in segments]


def _check_url(url: str) -> str:
    """The address if it is one of the web, else "": it becomes a link."""
    return url if urlsplit(url).scheme in ("http", "https") else ""
