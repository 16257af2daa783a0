"""The outbox: an event is stored in the transaction of what caused it, and becomes one delivery per webhook later.

Nothing else happens in that transaction, so that a submit costs one insert where a webhook may listen and nothing where
none does. A killed worker loses nothing: an event is deleted in the transaction that stores its deliveries.
"""

import json
import uuid
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.models import DeliveryState, Project, Webhook, WebhookDelivery, WebhookEvent, WebhookTopic
from annotation.services.core.prepared_queries import PreparedInsert
from annotation.transactions import write_transaction

INSERT_EVENT = PreparedInsert(WebhookEvent)
BATCH = 500


def is_listening(project: Project) -> bool:
    """Whether a webhook of the project may be notified of something; costs no query."""
    return bool(settings.EPITOME_WEBHOOK_HOSTS and project.has_webhooks)


def put_event(*, project: Project, topic: WebhookTopic, data: dict[str, Any]) -> None:
    """Store an event in the caller's transaction, if a webhook may listen. data: ids and counts, never texts or names.

    project: as it was read in this request."""
    if is_listening(project):
        event = {
            "public_id": uuid.uuid4(),
            "project_id": project.pk,
            "topic": topic.value,
            "data": data,
            "at": timezone.now(),
        }
        INSERT_EVENT.send([event])


def spread_events() -> int:
    """Turn stored events into deliveries, each once for every webhook that listens; returns how many events."""
    n_events = 0
    while n_batch := _spread_batch():
        n_events += n_batch
    return n_events


def _spread_batch() -> int:
    with write_transaction():
        rows = WebhookEvent.objects.select_for_update(of=("self",)).select_related("project")
        events = list(rows.order_by("pk")[:BATCH])
        webhooks = Webhook.objects.filter(project__in={event.project_id for event in events})
        hooks_by_project: dict[int, list[Webhook]] = {}
        for webhook in webhooks.order_by("pk") if events else ():
            hooks_by_project.setdefault(webhook.project_id, []).append(webhook)
        deliveries = [
            build_delivery(webhook, event)
            for event in events
            for webhook in _choose_listeners(hooks_by_project.get(event.project_id, ()), event)
        ]
        WebhookDelivery.objects.bulk_create(deliveries, ignore_conflicts=True)
        if events:
            WebhookEvent.objects.filter(pk__in=[event.pk for event in events]).delete()
    return len(events)


def _choose_listeners(webhooks: Iterable[Webhook], event: WebhookEvent) -> list[Webhook]:
    """Webhooks that listened when the event happened: created before it, and not paused by then."""
    return [
        webhook
        for webhook in webhooks
        if event.topic in webhook.events
        and webhook.created_at <= event.at
        and (webhook.paused_at is None or webhook.paused_at > event.at)
    ]


def build_delivery(webhook: Webhook, event: WebhookEvent) -> WebhookDelivery:
    """An event as it is sent to a webhook."""
    body = {
        "id": str(event.public_id),
        "event": event.topic,
        "created_at": event.at.isoformat(),
        "project": event.project.slug,
        "data": event.data,
    }
    return WebhookDelivery(
        webhook=webhook,
        event_id=event.public_id,
        topic=event.topic,
        body=json.dumps(body, ensure_ascii=True, separators=(",", ":")),
        state=DeliveryState.WAITING,
        created_at=event.at,
        due_at=event.at,
    )
