"""Every audit verb, job kind and state that a page may show has words."""

import re

import pytest
from django.db.models import Choices

import evaluation.models
import modelbridge.models
from annotation import models
from annotation.jobs import HANDLERS
from annotation.models import AuditVerb, BulkAction, PilotDecision, Verdict
from annotation.templatetags.pages import attribute_kind
from annotation.views.jobs.jobs import kind_name
from epitome.schema import ATTRIBUTE_KINDS
from epitome.systems.kinds import KINDS
from epitome.training.config import METHODS
from evaluation.services.monitoring import round_control
from modelbridge.templatetags.system_labels import kind_label, method_label, role_label

ENUMS = [
    models.AssignmentState,
    models.AuditVerb,
    models.BonusState,
    models.ContrastiveState,
    models.DeliveryState,
    models.BackgroundOrigin,
    models.BackgroundState,
    models.ContextKind,
    models.CrowdOutcome,
    models.EntityType,
    models.HitDecision,
    models.HitField,
    models.HitKind,
    models.JobState,
    models.NoteState,
    models.PilotState,
    models.PracticeState,
    models.RankingSplit,
    models.SampleState,
    models.SlotState,
    models.SplitBy,
    models.Verdict,
    models.WebhookTopic,
    evaluation.models.RoundState,
    evaluation.models.ItemAssignmentState,
    modelbridge.models.OutputState,
    modelbridge.models.RewriteState,
    modelbridge.models.RunState,
    modelbridge.models.TrainingState,
]
JOB_KINDS = {
    "construction": "Construct the benchmark",
    "contrastives": "Make contrastive examples",
    "contrastives-import": "Import contrastive examples",
    "count_tokens": "Count tokens",
    "export": "Export",
    "extract": "Extract candidates",
    "import": "Import sources",
    "judge-round": "Rate with a model",
    "meter": "Measure a draft",
    "example-finish": "Fill the example",
    "example-model": "Run the small language model",
    "example-reset": "Reset the examples",
    "prolific_bonus": "Send bonus payments to Prolific",
    "prolific_decision": "Decide about submissions on Prolific",
    "prolific_study": "Call Prolific about a study",
    "publication-check": "Check a publication",
    "publication-push": "Upload a publication",
    "publication-write": "Write a publication",
    "round-report": "Round report",
    "rounds-report": "Report of several rounds",
    "run": "Run a system",
    "sample": "Draw samples",
    "score": "Measure summaries",
    "statistics": "Calculate statistics",
    "extra-texts": "Request texts where annotators disagree",
    "run-scores": "Scores of runs",
    "tables": "Tables of runs",
    "train": "Train a system",
    "tuples": "Extract instances",
    "webhooks": "Deliver webhooks",
}


def test_every_job_kind_has_words():
    assert {handler.kind: kind_name(handler.kind) for handler in HANDLERS} == JOB_KINDS


def test_every_state_enum_is_listed():
    """A state or verdict enum added to a model package must be added to ENUMS."""
    packages = (models, evaluation.models, modelbridge.models)
    results = {
        value
        for package in packages
        for name, value in vars(package).items()
        if isinstance(value, type) and issubclass(value, Choices) and name != "Role"
    }
    assert results == set(ENUMS)


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_every_member_has_words_of_its_own(enum):
    """A label made by Django from the member's name is its value capitalised; written labels begin in lower case."""
    labels = [str(member.label) for member in enum]
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert re.fullmatch(r"[a-z][A-Za-z',; -]+", label), label


def test_audit_verbs_have_one_form():
    assert [verb for verb in AuditVerb if not re.fullmatch(r"[a-z_]+\.[a-z_]+", verb.value)] == []


def test_every_kind_of_decision_has_an_audit_verb():
    """These verbs are looked up by the kind of a stored row; a kind without one would raise ValueError."""
    kinds = set(BulkAction.Kind.values)
    rules = {BulkAction.Kind.RETURN.value, BulkAction.Kind.REOPEN.value}
    needed = {f"bulk.undo_{kind}" for kind in kinds}
    needed |= {f"bulk.{kind}" for kind in kinds - rules} | {f"task.{kind}" for kind in rules}
    needed |= {f"pilot.{kind}" for kind in PilotDecision.Kind.values}
    needed |= {f"inspection.{verdict}" for verdict in Verdict.values}
    needed |= {f"round.{action}" for action in round_control.ACTIONS}
    assert needed <= set(AuditVerb.values)


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        ([key for key, kind in KINDS.items() if kind.listed], kind_label),
        ({kind.role for kind in KINDS.values()}, role_label),
        (METHODS, method_label),
        (ATTRIBUTE_KINDS, attribute_kind),
    ],
    ids=["kinds of systems", "roles of systems", "methods of training", "kinds of attributes"],
)
def test_every_key_on_a_page_has_words(keys, label):
    assert [key for key in keys if label(key) == key] == []
