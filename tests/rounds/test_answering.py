"""Answers: saved as they come, once, with their history; the frozen texts; what the export tells."""

import json
import re

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from annotation.models import Annotation
from annotation.services.core.errors import BadInput, Conflict
from evaluation.models import Judgement, JudgementChange, Round
from evaluation.services.monitoring import rater_quality, round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims, item_payload
from evaluation.services.reports import judgements
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import launch as round_launch
from modelbridge.models import SystemOutput
from tests.rounds.factories import (
    answers_for,
    claim,
    config,
    launch_new_round,
    make_run,
    project_with_gold,
    rate_all,
    raters_of,
)

pytestmark = pytest.mark.django_db


def test_the_same_answers_again_change_nothing(rated):
    view = claim(rated.round, rated.raters[0])
    first = rating_answers.save_answers(assignment=view, payload=answers_for(view), revision=0)
    again = rating_answers.save_answers(assignment=view, payload=answers_for(view), revision=0)
    assert (first.revision, again.revision) == (1, 1)
    assert Judgement.objects.count() == 3 and JudgementChange.objects.count() == 0


def test_a_change_keeps_what_was_answered_before(rated):
    view = claim(rated.round, rated.raters[0])
    rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True)
    rating_answers.save_answers(assignment=view, payload={"answers": {"topic": {"answer": "no", "unsure": True}}})
    row = Judgement.objects.get(question="topic")
    assert (row.answer, row.unsure) == ("no", True)
    assert list(row.changes.values_list("answer", "unsure")) == [("yes", False)]


def test_a_stale_change_is_refused_with_both_versions(rated):
    view = claim(rated.round, rated.raters[0])
    rating_answers.save_answers(assignment=view, payload={"answers": {"topic": "yes"}}, revision=0)
    with pytest.raises(Conflict) as refused:
        rating_answers.save_answers(assignment=view, payload={"answers": {"topic": "no"}}, revision=0)
    assert refused.value.code == "stale" and refused.value.extra["revision"] == 1
    assert refused.value.extra["theirs"]["answers"]["topic"]["answer"] == "yes"
    assert Judgement.objects.get().answer == "yes"


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"answers": {"topic": "perhaps"}}, "answers.topic"),
        ({"answers": {"length": "yes"}}, "answers.length"),
        ({"answers": {"topic": {"answer": "yes", "unsure": 1}}}, "answers.topic.unsure"),
        ({"answers": ["yes"]}, "answers"),
        ({"answers": {}, "note": "x" * 5000}, "note"),
    ],
)
def test_what_cannot_be_an_answer_is_refused_by_name(rated, payload, field):
    view = claim(rated.round, rated.raters[0])
    with pytest.raises(BadInput) as refused:
        rating_answers.save_answers(assignment=view, payload=payload)
    assert refused.value.field == field and Judgement.objects.count() == 0


def test_an_item_with_an_open_question_is_not_finished(rated):
    view = claim(rated.round, rated.raters[0])
    with pytest.raises(BadInput, match="Still open: topic"):
        rating_answers.save_answers(
            assignment=view, payload={"answers": {"extractiveness": "yes", "specificity": "no"}}, finish=True
        )
    assert Judgement.objects.count() == 0


def test_one_answer_per_item_rater_and_question_is_kept_by_the_database(rated):
    view = claim(rated.round, rated.raters[0])
    rating_answers.save_answers(assignment=view, payload=answers_for(view))
    row = Judgement.objects.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgement.objects.create(
            item_assignment=view, round=rated.round, item_id=row.item_id, rater_id=row.rater_id, question=row.question,
            answer="no", answered_at=row.answered_at,
        )  # fmt: skip


