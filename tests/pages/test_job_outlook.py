"""What people read about a job under way: how many stand before it, when it ends; and how it is cancelled."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import jobs
from annotation.jobs.running import claim_job
from annotation.models import Job, JobState
from annotation.services.core.job_outlook import describe_length, describe_outlook
from tests.jobs.heartbeats import run_worker

pytestmark = pytest.mark.django_db


def add_job(world, kind="export", **fields):
    job = jobs.create_job(kind=kind, project=world.project, by=world.people["researcher"], arguments={"options": {}})
    Job.objects.filter(pk=job.pk).update(**fields)
    job.refresh_from_db()
    return job


def add_ended(world, kind, seconds):
    now = timezone.now()
    return add_job(world, kind, state="done", started_at=now - timedelta(seconds=seconds), finished_at=now)


def start(world, kind, **fields):
    """A job that a worker has."""
    job = claim_job(add_job(world, kind).pk)
    Job.objects.filter(pk=job.pk).update(**fields)
    job.refresh_from_db()
    return job


def test_a_waiting_job_says_how_many_stand_before_it_and_how_long_they_take(world):
    run_worker("default", "text")
    add_ended(world, "export", 90)
    start(world, "export")
    add_job(world)

    assert describe_outlook(add_job(world)).text == "2 jobs before yours, about 3 min"


def test_a_long_job_that_takes_turns_is_waited_for_only_a_moment(world):
    run_worker("default", "text")
    hour_ago = timezone.now() - timedelta(hours=1)
    start(world, "extract", started_at=hour_ago, progress_done=10, progress_total=1000)

    assert describe_outlook(add_job(world)).text == "1 job before yours, less than a minute"


def test_the_number_is_said_without_a_time_where_nothing_is_known(world):
    run_worker("default", "text")
    start(world, "export")

    assert describe_outlook(add_job(world)).text == "1 job before yours"


def test_a_free_worker_takes_the_next_job(world):
    run_worker("default", "text")
    run_worker("default", "text")
    start(world, "export")

    assert describe_outlook(add_job(world)).text == "next in line"


def test_nothing_is_promised_without_a_worker(world):
    run_worker("gpu")
    assert describe_outlook(add_job(world)).text == ""


def test_a_job_at_work_says_when_it_ends_by_its_own_rate(world):
    started_at = timezone.now() - timedelta(minutes=2)
    job = start(world, "extract", started_at=started_at, progress_done=400, progress_total=1000)

    assert describe_outlook(job).text == "about 3 min left"


def test_a_job_that_gave_way_is_not_shown_as_waiting(world, client):
    minutes_ago = timezone.now() - timedelta(minutes=1)
    fields = {"lease_until": minutes_ago, "started_at": minutes_ago, "progress_done": 5, "progress_total": 10}
    job = add_job(world, "extract", **fields)
    answer = world.as_("researcher").get(reverse("job-state", args=[job.public_id])).json()

    assert (answer["label"], answer["ended"]) == ("running in turns", False)
    assert answer["outlook"] == "about 1 min left"


def test_lengths_in_words():
    assert describe_length(59) == "less than a minute"
    assert describe_length(60) == "about 1 min"
    assert describe_length(3 * 3600) == "about 3 h"


def test_the_details_follow_the_bar(world):
    job = start(world, "extract")
    answer = world.as_("researcher").get(reverse("job-state", args=[job.public_id]) + "?details").json()
    assert "running" in answer["details"]
    assert "waiting" not in answer["details"]


def test_a_job_under_way_is_cancelled_from_its_page_and_says_what_became_of_its_work(world):
    job = start(world, "extract")
    researcher = world.as_("researcher")
    address = reverse("job-cancel", args=[job.public_id])
    assert address in researcher.get(reverse("job", args=[job.public_id])).content.decode()

    page = researcher.post(address, follow=True).content.decode()
    assert "The candidates found so far stay; extract again for the rest." in page
    assert address not in page
    job.refresh_from_db()
    assert (job.state, job.lease_until) == (JobState.CANCELLED, None)
    assert job.finished_at is not None


def test_a_cancelled_job_stores_nothing_more(world):
    job = start(world, "export")
    progress = jobs.JobProgress(job)
    assert jobs.cancel_job(job, world.people["researcher"])

    with pytest.raises(jobs.JobLost):
        progress.check()


def test_what_has_ended_is_not_cancelled(world):
    job = add_ended(world, "export", 1)
    page = world.as_("researcher").post(reverse("job-cancel", args=[job.public_id]), follow=True).content.decode()
    assert "The job has ended already." in page
    job.refresh_from_db()
    assert job.state == JobState.DONE


def test_payments_and_calls_of_seconds_are_not_cancelled(world):
    kinds = [handler.kind for handler in jobs.HANDLERS if not handler.kept]
    assert kinds
    for kind in kinds:
        job = add_job(world, kind)
        assert not jobs.cancel_job(job, world.people["researcher"])
        job.refresh_from_db()
        assert job.state == JobState.QUEUED


def test_the_end_of_ones_own_jobs_is_told_once(world):
    begun = timezone.now().timestamp() - 1
    job = add_ended(world, "export", 1)
    add_job(world)
    other_job = jobs.create_job(kind="export", project=world.project, by=world.people["admin"])
    Job.objects.filter(pk=other_job.pk).update(state="done", finished_at=timezone.now())
    researcher = world.as_("researcher")

    answer = researcher.get(reverse("jobs-ended"), {"since": begun}).json()
    url = reverse("job", args=[job.public_id])
    assert answer["ended"] == [{"id": str(job.public_id), "text": "Export: done", "failed": False, "url": url}]
    assert answer["under_way"]
    assert researcher.get(reverse("jobs-ended"), {"since": answer["until"]}).json()["ended"] == []


@pytest.mark.parametrize("since", ["yesterday", "1e400", "nan", "-1e30"])
def test_a_time_that_is_none_is_refused(world, since):
    assert world.as_("researcher").get(reverse("jobs-ended"), {"since": since}).status_code == 400


def test_the_page_of_a_job_stays_in_its_area(world):
    job = add_job(world)
    page = world.as_("researcher").get(reverse("job", args=[job.public_id])).content.decode()
    assert f'href="{reverse("export", args=["news"])}"' in page.split('class="tabs"')[1].split("</nav>")[0]


def test_every_kind_of_job_belongs_to_a_tab_that_exists():
    import epitome.site.urls  # noqa: F401  the apps register their tabs with their pages
    from annotation.views.core.sections import TABS

    names = {tab.name for tab in TABS}
    assert {handler.kind: handler.page for handler in jobs.HANDLERS if handler.page not in names | {""}} == {}
