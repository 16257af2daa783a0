"""Serializers of webhooks. Unknown fields are refused, so that a typing mistake is reported."""

from rest_framework import serializers

from annotation.api.core.serializers import Strict
from annotation.models import Webhook, WebhookDelivery
from annotation.services.webhooks.targets import MAX_URL
from annotation.services.webhooks.webhooks import TOPICS


class WebhookOut(serializers.ModelSerializer[Webhook]):
    id = serializers.UUIDField(source="public_id")
    events = serializers.ListField(child=serializers.CharField())
    failures = serializers.IntegerField(help_text="tries that failed since the last success")

    class Meta:
        model = Webhook
        fields = ["id", "url", "events", "paused_at", "failures", "created_at"]


class WebhookMade(WebhookOut):
    secret = serializers.CharField(help_text="shown once")

    class Meta(WebhookOut.Meta):
        fields = [*WebhookOut.Meta.fields, "secret"]


class WebhookIn(Strict):
    url = serializers.CharField(max_length=MAX_URL, help_text="of a host in EPITOME_WEBHOOK_HOSTS")
    events = serializers.ListField(
        child=serializers.ChoiceField(TOPICS), required=False, max_length=len(TOPICS), help_text="all where not given"
    )


class WebhookChangesIn(Strict):
    url = serializers.CharField(max_length=MAX_URL, required=False)
    events = serializers.ListField(child=serializers.ChoiceField(TOPICS), required=False, max_length=len(TOPICS))
    paused = serializers.BooleanField(required=False)


class SecretMade(serializers.Serializer[object]):
    secret = serializers.CharField(help_text="shown once")


class WebhookDeliveryOut(serializers.ModelSerializer[WebhookDelivery]):
    id = serializers.UUIDField(source="event_id", help_text="of the event: the same at every try")
    event = serializers.CharField(source="topic")
    due_at = serializers.DateTimeField(help_text="of one that waits: when it is tried next")

    class Meta:
        model = WebhookDelivery
        fields = [
            *("id", "event", "state", "attempts", "created_at", "sent_at", "due_at"),
            *("status_code", "error", "answer"),
        ]
