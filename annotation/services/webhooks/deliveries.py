"""Sends deliveries: a sweeper starts the job, the job claims one row after another and stores the result of each.

A row is sent at least once. A worker that is killed while sending leaves a lease (annotation.models.leased_work), after
which the row is sent again with the same id. After a failure the webhook rests, longer each time; after three days a
delivery is given up.
"""

import time
import uuid
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import Progress, create_job, database_now, register_handler, register_sweeper
from annotation.models import (
    AuditVerb,
    DeliveryState,
    Job,
    JobState,
    Project,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
    WebhookTopic,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.webhooks.outbox import build_delivery, is_listening, put_event, spread_events
from annotation.services.webhooks.posting import post_body
from annotation.services.webhooks.signature import find_secret, sign_body
from annotation.services.webhooks.targets import NotSent, find_target, is_switched_on
from annotation.services.webhooks.webhooks import check_switched_on, end_rest
from annotation.transactions import write_transaction

KIND = "webhooks"
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720))
"""After the first failed try, the second and so on; after all others the last one."""
GIVE_UP_AFTER = timedelta(days=3)
LEASE = timedelta(seconds=60)
"""Longer than one try may take."""
SLICE_SECONDS = 60
"""After this long other jobs have their turn; the sweeper starts the next one."""
LOG_LENGTH = 100
KEPT_JOBS = timedelta(days=1)


def announce_event(*, project_id: int, topic: WebhookTopic, describe: Callable[[], dict[str, Any]]) -> None:
    """Store an event in the caller's transaction and have it sent at once: for what happens now and then.

    describe: the event's ids and counts, asked for where a webhook may listen."""
    if not is_switched_on():
        return
    project = Project.objects.get(pk=project_id)
    if is_listening(project):
        put_event(project=project, topic=topic, data=describe())
        start_sending()


def start_sending() -> None:
    """Queue the job that sends, unless one waits or runs."""
    if not Job.objects.under_way().filter(kind=KIND).exists():
        create_job(kind=KIND, project=None, by=None)


@register_sweeper
def start_due_deliveries() -> None:
    """Start the job where anything is to be sent, and forget those that ended."""
    if not is_switched_on():
        return
    with write_transaction():
        Job.objects.filter(kind=KIND, finished_at__lt=timezone.now() - KEPT_JOBS, state__in=JobState.ENDED).delete()
        if WebhookEvent.objects.exists() or WebhookDelivery.objects.due(database_now()).exists():
            start_sending()


@register_handler(KIND, gettext_lazy("Deliver webhooks"), takes_turns=True, page="webhooks", kept="")
def run_deliveries(_job: Job, progress: Progress) -> dict[str, Any]:
    """Send what is due, for a minute. A webhook whose delivery failed is left alone for the rest of the run."""
    spread_events()
    counts = progress.carry({"delivered": 0, "failed": 0})
    resting: set[int] = set()
    end = time.monotonic() + SLICE_SECONDS
    while time.monotonic() < end and (delivery := claim_delivery(resting)) is not None:
        if send_delivery(delivery):
            counts["delivered"] += 1
        else:
            counts["failed"] += 1
            resting.add(delivery.webhook_id)
        progress.set(sum(counts.values()))
        progress.checkpoint()
    return counts


def claim_delivery(resting: Collection[int] = ()) -> WebhookDelivery | None:
    """The delivery that has been due longest, now leased by this worker; None: nothing is due."""
    while True:
        now = database_now()
        due_rows = WebhookDelivery.objects.due(now).exclude(webhook__in=resting)
        with write_transaction():
            row = due_rows.select_related("webhook").order_by("due_at", "pk").first()
            if row is None:
                return None
            due_row = WebhookDelivery.objects.due(now).filter(pk=row.pk)
            claimed = due_row.claim(now, lease=LEASE, attempts=F("attempts") + 1, sent_at=now)
        if claimed:
            row.attempts += 1
            return row


def send_delivery(delivery: WebhookDelivery) -> bool:
    """Try once and store the result; True where it was delivered."""
    changes: dict[str, Any] = {"status_code": None, "answer": "", "error": ""}
    try:
        answer = post_body(find_target(delivery.webhook.url), delivery.body.encode(), _build_headers(delivery))
        changes |= {"status_code": answer.status, "answer": answer.excerpt}
        changes["error"] = _describe_refusal(answer.status)
    except NotSent as error:
        changes["error"] = str(error)[:300]
    except BadInput as error:
        changes["error"] = error.message[:300]
    store_outcome(delivery, changes)
    return not changes["error"]


