"""Whoever waits for a job reads at once that no worker runs, or none for its queue."""

import threading

import pytest
from django.urls import reverse

from annotation import jobs
from annotation.models import Job, WorkerHeartbeat
from tests.jobs.heartbeats import run_worker
from tests.pages.conftest import world  # noqa: F401  a fixture

NOBODY = "No worker is running"


@pytest.fixture
def read(world):  # noqa: F811
    """The page as text, as the project's admin sees it."""

    def read_page(name, *arguments):
        answer = world.as_("admin").get(reverse(name, args=arguments))
        assert answer.status_code == 200
        return answer.content.decode()

    return read_page


@pytest.mark.db_engine
def test_a_waiting_job_says_at_once_that_no_worker_runs(world, read):  # noqa: F811
    job = Job.objects.create(kind="import", project=world.project)
    page = read("job", job.public_id)
    assert NOBODY in page and "manage.py worker" in page
    assert world.as_("admin").get(reverse("job-state", args=[job.public_id])).json()["note"] == NOBODY

    worker = run_worker("default", "text")
    assert NOBODY not in read("job", job.public_id)
    assert world.as_("admin").get(reverse("job-state", args=[job.public_id])).json()["note"] == ""

    WorkerHeartbeat.objects.filter(pk=worker.pk).delete()
    run_worker("default", silent_for=46)
    assert NOBODY in read("job", job.public_id)


def test_a_job_of_a_queue_that_nobody_serves_says_so(world, read):  # noqa: F811
    job = Job.objects.create(kind="train", queue="gpu", project=world.project)
    run_worker("default", "text")
    page = read("job", job.public_id)
    assert "No worker for the queue gpu is running" in page and "manage.py worker --queues gpu" in page
    run_worker("gpu")
    assert "No worker" not in read("job", job.public_id)


@pytest.mark.parametrize(
    ("page", "kind"), [("jobs", "import"), ("export", "export"), ("statistics", "statistics"), ("project", "extract")]
)
def test_pages_where_people_wait_say_it_too(world, read, page, kind):  # noqa: F811
    assert NOBODY not in read(page, world.project.slug)
    Job.objects.create(kind=kind, queue="text", project=world.project, arguments={"options": {}})
    assert NOBODY in read(page, world.project.slug)
    run_worker("text")
    assert NOBODY not in read(page, world.project.slug)


def test_a_job_that_runs_or_has_ended_waits_for_no_worker(world, read):  # noqa: F811
    for state in ("done", "failed", "cancelled"):
        job = Job.objects.create(kind="import", project=world.project, state=state)
        assert NOBODY not in read("job", job.public_id)


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_is_stored_renewed_and_deleted_with_what_was_left_behind():
    run_worker("text", silent_for=2 * 24 * 3600)
    stop = threading.Event()
    heartbeat = jobs.Heartbeat(["text", "default"], stop)
    heartbeat.beat()
    heartbeat.beat()
    assert jobs.count_workers() == {"default": 1, "text": 1}
    stop.set()
    heartbeat.run()
    assert not WorkerHeartbeat.objects.exists()
