"""Rounds over contrastive examples: drawn by rule, rated with their changed words marked, reported, excluded."""

import json
from collections import Counter

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotation, AuditEvent, Contrastive, ContrastiveSet, Project, Role
from annotation.services.contrastives.excluding import exclude_contrastives
from annotation.services.contrastives.sets import check_replaceable
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from epitome.metrics.contrastive_scores import RULES
from evaluation.models import Item, Round, RoundState, RoundText
from evaluation.services.monitoring import round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_payload
from evaluation.services.reports import adjudication, example_verdicts, report_jobs
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds import presets
from evaluation.services.rounds.design_check import check_design, parse_config
from evaluation.services.withdrawal import round_texts
from tests.rounds.examples import check_round, make_examples, make_scorer_run
from tests.rounds.factories import claim, launch_new_round, member, project_with_gold, raters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    """24 human summaries of 12 sources, with an example of each of the eight rules."""
    project = project_with_gold(documents=12)
    make_examples(project)
    raters_of(project)
    return project


def test_examples_that_a_launched_round_shows_are_not_replaced(project):
    round_ = launch_new_round(project, text=check_round())
    ContrastiveSet.objects.create(project=project, origin=ContrastiveSet.Origin.IMPORT)
    with pytest.raises(Conflict, match=f"These examples are in the round {round_.name}"):
        check_replaceable(project, replace=True)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.DRAFT)
    check_replaceable(project, replace=True)


def answer_round(round_, rater, answer):
    """answer: rule and example's number in the round -> (readability-issue, discrepancy), as yes or no."""
    while (assignment := claim(round_, rater)) is not None:
        first, second = answer(assignment.item.targets[0]["rule"], assignment.item.number)
        answers = {"readability-issue": {"answer": first}, "discrepancy": {"answer": second}}
        rating_answers.save_answers(assignment=assignment, payload={"answers": answers}, finish=True)


def rows_of(report, key):
    table = next(table for table in report["tables"] if table["key"] == key)
    heads = [column["label"] for column in table["columns"]]
    return {row[0]["value"]: dict(zip(heads, row, strict=True)) for row in table["rows"]}


def test_as_many_of_every_rule_are_drawn_and_frozen_with_gold_and_marks(project):
    round_ = launch_new_round(project, text=check_round())
    items = list(round_.items.select_related("first", "reference").order_by("number"))
    assert Counter(item.targets[0]["rule"] for item in items) == dict.fromkeys(RULES, 2)
    examples = Contrastive.objects.select_related("annotation").in_bulk([item.targets[0]["row"] for item in items])
    assert len(examples) == 16
    for item in items:
        example = examples[item.targets[0]["row"]]
        assert item.first.text == example.text and item.sample_id == example.sample_id
        assert item.reference.text == example.annotation.payload["summary"]
        assert item.marks == [[0, len(example.edits[0]["now"]), "Gold"]]
    value = json.loads(round_.design)["targets"][0]
    assert value["kind"] == "contrastive" and value["examples"] == dict.fromkeys(RULES, 2)
    again = check_design(project, parse_config(project, check_round("Again")))
    assert [item.sample for item in again.plan.items] == [item.targets[0]["sample"] for item in items]


def test_only_examples_that_a_run_did_not_dodge_are_drawn(project):
    examples = list(Contrastive.objects.filter(project=project).order_by("pk"))
    failed = {str(example.public_id) for example in examples if example.rule != "S-P"}
    failed = set(sorted(failed)[::2]) | {str(next(e.public_id for e in examples if e.rule == "S-P"))}
    scores = {str(e.public_id): -10.0 if str(e.public_id) in failed else -10.5 for e in examples}
    run = make_scorer_run(project, scores, label="abs on test")
    for name in (str(run.public_id), "abs on test"):
        text = check_round(f"By {name}", selection=f'not_dodged_by = "{name}"')
        result = check_design(project, parse_config(project, text))
        assert result.can_launch and any("S-P 1" in warning for warning in result.warnings)
        drawn = Contrastive.objects.in_bulk(list(result.material.targets["contrastive"].rows.values())).values()
        assert {str(example.public_id) for example in drawn} <= failed
        assert Counter(example.rule for example in drawn) == {**dict.fromkeys(RULES, 2), "S-P": 1}


