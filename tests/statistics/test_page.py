"""The page of the statistics: what it shows, what it offers, and its files."""

import csv
import io
import json
from unittest.mock import patch
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.jobs import run_job
from annotation.models import Annotation, Job, JobState, Membership, SourceDocument
from annotation.services import statistics
from annotation.services.scores import score_jobs
from annotation.services.statistics import stored
from tests.pages.conftest import person
from tests.statistics.conftest import Maker

pytestmark = pytest.mark.django_db
PAGE = "/p/news/statistics/"
FILE = "/p/news/statistics/file/"


def work_off(job: Job) -> Job:
    with patch("annotation.jobs.running.close_old_connections"):
        assert run_job(job.pk)
    job.refresh_from_db()
    return job


def as_(maker: Maker, role: str) -> Client:
    user = person(role)
    Membership.objects.create(user=user, project=maker.project, role=role)
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


@pytest.fixture
def written(maker):
    for source in (0, 1):
        group = maker.group(source, topics=("ferry",))
        for length, n in (("short", 1), ("normal", 4)):
            sample = maker.sample(group, length, sampler="import")
            maker.summary(sample, n, scores={"length": n + 1.0, "extractiveness": 0.25, "topic": 1.0})
    return maker


@pytest.fixture
def worked_out(written):
    job = work_off(statistics.start_statistics(project=written.project, by=None))
    assert job.state == JobState.DONE, job.error
    return written


def text_of(answer) -> str:
    assert answer.status_code == 200, answer.content[:500]
    return " ".join(answer.content.decode().split())


def test_an_empty_project_says_what_is_missing(maker):
    text = text_of(as_(maker, "researcher").get(PAGE))
    assert "No summaries yet" in text and "statistics/start" not in text


def test_nothing_is_worked_out_by_looking(written):
    client = as_(written, "researcher")
    text = text_of(client.get(PAGE))
    assert "Not calculated yet" in text and "all 4 summaries" in text and "data-auto" in text
    assert not Job.objects.exists()
    assert "A researcher can start it." in text_of(as_(written, "reviewer").get(PAGE))


def test_the_button_starts_one_job_and_the_page_follows_it(written):
    client = as_(written, "researcher")
    for _click in range(2):
        assert client.post(PAGE + "start/").headers["Location"] == PAGE
    job = Job.objects.get()
    assert (job.kind, job.queue) == ("statistics", "text")
    text = text_of(client.get(PAGE))
    assert f"/jobs/{job.public_id}/state/" in text and "data-auto" not in text
    work_off(job)
    text = text_of(client.get(PAGE))
    assert "4 summaries of 2 sources" in text and "Out of date" not in text
    assert text.count('<svg class="chart"') >= 6


def test_reviewers_see_it_and_cannot_start_it(worked_out):
    client = as_(worked_out, "reviewer")
    text = text_of(client.get(PAGE))
    assert "Measures per requested value" in text and "statistics/start" not in text
    assert client.post(PAGE + "start/").status_code == 404


@pytest.mark.parametrize("role", ["annotator", "rater"])
def test_who_writes_or_rates_does_not_see_it(worked_out, role):
    client = as_(worked_out, role)
    assert client.get(PAGE).status_code == client.get(f"{FILE}?table=size&format=csv").status_code == 404
    assert "statistics" not in client.get("/p/news/guideline/").content.decode()


def test_missing_measures_are_counted_and_can_be_asked_for(worked_out):
    client = as_(worked_out, "researcher")
    text = text_of(client.get(PAGE))
    assert "4 of 4 summaries are not fully measured" in text and "specificity 4" in text
    answer = client.post(PAGE + "start/", {"do": "score"})
    job = Job.objects.get(kind="score")
    assert answer.headers["Location"] == f"/jobs/{job.public_id}/"


