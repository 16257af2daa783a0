"""The writes about webhooks, by name, as tests/tasks/all_writes.py has them."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotation.models import Job, Project, WebhookDelivery, WebhookTopic
from annotation.services.webhooks import deliveries, outbox
from tests.webhooks.factories import make_webhook

Work = Callable[[], Any]


def _put_event(world: Any) -> Project:
    """A webhook whose test waits, and an event that is not spread."""
    make_webhook(world.project)
    project = Project.objects.get(pk=world.project.pk)
    outbox.put_event(project=project, topic=WebhookTopic.RUN_DONE, data={"run": "1"})
    return project


def events_spread(world: Any) -> Work:
    _put_event(world)
    return outbox.spread_events


def delivery_claimed(world: Any) -> Work:
    make_webhook(world.project)
    return deliveries.claim_delivery


def delivery_failed(world: Any) -> Work:
    _put_event(world)
    outbox.spread_events()
    delivery = WebhookDelivery.objects.select_related("webhook").filter(topic=WebhookTopic.RUN_DONE)[0]
    return lambda: deliveries.store_outcome(delivery, {"status_code": 500, "answer": "", "error": "no"})


def sending_started(world: Any) -> Work:
    _put_event(world)
    Job.objects.filter(kind=deliveries.KIND).update(state="done", finished_at=timezone.now() - 2 * deliveries.KEPT_JOBS)
    return deliveries.start_due_deliveries


WEBHOOK_WRITES: dict[str, Callable[[Any], Work]] = {
    "events of webhooks spread": events_spread,
    "delivery claimed": delivery_claimed,
    "delivery failed": delivery_failed,
    "sending of deliveries started": sending_started,
}