def test_what_cannot_be_drawn_is_said(project):
    with pytest.raises(BadInput, match="no finished run nobody"):
        check_design(project, parse_config(project, check_round(selection='not_dodged_by = "nobody"')))
    everything = {str(public_id): -99.0 for public_id in Contrastive.objects.values_list("public_id", flat=True)}
    make_scorer_run(project, everything, label="perfect")
    dodged = check_design(project, parse_config(project, check_round(selection='not_dodged_by = "perfect"')))
    assert "dodged every contrastive example" in dodged.faults[0] and not dodged.can_launch
    Contrastive.objects.update(state="excluded")
    empty = check_design(project, parse_config(project, check_round()))
    assert "no contrastive examples" in empty.faults[0] and not empty.can_launch


def test_the_check_of_a_large_set_takes_as_many_queries_as_that_of_a_small_one(project):
    def count_queries(name, per_rule):
        config = parse_config(project, check_round(name, per_rule=per_rule))
        with CaptureQueriesContext(connection) as queries:
            assert check_design(project, config).can_launch
        return len(queries)

    assert count_queries("Small", 1) == count_queries("Large", 20)
    with CaptureQueriesContext(connection) as small:
        launch_new_round(project, read=False, text=check_round("Small", per_rule=1))
    with CaptureQueriesContext(connection) as large:
        launch_new_round(project, read=False, text=check_round("Large", per_rule=20))
    assert len(large) <= len(small) + 5, "some rows are inserted in parts"


def test_a_rater_sees_gold_source_and_the_changed_word_in_bold_and_nothing_of_rules(project):
    round_ = launch_new_round(project, text=check_round())
    rater = round_.raters.get(lane=1).rater if round_.raters.count() == 1 else round_.raters.first().rater
    assignment = claim(round_, rater)
    item = item_payload.describe_item(assignment)
    (mark,) = item["marks"]
    word = item["summaries"][0]["text"][: mark["end"]]
    assert mark == {"start": 0, "end": len(word), "was": "Gold"} and item["reference"].startswith("Gold on topic")
    client = Client()
    client.force_login(rater)
    page = client.get(item["page"]).content.decode()
    assert f'<b class="changed" tabindex="0">{word}<span class="was">was: Gold</span></b>' in page
    assert "Original summary" in page and "data-show-copied" not in page
    assert not any(rule in page for rule in RULES)
    instructions = client.get(reverse("round-instructions", args=[round_.public_id])).content.decode()
    assert '<b class="changed" tabindex="0">is<span class="was">was: are</span></b>' in instructions


def test_the_report_gives_shares_by_rule_beside_the_published_ones(project):
    round_ = launch_new_round(project, text=check_round())
    rater = round_.raters.first().rater

    def answer(rule, _number):
        return ("yes" if rule.startswith("G") else "no", "yes" if rule in ("G-N", "S-N", "S-V") else "no")

    for row in round_.raters.all():
        answer_round(round_, row.rater, answer)
    assert rater is not None
    with pytest.raises(Conflict):
        example_verdicts.list_harmless(round_)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    harmless = example_verdicts.list_harmless(round_)
    exclude_contrastives(project=project, ids=[harmless[0].pk], by=None)

    report = report_jobs.make_report(round_)

    rows = rows_of(report, "human-check")
    assert list(rows) == [*RULES, "all", "as printed: ABS+ on Gigaword, NAACL 2019, the authors' logs"]
    assert [rows["G-N"][head]["value"] for head in list(rows["G-N"])[1:]] == [2, 100, 100, 100, 0]
    assert [rows["all"][head]["value"] for head in list(rows["all"])[1:]] == [16, 50, 37.5, 75, 25]
    printed = rows[next(key for key in rows if key.startswith("as printed"))]
    assert [printed[head]["value"] for head in list(printed)[1:]] == [200, 49.5, 43.5, 93, None]
    notes = " ".join(next(table for table in report["tables"] if table["key"] == "human-check")["notes"])
    assert "1 of the project's 192 contrastive examples were excluded, 1 of them examples of this round" in notes
    assert "Raters judged contrastive examples of human summaries (up to 2 of each rule" in report["methods"]


