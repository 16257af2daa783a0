"""Assigns the sources of a project to train, dev and test by origin, and says so in the manifest of every export."""

from typing import Any

from annotation.models import Project, SourceDocument
from annotation.services.exports.manifests import MANIFEST_PARTS
from annotation.services.sources.splits import NAMES, draw_project_splits
from modelbridge.models import ConstructionStep, RunState

BATCH = 500


def split_papers(*, project: Project, seed: int) -> dict[str, Any]:
    """Give every source without a split one by its origin, by the schema's shares; call inside a transaction. Returns
    how the splits were drawn and the number of sources in each; `kept`: those imported with a split, as published
    ones do."""
    shares = project.schema_version.schema.shares
    splits = draw_project_splits(project=project, seed=seed, shares=shares)
    sources = SourceDocument.objects.filter(project=project)
    n_kept = sources.exclude(split="").count()
    ids_by_split: dict[str, list[int]] = {}
    for pk, origin in sources.filter(split="").order_by("pk").values_list("pk", "origin_id"):
        ids_by_split.setdefault(splits.of(origin, ""), []).append(pk)
    for name, ids in ids_by_split.items():
        for start in range(0, len(ids), BATCH):
            SourceDocument.objects.filter(pk__in=ids[start : start + BATCH]).update(split=name)
    counts = {name: len(ids_by_split[name]) for name in NAMES if name in ids_by_split}
    return {"splits": splits.as_dict(), "sources": counts, "kept": n_kept}


@MANIFEST_PARTS.register
def describe_construction(project: Project) -> dict[str, Any]:
    """`construction` of the manifest: how the splits came about, and seed, options and counts of every step; {} for a
    project that was not constructed."""
    steps = ConstructionStep.objects.filter(project=project, state=RunState.DONE).order_by("pk")
    described = {
        step.key: {"seed": step.seed, "options": step.options, "result": step.result, "system": _name_system(step)}
        for step in steps.select_related("revision__system")
    }
    return {"construction": described} if described else {}


def _name_system(step: ConstructionStep) -> str | None:
    return f"{step.revision.system.key}@{step.revision.number}" if step.revision is not None else None
