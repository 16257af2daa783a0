"""The rows of the model bridge: systems, their frozen revisions, runs, one output per sample of a run, and the calls by
which a benchmark is constructed."""

from modelbridge.models.construction import ConstructedSample, ConstructionStep, Rewrite, RewriteState, RewriteVerdict
from modelbridge.models.run_meters import RunMeter, WarmSystem
from modelbridge.models.runs import OutputState, Run, RunQuerySet, RunState, SystemOutput
from modelbridge.models.systems import System, SystemRevision
from modelbridge.models.training import TrainingGroup, TrainingMetric, TrainingRun, TrainingState, TrainingText

__all__ = [
    "ConstructedSample",
    "ConstructionStep",
    "OutputState",
    "Rewrite",
    "RewriteState",
    "RewriteVerdict",
    "Run",
    "RunMeter",
    "RunQuerySet",
    "RunState",
    "System",
    "SystemOutput",
    "SystemRevision",
    "TrainingGroup",
    "TrainingMetric",
    "TrainingRun",
    "TrainingState",
    "TrainingText",
    "WarmSystem",
]