def test_new_summaries_make_the_numbers_stale(worked_out):
    client = as_(worked_out, "researcher")
    group = worked_out.group(0)
    worked_out.summary(worked_out.sample(group), 50)
    text = text_of(client.get(PAGE))
    assert "Out of date" in text and "4 summaries of 2 sources" in text and "data-auto" in text
    work_off(statistics.start_statistics(project=worked_out.project, by=None))
    text = text_of(client.get(PAGE))
    assert "5 summaries of 2 sources" in text and "Out of date" not in text
    jobs = Job.objects.filter(kind="statistics").order_by("pk")
    assert [bool(job.result) for job in jobs] == [False, True]  # older contents are not kept


@pytest.mark.parametrize("change", ["state", "score", "sample"])
def test_whatever_the_numbers_are_made_of_makes_them_stale(worked_out, change):
    state_before = statistics.data_version(worked_out.project)[0]
    group = worked_out.group(0)
    if change == "sample":
        worked_out.sample(group)
    elif change == "score":
        Annotation.objects.first().project.scores.first().delete()
    else:
        sample = worked_out.sample(group)
        worked_out.attempt(sample, "ann", "submitted")
        state_before = statistics.data_version(worked_out.project)[0]
        sample.assignments.update(state="accepted")
    assert statistics.data_version(worked_out.project)[0] != state_before


def test_while_the_summaries_are_measured_the_page_waits_and_says_so(written):
    score_jobs.start_scoring(project=written.project, by=None)
    text = text_of(as_(written, "researcher").get(PAGE))
    assert "The summaries are being measured" in text and "data-auto" not in text and "Calculate" in text


def test_a_large_dataset_is_not_worked_out_by_itself(written, monkeypatch):
    client = as_(written, "researcher")
    monkeypatch.setattr(statistics, "SMALL", 3)
    text = text_of(client.get(PAGE))
    assert "data-auto" not in text and "Calculate" in text


def test_a_job_that_failed_is_not_started_again_by_looking(written):
    job = statistics.start_statistics(project=written.project, by=None)
    Job.objects.filter(pk=job.pk).update(state=JobState.DEAD, error="broken")
    assert "data-auto" not in text_of(as_(written, "researcher").get(PAGE))


def test_the_filters_narrow_the_page_and_its_files(worked_out):
    client = as_(worked_out, "researcher")
    text = text_of(client.get(f"{PAGE}?split=train&origin=imported&state=accepted"))
    assert "2 summaries of 1 source." in text
    assert "?split=train&amp;origin=imported&amp;state=accepted&amp;table=size&amp;format=csv" in text
    rows = list(
        csv.reader(io.StringIO(client.get(f"{FILE}?split=train&table=size&format=csv").content.decode("utf-8-sig")))
    )
    assert [row[0] for row in rows[1:]] == ["train"]
    assert "0 summaries of 0 sources" in text_of(client.get(f"{PAGE}?origin=people"))


@pytest.mark.parametrize("query", ["split=nowhere", "origin=x", "state=x", "split=train%00"])
def test_an_unknown_filter_is_refused_in_words(worked_out, query):
    answer = as_(worked_out, "researcher").get(f"{PAGE}?{query}")
    assert answer.status_code == 422 or answer.status_code == 400
    assert query.split("=")[0] in answer.content.decode()


def test_every_table_and_figure_of_the_page_can_be_fetched(worked_out):
    client = as_(worked_out, "researcher")
    view = statistics.load_statistics(worked_out.project, statistics.Filter()).view
    n = 0
    for section in view["sections"]:
        key = section["table"]["key"]
        answers = {form: client.get(f"{FILE}?table={key}&format={form}") for form in ("csv", "tex", "json")}
        for form, answer in answers.items():
            assert answer.headers["Content-Disposition"] == f'attachment; filename="news-{key}.{form}"'
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        rows = list(csv.reader(io.StringIO(answers["csv"].content.decode("utf-8-sig"), newline="")))
        assert len(rows) == len(section["table"]["rows"]) + 1 and len({len(row) for row in rows}) == 1
        assert json.loads(answers["json"].content) == section["table"]
        latex = answers["tex"].content.decode()
        assert latex.count(r"\begin{") == latex.count(r"\end{") == 2 and r"\bottomrule" in latex
        for chart in section["charts"]:
            answer = client.get(f"{FILE}?figure={chart['key']}")
            assert answer.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
            assert ElementTree.fromstring(answer.content).tag.endswith("svg")
            n += 1
    assert n >= 6


