"""The report of a round with a judge: tables, methods and the rows behind them, by page and command."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Job, Role
from epitome.combined.group_estimates import estimate_groups
from epitome.combined.rows_file import read_combined_rows
from epitome.formats.reading import input_file
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all, raters_of
from tests.rounds.judged import answer_all, judged_config, make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(db):
    """Six samples of which people judge four; people differ in their answers, the judge says yes."""
    project = project_with_gold()
    make_run(project, "lead")
    people, judge = raters_of(project), make_judge(project)
    round_ = launch_new_round(project, text=judged_config(share="n_for_people = 4", n_raters=2))
    rate_all(round_, people[0], "yes")
    rate_all(round_, people[1], "no")
    answer_all(round_, judge, lambda request: 0)
    return round_


@pytest.fixture
def unblinded(judged):
    return round_control.apply_action(round_=judged, action="unblind", by=None)


def test_the_report_has_combined_tables_and_methods(unblinded):
    report = report_jobs.make_report(unblinded)
    tables = {table["key"]: table for table in report["tables"]}
    assert {"combined-estimates", "combined-differences", "judges", "yes-pooled"} <= set(tables)
    groups = {column["group"] for column in tables["combined-estimates"]["columns"]}
    assert groups == {"", "judge, revision 1"}
    people = tables["combined-estimates"]["rows"][0][2]
    assert (people["value"], people["n"]) == (0.5, 4)
    assert "A model (judge, revision 1) judged all" in report["methods"]
    assert "combined-sequences" not in tables


def test_page_file_and_command_give_the_rows_behind_the_numbers(unblinded, client, capsys, tmp_path):
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    address = [unblinded.project.slug, unblinded.public_id]
    client.post(reverse("round-report-start", args=address))
    run_job(Job.objects.get(kind=report_jobs.KIND).pk)
    page = client.get(reverse("round-report", args=address)).content.decode()
    assert "Estimates from people and judges" in page
    assert "Judge only (biased)" in page
    assert "?format=rows" in page
    file = client.get(reverse("round-report-file", args=address), {"format": "rows"})
    assert file["Content-Type"].startswith("application/jsonl")
    assert "-combined.jsonl" in file["Content-Disposition"]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(file.content)
    values = [estimate.people.value for estimate in estimate_groups(read_combined_rows(input_file(path)))]
    assert set(values) == {0.5}
    assert {"pi", "H", "G"} <= set(json.loads(path.read_text().splitlines()[0]))
    call_command("report", unblinded.project.slug, unblinded.name, "--format", "rows")
    assert capsys.readouterr().out.encode() == file.content


def test_a_blind_round_gives_no_rows(judged, client):
    client.force_login(member(judged.project, "researcher", Role.RESEARCHER))
    address = [judged.project.slug, judged.public_id]
    assert client.get(reverse("round-report-file", args=address), {"format": "rows"}).status_code == 404
    with pytest.raises(CommandError, match="blind"):
        call_command("report", judged.project.slug, judged.name, "--format", "rows")


def test_a_changed_judge_starts_a_new_column(unblinded):
    answer_all(unblinded, make_judge(unblinded.project, number=2), lambda request: 1)
    tables = {table["key"]: table for table in report_jobs.make_report(unblinded)["tables"]}
    groups = [column["group"] for column in tables["combined-estimates"]["columns"]]
    assert list(dict.fromkeys(groups)) == ["", "judge, revision 1", "judge, revision 2"]


def test_a_round_without_a_judge_has_neither(db, client):
    project = project_with_gold()
    make_run(project, "lead")
    people = raters_of(project)
    result = launch_new_round(project, n=3, more='[[target]]\nsystem = "lead"\n')
    rate_all(result, people[0], "yes")
    result = round_control.apply_action(round_=result, action="unblind", by=None)
    assert not [table for table in report_jobs.make_report(result)["tables"] if table["key"].startswith("combined")]
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    address = [project.slug, result.public_id]
    assert client.get(reverse("round-report-file", args=address), {"format": "rows"}).status_code == 404
    assert "format=rows" not in client.get(reverse("round-report", args=address)).content.decode()
