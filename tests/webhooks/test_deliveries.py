"""Deliveries: one per event and webhook, signed, sent again until they arrive, and listed."""

import json
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import AuditEvent, Job, Project, Webhook, WebhookDelivery, WebhookEvent, WebhookTopic
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.webhooks import deliveries, outbox, webhooks
from annotation.services.webhooks.signature import sign_body
from tests.conftest import ROOT
from tests.webhooks.factories import EVENTS, HOOK, work_off_webhooks

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def happen(project, topic=WebhookTopic.RUN_DONE, **data):
    """An event of the project."""
    outbox.put_event(project=Project.objects.get(pk=project.pk), topic=topic, data=data)


def make_due(**changes):
    """Let what waits be tried now, as if the time had passed."""
    rows = WebhookDelivery.objects.filter(state="waiting")
    rows.update(due_at=timezone.now() - timedelta(seconds=1), lease_until=None, **changes)


def test_an_event_arrives_once_with_its_id(project, hooked, receiver):
    happen(project, run="a", done=3)
    job = work_off_webhooks()
    delivery = WebhookDelivery.objects.get()
    assert (job.state, job.result) == ("done", {"delivered": 1, "failed": 0})
    (body,) = receiver.bodies
    assert body == {
        "id": str(delivery.event_id),
        "event": "run.done",
        "created_at": delivery.created_at.isoformat(),
        "project": "news",
        "data": {"run": "a", "done": 3},
    }
    headers = receiver.got[0][1]
    assert headers["Epitome-Delivery"] == body["id"]
    assert (delivery.state, delivery.attempts, delivery.status_code, delivery.error) == ("delivered", 1, 204, "")
    assert not WebhookEvent.objects.exists()


def read_documented_check():
    """The function of docs/webhooks.md."""
    text = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    return names["is_from_epitome"]


def test_the_documented_check_accepts_a_delivery_and_nothing_else(project, hooked, receiver):
    secret, is_from_epitome = hooked[1], read_documented_check()
    happen(project)
    work_off_webhooks()
    _path, headers, body = receiver.got[0]
    signature = headers["Epitome-Signature"]
    assert is_from_epitome(secret, signature, body)
    assert not is_from_epitome(secret, signature, body + b" ")
    assert not is_from_epitome("eph_another", signature, body)
    assert not is_from_epitome(secret, signature.replace("t=1", "t=2", 1), body)
    assert not is_from_epitome(secret, sign_body(secret, body, 1_700_000_000), body)


def test_every_webhook_that_listens_gets_one_delivery(project, receiver):
    fields = {"project": project, "by": None}
    both = webhooks.create_webhook(url=receiver.url, events=["run.done", "round.closed"], **fields)[0]
    runs = webhooks.create_webhook(url=receiver.url, events=["run.done"], **fields)[0]
    webhooks.create_webhook(url=receiver.url, events=["export.ready"], **fields)
    happen(project)
    happen(project, WebhookTopic.ROUND_CLOSED)
    outbox.spread_events()
    webhook_deliveries = WebhookDelivery.objects.order_by("pk").values_list("webhook", "topic")
    assert sorted(webhook_deliveries) == sorted(
        [(both.pk, "run.done"), (runs.pk, "run.done"), (both.pk, "round.closed")]
    )


def test_the_database_holds_one_delivery_per_event_and_webhook(project, hooked):
    happen(project)
    event = WebhookEvent.objects.get()
    outbox.spread_events()
    with pytest.raises(IntegrityError), transaction.atomic():
        outbox.build_delivery(hooked[0], event).save()
    WebhookEvent.objects.bulk_create([event])  # as another worker would have seen it
    outbox.spread_events()
    assert WebhookDelivery.objects.count() == 1


def test_an_event_of_a_change_that_is_undone_is_not_told(project, hooked):
    with pytest.raises(RuntimeError), transaction.atomic():
        happen(project)
        raise RuntimeError
    assert not WebhookEvent.objects.exists()


def test_what_happened_before_a_webhook_or_elsewhere_is_not_told(project, hooked, receiver):
    happen(project)
    webhooks.create_webhook(project=project, url=receiver.url, events=EVENTS, by=None)
    outbox.spread_events()
    assert WebhookDelivery.objects.get().webhook == hooked[0]


def test_a_failure_is_tried_again_after_growing_pauses(project, hooked, receiver):
    receiver.status, receiver.answer = 500, b"out of order"
    happen(project)
    pauses = []
    for _try in range(9):
        work_off_webhooks()
        delivery = WebhookDelivery.objects.get()
        pauses.append(round((delivery.due_at - delivery.sent_at).total_seconds() / 60))
        make_due()
    assert pauses == [1, 5, 15, 60, 180, 360, 720, 720, 720]
    assert (delivery.state, delivery.attempts, delivery.status_code) == ("waiting", 9, 500)
    assert (delivery.error, delivery.answer) == ("The host answered with status 500.", "out of order")
    assert Webhook.objects.get().failures == 9
    receiver.status = 200
    work_off_webhooks()
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("delivered", "")
    assert Webhook.objects.get().failures == 0
    assert {body["id"] for body in receiver.bodies} == {str(delivery.event_id)}


