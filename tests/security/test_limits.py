"""What one person may ask at once: jobs, bytes, fields, rows."""

import threading
from contextlib import nullcontext

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client

from annotation.models import Job, JobState
from annotation.services.core import job_start
from annotation.services.core.errors import Conflict
from annotation.services.exports import exporting
from annotation.services.scores import score_jobs
from annotation.transactions import write_transaction
from tests.api.access_table import build_upload
from tests.pages.conftest import person
from tests.tasks.factories import make_project

MIB = 1024 * 1024


@pytest.fixture
def two_at_once(settings):
    settings.EPITOME_JOBS_AT_ONCE = 2


def jobs_of(name: str, project, n: int, **changed) -> None:
    for _ in range(n):
        Job.objects.create(kind="export", project=project, requested_by=name, **changed)


def test_the_third_job_of_a_person_waits_for_the_others(world, two_at_once):
    admin = world.people["admin"]
    jobs_of(admin, world.project, 1)
    jobs_of(admin, world.project, 1, state=JobState.RUNNING)
    refused = world.as_("admin").post("/p/news/samples/extract/")

    assert refused.status_code == 409
    assert "2 of your jobs are already waiting or running" in refused.content.decode()
    assert world.project.jobs.count() == 2
    assert world.as_("researcher").post("/p/news/samples/extract/").status_code == 302, "another person's"

    Job.objects.filter(state=JobState.RUNNING).update(state=JobState.DONE)
    assert world.as_("admin").post("/p/news/samples/extract/").status_code == 302


def test_what_the_system_starts_is_not_counted(world, two_at_once):
    admin = world.people["admin"]
    for n in range(5):
        jobs_of(admin, world.project, 1, idempotency_key=f"count_tokens:{n}")
        jobs_of(None, world.project, 1)
        jobs_of(admin, make_project(f"other{n}"), 1)
    exporting.start_export(project=world.project, options=exporting.ExportOptions(), by=admin)
    score_jobs.start_scoring(project=world.project, by=None, automatic=True)
    exporting.start_export(project=world.project, options=exporting.ExportOptions(), by=admin)
    with pytest.raises(Conflict):
        exporting.start_export(project=world.project, options=exporting.ExportOptions(), by=admin)


@pytest.mark.parametrize(
    ("path", "body"),
    [("imports/", None), ("candidates/", {}), ("samples/", {}), ("exports/", {}), ("scores/", {}), ("statistics/", {})],
)
def test_every_call_that_starts_a_job_is_limited(api_world, two_at_once, path, body):
    Job.objects.all().delete()
    jobs_of(api_world.people["admin"], api_world.project, 2)
    state_before = default_storage.listdir("imports")[1] if default_storage.exists("imports") else []
    data = build_upload() if body is None else None
    answer = api_world.as_("admin")("POST", f"projects/news/{path}", body, data=data)

    assert (answer.status_code, answer.json_body["code"]) == (409, "toomanyjobs")
    assert Job.objects.count() == 2
    assert (default_storage.listdir("imports")[1] if default_storage.exists("imports") else []) == state_before


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_sixteen_starts_at_once_two_get_through(settings):
    settings.EPITOME_JOBS_AT_ONCE = 2
    project, admin, start, refused = make_project("news"), person("admin"), threading.Barrier(16), []

    def work() -> None:
        start.wait()
        # SQLite's test database is in memory, where even a reader may find a table locked: there they queue up.
        with write_transaction() if connection.vendor == "sqlite" else nullcontext():
            try:
                job_start.start_job(kind="export", project=project, by=admin)
            except Conflict:
                refused.append(1)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Job.objects.count(), len(refused)) == (2, 14)


def test_a_body_over_two_megabytes_is_refused(api_world, world_client):
    assert api_world.as_("admin")("POST", "projects/news/guideline/", {"text": "x" * (2 * MIB)}).status_code == 413
    answer = world_client.post("/p/news/guideline/edit/", {"text": "x" * (2 * MIB), "do": "keep"})
    assert answer.status_code == 413
    assert api_world.project.guideline_versions.count() == 1


def test_a_form_of_more_than_a_thousand_fields_is_refused(world_client):
    answer = world_client.post("/p/news/guideline/edit/", {f"f{n}": "" for n in range(1001)})
    assert answer.status_code in (400, 413)


@pytest.mark.parametrize("path", ["documents/", "samples/", "annotations/", "jobs/"])
def test_a_page_of_a_list_has_two_hundred_rows_at_most(api_world, path):
    if path == "jobs/":
        jobs_of(None, api_world.project, 205)
    answer = api_world.as_("admin")("GET", f"projects/news/{path}?page_size=100000")
    assert answer.status_code == 200 and len(answer.json_body["results"]) <= 200
    if path == "jobs/":
        assert len(answer.json_body["results"]) == 200


@pytest.fixture
def world_client(api_world) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(api_world.people["admin"])
    return client
