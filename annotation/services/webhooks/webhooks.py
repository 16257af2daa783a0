"""Webhooks of a project: created, changed, paused, given a new secret, deleted. Admins only; the operator lists the
hosts that the site may send to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, DeliveryState, Project, Webhook, WebhookDelivery, WebhookTopic
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.word_patterns import join_names
from annotation.services.webhooks.signature import make_secret
from annotation.services.webhooks.targets import find_target, is_switched_on
from annotation.transactions import write_transaction

MAX_WEBHOOKS = 20
TOPICS = [(topic.value, topic.label) for topic in WebhookTopic.EVENTS]


def create_webhook(
    *, project: Project, url: str, events: Sequence[str], by: AbstractBaseUser | None
) -> tuple[Webhook, str]:
    """The new webhook and its secret, which is not stored and cannot be shown again.

    Raises Conflict while webhooks are off or the project has too many, BadInput for an address or events that cannot
    be used."""
    check_switched_on()
    find_target(url)
    secret, columns = make_secret()
    values = {"url": url, "events": check_events(events), **columns}
    with write_transaction():
        locked = _lock_project(project)
        if Webhook.objects.filter(project=locked).count() >= MAX_WEBHOOKS:
            message = _("A project has at most %(n)d webhooks. Delete one first.") % {"n": MAX_WEBHOOKS}
            raise Conflict(message, code="toomanywebhooks")
        webhook = Webhook.objects.create(
            project=locked, created_by_id=by.pk if by is not None else None, created_at=timezone.now(), **values
        )
        _update_project(locked)
        _record_audit(webhook, by, AuditVerb.WEBHOOK_CREATE, events=values["events"])
    return webhook, secret


def change_webhook(
    *,
    webhook: Webhook,
    by: AbstractBaseUser | None,
    url: str | None = None,
    events: Sequence[str] | None = None,
    paused: bool | None = None,
) -> Webhook:
    """Change what is given; what waits is then tried within a minute. Raises BadInput, Conflict."""
    changes: dict[str, Any] = {}
    if url is not None and url != webhook.url:
        check_switched_on()
        find_target(url)
        changes["url"] = url
    if events is not None and check_events(events) != webhook.events:
        changes["events"] = check_events(events)
    with write_transaction():
        project = _lock_project(webhook.project)
        if changes:
            Webhook.objects.filter(pk=webhook.pk).update(**changes)
            end_rest(webhook.pk, timezone.now())
            _record_audit(webhook, by, AuditVerb.WEBHOOK_CHANGE, changed=sorted(changes))
        if paused is not None:
            _set_paused(webhook, paused, by)
        _update_project(project)
        webhook.refresh_from_db()
    return webhook


def _set_paused(webhook: Webhook, paused: bool, by: AbstractBaseUser | None) -> None:
    rows = Webhook.objects.filter(pk=webhook.pk, paused_at__isnull=paused)
    now = timezone.now()
    if rows.update(paused_at=now if paused else None):
        end_rest(webhook.pk, now)
        _record_audit(webhook, by, AuditVerb.WEBHOOK_PAUSE if paused else AuditVerb.WEBHOOK_RESUME)


def rotate_secret(*, webhook: Webhook, by: AbstractBaseUser | None) -> str:
    """A new secret, shown once; the old one signs nothing from now on."""
    secret, columns = make_secret()
    with write_transaction():
        Webhook.objects.filter(pk=webhook.pk).update(**columns)
        end_rest(webhook.pk, timezone.now())
        _record_audit(webhook, by, AuditVerb.WEBHOOK_ROTATE)
    return secret


def delete_webhook(*, webhook: Webhook, by: AbstractBaseUser | None) -> None:
    """With its log and everything that waits to be sent."""
    with write_transaction():
        project = _lock_project(webhook.project)
        if Webhook.objects.filter(pk=webhook.pk).delete()[0]:
            _record_audit(webhook, by, AuditVerb.WEBHOOK_DELETE)
        _update_project(project)


def end_rest(webhook_id: int, now: datetime | None) -> None:
    """Forget the failures of a webhook; call inside a transaction. now: what waits is due at once."""
    Webhook.objects.filter(pk=webhook_id, failures__gt=0).update(failures=0)
    if now is not None:
        waiting = WebhookDelivery.objects.filter(webhook=webhook_id, state=DeliveryState.WAITING, due_at__gt=now)
        waiting.update(due_at=now)


def check_switched_on() -> None:
    """Raises Conflict while the operator lists no host."""
    if not is_switched_on():
        message = _("Webhooks are off on this site: its operator lists the hosts for them in EPITOME_WEBHOOK_HOSTS.")
        raise Conflict(message, code="webhooksoff")


def check_events(events: Sequence[str]) -> list[str]:
    """Known topics, each once, in the order of the list. Raises BadInput."""
    known = [topic.value for topic in WebhookTopic.EVENTS]
    if not events or set(events) - set(known):
        raise BadInput(_("Choose at least one of: %(list)s.") % {"list": join_names(known)}, field="events")
    return [topic for topic in known if topic in events]


def _lock_project(project: Project) -> Project:
    """Changes of one project's webhooks wait for each other, so that its mark agrees with them."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def _update_project(project: Project) -> None:
    has_any = Webhook.objects.filter(project=project, paused_at=None).exists()
    Project.objects.filter(pk=project.pk).exclude(has_webhooks=has_any).update(has_webhooks=has_any)


def _record_audit(webhook: Webhook, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    audit.record_event(project=webhook.project, actor=by, verb=verb, target=f"webhook:{webhook.public_id}", **detail)