def test_a_webhook_that_fails_is_left_alone_and_others_are_not(project, hooked, receiver):
    receiver.status = 503
    happen(project, n=1)
    happen(project, n=2)
    job = work_off_webhooks()
    assert job.result == {"delivered": 0, "failed": 1}
    assert len(receiver.got) == 1
    assert not WebhookDelivery.objects.due(timezone.now()).exists()
    assert WebhookDelivery.objects.filter(state="waiting").count() == 2


def test_one_delivery_that_fails_does_not_hold_up_the_rest(project, hooked, receiver):
    receiver.status = 400
    happen(project, n=1)
    work_off_webhooks()
    receiver.status = 200
    happen(project, n=2)
    work_off_webhooks()
    assert [body["data"]["n"] for body in receiver.bodies] == [1, 2]
    assert sorted(WebhookDelivery.objects.values_list("state", flat=True)) == ["delivered", "waiting"]


def test_old_deliveries_are_given_up(project, hooked, receiver):
    receiver.status = 500
    happen(project, n=1)
    happen(project, n=2)
    outbox.spread_events()
    make_due(created_at=timezone.now() - deliveries.GIVE_UP_AFTER)
    happen(project, n=3)
    work_off_webhooks()
    by_number = {json.loads(row.body)["data"]["n"]: row for row in WebhookDelivery.objects.all()}
    assert {n: row.state for n, row in by_number.items()} == {1: "failed", 2: "failed", 3: "waiting"}
    assert by_number[2].error == "Not delivered within three days."


def test_a_worker_killed_while_sending_loses_nothing(project, hooked, receiver):
    """The lease it leaves runs out, and the same delivery is sent again."""
    happen(project)
    outbox.spread_events()
    claimed = deliveries.claim_delivery()
    assert claimed is not None and deliveries.claim_delivery() is None
    WebhookDelivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    work_off_webhooks()
    assert receiver.bodies[0]["id"] == str(claimed.event_id)
    assert WebhookDelivery.objects.get().attempts == 2