def test_two_raters_give_kappa_and_what_both_deny_can_be_excluded_by_staff(project):
    round_ = launch_new_round(project, text=check_round(n_raters=2))
    first, second = [row.rater for row in round_.raters.order_by("pk")]
    answer_round(round_, first, lambda rule, number: ("no", "no") if rule[2] in "NP" else ("yes", "no"))
    answer_round(round_, second, lambda rule, number: ("no", "no") if rule[2] in "NA" else ("yes", "no"))
    round_control.apply_action(round_=round_, action="unblind", by=None)

    rows = rows_of(report_jobs.make_report(round_), "human-check-agreement")
    # 16 examples: 4 both no, 4 both yes, 8 apart.
    assert rows["Readability issue"]["\u03ba"]["value"] == pytest.approx(0.0)
    assert rows["At least one"]["Rated twice"]["value"] == 16
    assert rows["Discrepancy"]["\u03ba"]["value"] is None

    assert {example.rule for example in example_verdicts.list_harmless(round_)} == {"G-N", "S-N"}
    disputed = next(d for d in adjudication.list_disputes(round_) if d.item.targets[0]["rule"] == "G-P")
    researcher = member(project, "researcher", Role.RESEARCHER)
    adjudication.store_decision(
        round_=round_,
        item=disputed.disagreement.item,
        question="readability-issue",
        answer="no",
        note="",
        by=researcher,
    )
    harmless = example_verdicts.list_harmless(round_)
    assert [example.rule for example in harmless].count("G-P") == 1
    assert [example.decided for example in harmless if example.rule == "G-P"] == [True]

    client = Client()
    client.force_login(researcher)
    report_page = reverse("round-report", args=[project.slug, round_.public_id])
    page = reverse("round-examples", args=[project.slug, round_.public_id])
    assert page in client.get(report_page).content.decode() or not report_jobs.stored_report(round_)
    text = client.get(page).content.decode()
    assert text.count('type="checkbox"') == len(harmless) and "was: Gold" in text
    assert client.post(page, {}).status_code == 422
    other = Contrastive.objects.filter(project=project).exclude(pk__in=[e.pk for e in harmless]).first()
    assert client.post(page, {"example": [harmless[0].pk, other.pk]}).status_code == 422
    assert not Contrastive.objects.filter(state="excluded").exists()
    assert client.post(page, {"example": [e.pk for e in harmless[:2]]}).status_code == 302
    assert set(Contrastive.objects.filter(state="excluded").values_list("pk", flat=True)) == {
        example.pk for example in harmless[:2]
    }
    assert AuditEvent.objects.filter(verb="contrastives.exclude", actor=researcher).count() == 1
    assert client.get(page).content.decode().count('type="checkbox"') == len(harmless) - 2
    client.force_login(first)
    assert client.get(page).status_code == 404


def test_new_round_offers_the_check_with_the_newest_scorers_run(project):
    assert "not_dodged_by =" not in presets.write_preset(project, "contrastive-check")
    run = make_scorer_run(project, {str(Contrastive.objects.first().public_id): -1.0})
    config = parse_config(project, presets.write_preset(project, "contrastive-check"))
    assert config.is_contrastive and config.selection.per_rule == 25
    assert config.selection.not_dodged_by == str(run.public_id)
    Contrastive.objects.update(state="excluded")
    assert presets.list_presets(project) == []


def test_the_form_of_a_new_round_writes_a_check_for_its_template(project):
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    form = {"name": "By form", "template": "contrastive-check", "n": 16, "raters_per_item": 1, "seed": 3, "gold": "on"}
    page = client.post(reverse("round-new", args=[project.slug]), {**form, "do": "write"})
    text = page.context["toml"]
    config = parse_config(project, text)
    assert config.is_contrastive and config.selection.per_rule == 2 and len(config.targets) == 1


def test_excluded_examples_are_drawn_no_more(project):
    Contrastive.objects.filter(rule="G-A").update(state="excluded")
    round_ = launch_new_round(project, text=check_round())
    assert "G-A" not in {item.targets[0]["rule"] for item in round_.items.all()}


def test_examples_replaced_between_check_and_launch_refuse_the_launch(project, monkeypatch):
    draft = round_launch.make_draft(project=project, text=check_round(), by=None)
    store_items = round_launch._store_items

    def replace_first(round_, result):
        Contrastive.objects.filter(project=project).delete()
        return store_items(round_, result)

    monkeypatch.setattr(round_launch, "_store_items", replace_first)
    with pytest.raises(Conflict, match="replaced meanwhile"):
        round_launch.launch_round(round_=draft, by=None)
    assert not Item.objects.exists()


def test_a_withdrawal_empties_examples_of_the_persons_golds(project, monkeypatch):
    round_ = launch_new_round(project, text=check_round())
    item = round_.items.select_related("first").first()
    golds = Annotation.objects.filter(pk=item.targets[0]["annotation"])
    monkeypatch.setattr(round_texts, "stored_summaries", lambda projects, person: golds)
    holder = TEXT_HOLDERS["round_copies"]
    projects = Project.objects.filter(pk=project.pk)
    assert holder.count(projects, 0) >= 2, "the gold beside the example, and the example"
    holder.empty(projects, 0)
    item.refresh_from_db()
    assert RoundText.objects.get(pk=item.first_id).text == RoundText.objects.get(pk=item.reference_id).text == ""
    assert item.marks == [] and RoundText.objects.filter(round=round_).exclude(text="").exists()
