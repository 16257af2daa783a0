"""Webhooks: addresses that are notified of events, the events that wait to be sent, and what was sent."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.leased_work import LeasedWork, LeasedWorkQuerySet, WorkStates
from annotation.models.projects import Project


class WebhookTopic(models.TextChoices):
    """The events that a webhook can be notified of."""

    ANNOTATION_SUBMITTED = "annotation.submitted", _("a text was submitted")
    RUN_DONE = "run.done", _("a run has ended")
    ROUND_CLOSED = "round.closed", _("a round was closed")
    EXPORT_READY = "export.ready", _("an export is ready")
    TEST = "webhook.test", _("a test delivery")

    EVENTS: ClassVar[tuple["WebhookTopic", ...]]
    """Those that a webhook may listen to."""


WebhookTopic.EVENTS = tuple(topic for topic in WebhookTopic if topic != WebhookTopic.TEST)


class DeliveryState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("given up")

    ENDED: ClassVar[tuple["DeliveryState", ...]]
    """Not sent again."""


DeliveryState.ENDED = (DeliveryState.DELIVERED, DeliveryState.FAILED)


class Webhook(PublicId):
    """An address notified of a project's events. Its secret is derived from `secret_nonce` and the site's key."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(help_text=_("topics that it listens to, at least one"))
    secret_nonce = models.CharField(max_length=64, help_text=_("a new one replaces the secret"))
    secret_digest = models.CharField(max_length=64, help_text=_("SHA-256 of the secret that was shown"))
    paused_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text=_("tries that failed since the last success"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "id"], name="webhook_list")]


class WebhookEvent(PublicId):
    """An event that was stored with what caused it, until its deliveries are stored. data: ids and counts."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    topic = models.CharField(max_length=30, choices=WebhookTopic)
    data = models.JSONField()
    at = models.DateTimeField()


class WebhookDeliveryQuerySet(LeasedWorkQuerySet["WebhookDelivery"]):
    def due(self, now: datetime) -> Self:
        """To be sent now: neither paused nor being sent. A test is sent while its webhook is paused, too."""
        is_open = Q(webhook__paused_at=None) | Q(topic=WebhookTopic.TEST)
        # The state once more with "=", by which SQLite recognizes the partial index.
        return self.claimable(now).filter(is_open, state=DeliveryState.WAITING, due_at__lte=now)


class WebhookDelivery(LeasedWork):
    """One event for one webhook: the row is the job. body: what is sent and signed, at every try the same.

    It waits also while it is leased, and has no `worker`: it may be sent twice, and the result of either try counts.
    """

    work_states = WorkStates(DeliveryState.WAITING, leased=DeliveryState.WAITING, exhausted=DeliveryState.FAILED)

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event_id = models.UUIDField()
    topic = models.CharField(max_length=30, choices=WebhookTopic)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(help_text=_("when the event happened"))
    due_at = models.DateTimeField(help_text=_("when it is tried next; of ended ones the last such time"))
    lease_until = models.DateTimeField(null=True, blank=True, help_text=_("a worker is sending it until then"))
    sent_at = models.DateTimeField(null=True, blank=True, help_text=_("the last try"))
    status_code = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True, default="")
    answer = models.CharField(max_length=200, blank=True, default="", help_text=_("how the last answer began"))

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event_id"], name="webhook_delivery_once"),
            models.CheckConstraint(condition=Q(state__in=DeliveryState.values), name="webhook_delivery_state_known"),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="webhook_delivery_due"),
            models.Index(fields=["webhook", "-id"], name="webhook_delivery_list"),
        ]