def test_a_delivery_whose_outcome_was_not_stored_is_sent_again_with_its_id(project, hooked, receiver, monkeypatch):
    happen(project)

    def kill(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(deliveries, "store_outcome", kill)
        work_off_webhooks()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    make_due()
    work_off_webhooks()
    first, again = receiver.bodies
    assert first == again


def test_the_log_keeps_the_last_hundred_and_all_that_wait(project, hooked, receiver):
    for number in range(deliveries.LOG_LENGTH + 5):
        happen(project, n=number)
    outbox.spread_events()
    first = WebhookDelivery.objects.order_by("pk")[0]
    WebhookDelivery.objects.exclude(pk=first.pk).update(state="delivered")
    deliveries.cut_log(hooked[0].pk)
    assert WebhookDelivery.objects.count() == deliveries.LOG_LENGTH + 1
    assert WebhookDelivery.objects.filter(pk=first.pk).exists()


def test_a_paused_webhook_keeps_what_waits_and_misses_the_rest(project, hooked, receiver):
    webhook = hooked[0]
    happen(project, n=1)
    webhooks.change_webhook(webhook=webhook, by=None, paused=True)
    happen(project, n=2)
    outbox.spread_events()
    assert deliveries.claim_delivery() is None
    assert not Project.objects.get(pk=project.pk).has_webhooks
    webhooks.change_webhook(webhook=webhook, by=None, paused=False)
    happen(project, n=3)
    work_off_webhooks()
    assert [body["data"]["n"] for body in receiver.bodies] == [1, 3]


def test_a_test_is_sent_once_also_while_paused(project, hooked, receiver):
    webhook = webhooks.change_webhook(webhook=hooked[0], by=None, paused=True)
    receiver.status = 500
    deliveries.send_test(webhook=webhook, by=None)
    work_off_webhooks()
    delivery = WebhookDelivery.objects.get()
    assert (delivery.topic, delivery.state, delivery.attempts) == ("webhook.test", "failed", 1)
    assert Webhook.objects.get().failures == 0
    assert receiver.bodies[0]["event"] == "webhook.test"


def test_a_new_secret_signs_what_waits(project, hooked, receiver):
    webhook, old = hooked
    happen(project)
    new = webhooks.rotate_secret(webhook=webhook, by=None)
    work_off_webhooks()
    _path, headers, body = receiver.got[0]
    is_from_epitome = read_documented_check()
    assert is_from_epitome(new, headers["Epitome-Signature"], body)
    assert not is_from_epitome(old, headers["Epitome-Signature"], body)


def test_the_secret_is_not_stored(hooked):
    webhook, secret = hooked
    stored = {str(value) for value in Webhook.objects.filter(pk=webhook.pk).values()[0].values()}
    assert secret.startswith("eph_") and len(secret) > 60
    assert not any(secret.removeprefix("eph_") in value for value in stored)


def test_nothing_is_sent_once_the_sites_key_is_another_one(project, hooked, receiver, settings):
    happen(project)
    settings.SECRET_KEY = "another-key-of-this-site-" * 2
    work_off_webhooks()
    assert receiver.got == []
    assert "Replace the secret" in WebhookDelivery.objects.get().error


def test_a_host_that_is_no_longer_listed_gets_nothing(project, hooked, receiver, settings):
    happen(project)
    outbox.spread_events()
    settings.EPITOME_WEBHOOK_HOSTS = settings.EPITOME_WEBHOOK_HOSTS[:0]
    deliveries.start_due_deliveries()
    assert not Job.objects.filter(kind="webhooks").exists()
    delivery = deliveries.claim_delivery()
    assert not deliveries.send_delivery(delivery)
    assert receiver.got == []
    assert "EPITOME_WEBHOOK_HOSTS" in WebhookDelivery.objects.get().error


def test_a_deleted_webhook_is_gone_with_what_waits(project, hooked, receiver):
    happen(project)
    outbox.spread_events()
    webhooks.delete_webhook(webhook=hooked[0], by=None)
    assert not WebhookDelivery.objects.exists()
    assert not Project.objects.get(pk=project.pk).has_webhooks
    happen(project)
    assert not WebhookEvent.objects.exists()


def test_a_webhook_deleted_while_it_is_sent_to_breaks_nothing(project, hooked, receiver):
    happen(project)
    outbox.spread_events()
    delivery = deliveries.claim_delivery()
    Webhook.objects.all().delete()
    assert deliveries.send_delivery(delivery)
    receiver.status = 500
    assert not deliveries.send_delivery(delivery)


def test_nothing_due_starts_no_job_and_old_jobs_are_forgotten(project, hooked):
    deliveries.start_due_deliveries()
    assert not Job.objects.exists()
    long_ago = timezone.now() - timedelta(days=2)
    Job.objects.create(kind="webhooks", state="done", finished_at=long_ago)
    Job.objects.create(kind="export", state="done", finished_at=long_ago)
    deliveries.start_due_deliveries()
    assert Job.objects.get().kind == "export"


def test_what_cannot_be_used_is_refused(project, receiver, settings):
    fields = {"project": project, "by": None}
    with pytest.raises(BadInput, match="Choose at least one"):
        webhooks.create_webhook(url=receiver.url, events=[], **fields)
    with pytest.raises(BadInput, match="Choose at least one"):
        webhooks.create_webhook(url=receiver.url, events=["webhook.test"], **fields)
    with pytest.raises(BadInput, match="may not send"):
        webhooks.create_webhook(url=HOOK, events=EVENTS, **fields)
    for _number in range(webhooks.MAX_WEBHOOKS):
        webhook, _secret = webhooks.create_webhook(url=receiver.url, events=EVENTS, **fields)
    with pytest.raises(Conflict, match="at most 20"):
        webhooks.create_webhook(url=receiver.url, events=EVENTS, **fields)
    settings.EPITOME_WEBHOOK_HOSTS = []
    with pytest.raises(Conflict, match="off on this site"):
        webhooks.create_webhook(url=receiver.url, events=EVENTS, **fields)
    with pytest.raises(Conflict, match="off on this site"):
        deliveries.send_test(webhook=webhook, by=None)
    webhooks.delete_webhook(webhook=webhook, by=None)  # possible all the same


def test_every_change_is_in_the_audit_log(project, hooked):
    webhook = hooked[0]
    webhooks.change_webhook(webhook=webhook, by=None, events=["run.done"])
    webhooks.change_webhook(webhook=webhook, by=None, events=["run.done"])
    webhooks.change_webhook(webhook=webhook, by=None, paused=True)
    webhooks.change_webhook(webhook=webhook, by=None, paused=False)
    webhooks.rotate_secret(webhook=webhook, by=None)
    deliveries.send_test(webhook=webhook, by=None)
    webhooks.delete_webhook(webhook=webhook, by=None)
    events = AuditEvent.objects.filter(verb__startswith="webhook.").order_by("pk")
    verbs = ("create", "change", "pause", "resume", "rotate", "test", "delete")
    assert [event.verb for event in events] == [f"webhook.{verb}" for verb in verbs]
    assert {event.target for event in events} == {f"webhook:{webhook.public_id}"}
    assert "127.0.0.1" not in str([event.detail for event in events])
