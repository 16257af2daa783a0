"""The rows of the model bridge: systems, their frozen revisions, runs, and one output per sample of a run."""

from modelbridge.models.runs import OutputState, Run, RunState, SystemOutput
from modelbridge.models.systems import System, SystemRevision
from modelbridge.models.training import TrainingMetric, TrainingRun, TrainingState

__all__ = [
    "OutputState",
    "Run",
    "RunState",
    "System",
    "SystemOutput",
    "SystemRevision",
    "TrainingMetric",
    "TrainingRun",
    "TrainingState",
]
