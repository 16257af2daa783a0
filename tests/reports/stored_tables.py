"""Tables of runs as people get them: the page starts the job, a worker computes, the page shows."""

from typing import Any

from django.test import Client

from annotation.jobs import run_job
from annotation.models import Job


def work_off_tables() -> None:
    """Run the jobs that wait for tables or scores of runs."""
    for pk in Job.objects.under_way().filter(kind__in=("tables", "run-scores")).values_list("pk", flat=True):
        assert run_job(pk)


def compute_tables(client: Client, url: str) -> str:
    """The page of tables at this address after its job has run."""
    assert client.post(url).status_code == 302
    work_off_tables()
    return client.get(url).content.decode()


def read_tables(client: Client, url: str) -> dict[str, Any]:
    """The tables of this address of the API after their job has run."""
    started = client.post(url)
    assert (started.status_code, started.json()["state"]) == (202, "queued")
    work_off_tables()
    answer = client.get(url)
    assert (answer.status_code, answer.json()["state"]) == (200, "done")
    return dict(answer.json())


def compute_scores(client: Client, project: str, *runs: str) -> None:
    """Have the scores of these runs computed, in one table."""
    query = "&".join(f"run={run}" for run in runs)
    assert client.post(f"/p/{project}/runs/scores/?{query}").status_code == 302
    work_off_tables()
