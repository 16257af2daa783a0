"""Draws attribute values: seeded, versioned, identical on every machine. No Django here."""

from annotation.sampling.dryrun import MIN_PAIRS, ChiSquare, DrawWarning, DryRun, chi_square, dry_run
from annotation.sampling.generator import seeded_shuffle
from annotation.sampling.options import VERSIONS, ResolvedOptions, SamplerError, SamplerOptions, sampler_name
from annotation.sampling.planning import draw_order, plan_project, plan_source, take_within
from annotation.sampling.plans import GroupPlan, SamplePlan, SourcePlan, sample_budget

__all__ = [
    "MIN_PAIRS",
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
    "draw_order",
    "dry_run",
    "plan_project",
    "plan_source",
    "sample_budget",
    "sampler_name",
    "seeded_shuffle",
    "take_within",
]