@pytest.mark.parametrize(
    "query", ["", "table=nothing&format=csv", "table=size&format=exe", "figure=size", "table=size"]
)
def test_a_file_that_is_not_there_is_a_404(worked_out, query):
    assert as_(worked_out, "researcher").get(f"{FILE}?{query}").status_code == 404


def test_queries_do_not_grow_with_the_data(worked_out):
    client = as_(worked_out, "researcher")

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            text_of(client.get(PAGE))
        return len(caught)

    queries()
    state_before = queries()
    for _number in range(12):
        group = worked_out.group(0)
        for length in ("short", "normal", "long"):
            worked_out.summary(worked_out.sample(group, length, "full"), 9, scores={"length": 10.0})
    work_off(statistics.start_statistics(project=worked_out.project, by=None))
    assert queries() == state_before <= 24


def test_lists_of_jobs_do_not_load_what_statistics_hold(worked_out):
    client = as_(worked_out, "researcher")
    for address in ("/p/news/jobs/", "/p/news/"):
        with CaptureQueriesContext(connection) as caught:
            assert "Calculate statistics" in text_of(client.get(address))
        sqls = [query["sql"] for query in caught if '"annotation_job"."result"' in query["sql"]]
        assert [sql for sql in sqls if "'export'" not in sql] == []  # the dashboard reads what the last export counted
    job = Job.objects.get(kind="statistics")
    result = client.get(f"/api/v1/jobs/{job.public_id}/").json()["result"]
    assert result["annotations"] == 4 and "views" not in result


def test_the_api_gives_the_same_numbers(worked_out):
    client = as_(worked_out, "researcher")
    data = client.get("/api/v1/projects/news/statistics/?split=test").json()
    assert (data["summaries"], data["sources"], data["unmeasured"], data["stale"]) == (2, 1, 2, False)
    assert data["missing"] == {"specificity": 2} and data["splits"] == ["train", "test"]
    table = next(other_table for other_table in data["tables"] if other_table["key"] == "control")
    assert table["rows"][0][2] == {"value": 2.0, "n": 1}
    assert client.get("/api/v1/projects/news/statistics/?split=dev").status_code == 400
    assert client.get("/api/v1/projects/news/statistics/?size=1").status_code == 400
    started = client.post("/api/v1/projects/news/statistics/", content_type="application/json")
    assert started.status_code == 202 and Job.objects.filter(kind="statistics", state="queued").count() == 1


def test_the_api_says_when_nothing_is_worked_out(written):
    data = as_(written, "reviewer").get("/api/v1/projects/news/statistics/").json()
    assert (data["computed_at"], data["stale"], data["tables"]) == (None, True, [])


def test_what_people_wrote_is_text_in_page_and_figure(maker):
    evil = "\"'><script>alert(1)</script>"
    document = maker.source(0)
    type(document).objects.filter(pk=document.pk).update(external_id=evil, origin_id=evil, split="<i>x</i>")
    for number in range(3):
        group = maker.group(0, topics=(evil,))
        maker.summary(maker.sample(group), 9 + number, segments=[[0, 1]])
        maker.summary(maker.sample(group, "long"), 9)
    work_off(statistics.start_statistics(project=maker.project, by=None))
    text = text_of(as_(maker, "researcher").get(PAGE))
    assert "<script>alert" not in text and "<i>x" not in text and "&lt;script&gt;" in text


def test_counted_tokens_make_statistics_stale_although_counts_are_kept(worked_out, monkeypatch):
    monkeypatch.setattr(stored, "LARGE", 1)
    project, sources = worked_out.project, SourceDocument.objects.filter(project=worked_out.project)
    sources.update(n_tokens=None)
    statistics.data_version(project)
    sources.filter(pk=sources.order_by("pk")[0].pk).update(n_tokens=7)
    some = statistics.data_version(project)[0]
    sources.update(n_tokens=7)
    counted = statistics.data_version(project)[0]
    assert some != counted
    assert [statistics.data_version(project)[0] for _again in range(2)] == [counted] * 2
