"""Ranking lists as JSON lines, with everything that a ranker reads: the export, and what trainings learn from."""

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project, RankingList, Release
from annotation.services.core.errors import BadInput
from annotation.services.exports.releases import get_release
from epitome.training.ranking_data import FORMAT
from modelbridge.services.runs.aggregation_requests import describe_task

ROWS_AT_ONCE = 500


def iterate_lines(project: Project, tag: str) -> Iterator[str]:
    """The lists as JSON lines, with everything that a ranker reads. Raises NotFound, BadInput without lists."""
    release = get_release(project=project, tag=tag)
    lists = RankingList.objects.filter(project=project, release=release).order_by("pk")
    if not lists.exists():
        raise BadInput(_("The release %(tag)s has no ranking lists.") % {"tag": tag}, field="release", code="nolists")
    return _render_lines(project, release, lists)


def _render_lines(project: Project, release: Release, lists: Any) -> Iterator[str]:
    rows = lists.select_related("sample__document__source_text", "sample__instance")
    for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
        yield json.dumps(_build_line(project, release, row), ensure_ascii=False, sort_keys=True) + "\n"


def _build_line(project: Project, release: Release, row: RankingList) -> dict[str, Any]:
    sample = row.sample
    instance, document = sample.instance, sample.document
    task = describe_task(instance, sample)
    return {
        "format": FORMAT,
        "task": "ranking",
        "project": project.slug,
        "release": release.tag,
        "key": instance.key,
        "sample_id": f"{document.external_id}#{sample.position}",
        "source_id": document.external_id,
        "origin_id": document.origin_id,
        "split": row.split,
        "split_by": row.split_by,
        "unseen": row.unseen,
        "entity_type": instance.entity_type,
        "entities": [{"name": entity.name, "background": entity.background} for entity in task.entities],
        "title": task.title,
        "context_kind": instance.context_kind,
        "context": task.context,
        "candidates": row.candidates,
        "golds": row.golds,
        "seed": row.seed,
    }
