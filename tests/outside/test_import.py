"""Marked errors of other tools as answers to a round: what comes in, what is left out, what is refused."""

import json

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.models import AuditEvent
from annotation.services.core.errors import BadInput, Conflict
from epitome.formats.reading import input_file
from epitome.rounds.marks import load_marks
from epitome.rounds.outside_answers import Word, parse_mapping
from evaluation.models import ItemAssignment, Judgement, RatingSlot, RoundRater
from evaluation.services.monitoring import round_control, round_progress
from evaluation.services.rating import outside_raters
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.rating.outside_preview import preview_answers
from tests.outside.factories import (
    CROSSED,
    KILLED,
    WOLF,
    factgenie_entry,
    judged,
    outside_project,
    outside_round,
    pearmut_file,
)

pytestmark = pytest.mark.django_db


def store(round_, path, *pairs):
    return import_answers(round_=round_, file=input_file(path), mapping=parse_mapping(pairs), by=None)


def marked_words(judgement):
    text = judgement.item.first.text
    marks = load_marks(judgement.answer)
    return [
        (text[mark.start : mark.end] if not mark.is_omission else "", mark.severity, mark.category) for mark in marks
    ]


def peer_export(shared, tool, name):
    path = shared / "data" / "peer-exports" / tool / name
    if not path.is_file():
        pytest.skip(f"exports of other tools not found: {path}")
    return path


def test_real_answers_of_pearmut_become_ratings(shared):
    """The real file: two people, two outputs each; a character of two units stands before the marks."""
    round_ = outside_round(outside_project())
    preview = store(round_, peer_export(shared, "pearmut-1.1.6", "annotations.json"))
    assert (len(preview.new), len(preview.new_people), preview.n_items, preview.n_marks) == (4, 2, 2, 4)
    assert preview.left_out == {} or dict(preview.left_out) == {("omission", ""): 2}
    scores = Judgement.objects.filter(question="score").values_list("item__targets__0__target", "answer")
    assert sorted(scores) == [("sysA", "19"), ("sysA", "34"), ("sysB", "81"), ("sysB", "92")]
    for judgement in Judgement.objects.filter(question="errors", item__first__text=WOLF):
        assert ("June", "major", "") in marked_words(judgement)


def test_real_answers_of_factgenie_need_a_severity(shared):
    round_ = outside_round(outside_project())
    path = peer_export(shared, "factgenie-1.2.1", "0-0-reader_one-1795791655.jsonl")
    with pytest.raises(BadInput) as refused:
        store(round_, path)
    assert refused.value.extra["words"] == ["severity:"] and not Judgement.objects.exists()
    preview = store(round_, path, "severity:=minor")
    judgement = Judgement.objects.get()
    assert marked_words(judgement) == [("June", "minor", ""), ("killed sheep.", "minor", "")]
    assert ItemAssignment.objects.get().note == "Two errors, one at the end."
    assert preview.left_out["answer", "overall"] == 1 and preview.left_out["categories", ""] == 2


def test_categories_are_asked_for_where_the_round_has_them(tmp_path):
    round_ = outside_round(outside_project(), "error-spans-mqm")
    path = tmp_path / "a.jsonl"
    spans = [{"type": 0, "text": "June", "start": 32}, {"type": 1, "text": "sheep.", "start": 48}]
    path.write_text(json.dumps(factgenie_entry(annotations=spans)))
    preview = preview_answers(round_, input_file(path), {})
    assert [str(choice.word) for choice in preview.missing] == [
        "category:Contradiction",
        "category:Not checkable",
        "severity:",
    ]
    store(round_, path, "severity:=major", "category:Contradiction=accuracy", "category:Not checkable=-")
    assert marked_words(Judgement.objects.get()) == [("June", "major", "accuracy")]


@pytest.mark.parametrize("pair", ["severity:major=grave", "answer:score=errors", "major=minor"])
def test_a_mapping_to_what_the_round_does_not_have_is_refused(tmp_path, pair):
    round_ = outside_round(outside_project())
    with pytest.raises((BadInput, ValueError), match=r"grave|errors|no mapping"):
        store(round_, pearmut_file(tmp_path, judged()), pair)
    assert not RoundRater.objects.exclude(tool="").exists()


