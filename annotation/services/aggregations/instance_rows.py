"""Builds the row of an instance from what was found in its article, and the JSON of its entities."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import AggregationInstance, ContextKind, EntityBackground, Project, Sample
from epitome.aggregations.articles import Article, Mention
from epitome.aggregations.mentions import MentionsByEntity
from epitome.aggregations.tuples import FoundInstance, select_mentions


def build_instance(
    project: Project,
    sample: Sample,
    found: FoundInstance,
    article: Article,
    mentions: MentionsByEntity,
    backgrounds: Mapping[str, EntityBackground],
) -> AggregationInstance:
    """An unsaved instance with the backgrounds that the project has now."""
    entities = [
        build_entity(
            backgrounds[article.entities[number].name],
            select_mentions(mentions[number], found.span),
        )
        for number in found.members
    ]
    return AggregationInstance(
        project=project,
        sample=sample,
        key=found.key,
        entity_type=found.type,
        entities=entities,
        context_kind=ContextKind.ABSTRACT if found.span is None else ContextKind.CONTENT,
        first_segment=found.span.first if found.span else None,
        last_segment=found.span.last if found.span else None,
    )


def build_entity(background: EntityBackground, mentions: Sequence[Mention]) -> dict[str, Any]:
    """One entity of an instance, as it is stored."""
    return {
        "name": background.name,
        "url": background.url,
        "background": background.text,
        "background_tokens": background.tokens,
        "mentions": [list(mention) for mention in mentions],
    }
