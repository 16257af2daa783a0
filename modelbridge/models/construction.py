"""The construction of a benchmark: its steps, one row per call to a chat model, verdicts, and what was built from
them."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Job, Project, Sample, SourceDocument
from annotation.models.base import PublicId
from annotation.models.leased_work import LeasedWork, LeasedWorkQuerySet, WorkStates
from modelbridge.models.runs import RunState
from modelbridge.models.systems import SystemRevision


class StepQuerySet(models.QuerySet["ConstructionStep"]):
    def under_way(self) -> Self:
        """Steps that wait for a worker or run."""
        return self.filter(state__in=RunState.UNDER_WAY)


class ConstructionStep(PublicId):
    """One step from papers to the benchmark. `done` = its calls have ended, failures included, and its summaries are
    stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="construction_steps")
    key = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    revision = models.ForeignKey(
        SystemRevision, models.PROTECT, null=True, related_name="+", help_text=_("the one in use; empty: asks nobody")
    )
    options = models.JSONField(default=dict, help_text=_("sizes and choices of the step"))
    seed = models.BigIntegerField(default=0)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, help_text=_("the newest job that works on it"))
    error = models.TextField(blank=True, default="", help_text=_("why it stopped"))
    result = models.JSONField(default=dict, help_text=_("counts of what was built and of what was left out"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = StepQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="construction_step_once")]

    def __str__(self) -> str:
        return self.key


class RewriteState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    LEASED = "leased", _("in progress")
    DONE = "done", _("done")
    RETRIED = "retried", _("answer unusable, asked again")
    FAILED = "failed", _("failed")

    OPEN: ClassVar[tuple["RewriteState", ...]]
    """Still to be answered."""


RewriteState.OPEN = (RewriteState.WAITING, RewriteState.LEASED)


class RewriteQuerySet(LeasedWorkQuerySet["Rewrite"]):
    def open(self) -> Self:
        """Calls still to be answered."""
        return self.filter(state__in=RewriteState.OPEN)

    def done(self) -> Self:
        """Calls with an answer that can be used."""
        return self.filter(state=RewriteState.DONE)

    def failed(self) -> Self:
        """Calls that were given up."""
        return self.filter(state=RewriteState.FAILED)


class Rewrite(PublicId, LeasedWork):
    """One call to a chat model. An answer is stored once, by the worker that leased the call, and never asked for
    again."""

    work_states = WorkStates(
        RewriteState.WAITING, leased=RewriteState.LEASED, exhausted=RewriteState.FAILED, attempts="interrupted"
    )

    class Call(models.TextChoices):
        READABILITY = "readability", _("paraphrase for lay readers")
        IDENTIFICATION = "identification", _("empirical and conceptual content")
        PARAPHRASE = "paraphrase", _("empirical and conceptual summary")

    project = models.ForeignKey(Project, models.CASCADE, related_name="rewrites")
    step = models.ForeignKey(ConstructionStep, models.CASCADE, related_name="rewrites")
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="rewrites")
    base = models.ForeignKey(
        Annotation, models.PROTECT, null=True, related_name="rewrites", help_text=_("the summary that is rewritten")
    )
    call = models.CharField(max_length=20, choices=Call)
    subject = models.CharField(max_length=20, help_text=_("what is rewritten: abstract, empirical or conceptual"))
    attempt = models.PositiveSmallIntegerField(default=1, help_text=_("2: asked again, with what was wrong"))
    text = models.TextField(help_text=_("the text that is rewritten"))
    revision = models.ForeignKey(SystemRevision, models.PROTECT, null=True, related_name="rewrites")
    prompt_hash = models.CharField(max_length=64, blank=True, default="", help_text=_("SHA-256 of the conversation"))
    state = models.CharField(max_length=8, choices=RewriteState, default=RewriteState.WAITING)
    worker = models.CharField(max_length=120, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    interrupted = models.PositiveSmallIntegerField(
        default=0, help_text=_("times a worker ended during the call; such a call may have been paid for")
    )
    raw_answer = models.TextField(blank=True, default="")
    texts = models.JSONField(default=dict, help_text=_("the answer as read: aspect -> text or null"))
    error = models.TextField(blank=True, default="")
    usage = models.JSONField(default=dict, help_text=_("tokens and cost, as the server counts them"))
    cost = models.FloatField(default=0.0)
    versions = models.JSONField(default=dict, help_text=_("model and fingerprint, as the server names them"))
    decoding = models.JSONField(default=dict)
    seed = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RewriteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["step", "document", "call", "subject", "attempt"], name="rewrite_once_per_call"
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | (Q(lease_until__isnull=False) & ~Q(worker="")),
                name="rewrite_lease_has_worker",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="rewrite_failure_has_reason"),
        ]
        indexes = [
            models.Index(
                fields=["step", "id"], name="rewrite_to_do", condition=Q(state__in=[s.value for s in RewriteState.OPEN])
            ),
            models.Index(fields=["step", "state"], name="rewrite_progress"),
            models.Index(fields=["project", "id"], name="rewrite_list"),
        ]


class RewriteVerdict(models.Model):
    """What a person says of one text of a rewrite; a dropped one is in no set."""

    class Verdict(models.TextChoices):
        ACCEPT = "accept", _("accepted")
        DROP = "drop", _("dropped")

    rewrite = models.ForeignKey(Rewrite, models.CASCADE, related_name="verdicts")
    aspect = models.CharField(max_length=20)
    verdict = models.CharField(max_length=8, choices=Verdict)
    judged_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    judged_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rewrite", "aspect"], name="rewrite_verdict_once")]


class ConstructedSample(models.Model):
    """A sample that a step built, so that nothing is built twice and a dropped text is found in every set."""

    step = models.ForeignKey(ConstructionStep, models.CASCADE, related_name="constructed")
    sample = models.OneToOneField(Sample, models.PROTECT, related_name="constructed")
    key = models.CharField(max_length=120)
    rewrite = models.ForeignKey(Rewrite, models.PROTECT, null=True, related_name="constructed")
    aspect = models.CharField(max_length=20, blank=True, default="")
    origin = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["step", "key"], name="constructed_sample_once")]
