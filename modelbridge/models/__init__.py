"""The rows of the model bridge: systems, their frozen revisions, runs, one output per sample of a run, and the calls by
which a benchmark is constructed."""

from modelbridge.models.construction import ConstructedSample, ConstructionStep, Rewrite, RewriteState, RewriteVerdict
from modelbridge.models.runs import OutputState, Run, RunState, SystemOutput
from modelbridge.models.systems import System, SystemRevision
from modelbridge.models.training import TrainingMetric, TrainingRun, TrainingState

__all__ = [
    "ConstructedSample",
    "ConstructionStep",
    "OutputState",
    "Rewrite",
    "RewriteState",
    "RewriteVerdict",
    "Run",
    "RunState",
    "System",
    "SystemOutput",
    "SystemRevision",
    "TrainingMetric",
    "TrainingRun",
    "TrainingState",
]
