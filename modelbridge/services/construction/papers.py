"""The papers of a project: abstracts to rewrite, and the keywords of each."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import Annotation, Candidate, Project, SourceDocument

MAX_CANDIDATES = 10
"""Keywords that a paper without a list of its own gets from the topics extracted from it."""


@dataclass(frozen=True)
class ProjectPaper:
    """One usable source with an abstract. base: row id and public id of the abstract as a summary, None where the
    import stored none."""

    document: int
    external_id: str
    split: str
    abstract: str
    keywords: tuple[str, ...]
    base: tuple[int, str] | None

    @property
    def base_id(self) -> str:
        """Public id of the abstract's annotation; "" without one."""
        return self.base[1] if self.base is not None else ""


def list_papers(project: Project) -> list[ProjectPaper]:
    """Every usable source whose metadata has an abstract, in order of import."""
    rows = SourceDocument.objects.filter(project=project).usable().order_by("pk")
    rows_with_abstract = [
        (pk, external_id, split, metadata)
        for pk, external_id, split, text in rows.values_list("pk", "external_id", "split", "metadata_json")
        if _has_abstract(metadata := json.loads(text))
    ]
    bases = _find_bases(project)
    without_list = [pk for pk, _id, _split, metadata in rows_with_abstract if not _read_keywords(metadata)]
    candidates = _list_candidates(without_list)
    return [
        ProjectPaper(
            document=pk,
            external_id=external_id,
            split=split,
            abstract=metadata["abstract"],
            keywords=_read_keywords(metadata) or candidates.get(pk, ()),
            base=bases.get(pk),
        )
        for pk, external_id, split, metadata in rows_with_abstract
    ]


def list_own_keywords(documents: "QuerySet[SourceDocument]") -> dict[int, tuple[str, ...]]:
    """document -> the list of keywords it was imported with; documents without one are absent."""
    rows = documents.filter(metadata_json__contains='"keywords"').order_by("pk").values_list("pk", "metadata_json")
    keywords = {pk: _read_keywords(json.loads(text)) for pk, text in rows}
    return {pk: words for pk, words in keywords.items() if words}


def _has_abstract(metadata: dict[str, object]) -> bool:
    abstract = metadata.get("abstract")
    return isinstance(abstract, str) and bool(abstract.strip())


def _read_keywords(metadata: dict[str, object]) -> tuple[str, ...]:
    keywords = metadata.get("keywords")
    if not isinstance(keywords, list):
        return ()
    return tuple(dict.fromkeys(word.strip() for word in keywords if isinstance(word, str) and word.strip()))


def _find_bases(project: Project) -> dict[int, tuple[int, str]]:
    """document -> (row id, public id) of the imported summary that was asked for nothing, which is the abstract."""
    rows = Annotation.objects.filter(project=project, sample__values={}, sample__group__chosen={}, assignment=None)
    fields = rows.order_by("-pk").values_list("sample__document_id", "pk", "public_id")
    return {document: (pk, str(public_id)) for document, pk, public_id in fields}


def _list_candidates(documents: Collection[int]) -> dict[int, tuple[str, ...]]:
    candidates: dict[int, list[str]] = {}
    rows = Candidate.objects.filter(document__in=documents, kind=Candidate.Kind.TOPIC).order_by("document_id", "rank")
    for document, text in rows.values_list("document_id", "text"):
        candidates.setdefault(document, []).append(text)
    return {document: tuple(texts[:MAX_CANDIDATES]) for document, texts in candidates.items()}
