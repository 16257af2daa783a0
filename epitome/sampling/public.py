"""Seeded sampling of attribute values: which requests each source gets.

from epitome.sampling import plan_samples
plans = plan_samples({"news-1": 640, "news-2": 1200}, "macsum-doc", seed=7)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from epitome.sampling.dryrun import DryRun, dry_run
from epitome.sampling.options import SamplerError, SamplerOptions
from epitome.sampling.planning import plan_project
from epitome.sampling.plans import GroupPlan, SamplePlan, SourcePlan, sample_budget
from epitome.schema import Schema, load_preset, parse_schema

__all__ = [
    "DryRun",
    "GroupPlan",
    "SamplePlan",
    "SamplerError",
    "SourcePlan",
    "describe_plans",
    "load_schema",
    "plan_samples",
    "sample_budget",
]


def load_schema(name: str | Path) -> Schema:
    """The attribute schema of a preset (`macsum-doc`, `macsum-dial`, `ccsbench`) or of a TOML file.

    Raises epitome.schema.SchemaError, a ValueError with the place of the fault; OSError for a missing file.
    """
    path = Path(name)
    if path.suffix == ".toml":
        return parse_schema(path.read_text(encoding="utf-8"), path.name)
    return load_preset(str(name))


def plan_samples(
    sources: Mapping[str, int] | Iterable[tuple[str, int]],
    schema: Schema | str | Path = "macsum-doc",
    *,
    seed: int = 0,
    algorithm: str | None = None,
    **options: Any,
) -> list[SourcePlan]:
    """The groups and samples of every source.

    sources: words by the source's id, or (id, words). algorithm: uniform, one-step, macsum-release, weighted or
    balanced; default that of the schema. options: as epitome.sampling.options.SamplerOptions (group_size, overlap
    ...). The same seed, algorithm and id give the same samples whatever the other sources are, except for `balanced`.
    Raises SamplerError, a ValueError that names the option.
    """
    pairs = list(sources.items()) if isinstance(sources, Mapping) else list(sources)
    chosen = schema if isinstance(schema, Schema) else load_schema(schema)
    return plan_project(pairs, chosen, SamplerOptions(algorithm=algorithm, seed=seed, **options))


def describe_plans(plans: list[SourcePlan], schema: Schema | str | Path = "macsum-doc", pace: float = 10.0) -> DryRun:
    """Counts, chi-squares and pairs of the plans; `print(result.as_text())`. pace: minutes per summary."""
    return dry_run(plans, schema if isinstance(schema, Schema) else load_schema(schema), pace)
