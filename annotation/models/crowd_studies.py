"""Studies of crowd links on a platform, their submissions, and the bonus payments that were sent. Money is in the
smallest unit of its currency, as whole numbers."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.joining import CrowdLink, CrowdWorker
from annotation.models.projects import Project


class CrowdStudy(PublicId):
    """One study on Prolific, whose address is one crowd link."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="crowd_studies")
    link = models.OneToOneField(CrowdLink, models.PROTECT, related_name="study_on_platform")
    name = models.CharField(max_length=120, help_text=_("shown to participants"))
    description = models.TextField(help_text=_("shown to participants"))
    minutes = models.PositiveIntegerField(help_text=_("expected"))
    reward = models.PositiveIntegerField(help_text=_("in cents or pence"))
    currency = models.CharField(max_length=3)
    places = models.PositiveIntegerField()
    devices = models.JSONField(default=list)
    sent_at = models.DateTimeField(null=True, help_text=_("when the platform was asked to create it"))
    platform_id = models.CharField(max_length=60, blank=True, default="")
    status = models.CharField(max_length=40, blank=True, default="", help_text=_("in the platform's words"))
    error = models.CharField(max_length=500, blank=True, default="", help_text=_("of the last call"))
    read_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reward__gte=1, places__gte=1, minutes__gte=1), name="crowd_study_sizes"),
            models.UniqueConstraint(fields=["platform_id"], condition=~Q(platform_id=""), name="crowd_study_once"),
        ]


class CrowdSubmission(models.Model):
    """One participant's submission, as the platform described it last. The participant's id is the worker's alone."""

    study = models.ForeignKey(CrowdStudy, models.CASCADE, related_name="submissions")
    platform_id = models.CharField(max_length=60)
    worker = models.ForeignKey(CrowdWorker, models.SET_NULL, null=True, related_name="submissions")
    status = models.CharField(max_length=40, help_text=_("in the platform's words"))
    entered_code = models.CharField(max_length=60, blank=True, default="")
    completed_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True, default="", help_text=_("of the last decision"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "platform_id"], name="crowd_submission_once")]


class BonusState(models.TextChoices):
    """How far a batch of bonus payments is."""

    PREPARED = "prepared", _("prepared")
    SET_UP = "set_up", _("set up on the platform, not paid")
    SENDING = "sending", _("being sent")
    UNCERTAIN = "uncertain", _("unclear, the answer was lost")
    SENT = "sent", _("sent, not confirmed yet")
    PAID = "paid", _("paid")
    REFUSED = "refused", _("refused, nothing was paid")

    OPEN: ClassVar[tuple["BonusState", ...]]
    """Its end is not known yet."""


BonusState.OPEN = (BonusState.PREPARED, BonusState.SET_UP, BonusState.SENDING, BonusState.UNCERTAIN)


class BonusBatch(PublicId):
    """Bonus payments that are sent by one call. `sending` is stored before the call, which is made once: the result of
    it is then read from the platform."""

    study = models.ForeignKey(CrowdStudy, models.PROTECT, related_name="bonus_batches")
    state = models.CharField(max_length=10, choices=BonusState, default=BonusState.PREPARED)
    platform_id = models.CharField(max_length=60, blank=True, default="")
    error = models.CharField(max_length=500, blank=True, default="")
    sent_at = models.DateTimeField(null=True, help_text=_("when the call was begun"))
    checked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=BonusState.values), name="bonus_state_known"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(state__in=BonusState.OPEN), name="bonus_batch_open_once"
            ),
        ]


class BonusPayment(models.Model):
    """One bonus. A submission has one at most, so that none is paid twice."""

    batch = models.ForeignKey(BonusBatch, models.CASCADE, related_name="payments")
    submission = models.OneToOneField(CrowdSubmission, models.PROTECT, related_name="bonus")
    amount = models.PositiveIntegerField(help_text=_("in cents or pence"))
    minutes = models.FloatField(help_text=_("of the ledger, when it was prepared"))
    paid_before = models.JSONField(default=list, help_text=_("bonuses that the platform listed before the call"))
    confirmed_at = models.DateTimeField(null=True, help_text=_("when the platform listed it"))

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(amount__gte=1), name="bonus_positive")]
