"""Draws attribute values, so which requests each source gets: seeded, versioned, identical on every machine.

from epitome.sampling import plan_samples
plans = plan_samples({"news-1": 640, "news-2": 1200}, "macsum-doc", seed=7)
"""

from typing import TYPE_CHECKING

from epitome.lazy_exports import export_lazily
from epitome.sampling.dryrun import MIN_PAIRS, ChiSquare, DrawWarning, DryRun, chi_square, dry_run
from epitome.sampling.generator import seeded_shuffle
from epitome.sampling.options import MORE_BY, VERSIONS, ResolvedOptions, SamplerError, SamplerOptions, sampler_name
from epitome.sampling.overlap import count_writers, mean_writers
from epitome.sampling.planning import draw_order, plan_project, plan_source, take_within
from epitome.sampling.plans import GroupPlan, SamplePlan, SourcePlan, sample_budget

if TYPE_CHECKING:
    from epitome.sampling.public import describe_plans, load_schema, plan_samples

__all__ = [
    "MIN_PAIRS",
    "MORE_BY",
    "VERSIONS",
    "ChiSquare",
    "DrawWarning",
    "DryRun",
    "GroupPlan",
    "ResolvedOptions",
    "SamplePlan",
    "SamplerError",
    "SamplerOptions",
    "SourcePlan",
    "chi_square",
    "count_writers",
    "describe_plans",
    "draw_order",
    "dry_run",
    "load_schema",
    "mean_writers",
    "plan_project",
    "plan_samples",
    "plan_source",
    "sample_budget",
    "sampler_name",
    "seeded_shuffle",
    "take_within",
]

PUBLIC = ("describe_plans", "load_schema", "plan_samples")
__getattr__, __dir__ = export_lazily(__name__, dict.fromkeys(PUBLIC, "epitome.sampling.public"))