def _build_headers(delivery: WebhookDelivery) -> dict[str, str]:
    """Raises NotSent where nothing can be signed."""
    secret = find_secret(delivery.webhook)
    if secret is None:
        raise NotSent(_("The site's key has changed since the secret was shown. Replace the secret of this webhook."))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Epitome",
        "Epitome-Event": delivery.topic,
        "Epitome-Delivery": str(delivery.event_id),
        "Epitome-Signature": sign_body(secret, delivery.body.encode(), int(time.time())),
    }


def _describe_refusal(status: int) -> str:
    """Why this status is a failure; "" for success."""
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return _("The host answered with a redirect (%(n)d), which is not followed.") % {"n": status}
    return _("The host answered with status %(n)d.") % {"n": status}


def store_outcome(delivery: WebhookDelivery, changes: dict[str, Any]) -> None:
    """Store the result of a try, let a failing webhook rest, and cut its log."""
    now = timezone.now()
    is_test = delivery.topic == WebhookTopic.TEST
    with write_transaction():
        if not changes["error"]:
            changes["state"] = DeliveryState.DELIVERED
            end_rest(delivery.webhook_id, now if is_test else None)
        elif is_test:
            changes["state"] = DeliveryState.FAILED
        else:
            _put_off(delivery, now)
            if now - delivery.created_at >= GIVE_UP_AFTER:
                changes["state"] = DeliveryState.FAILED
        rows = WebhookDelivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING)
        rows.update(lease_until=None, **changes)
        cut_log(delivery.webhook_id)


def find_pause(n_failures: int) -> timedelta:
    """How long to wait after this many failures in a row."""
    return PAUSES[min(max(n_failures, 1), len(PAUSES)) - 1]


def _put_off(delivery: WebhookDelivery, now: datetime) -> None:
    """Delay this delivery by its own failures, and all that wait for the same webhook by the webhook's; give up those
    that are too old."""
    webhooks = Webhook.objects.filter(pk=delivery.webhook_id)
    webhooks.update(failures=F("failures") + 1)
    rest = find_pause(webhooks.values_list("failures", flat=True).first() or 1)
    waiting = WebhookDelivery.objects.filter(webhook=delivery.webhook_id, state=DeliveryState.WAITING)
    waiting = waiting.exclude(topic=WebhookTopic.TEST)
    others = waiting.exclude(pk=delivery.pk)
    old_rows = others.filter(created_at__lte=now - GIVE_UP_AFTER)
    old_rows.end(DeliveryState.FAILED, error=_("Not delivered within three days."))
    others.update(due_at=Greatest(F("due_at"), now + rest))
    waiting.filter(pk=delivery.pk).update(due_at=now + max(rest, find_pause(delivery.attempts)))


def cut_log(webhook_id: int) -> None:
    """Delete what ended, beyond the last hundred deliveries; call inside a transaction."""
    rows = WebhookDelivery.objects.filter(webhook=webhook_id)
    oldest_kept = rows.order_by("-pk").values_list("pk", flat=True)[LOG_LENGTH - 1 : LOG_LENGTH].first()
    if oldest_kept is not None:
        rows.filter(pk__lt=oldest_kept, state__in=DeliveryState.ENDED).delete()


def send_test(*, webhook: Webhook, by: AbstractBaseUser | None) -> WebhookDelivery:
    """Queue a test, which is tried once, also while the webhook is paused. Raises Conflict while webhooks are off."""
    check_switched_on()
    event = WebhookEvent(
        public_id=uuid.uuid4(), project=webhook.project, topic=WebhookTopic.TEST, data={}, at=timezone.now()
    )
    with write_transaction():
        delivery = build_delivery(webhook, event)
        delivery.save(force_insert=True)
        start_sending()
        audit.record_event(
            project=webhook.project, actor=by, verb=AuditVerb.WEBHOOK_TEST, target=f"webhook:{webhook.public_id}"
        )
    return delivery