def test_texts_are_frozen_at_launch(rated):
    texts_before = {
        item["summaries"][0]["text"]
        for view in rate_all(rated.round, rated.raters[0])
        for item in [item_payload.describe_item(view)]
    }
    SystemOutput.objects.update(text="changed")
    for row in Annotation.objects.all():
        Annotation.objects.filter(pk=row.pk).update(payload={**row.payload, "summary": "changed"})
    texts = [
        item_payload.describe_item(view)["summaries"][0]["text"] for view in rate_all(rated.round, rated.raters[1])
    ]
    assert set(texts) == texts_before and "changed" not in texts


def test_a_launched_design_cannot_be_changed(rated):
    with pytest.raises(Conflict, match="cannot be changed after launch"):
        round_launch.change_draft(round_=rated.round, text=config(name="Other"), by=None)
    with pytest.raises(Conflict):
        round_launch.launch_round(round_=rated.round, by=None)
    with pytest.raises(Conflict):
        round_launch.drop_draft(round_=rated.round, by=None)


def test_the_same_file_and_seed_give_the_same_item_list(rated):
    again = launch_new_round(rated.project, name="Again", more='[[target]]\nsystem = "lead"')
    assert again.items_hash == rated.round.items_hash
    SystemOutput.objects.filter(pk=SystemOutput.objects.first().pk).update(text="another text")
    other = launch_new_round(rated.project, name="Later", n=12, more='[[target]]\nsystem = "lead"')
    same = launch_new_round(rated.project, name="Later too", n=12, more='[[target]]\nsystem = "lead"')
    assert other.items_hash == same.items_hash != rated.round.items_hash


def test_instructions_come_first(db):
    project = project_with_gold()
    rater, _other = raters_of(project)
    round_ = launch_new_round(project, read=False)
    assert item_claims.claim_next(round_=round_, rater=rater).reason == "instructions"
    with pytest.raises(Conflict):
        round_instructions.confirm_instructions(round_=round_, rater=rater, shown_hash="another text")
    round_instructions.confirm_instructions(
        round_=round_, rater=rater, shown_hash=round_instructions.instructions_hash(round_)
    )
    assert claim(round_, rater) is not None


def test_a_qualification_must_be_passed(db):
    project = project_with_gold()
    rater, _other = raters_of(project)
    round_ = launch_new_round(project, head="qualification = 1.0")
    right = {
        f"{number}-{key}": answer
        for number, example in enumerate(round_instructions.qualifying_examples(round_))
        for key, answer in example.answers.items()
    }
    wrong = {**right, "0-topic": "yes"}
    assert item_claims.claim_next(round_=round_, rater=rater).reason == "qualification"
    row = round_instructions.submit_qualification(round_=round_, rater=rater, answers=wrong)
    assert row.qualified_at is None and row.qualification[0]["wrong"] == ["0-topic"]
    assert round_instructions.submit_qualification(round_=round_, rater=rater, answers=right).qualified_at is not None
    assert claim(round_, rater) is not None


def test_the_export_feeds_the_agreement_command(rated, tmp_path, capsys):
    rate_all(rated.round, rated.raters[0], "yes")
    rate_all(rated.round, rated.raters[1], "no")
    assert all("system" not in line for line in judgements.export_lines(rated.round))
    round_control.apply_action(round_=rated.round, action="unblind", by=None)
    file = tmp_path / "judgements.jsonl"
    file.write_bytes(b"".join(judgements.export_jsonl(rated.round)))

    call_command("agreement", str(file), "--json")

    data = json.loads(capsys.readouterr().out)
    assert data["questions"]["topic"]["raters"] == 2 and data["questions"]["topic"]["percent"]["value"] == 0
    assert set(data["systems"]) == {"gold", "lead"} and set(data["questions"]) == {
        "extractiveness",
        "specificity",
        "topic",
    }


