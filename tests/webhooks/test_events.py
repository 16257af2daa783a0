"""What webhooks are told: with what caused it, in ids and counts, and at no cost where nobody listens."""

import json
import uuid
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Job, Project, Role, WebhookDelivery, WebhookEvent
from annotation.services.exports import exporting
from annotation.services.tasks import claim
from annotation.services.webhooks import webhooks
from evaluation.services.monitoring import round_control
from modelbridge.models import Run, RunState, SystemOutput
from modelbridge.services.runs import output_leases
from tests.api.world import work_off
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all
from tests.tasks.factories import make_people, make_project, payload
from tests.webhooks.factories import EVENTS, HOOK, work_off_webhooks

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
TRANSACTION = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def listen(project, events=EVENTS) -> Project:
    """A webhook of the project; returns the project as the next request reads it."""
    webhooks.create_webhook(project=project, url=HOOK, events=events, by=None)
    return Project.objects.get(pk=project.pk)


def submit(client, task_id) -> int:
    """Submit on the task page; returns the number of statements."""
    with CaptureQueriesContext(connection) as log:
        answer = client.post(
            f"/tasks/{task_id}/submit/",
            json.dumps({"payload": payload()}),
            content_type="application/json",
            headers={"Idempotency-Key": str(uuid.uuid4())},
        )
    assert answer.status_code == 201
    return sum(not row["sql"].startswith(TRANSACTION) for row in log.captured_queries)


def submit_once(project, start: int) -> int:
    """The statements of the second submit of somebody new."""
    (writer,) = make_people(1, project, start=start)
    client = Client()
    client.force_login(writer)
    first, second = [
        row.public_id
        for row in claim.claim_next(project=project, annotator=writer).assignment.claim.assignments.order_by("pk")
    ]
    submit(client, first)
    return submit(client, second)


def read_bodies() -> list[dict]:
    return [json.loads(row.body) for row in WebhookDelivery.objects.order_by("pk")]


def test_a_submit_tells_with_one_statement_more_and_with_none_where_nobody_listens():
    project = make_project(documents=6, groups=1, size=2, frozen=True)
    alone = submit_once(project, 1)
    assert not WebhookEvent.objects.exists()
    listen(project)
    assert submit_once(project, 2) == alone + 1
    webhook = project.webhooks.get()
    webhooks.change_webhook(webhook=webhook, by=None, paused=True)
    assert submit_once(project, 3) == alone
    assert WebhookEvent.objects.count() == 2
    events = {row.data["id"]: row.data for row in WebhookEvent.objects.all()}
    annotations = Annotation.objects.filter(public_id__in=events)
    assert {str(row.public_id) for row in annotations} == set(events)
    assert set(events[str(annotations[0].public_id)]) == {"id", "assignment", "revision", "state"}


def test_with_webhooks_off_nothing_is_stored(settings):
    project = make_project(documents=1, groups=1, size=2, frozen=True)
    listen(project)
    settings.EPITOME_WEBHOOK_HOSTS = []
    submit_once(project, 1)
    assert not WebhookEvent.objects.exists()


@pytest.fixture
def told_at_once():
    """Without the network: what would be sent is only stored."""
    with patch("annotation.services.webhooks.deliveries.send_delivery", return_value=False):
        yield


def test_a_run_that_ends_is_told_with_its_counts(told_at_once):
    project = listen(project_with_gold(documents=2))
    run = make_run(project, "secret-system")
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    SystemOutput.objects.filter(pk=run.outputs.first().pk).update(state="failed", text="", error="no answer")
    assert output_leases.settle_run(run)
    assert not output_leases.settle_run(run)
    assert Job.objects.filter(kind="webhooks").count() == 1
    work_off_webhooks()
    (body,) = read_bodies()
    assert body["event"] == "run.done"
    assert body["data"] == {"run": str(run.public_id), "state": "done", "samples": 4, "done": 3, "failed": 1}
    assert "secret-system" not in WebhookDelivery.objects.get().body


def test_a_run_that_fails_is_told(told_at_once):
    project = listen(project_with_gold(documents=1))
    run = make_run(project, "lead")
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    output_leases.fail_run(run, "no memory")
    work_off_webhooks()
    (body,) = read_bodies()
    assert body["data"]["state"] == "failed"
    assert "memory" not in WebhookDelivery.objects.get().body


@pytest.mark.parametrize("action", ["close", "unblind"])
def test_a_round_that_closes_is_told_without_a_name(told_at_once, action):
    project = project_with_gold(documents=8)
    make_run(project, "secret-system")
    rater = member(project, "secret-rater", Role.RATER)
    member(project, "other-rater", Role.RATER)
    round_ = launch_new_round(project)
    views = rate_all(round_, rater)
    listen(project)
    round_control.apply_action(round_=round_, action=action, by=None)
    round_control.apply_action(round_=round_, action=action, by=None)
    work_off_webhooks()
    (body,) = read_bodies()
    assert body["event"] == "round.closed"
    assert body["data"] == {
        "round": str(round_.public_id),
        "number": 1,
        "items": round_.n_items,
        "ratings": len(views),
    }
    text = WebhookDelivery.objects.get().body
    assert not any(word in text for word in ("secret", "rater", round_.name))


def test_a_closed_round_is_told_once_though_it_is_unblinded_later(told_at_once):
    project = project_with_gold(documents=8)
    make_run(project, "lead")
    for name in ("one", "two"):
        member(project, name, Role.RATER)
    round_ = launch_new_round(project)
    listen(project)
    for action in ("close", "unblind"):
        round_control.apply_action(round_=round_, action=action, by=None)
    assert WebhookEvent.objects.count() == 1


def test_an_export_is_told_once_its_file_is_stored(told_at_once):
    project = listen(project_with_gold(documents=1))
    job = exporting.start_export(project=project, options=exporting.ExportOptions(), by=None)
    assert not WebhookEvent.objects.exists()
    work_off(job)
    work_off_webhooks()
    (body,) = read_bodies()
    assert body["event"] == "export.ready"
    assert body["data"] == {
        "job": str(job.public_id),
        "format": "jsonl",
        "bytes": job.result["bytes"],
        "sha256": job.result["sha256"],
    }
