"""Several rounds, also of several projects, in one table."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Job, Role
from annotation.services.core.errors import Conflict
from evaluation.services.monitoring import round_control
from evaluation.services.reports import rounds_together
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all, raters_of

RUN = '[[target]]\nsystem = "lead"\n'


def rated_round(slug: str, first: int, names=()):
    project = project_with_gold(slug, documents=3)
    make_run(project, "lead")
    names = names or [f"{slug}-{number}" for number in range(first, first + 2)]
    people = [member(project, name, Role.RATER) for name in names]
    round_ = launch_new_round(project, n=3, more=RUN)
    for person, answer in zip(people, ("yes", "no"), strict=True):
        rate_all(round_, person, answer)
    return round_


@pytest.fixture
def two(db):
    rounds = [rated_round("doc", 1), rated_round("dial", 3)]
    return [round_control.apply_action(round_=round_, action="unblind", by=None) for round_ in rounds]


def test_one_table_has_the_domains_of_both_rounds(two):
    report = rounds_together.make_report(two)
    pooled = next(table for table in report["tables"] if table["key"] == "yes-pooled")
    groups = {column["group"] for column in pooled["columns"] if column["group"]}
    assert len(groups) == 2 and {row[0]["value"] for row in pooled["rows"]} == {"gold", "lead"}
    alone = rounds_together.make_report(two[:1])
    first = next(table for table in alone["tables"] if table["key"] == "yes-pooled")
    assert [row[1]["value"] for row in first["rows"]] == [row[1]["value"] for row in pooled["rows"]]


def test_people_of_two_projects_are_never_taken_for_one(two):
    frame, rows = rounds_together.combine_rounds(two)
    assert len(frame.raters) == 4 and {row.rater for row in rows} == set(frame.raters)
    assert len({row.source for row in rows}) == 6
    assert len({row.item for row in rows}) == sum(item.items.count() for item in two)


def test_two_people_who_rated_both_rounds_are_two_raters_as_the_paper_prints_them(db):
    people = ["ada", "bea"]
    rounds = [rated_round("doc", 1, people), rated_round("dial", 3, people)]
    rounds = [round_control.apply_action(round_=round_, action="unblind", by=None) for round_ in rounds]
    tables = {table["key"]: table for table in rounds_together.make_report(rounds)["tables"]}
    assert {"yes-rater-1", "yes-rater-2"} <= set(tables) and "yes-rater-3" not in tables
    for key, share in (("yes-rater-1", 1), ("yes-rater-2", 0)):
        columns = tables[key]["columns"]
        rates = [
            row[place]["value"]
            for row in tables[key]["rows"]
            for place, column in enumerate(columns)
            if column["group"] and "κ" not in column["label"]
        ]
        assert set(rates) == {share}, key
    agreement = tables["yes-rater-1"]
    assert sum(column["label"] == "κ" for column in agreement["columns"]) == 2  # of each domain
    assert "pairs of raters" not in str(agreement)
    assert len(tables["raters"]["rows"]) == 2


def test_the_command_takes_rounds_of_several_projects(two, capsys):
    names = [f"{item.project.slug}:{item.name}" for item in two]
    call_command("report", names[0], names[1], "--format", "json")
    data = json.loads(capsys.readouterr().out)
    assert data["judgements"] == sum(item.judgements.count() for item in two)
    with pytest.raises(CommandError, match="no PROJECT:NAME"):
        call_command("report", names[0], "nothing")
    with pytest.raises(CommandError, match="PROJECT:NAME each"):
        call_command("report", "doc", "First", "Second")
    with pytest.raises(CommandError, match="one round at a time"):
        call_command("report", *names, "--unblind")


def test_a_blind_round_is_not_put_beside_others(db):
    with pytest.raises(Conflict):
        rounds_together.combine_rounds([rated_round("doc", 1)])


def test_the_page_starts_a_job_and_shows_what_it_stored(two, client):
    project = two[0].project
    reader = member(project, "researcher", Role.RESEARCHER)
    member(two[1].project, "researcher", Role.RESEARCHER)
    client.force_login(reader)
    url = reverse("rounds-together", args=[project.slug])
    ids = [str(item.public_id) for item in two]
    assert "data-auto" in client.get(url, {"round": ids}).content.decode()
    client.post(url, {"round": ids})
    job = Job.objects.get(kind=rounds_together.KIND)
    run_job(job.pk)
    page = client.get(url, {"round": ids}).content.decode()
    assert "What came out" in page and "Share of yes, pooled" in page and "data-auto" not in page
    file = reverse("rounds-together-file", args=[project.slug])
    assert client.get(file, {"round": ids, "format": "zip"}).content.startswith(b"PK")
    job.refresh_from_db()
    answer = client.get(f"/api/v1/jobs/{job.public_id}/").json()
    assert "views" not in answer["result"]


def test_a_round_of_a_project_that_one_has_no_part_in_is_not_found(two, client):
    project = two[0].project
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    url = reverse("rounds-together", args=[project.slug])
    ids = [str(item.public_id) for item in two]
    page = client.get(url).content.decode()
    assert ids[0] in page and ids[1] not in page
    assert client.get(url, {"round": ids}).status_code == 404
    assert client.post(url, {"round": ids}).status_code == 404
    assert client.get(url, {"round": ["nonsense"]}).status_code == 404
    assert raters_of(project, 1) and not Job.objects.filter(kind=rounds_together.KIND).exists()