def test_both_sides_of_a_pair_are_told_apart_by_text_not_by_place(db):
    project = project_with_gold()
    make_run(project, "lead")
    raters = raters_of(project)
    more = '[[target]]\nsystem = "lead"'
    round_ = launch_new_round(project, text=config(template="pairwise-preference", more=more))
    for rater in raters:
        while (view := claim(round_, rater)) is not None:
            first = next(
                summary["letter"]
                for summary in item_payload.describe_item(view)["summaries"]
                if "Gold" in summary["text"]
            )
            rating_answers.save_answers(assignment=view, payload={"answers": {"better": first.lower()}}, finish=True)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    lines = list(judgements.export_lines(round_))
    assert {line["answer"] for line in lines} == {"1"} and {line["left"] for line in lines} == {1, 2}
    assert lines[0]["systems"] == ["gold", "lead"]


def test_foils_and_repeats_are_counted_for_staff_and_left_out_of_the_file(db):
    project = project_with_gold(documents=14, topics=2)
    raters = raters_of(project)
    Annotation.objects.update(payload={"summary": "Nothing of the kind.", "relevant_segments": []})
    round_ = launch_new_round(
        project, text=config(n=12, more="[quality]\nother_source = 2\nrepeats = 2\n[exclusion]\nfoils_failed = 0.5")
    )
    rate_all(round_, raters[0], "yes")
    rate_all(round_, raters[1], "no")

    careless, careful = rater_quality.rater_figures(round_)
    assert (careless.foils, careless.foils_wrong, careful.foils_wrong) == (2, 2, 0)
    assert careful.self_agreement == careless.self_agreement == 1.0
    assert (careless.yes_rate, careful.yes_rate) == (1.0, 0.0) and careless.yes_no == 36
    assert rater_quality.excluded_raters(round_) == {raters[0].pk}
    assert len(list(judgements.export_lines(round_))) == 36  # twelve real items of the rater who counts
    everything = list(judgements.export_lines(round_, judgements.ExportOptions(quality=True, excluded=True)))
    assert {line["kind"] for line in everything} == {"real", "other-source", "repeat"}


def test_free_words_are_exported_only_when_asked_for(db):
    project = project_with_gold()
    (rater,) = raters_of(project, 1)
    text = config(n_raters=1, n=1, more='[[question]]\nkey = "why"\ntype = "note"\ntext = "Why?"')
    round_ = launch_new_round(project, text=text)
    view = claim(round_, rater)
    answers = answers_for(view, "yes")
    answers["answers"]["why"] = {"answer": "Too short.\r\nAnd late.", "unsure": False}
    rating_answers.save_answers(assignment=view, payload=answers, finish=True)
    assert {line["question"] for line in judgements.export_lines(round_)} == {"extractiveness", "specificity", "topic"}
    free = list(judgements.export_lines(round_, judgements.ExportOptions(notes=True)))
    assert [line["answer"] for line in free if line["question"] == "why"] == ["Too short.\nAnd late."]


def test_the_command_launches_and_refuses_in_one_line(rated, tmp_path, capsys):
    file = tmp_path / "round.toml"
    file.write_text(config(name="By command", more='[[target]]\nsystem = "lead"'))
    call_command("launch_round", rated.project.slug, str(file), "--dry-run", "--json")
    data = json.loads(capsys.readouterr().out)
    assert data["can_launch"] and data["items"] == 12 and Round.objects.count() == 1
    assert data["power"][0]["rates"][1]["kappas"]["0.6"] > data["power"][0]["rates"][0]["kappas"]["0.6"]
    call_command("launch_round", rated.project.slug, str(file), "--dry-run")
    assert re.search(r"yes 0\.90 \+-0\.\d\d, kappa 0\.6 \+-\d\.\d\d, .* difference ", capsys.readouterr().out)
    call_command("launch_round", rated.project.slug, str(file))
    assert Round.objects.get(name="By command").state == "open"
    file.write_text(config(name="Wrong", n=500))
    with pytest.raises(Exception, match=r"round.toml: Not enough data: 24 samples fit, 500 are needed"):
        call_command("launch_round", rated.project.slug, str(file))
