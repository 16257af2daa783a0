"""The articles of a project as the extraction reads them: with given entities, or names that the pipeline finds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import Project, SourceDocument
from annotation.services.core.errors import BadInput
from epitome.aggregations.articles import (
    ABSTRACT,
    Article,
    BadEntities,
    add_part_names,
    parse_entity_type,
    read_abstract,
    read_entities,
)
from epitome.aggregations.clusters import TITLE, FoundName, cluster_names
from epitome.text.pipeline import PipelineNotFound, load_pipeline

if TYPE_CHECKING:
    from spacy.language import Language

METADATA, NER = "metadata", "ner"
SOURCES = (METADATA, NER)
BATCH = 100


def count_articles(project: Project) -> int:
    return SourceDocument.objects.filter(project=project).usable().count()


def read_articles(project: Project, source: str) -> Iterator[tuple[int, Article]]:
    """(key of the document, article) of every usable source, in the order of the sources. Two queries per hundred.

    Raises BadInput naming the source whose entities cannot be read, or the pipeline that is missing.
    """
    nlp = _load_ner() if source == NER else None
    last_pk = 0
    documents = SourceDocument.objects.filter(project=project).usable().order_by("pk").select_related("source_text")
    while rows := list(documents.filter(pk__gt=last_pk)[:BATCH]):
        last_pk = rows[-1].pk
        for document in rows:
            yield document.pk, _read_article(document, nlp)


def _read_article(document: SourceDocument, nlp: "Language | None") -> Article:
    metadata = document.metadata
    sentences = tuple(segment["text"] for segment in document.source_text.segments)
    article = Article(document.external_id, sentences, read_abstract(metadata), ())
    try:
        entities = cluster_names(_find_names(nlp, article, document.title)) if nlp else read_given_entities(metadata)
    except BadEntities as error:
        raise BadInput(f"{document.external_id[:100]}: {error}", field="entities") from error
    return replace(article, entities=add_part_names(entities))


def read_given_entities(metadata: dict[str, Any]) -> list[Any]:
    """The entities of the metadata. Raises BadEntities."""
    return read_entities(metadata.get("entities"))


def _load_ner() -> "Language":
    try:
        nlp = load_pipeline(settings.EPITOME_SPACY_PIPELINE)
    except PipelineNotFound as error:
        raise BadInput(str(error), field="source") from error
    if "ner" not in nlp.pipe_names:
        raise BadInput(
            _("The pipeline finds no names. Give the entities in the metadata of the articles, or another pipeline."),
            field="source",
        )
    return nlp


def _find_names(nlp: "Language", article: Article, title: str) -> list[FoundName]:
    texts: Sequence[str] = (title, article.abstract, *article.sentences)
    names: list[FoundName] = []
    for segment, parsed in zip(range(TITLE, len(article.sentences)), nlp.pipe(texts), strict=True):
        for span in parsed.ents:
            entity_type = parse_entity_type(span.label_)
            if entity_type is not None:
                names.append(FoundName(span.text, entity_type, segment))
    assert TITLE + 1 == ABSTRACT
    return names
