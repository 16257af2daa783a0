"""The gold summaries that contrastive examples are made from: imported references and accepted summaries.

A tuple is one gold of one sample. Its key names it across sites: the id of its sample and a hash of the text.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Annotation, AssignmentState, Project, SampleState, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.core.word_patterns import join_names
from annotation.services.exports.export_selection import ACCEPTED

ROWS = 2000


class Gold(NamedTuple):
    """One gold summary. key: `{source}#{position of the sample}:{hash of the text}`. split: of its source."""

    annotation_id: int
    sample_id: int
    document_id: int
    key: str
    text: str
    split: str

    @property
    def sample_key(self) -> str:
        return self.key.rpartition(":")[0]


def has_golds(project: Project) -> bool:
    """Whether finished tasks of the project are summaries, from which examples can be made."""
    return get_task_kind(project.kind, has_sample=True).summarizes


def check_project(project: Project) -> None:
    """Raises BadInput for a project whose tasks are no summaries."""
    if not has_golds(project):
        raise BadInput(_("Contrastive examples are made from summaries. The tasks of this project are others."))


def gold_annotations(project: Project) -> "QuerySet[Annotation]":
    """The newest revisions of accepted summaries, and imported references; without void samples, damaged sources and
    texts that were withdrawn."""
    return (
        Annotation.objects.filter(
            Q(assignment__isnull=True) | Q(assignment__state=AssignmentState.ACCEPTED),
            ~text_gone(),
            project=project,
            sample__state=SampleState.ACTIVE,
            sample__document__published=True,
            sample__document__damaged=False,
            surplus=False,
        )
        .latest_revisions()
        .order_by("sample__document_id", "sample_id", "pk")
    )


def list_golds(
    project: Project,
    *,
    split: str = "",
    without: Collection[str] = (),
    annotations: Collection[int] | None = None,
) -> Iterator[Gold]:
    """Every gold in the order of the sources, empty texts left out. split: of the sources; "" for all. without: not
    of sources with these ids. annotations: only these."""
    kind = get_task_kind(project.kind, has_sample=True)
    rows = gold_annotations(project)
    if split:
        rows = rows.filter(sample__document__split=split)
    if without:
        rows = rows.exclude(sample__document__external_id__in=list(without))
    if annotations is not None:
        rows = rows.filter(pk__in=list(annotations))
    columns = ("pk", "sample_id", "sample__document_id", "sample__document__external_id", "sample__position", "payload")
    unaccepted = _list_unaccepted(project, annotations)
    sample_before, keys = 0, Counter[str]()
    for pk, sample, document, external_id, position, payload, source_split in rows.values_list(
        *columns, "sample__document__split"
    ).iterator(ROWS):
        text = kind.text_of(payload)
        if not text.strip() or pk in unaccepted:
            continue
        if sample != sample_before:
            sample_before, keys = sample, Counter()
        key = build_key(external_id, position, text)
        keys[key] += 1
        key = key if keys[key] == 1 else f"{key}.{keys[key]}"  # the same text twice
        yield Gold(pk, sample, document, key, text, source_split)


def _list_unaccepted(project: Project, annotations: Collection[int] | None) -> set[int]:
    """Summaries restored from an export whose line names a state that is no gold's."""
    restored = Annotation.objects.filter(project=project, origin=Annotation.Origin.RESTORED)
    if annotations is not None:
        restored = restored.filter(pk__in=list(annotations))
    unaccepted = set()
    for pk, raw_json in restored.values_list("pk", "raw_json").iterator(ROWS):
        line = json.loads(raw_json) if raw_json else {}
        if isinstance(line, dict) and line.get("state", "imported") not in ACCEPTED:
            unaccepted.add(pk)
    return unaccepted


def build_key(external_id: str, position: int, text: str) -> str:
    return f"{external_id}#{position}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def check_sources(project: Project, external_ids: Collection[str]) -> None:
    """Raises BadInput naming the ids that no source of the project has."""
    rows = SourceDocument.objects.filter(project=project, external_id__in=list(external_ids))
    unknown = sorted(set(external_ids) - set(rows.values_list("external_id", flat=True)))
    if unknown:
        names = join_names(name[:60] for name in unknown[:5])
        raise BadInput(_("These sources are not in the project: %(names)s.") % {"names": names}, field="without")


def draw_golds(project: Project, *, split: str, n: int, seed: int, without: Collection[str] = ()) -> list[Gold]:
    """At most n golds, in the order of the sources. Which ones depends on the seed and their keys only: more golds
    later displace few of them."""
    golds = list(list_golds(project, split=split, without=without))
    if len(golds) <= n:
        return golds

    def rank(gold: Gold) -> bytes:
        return hashlib.sha256(f"{seed}|golds|{gold.key}".encode()).digest()

    drawn = {gold.annotation_id for gold in sorted(golds, key=rank)[:n]}
    return [gold for gold in golds if gold.annotation_id in drawn]


def list_splits(project: Project) -> list[str]:
    """The splits of the project's sources, without the empty one."""
    rows = SourceDocument.objects.filter(project=project).exclude(split="").order_by("split")
    return list(rows.values_list("split", flat=True).distinct())
