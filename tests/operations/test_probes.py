"""What load balancers and monitors are answered; nothing of it needs a session, a host name or HTTPS."""

import json
import os
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from annotation.models import Claim, Job
from annotation.services.operations import readiness
from tests.jobs.heartbeats import run_worker
from tests.security.test_production import start
from tests.tasks.factories import make_people, make_project

TOKEN = "a-token-for-prometheus"
PRODUCTION_PROBES = """
import django; django.setup()
from django.test import Client
client = Client(SERVER_NAME="10.0.0.7")
for path in ("/healthz", "/readyz"):
    answer = client.get(path)
    print(path, answer.status_code, answer.headers.get("Retry-After"), answer.content.decode()[:200])
"""


@pytest.fixture(autouse=True)
def _migrations_unknown(monkeypatch):
    monkeypatch.setattr(readiness, "_are_migrations_applied", False)


def test_a_living_process_says_so_without_asking_the_database(django_assert_num_queries, db):
    with django_assert_num_queries(0):
        answer = Client(SERVER_NAME="10.0.0.7").get("/healthz")
    assert (answer.status_code, answer.json(), answer["Cache-Control"]) == (200, {"alive": True}, "no-store")
    assert not answer.cookies


@pytest.mark.db_engine
def test_a_ready_process_names_the_workers(db):
    run_worker("default", "text")
    run_worker("text")
    answer = Client(SERVER_NAME="10.0.0.7").get("/readyz")
    assert (answer.status_code, answer.json()) == (
        200,
        {"ready": True, "reasons": [], "workers": {"default": 1, "text": 2}},
    )


def test_a_process_whose_migrations_are_not_applied_is_not_ready(db):
    MigrationRecorder.Migration.objects.filter(app="annotation").order_by("-id").first().delete()
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["Migrations are not applied."])
    assert answer.headers["Retry-After"] == "5"


def test_in_production_without_a_database_the_process_lives_and_is_not_ready(tmp_path):
    result = start(tmp_path, "-c", PRODUCTION_PROBES, DJANGO_SETTINGS_MODULE="epitome.site.settings")
    health, ready = result.stdout.splitlines()
    assert health == '/healthz 200 None {"alive": true}'
    body = {"ready": False, "reasons": ["The database does not answer."], "workers": {}}
    assert ready == f"/readyz 503 5 {json.dumps(body)}"


def read_metrics(text):
    """{line without its value: value}"""
    rows = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _space, value in rows}


def test_metrics_are_off_unless_somebody_may_read_them(db):
    assert Client().get("/metrics").status_code == 404


@pytest.mark.parametrize(
    ("headers", "address", "status"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, "203.0.113.5", 200),
        ({"Authorization": "Bearer wrong"}, "203.0.113.5", 404),
        ({"Authorization": f"Token {TOKEN}"}, "203.0.113.5", 404),
        ({}, "203.0.113.5", 404),
        ({}, "10.1.2.3", 200),
        ({}, "::1", 200),
        ({"X-Forwarded-For": "203.0.113.5"}, "10.1.2.3", 404),
    ],
)
def test_metrics_are_for_the_token_and_the_addresses_named(db, settings, headers, address, status):
    settings.EPITOME_METRICS_TOKEN = TOKEN
    settings.EPITOME_METRICS_IPS = [ip_network("10.0.0.0/8"), ip_network("::1")]
    assert Client(REMOTE_ADDR=address).get("/metrics", headers=headers).status_code == status


@pytest.mark.db_engine
def test_metrics_count_requests_jobs_leases_and_workers(db, settings):
    settings.EPITOME_METRICS_TOKEN = TOKEN
    now, minute = timezone.now(), timedelta(minutes=1)
    project = make_project(documents=1)
    Job.objects.create(kind="import", project=project)
    Job.objects.update(created_at=now - 10 * minute)
    Job.objects.create(kind="train", queue="gpu", state="running", lease_until=now - minute, project=project)
    annotators = make_people(2, project)
    for annotator, lease in zip(annotators, (now - minute, now + minute), strict=True):
        document = project.documents.get()
        Claim.objects.create(project=project, annotator=annotator, document=document, opened_at=now, lease_until=lease)
    run_worker("default")

    client = Client(headers={"Authorization": f"Bearer {TOKEN}"})
    metrics_before = read_metrics(client.get("/metrics").content.decode())
    client.get("/sign-in/")
    client.get("/nothing/")
    values = read_metrics(client.get("/metrics").content.decode())

    for status in ("2xx", "4xx"):
        name = f'epitome_requests_total{{method="GET",status="{status}"}}'
        assert values[name] - metrics_before.get(name, 0) == 1
    seconds = 'epitome_request_seconds_count{method="GET"}'
    assert values[seconds] - metrics_before.get(seconds, 0) == 2
    assert values['epitome_jobs{queue="default",state="queued"}'] == 1
    assert values['epitome_jobs{queue="gpu",state="running"}'] == 1
    assert 600 <= values['epitome_oldest_waiting_job_seconds{queue="default"}'] < 3600
    assert values['epitome_leases{of="jobs",state="expired"}'] == 1
    assert values['epitome_leases{of="tasks",state="expired"}'] == 1
    assert values['epitome_leases{of="tasks",state="live"}'] == 1
    assert values['epitome_workers{queue="default"}'] == 1
    assert values["epitome_database_up"] == 1


def test_the_pool_of_each_process_counts_until_it_ends(db, settings, monkeypatch):
    settings.EPITOME_METRICS_TOKEN = TOKEN
    client = Client(headers={"Authorization": f"Bearer {TOKEN}"})
    client.get("/sign-in/")  # metrics are imported with the first request
    from annotation.views.operations import metrics

    class Pool:
        def get_stats(self):
            return {"pool_size": 5, "pool_available": 3}

    with monkeypatch.context() as patch:
        patch.setattr(metrics, "connection", type("Pooled", (), {"pool": Pool()}))
        metrics.count_request("GET", 200, 0.1)
    ended = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]) / "gauge_livesum_999999999.db"
    ended.touch()
    values = read_metrics(client.get("/metrics").content.decode())
    assert values['epitome_database_pool{state="size"}'] == 5
    assert values['epitome_database_pool{state="waiting"}'] == 0
    assert not ended.exists()
