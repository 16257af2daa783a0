"""The models of the annotation app, one file per subject."""

from annotation.models.access import ApiToken, FirstPassword
from annotation.models.annotations import Annotation, Draft, RefusedDraft, RestoredSkip
from annotation.models.assignments import Assignment, AssignmentState, Claim, Slot, SlotState
from annotation.models.audit import AuditEvent, AuditVerb
from annotation.models.guidelines import GuidelineReading, GuidelineVersion, Question, Ruling
from annotation.models.inspections import Inspection, InspectionSample, InspectionWeek, Verdict
from annotation.models.jobs import Job, JobsSeen, JobState
from annotation.models.joining import (
    ConsentAgreement,
    ConsentVersion,
    CrowdLink,
    CrowdOutcome,
    CrowdWorker,
    Invitation,
    InvitationUse,
    Participation,
)
from annotation.models.overlaps import OverlapMark
from annotation.models.pilots import PilotCandidate, PilotDecision, PilotSample, PilotState
from annotation.models.projects import Membership, Project, Role, SchemaVersion
from annotation.models.releases import Release
from annotation.models.samples import Draw, Group, Sample, SampleState
from annotation.models.scores import Score
from annotation.models.sources import Candidate, SourceDocument, SourceImport, SourceSelection, SourceText
from annotation.models.steering import BulkAction, PoolExit, Reservation, StoredCounts
from annotation.models.withdrawing import Withdrawal
from annotation.models.workers import WorkerHeartbeat

__all__ = [
    "Annotation",
    "ApiToken",
    "Assignment",
    "AssignmentState",
    "AuditEvent",
    "AuditVerb",
    "BulkAction",
    "Candidate",
    "Claim",
    "ConsentAgreement",
    "ConsentVersion",
    "CrowdLink",
    "CrowdOutcome",
    "CrowdWorker",
    "Draft",
    "Draw",
    "FirstPassword",
    "Group",
    "GuidelineReading",
    "GuidelineVersion",
    "Inspection",
    "InspectionSample",
    "InspectionWeek",
    "Invitation",
    "InvitationUse",
    "Job",
    "JobState",
    "JobsSeen",
    "Membership",
    "OverlapMark",
    "Participation",
    "PilotCandidate",
    "PilotDecision",
    "PilotSample",
    "PilotState",
    "PoolExit",
    "Project",
    "Question",
    "RefusedDraft",
    "Release",
    "Reservation",
    "RestoredSkip",
    "Role",
    "Ruling",
    "Sample",
    "SampleState",
    "SchemaVersion",
    "Score",
    "Slot",
    "SlotState",
    "SourceDocument",
    "SourceImport",
    "SourceSelection",
    "SourceText",
    "StoredCounts",
    "Verdict",
    "Withdrawal",
    "WorkerHeartbeat",
]