def test_the_same_file_twice_adds_nothing(tmp_path):
    round_ = outside_round(outside_project())
    path = pearmut_file(tmp_path, judged(), judged("shy-fox"))
    store(round_, path)
    events = AuditEvent.objects.count()
    again = store(round_, path)
    assert (len(again.new), again.n_repeated) == (0, 2)
    assert Judgement.objects.count() == 4 and AuditEvent.objects.count() == events


def test_the_database_refuses_a_second_rating_of_a_rater(tmp_path):
    round_ = outside_round(outside_project())
    store(round_, pearmut_file(tmp_path, judged()))
    row = ItemAssignment.objects.get()
    row.pk, row.public_id, row.position = None, "9f0c6f5e-6ef5-4a4f-9f0b-111111111111", 2
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
    ItemAssignment.objects.filter(slot=None).update(state="done")
    with pytest.raises(IntegrityError), transaction.atomic():
        ItemAssignment.objects.filter(slot=None).update(state="claimed")


def test_an_answer_that_changed_since_is_refused_and_nothing_of_the_file_stored(tmp_path):
    round_ = outside_round(outside_project())
    store(round_, pearmut_file(tmp_path, judged()))
    with pytest.raises(Conflict) as refused:
        store(round_, pearmut_file(tmp_path, judged(score=41), judged("shy-fox")))
    assert refused.value.code == "changed" and Judgement.objects.count() == 2


def test_the_last_answer_of_a_rater_about_an_output_counts(tmp_path):
    round_ = outside_round(outside_project())
    preview = store(round_, pearmut_file(tmp_path, judged(score=10), judged(score=90)))
    assert Judgement.objects.get(question="score").answer == "90" and preview.left_out["replaced", ""] == 1


def test_an_output_that_differs_in_a_character_is_left_out_with_the_place(tmp_path):
    round_ = outside_round(outside_project())
    path = pearmut_file(
        tmp_path, judged(), judged(output=WOLF.replace("June", "July")), judged(output="Nothing like it", marks=[])
    )
    preview = store(round_, path)
    assert preview.left_out["other-text", ""] == 1 and preview.left_out["unknown-text", ""] == 1
    place = "at character 38, after “through the valley in Ju”"
    assert preview.differences == [f"wolf-3, sysA: {place}, the round has “ne.”, the file “ly.”"]
    assert ItemAssignment.objects.filter(slot=None).count() == 1


def test_white_space_at_the_ends_moves_the_marks(tmp_path):
    """The file has two spaces before the text; the marked space before "A" is cut off, a mark of spaces alone falls."""
    round_ = outside_round(outside_project())
    marks = [(1, 2, "minor"), (38, 41, "major"), (0, 0, "minor")]
    preview = store(round_, pearmut_file(tmp_path, judged(output=f"  {WOLF}\n", marks=marks)))
    judgement = Judgement.objects.get(question="errors")
    assert marked_words(judgement) == [("A", "minor", ""), ("June", "major", "")]
    assert preview.left_out["white-space", ""] == 1


def test_equal_texts_are_told_apart_by_the_system_or_left_out(tmp_path):
    round_ = outside_round(outside_project(sysB=(WOLF, "Sheep were there.", "A bear woke up.")))
    path = pearmut_file(tmp_path, judged(system="sysB"), judged("shy-fox", system="model-1"))
    preview = store(round_, path)
    assert preview.left_out["several-items", ""] == 1
    assert ItemAssignment.objects.get(slot=None).item.targets[0]["target"] == "sysB"


def test_marks_of_the_same_words_keep_the_gravest(tmp_path):
    round_ = outside_round(outside_project())
    preview = store(round_, pearmut_file(tmp_path, judged(marks=[(36, 39, "major"), (36, 39, "minor")])))
    assert marked_words(Judgement.objects.get(question="errors")) == [("June", "major", "")]
    assert preview.left_out["same-words", ""] == 1


