"""The file for checking of stored rounds, by page, call and command: who gets it, what it has, that it checks equal."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Job, Role
from evaluation.models import Item, Judgement, Round
from evaluation.services.monitoring import round_control
from evaluation.services.reports import check_file, report_jobs, report_links
from modelbridge.models import SystemRevision
from tests.check.rounds import check_lines_of, list_faults
from tests.rounds.factories import config, launch_new_round, make_run, member, project_with_gold, rate_all, raters_of
from tests.rounds.finished import answer_at_once
from tests.rounds.judged import answer_all, judged_config, make_judge
from tests.span_errors.factories import mark, round_text, stored

pytestmark = pytest.mark.django_db
RUN = '[[target]]\nsystem = "lead"\n'
TEXT = "The council refused to pay."
FORMS = ("likert", "pairwise-preference", "error-spans-mqm", "attribute-identification")


def start_round(text: str = "", *, template: str = "macsum-yes-no") -> Round:
    """A round of gold and a run, which two raters are to answer; a judge is there, too."""
    project = project_with_gold()
    make_run(project, "lead", text=TEXT)
    make_judge(project)
    raters_of(project)
    return launch_new_round(project, text=text or config(template=template, more=RUN))


def answer_by_turns(item: Item, question: str, rater: User) -> str:
    """Every answer that a question has, by turns; two raters differ on some."""
    asked = item.round.rules.question(question)
    turn = item.number + (rater.pk if item.number % 3 == 0 else 0)
    if asked.asks.marks:
        marks = [mark(4, 11), mark(12, 19, "fluency", "minor"), {"category": "omission", "severity": "minor"}]
        return stored(*marks[: turn % 4])
    options = [option.value for option in asked.asks.options(asked)]
    return options[turn % len(options)] if options else "a note"


def unblind(round_: Round) -> Round:
    return round_control.apply_action(round_=round_, action="unblind", by=None)


def read_file(round_: Round) -> list[str]:
    return b"".join(check_file.export_report(round_, report_jobs.make_report(round_))).decode().split("\n")


@pytest.fixture
def unblinded():
    round_ = start_round()
    answer_at_once(round_, answer_by_turns)
    return unblind(round_)


@pytest.mark.parametrize("template", FORMS)
def test_the_file_of_a_round_of_each_form_checks_equal(template):
    round_ = start_round(round_text() if template == "error-spans-mqm" else "", template=template)
    answer_at_once(round_, answer_by_turns)
    findings = check_lines_of(read_file(unblind(round_)))
    faults = [fault for fault in list_faults(findings) if "automatic scores are measured on texts" not in fault]
    assert faults == [] and sum(one.outcome == "equal" for one in findings) > 20


def test_the_file_of_a_round_with_a_judge_checks_equal():
    round_ = start_round(judged_config(share="n_for_people = 4", n_raters=2))
    for rater, answer in zip(round_.raters.order_by("pk"), ("yes", "no"), strict=True):
        rate_all(round_, rater.rater, answer)
    answer_all(round_, SystemRevision.objects.get(role="judge"), lambda request: 0)
    findings = check_lines_of(read_file(unblind(round_)))
    assert [one.name for one in findings if one.outcome == "different"] == []
    assert {"combined-estimates", "judges"} <= {one.name.partition(" ")[0] for one in findings}


def test_page_call_and_command_give_the_same_file_with_every_counted_answer(unblinded, client, capsys):
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    address = [unblinded.project.slug, unblinded.public_id]
    file = reverse("round-report-file", args=address)
    assert client.get(file, {"format": "check"}).status_code == 409, "nothing was calculated yet"
    client.post(reverse("round-report-start", args=address))
    run_job(Job.objects.get(kind=report_jobs.KIND).pk)
    assert "format=check" in client.get(reverse("round-report", args=address)).content.decode()
    answer = client.get(file, {"format": "check"})
    assert answer.status_code == 200 and "news-round-1-check.jsonl" in answer["Content-Disposition"]
    call_command("report", unblinded.project.slug, unblinded.name, "--format", "check")
    assert capsys.readouterr().out.encode() == answer.content
    called = client.get(reverse("api-round-check-file", args=[unblinded.public_id]))
    assert (called.content, called["Content-Type"]) == (answer.content, "application/jsonl")
    lines = [json.loads(line) for line in answer.content.decode().splitlines()]
    assert sum(line.get("kind") == "answer" for line in lines) == Judgement.objects.filter(round=unblinded).count()
    names = set(User.objects.values_list("username", flat=True))
    assert not names & {line["rater"] for line in lines if line.get("kind") == "answer"}, "raters are pseudonyms"
    assert TEXT not in answer.content.decode()


def test_a_report_that_newer_answers_made_old_is_not_given_with_other_rows(unblinded, client):
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    address = [unblinded.project.slug, unblinded.public_id]
    client.post(reverse("round-report-start", args=address))
    run_job(Job.objects.get(kind=report_jobs.KIND).pk)
    Judgement.objects.filter(round=unblinded).first().delete()
    answer = client.get(reverse("round-report-file", args=address), {"format": "check"})
    assert answer.status_code == 409 and "Recalculate it first" in answer.content.decode()


def test_blind_rounds_strangers_and_links_give_no_file(client):
    round_ = start_round()
    answer_at_once(round_, answer_by_turns)
    with pytest.raises(CommandError, match="blind"):
        call_command("report", round_.project.slug, round_.name, "--format", "check")
    file = reverse("round-report-file", args=[round_.project.slug, round_.public_id])
    researcher = member(round_.project, "researcher", Role.RESEARCHER)
    client.force_login(researcher)
    assert client.get(file, {"format": "check"}).status_code == 404
    unblind(round_)
    with pytest.raises(CommandError, match="one round at a time"):
        call_command("report", *[f"{round_.project.slug}:{round_.name}"] * 2, "--format", "check")
    client.post(reverse("round-report-start", args=[round_.project.slug, round_.public_id]))
    run_job(Job.objects.get(kind=report_jobs.KIND).pk)
    _link, token = report_links.make_link(round_=round_, name="all", days=7, by=researcher)
    client.logout()
    shared = reverse("shared-report", args=[token])
    assert "format=zip" in (page := client.get(shared).content.decode()) and "format=check" not in page
    assert client.get(reverse("shared-report-file", args=[token]), {"format": "check"}).status_code == 404
    assert client.get(file, {"format": "check"}).status_code in (302, 404)
    client.force_login(round_.raters.first().rater)
    assert client.get(file, {"format": "check"}).status_code == 404
