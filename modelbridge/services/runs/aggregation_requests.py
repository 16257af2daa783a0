"""What a request of an aggregation task holds besides the source: entities, backgrounds, title and context."""

from collections.abc import Sequence

from annotation.kinds import get_task_kind
from annotation.models import AggregationInstance, ContextKind, Project, Sample
from epitome.systems.protocol import AggregationTask, NamedEntity


def load_aggregations(project: Project, samples: Sequence[Sample]) -> dict[int, AggregationTask]:
    """sample id -> its task; {} for other kinds of project. Documents with their texts must be loaded."""
    if not get_task_kind(project.kind, has_sample=True).has_instances:
        return {}
    by_id = {sample.pk: sample for sample in samples}
    rows = AggregationInstance.objects.filter(project=project, sample__in=list(by_id))
    return {row.sample_id: describe_task(row, by_id[row.sample_id]) for row in rows}


def describe_task(instance: AggregationInstance, sample: Sample) -> AggregationTask:
    """The task of an instance; the sample's document with its text must be loaded."""
    entities = [NamedEntity(entity["name"], entity.get("background") or "") for entity in instance.entities]
    title = sample.document.title
    return AggregationTask(instance.entity_type, tuple(entities), title, read_context(instance, sample))


def read_context(instance: AggregationInstance, sample: Sample) -> str:
    """The sentences of the context as one text, or the article's abstract."""
    if instance.context_kind == ContextKind.ABSTRACT:
        abstract = sample.document.metadata.get("abstract")
        return abstract if isinstance(abstract, str) else ""
    assert instance.first_segment is not None and instance.last_segment is not None
    segments = sample.document.source_text.segments[instance.first_segment : instance.last_segment + 1]
    return " ".join(segment["text"] for segment in segments)