def test_a_damaged_entry_names_its_place_and_nothing_is_stored(tmp_path):
    round_ = outside_round(outside_project())
    path = tmp_path / "a.jsonl"
    entries = [factgenie_entry(), factgenie_entry(annotations=[{"type": 0, "text": "June", "start": 3}])]
    path.write_text("\n".join(map(json.dumps, entries)))
    with pytest.raises(BadInput) as refused:
        store(round_, path, "severity:=minor")
    assert refused.value.message.startswith("a.jsonl, line 2: ")
    with pytest.raises(BadInput, match=r"annotations.json, line 1, campaign\[1\]: .* a mark from 50 to 53 is outside"):
        store(round_, pearmut_file(tmp_path, judged(), judged("shy-fox", marks=[(50, 52, "major")])))
    assert not Judgement.objects.exists()


def test_a_file_without_any_output_of_the_round_is_refused(tmp_path):
    round_ = outside_round(outside_project())
    with pytest.raises(BadInput) as refused:
        store(round_, pearmut_file(tmp_path, judged(output="Something else", marks=[])))
    assert refused.value.code == "nothing"


def test_a_round_that_asks_for_no_marked_errors_is_refused(tmp_path):
    round_ = outside_round(outside_project(), "likert")
    with pytest.raises(BadInput) as refused:
        store(round_, pearmut_file(tmp_path, judged()))
    assert refused.value.code == "form"


@pytest.mark.parametrize("action", ["close", "unblind"])
def test_a_closed_or_unblinded_round_takes_no_answers(tmp_path, action):
    round_ = outside_round(outside_project())
    round_control.apply_action(round_=round_, action=action, by=None)
    with pytest.raises(Conflict) as refused:
        store(round_, pearmut_file(tmp_path, judged()))
    assert refused.value.code == "state" and not User.objects.filter(username__startswith="outside-").exists()


def test_outside_raters_have_no_lane_and_fill_no_slot(tmp_path):
    round_ = outside_round(outside_project())
    store(round_, pearmut_file(tmp_path, judged(), judged("shy-fox", CROSSED, "sysB", marks=[])))
    assert not RatingSlot.objects.exclude(state="open").exists()
    progress = round_progress.build_progress(round_)
    assert progress.filled == 0
    rows = [row for row in progress.raters if row.outside]
    assert [row.outside.label for row in rows] == ["outside rater 1", "outside rater 2"]
    assert [(row.figures.items, row.figures.seconds, row.broken) for row in rows] == [(1, None, [])] * 2
    account = User.objects.get(username=rows[0].name)
    assert not account.is_active and not account.has_usable_password() and not account.memberships.exists()


def test_pseudonyms_differ_between_projects_and_tools(tmp_path):
    first, second = outside_round(outside_project()), outside_round(outside_project("bears"))
    path = pearmut_file(tmp_path, judged("reader_one"))
    store(first, path)
    store(second, path)
    other = tmp_path / "a.jsonl"
    other.write_text(json.dumps(factgenie_entry(KILLED, "reader_one")))
    store(first, other, "severity:=minor")
    names = set(User.objects.filter(username__startswith="outside-").values_list("username", flat=True))
    assert len(names) == 3 and not any("reader" in name for name in names)


def test_removing_a_rater_removes_all_answers_and_a_new_import_brings_them_back(tmp_path):
    round_ = outside_round(outside_project())
    path = pearmut_file(tmp_path, judged(), judged("shy-fox"))
    store(round_, path)
    account = outside_raters.list_outside_raters(round_)[0].account
    assert outside_raters.remove_outside_rater(round_=round_, account=account, by=None) == 1
    assert Judgement.objects.count() == 2 and not User.objects.filter(username=account).exists()
    assert len(store(round_, path).new) == 1 and Judgement.objects.count() == 4
    with pytest.raises(BadInput):
        rater = round_.raters.filter(tool="").first().rater
        outside_raters.remove_outside_rater(round_=round_, account=rater.username, by=None)


def test_a_zip_of_a_campaign_is_read_without_its_description(tmp_path):
    import zipfile

    round_ = outside_round(outside_project())
    path = tmp_path / "campaign.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("errors/metadata.json", json.dumps({"config": {}}))
        packed.writestr("errors/files/0-one.jsonl", json.dumps(factgenie_entry()))
        packed.writestr("errors/files/0-two.jsonl", json.dumps(factgenie_entry(rater="reader_two")))
    assert len(store(round_, path, "severity:=minor").new_people) == 2


def test_words_are_matched_by_name_or_label():
    assert parse_mapping(["category:a=b=accuracy"]) == {Word("category", "a=b"): "accuracy"}
