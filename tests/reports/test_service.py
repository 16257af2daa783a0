"""The report of a stored round: by job, command, page and files; blind rounds tell nothing."""

import json
import re
from unittest import mock

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Job, Role
from annotation.services.core.errors import BadInput, Conflict
from evaluation.models import Item
from evaluation.services.monitoring import round_control
from evaluation.services.reports import adjudication, report_jobs
from evaluation.services.reports.report_rows import build_frame, load_answers
from evaluation.services.runs_compared import paper_tables, table_jobs
from tests.reports.stored_tables import compute_tables
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all, raters_of

RUN = '[[target]]\nsystem = "lead"\n'


@pytest.fixture
def rated(db):
    """Two raters over gold and a run; the first says yes to everything, the second no to the first item."""
    project = project_with_gold(documents=4)
    make_run(project, "lead")
    people = raters_of(project)
    round_ = launch_new_round(project, n=4, more=RUN)
    rate_all(round_, people[0], "yes")
    rate_all(round_, people[1], "no")
    return round_


@pytest.fixture
def unblinded(rated):
    return round_control.apply_action(round_=rated, action="unblind", by=None)


def test_a_blind_round_has_no_report(rated, client):
    with pytest.raises(Conflict):
        report_jobs.make_report(rated)
    with pytest.raises(CommandError, match="blind"):
        call_command("report", rated.project.slug, rated.name)
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    page = client.get(reverse("round-report", args=[rated.project.slug, rated.public_id])).content.decode()
    assert "Results are still blinded" in page and "lead" not in page


def test_the_rows_say_who_judged_what(unblinded):
    answers = load_answers(unblinded)
    frame = build_frame(unblinded, answers)
    assert frame.systems == ("gold", "lead")
    assert {row.system for row in answers} == {"gold", "lead"}
    assert {row.question for row in answers} <= {question.key for question in frame.questions}
    assert {row.rater for row in answers} == set(frame.raters)
    assert all(row.requested for row in answers)


def test_the_command_prints_every_format(unblinded, capsys):
    for name, mark in (("html", "<table"), ("csv", "\r\n"), ("latex", r"\toprule"), ("json", '"tables"')):
        call_command("report", unblinded.project.slug, unblinded.name, "--format", name)
        out = capsys.readouterr().out
        assert mark in out
    data = json.loads(out)
    assert "raters" not in {table["key"] for table in data["tables"]}
    rates = next(table for table in data["tables"] if table["key"] == "yes-rater-1")
    assert {row[0]["value"] for row in rates["rows"]} == {"gold", "lead"}
    assert {cell["value"] for row in rates["rows"] for cell in row[1:] if cell.get("n")} == {1.0}


def test_what_the_command_made_stands_on_the_page(unblinded, client, capsys):
    for _again in range(2):
        call_command("report", unblinded.project.slug, unblinded.name, "--format", "csv")
    assert capsys.readouterr().out
    assert [bool(job.result) for job in Job.objects.filter(kind=report_jobs.KIND).order_by("pk")] == [False, True]
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    url = reverse("round-report", args=[unblinded.project.slug, unblinded.public_id])
    page = client.get(url).content.decode()
    assert "Share of yes, rater 1, as published" in page and "Out of date" not in page


def test_the_job_stores_it_and_the_page_serves_it_from_there(unblinded, client, django_assert_max_num_queries):
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    url = reverse("round-report", args=[unblinded.project.slug, unblinded.public_id])
    client.post(reverse("round-report-start", args=[unblinded.project.slug, unblinded.public_id]))
    job = Job.objects.get(kind=report_jobs.KIND)
    run_job(job.pk)
    with django_assert_max_num_queries(16):
        page = client.get(url).content.decode()
    assert "Share of yes, rater 1, as published" in page and "Out of date" not in page
    assert "We compared the human references and lead" in page
    file = reverse("round-report-file", args=[unblinded.project.slug, unblinded.public_id])
    assert client.get(file, {"table": "agreement", "format": "latex"}).content.startswith(b"% round-agreement")
    (link,) = set(re.findall(r'href="([^"]*figure=[^"]*format=)svg"', page)[:1])
    figure = client.get(link.replace("&amp;", "&") + "pdf")
    assert figure.status_code == 200 and figure.content.startswith(b"%PDF")


def test_people_of_other_projects_and_raters_see_no_report(unblinded, client):
    other = project_with_gold("other", documents=1)
    for user in (member(other, "stranger", Role.RESEARCHER), unblinded.raters.first().rater):
        client.force_login(user)
        for name in ("round-report", "round-report-file", "round-disagreements"):
            assert client.get(reverse(name, args=[unblinded.project.slug, unblinded.public_id])).status_code == 404


def test_a_third_person_decides_where_raters_disagree(unblinded, client):
    judge = member(unblinded.project, "researcher", Role.RESEARCHER)
    client.force_login(judge)
    disputes = adjudication.list_disputes(unblinded)
    items = Item.objects.filter(round=unblinded, kind="real")
    assert len(disputes) == sum(len(item.questions) for item in items)
    url = reverse("round-disagreements", args=[unblinded.project.slug, unblinded.public_id])
    first = disputes[0].disagreement
    client.post(url, {"item": first.item, "question": first.question, "answer": "yes", "note": "clear"})
    (line,) = adjudication.decision_lines(unblinded)
    assert (line["item_id"], line["answer"]) == (first.item, "yes")
    assert report_jobs.make_report(unblinded)["decisions"] == [line]
    with pytest.raises(BadInput, match="2000"):
        adjudication.store_decision(
            round_=unblinded, item=first.item, question=first.question, answer="no", note="x" * 2001, by=judge
        )
    answers_before = load_answers(unblinded)
    assert [row for row in answers_before if row.item == first.item and row.answer == "no"]
    rater = unblinded.raters.first().rater
    with pytest.raises(Conflict, match="third"):
        adjudication.store_decision(
            round_=unblinded, item=first.item, question=first.question, answer="no", note="", by=rater
        )


def test_the_tables_of_a_project_are_pages_and_files(rated, client):
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    page = compute_tables(client, reverse("project-tables", args=[rated.project.slug]))
    assert "Requested combinations" in page and "Automatic scores" in page
    file = reverse("project-tables-file", args=[rated.project.slug])
    assert b"Code,Length" in client.get(file, {"table": "combinations", "format": "csv"}).content
    assert client.get(file, {"figure": "combinations-figure", "format": "pdf"}).content.startswith(b"%PDF")
    assert client.get(reverse("project-tables", args=[rated.project.slug]), {"run": "none"}).status_code == 400


def test_tables_are_computed_by_a_job_and_never_by_the_page(rated, client):
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    url = reverse("project-tables", args=[rated.project.slug])
    file = reverse("project-tables-file", args=[rated.project.slug])
    page = client.get(url).content.decode()
    assert "data-auto" in page and "Requested combinations" not in page
    assert client.get(file, {"table": "combinations", "format": "csv"}).status_code == 404
    client.post(url)
    client.post(url)  # the same job
    job = Job.objects.get(kind=table_jobs.KIND)
    assert "being calculated" in client.get(url).content.decode()
    run_job(job.pk)
    with mock.patch.object(paper_tables, "_compute_tables", side_effect=AssertionError("computed by the page")):
        page = client.get(url).content.decode()
        assert "Requested combinations" in page and "data-auto" not in page
        assert client.get(file, {"format": "zip"}).content.startswith(b"PK")
