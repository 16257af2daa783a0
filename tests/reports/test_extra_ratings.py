"""Additional ratings where raters disagree count in no figure; exports mark them and whoever decides sees them."""

import csv
import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Role
from epitome.agreement.judgements_file import read_judgements
from epitome.agreement.report import make_report as make_agreement
from epitome.agreement.report_text import as_text
from epitome.cli.agreement import read_file
from epitome.combined.answers_file import read_answers
from epitome.formats.reading import input_file
from evaluation.models import ItemAssignment, Judgement, RatingSlot
from evaluation.services.monitoring import rater_quality, round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import adjudication, judgements, report_jobs
from evaluation.services.reports.combined_rows import load_rows
from evaluation.services.reports.report_rows import load_answers
from tests.rounds.disagreeing import disagreeing, rate_one, request_more
from tests.rounds.factories import claim, member, rate_all

pytestmark = pytest.mark.django_db
EVERYTHING = judgements.ExportOptions(quality=True, excluded=True, extra=True)


@pytest.fixture
def unblinded():
    """Six items on which two raters disagree in every question, each rated once more by a third."""
    result, raters = disagreeing()
    request_more(result)
    rate_all(result, raters[2], "yes")
    return round_control.apply_action(round_=result, action="unblind", by=None)


def figures(made):
    """What is published or shown of a round: its report but for the methods, rows, disputes and rater figures."""
    report = report_jobs.make_report(made)
    report["methods"] = ""
    quality = [(row.seconds, row.yes_rate, row.unsure, row.answers) for row in rater_quality.rater_figures(made)]
    disputes = [(row.disagreement.item, row.disagreement.question) for row in adjudication.list_disputes(made)]
    return json.dumps([report, quality, sorted(disputes)], default=str, sort_keys=True), load_rows(made)


def remove_extra_ratings(made):
    extra = RatingSlot.objects.filter(round=made, extra=True)
    assert Judgement.objects.filter(item_assignment__slot__in=extra).delete()[0] > 10
    ItemAssignment.objects.filter(slot__in=extra).delete()
    extra.delete()


def test_every_figure_is_the_same_without_them(unblinded):
    with_them = figures(unblinded)
    remove_extra_ratings(unblinded)
    assert with_them == figures(unblinded)


def test_the_methods_say_how_many_there_were(unblinded):
    report = json.dumps(report_jobs.make_report(unblinded))
    assert "6 items whose raters disagreed were rated once more by another rater" in report


def test_answers_are_loaded_with_them_only_if_asked_for(unblinded):
    planned, everything = load_answers(unblinded), load_answers(unblinded, extra=True)
    assert not any(row.extra for row in planned)
    assert [row for row in everything if not row.extra] == planned
    assert len({row.item for row in everything if row.extra}) == 6


def test_exports_have_them_only_where_asked_for_and_marked(unblinded):
    assert not any("extra" in line for line in judgements.export_lines(unblinded))
    lines = list(judgements.export_lines(unblinded, EVERYTHING))
    marked = [line for line in lines if line.get("extra")]
    assert {line["rater"] for line in marked} & {line["rater"] for line in lines if not line.get("extra")} == set()
    assert len({line["item_id"] for line in marked}) == 6 and {line["extra"] for line in marked} == {True}


def test_the_page_and_the_call_give_them_with_what_counts_in_no_figure(unblinded):
    client = Client()
    client.force_login(member(unblinded.project, "researcher", Role.RESEARCHER))
    page = reverse("round-judgements", args=[unblinded.project.slug, unblinded.public_id])
    call = f"/api/v1/rounds/{unblinded.public_id}/judgements/"
    for url in (page, call):
        assert b'"extra"' not in b"".join(client.get(url).streaming_content)
    for url in (f"{page}?quality=1", f"{call}?extra=true"):
        assert b'"extra": true' in b"".join(client.get(url).streaming_content)


def test_the_agreement_command_leaves_them_out_of_either_file(unblinded, tmp_path):
    files = {name: tmp_path / name for name in ("planned.jsonl", "all.jsonl", "all.csv")}
    files["planned.jsonl"].write_bytes(b"".join(judgements.export_jsonl(unblinded)))
    files["all.jsonl"].write_bytes(b"".join(judgements.export_jsonl(unblinded, EVERYTHING)))
    files["all.csv"].write_bytes(b"".join(judgements.export_csv(unblinded, EVERYTHING)))
    assert "yes" in {row["extra"] for row in csv.DictReader(files["all.csv"].open(encoding="utf-8-sig"))}
    reports = {name: make_agreement(read_file(str(path)), replicates=20, seed=1) for name, path in files.items()}
    n = Judgement.objects.filter(item_assignment__slot__extra=True).count()
    assert reports["all.jsonl"].pooled == reports["planned.jsonl"].pooled == reports["all.csv"].pooled
    assert f"Left out: {n} answers requested because raters disagreed." in as_text(reports["all.jsonl"], "all")
    assert "Left out" not in as_text(reports["planned.jsonl"], "planned")
    assert (
        read_judgements(input_file(files["all.jsonl"])).left_out
        == read_answers(input_file(files["all.jsonl"])).left_out
    )


def test_whoever_decides_sees_it_as_one_more_vote(unblinded):
    disputes = adjudication.list_disputes(unblinded)
    assert {len(dispute.disagreement.answers) for dispute in disputes} == {3}
    third = ItemAssignment.objects.filter(slot__extra=True).first().rater
    for dispute in disputes[:1]:
        with pytest.raises(adjudication.Conflict, match="You rated this item yourself"):
            adjudication.store_decision(
                round_=unblinded,
                item=dispute.disagreement.item,
                question=dispute.disagreement.question,
                answer="yes",
                note="",
                by=third,
            )


def test_an_additional_rating_alone_makes_no_disagreement():
    result, raters = disagreeing(n=1, rated=1)
    view = claim(result, raters[1])
    key = view.item.questions[0]
    payload = {"answers": {name: {"answer": "no" if name == key else "yes"} for name in view.item.questions}}
    rating_answers.save_answers(assignment=view, payload=payload, finish=True)
    rate_one(claim(result, raters[1]), "yes")
    assert request_more(result) == (1, 1)
    rate_one(claim(result, raters[2]), "no")
    result = round_control.apply_action(round_=result, action="unblind", by=None)
    (dispute,) = adjudication.list_disputes(result)
    assert dispute.disagreement.question == key and len(dispute.disagreement.answers) == 3
