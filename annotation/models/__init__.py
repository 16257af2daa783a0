"""The models of the annotation app, one file per subject."""

from annotation.models.access import ApiToken, FirstPassword, LanguageChoice
from annotation.models.aggregations import (
    AggregationInstance,
    BackgroundOrigin,
    BackgroundState,
    ContextKind,
    EntityBackground,
    EntityType,
)
from annotation.models.annotations import Annotation, Draft, RefusedDraft, RestoredSkip, Suggestion
from annotation.models.assignments import Assignment, AssignmentState, Claim, Slot, SlotState
from annotation.models.audit import AuditEvent, AuditVerb
from annotation.models.contrastives import Contrastive, ContrastiveSet, ContrastiveState
from annotation.models.crowd_studies import BonusBatch, BonusPayment, BonusState, CrowdStudy, CrowdSubmission
from annotation.models.guidelines import GuidelineReading, GuidelineVersion, Question, Ruling
from annotation.models.identities import GroupRole, ProviderIdentity
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
from annotation.models.practice import PracticeItem, PracticePass, PracticeState, PracticeTry
from annotation.models.projects import Membership, Project, Role, SchemaVersion
from annotation.models.publications import HitDecision, HitField, HitKind, Publication, PublicationHit
from annotation.models.rankings import RankingList, RankingSplit, SplitBy
from annotation.models.releases import Release
from annotation.models.samples import (
    ASKS_NOTHING,
    IMPORTED,
    IS_REFERENCE,
    Draw,
    Group,
    Sample,
    SampleQuerySet,
    SampleState,
    build_split_expression,
)
from annotation.models.scores import Score
from annotation.models.sources import Candidate, SourceDocument, SourceImport, SourceSelection, SourceText
from annotation.models.steering import BulkAction, PoolExit, Reservation, StoredCounts
from annotation.models.task_notes import NoteState, TaskNote
from annotation.models.webhooks import DeliveryState, Webhook, WebhookDelivery, WebhookEvent, WebhookTopic
from annotation.models.withdrawing import Withdrawal
from annotation.models.workers import WorkerHeartbeat

__all__ = [
    "ASKS_NOTHING",
    "IMPORTED",
    "IS_REFERENCE",
    "AggregationInstance",
    "Annotation",
    "ApiToken",
    "Assignment",
    "AssignmentState",
    "AuditEvent",
    "AuditVerb",
    "BackgroundOrigin",
    "BackgroundState",
    "BonusBatch",
    "BonusPayment",
    "BonusState",
    "BulkAction",
    "Candidate",
    "Claim",
    "ConsentAgreement",
    "ConsentVersion",
    "ContextKind",
    "Contrastive",
    "ContrastiveSet",
    "ContrastiveState",
    "CrowdLink",
    "CrowdOutcome",
    "CrowdStudy",
    "CrowdSubmission",
    "CrowdWorker",
    "DeliveryState",
    "Draft",
    "Draw",
    "EntityBackground",
    "EntityType",
    "FirstPassword",
    "Group",
    "GroupRole",
    "GuidelineReading",
    "GuidelineVersion",
    "HitDecision",
    "HitField",
    "HitKind",
    "Inspection",
    "InspectionSample",
    "InspectionWeek",
    "Invitation",
    "InvitationUse",
    "Job",
    "JobState",
    "JobsSeen",
    "LanguageChoice",
    "Membership",
    "NoteState",
    "OverlapMark",
    "Participation",
    "PilotCandidate",
    "PilotDecision",
    "PilotSample",
    "PilotState",
    "PoolExit",
    "PracticeItem",
    "PracticePass",
    "PracticeState",
    "PracticeTry",
    "Project",
    "ProviderIdentity",
    "Publication",
    "PublicationHit",
    "Question",
    "RankingList",
    "RankingSplit",
    "RefusedDraft",
    "Release",
    "Reservation",
    "RestoredSkip",
    "Role",
    "Ruling",
    "Sample",
    "SampleQuerySet",
    "SampleState",
    "SchemaVersion",
    "Score",
    "Slot",
    "SlotState",
    "SourceDocument",
    "SourceImport",
    "SourceSelection",
    "SourceText",
    "SplitBy",
    "StoredCounts",
    "Suggestion",
    "TaskNote",
    "Verdict",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "WebhookTopic",
    "Withdrawal",
    "WorkerHeartbeat",
    "build_split_expression",
]
