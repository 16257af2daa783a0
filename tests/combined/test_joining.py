"""People's and a judge's files joined to rows: by item and question, with the units checked."""

import json

import pytest

from epitome.combined.answers_file import read_answers
from epitome.combined.joining import CannotJoin, join_answers
from epitome.combined.rows import Scale
from epitome.combined.rows_file import BadRows
from epitome.formats.reading import input_file


def line(item, answer, rater="rater1", question="fluent", **fields):
    return {
        "item_id": item,
        "source_id": f"s{item}",
        "system": "alpha",
        "rater": rater,
        "question": question,
        "answer": answer,
        **fields,
    }


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(json.dumps(values) + "\n" for values in lines), encoding="utf-8")
    return input_file(path)


def join(folder, people, judge, scales=None):
    judges = read_answers(write(folder, "judge.jsonl", judge), default_rater="judge")
    return join_answers(read_answers(write(folder, "people.jsonl", people)), judges, scales)


def test_people_of_some_items_and_a_judge_of_all(tmp_path):
    people = [line(1, "yes"), line(1, "no", "rater2"), line(2, "no")]
    judge = [{**line(item, True, "judge1"), "item_id": item} for item in (1, 2, 3, 4)]
    rows = {row.item: row for row in join(tmp_path, people, judge).rows}
    assert {item: row.human for item, row in rows.items()} == {"1": 0.5, "2": 0.0, "3": None, "4": None}
    assert {row.judged for row in rows.values()} == {1.0}
    assert {row.chance for row in rows.values()} == {0.5}
    assert (rows["1"].raters, rows["1"].judge, rows["1"].scale, rows["3"].drawn) == (2, "judge1", "no/yes", False)


def test_chances_of_the_lines_are_kept(tmp_path):
    judge = [line(1, "yes", "judge1", pi=0.8), line(2, "yes", "judge1", pi=0.1)]
    joined = join(tmp_path, [line(1, "yes")], judge)
    assert [row.chance for row in joined.rows] == [0.8, 0.1]
    assert joined.notes == ()


def test_without_chances_equal_ones_are_assumed_and_said(tmp_path):
    joined = join(tmp_path, [line(1, "yes")], [line(1, "yes", "j"), line(2, "yes", "j")])
    assert "No line has pi: every item of a system is taken to have had the same chance" in joined.notes[0]


def test_a_judge_may_say_how_likely_yes_is(tmp_path):
    joined = join(tmp_path, [line(1, "yes")], [line(1, 0.85, "judge1"), line(2, 0.1, "judge1")])
    assert [row.judged for row in joined.rows] == [0.85, 0.1]


def test_steps_and_words_need_their_scale(tmp_path):
    people, judge = [line(1, 4)], [line(1, 3.6, "judge1"), line(2, "5", "judge1")]
    rows = join(tmp_path, people, judge, {"fluent": Scale((), 1, 5)}).rows
    assert (rows[0].human, rows[0].judged, rows[1].judged) == (0.75, pytest.approx(0.65), 1.0)
    with pytest.raises(CannotJoin, match=r"question 'fluent' has the answers 4: .*--scale fluent=1:5"):
        join(tmp_path, people, judge)


def test_comparisons_of_two_systems(tmp_path):
    pair = {"systems": ["alpha", "beta"]}
    people = [{**line(1, "1"), **pair}, {**line(2, "tie"), **pair}]
    judge = [{**line(item, "2", "judge1"), **pair} for item in (1, 2, 3)]
    rows = join(tmp_path, people, judge).rows
    assert [(row.system, row.other, row.human, row.judged) for row in rows] == [
        ("alpha", "beta", 1.0, 0.0),
        ("alpha", "beta", 0.5, 0.0),
        ("alpha", "beta", None, 0.0),
    ]


def test_foils_repeats_and_excluded_raters_are_left_out(tmp_path):
    people = [line(1, "yes"), line(2, "yes", kind="foil"), line(3, "yes", excluded=True)]
    joined = join(tmp_path, people, [line(item, "yes", "judge1") for item in (1, 2, 3)])
    assert [row.human for row in joined.rows] == [1.0, None, None]
    assert any("people.jsonl: 2 answers to foils" in note for note in joined.notes)


def test_items_without_the_judge_are_kept_and_said(tmp_path):
    joined = join(tmp_path, [line(1, "yes"), line(2, "no")], [line(1, "yes", "judge1")])
    assert [(row.item, row.judged) for row in joined.rows] == [("1", 1.0), ("2", None)]
    assert "1 items and questions have no answer of their judge" in joined.notes[-1]


def test_two_judges_are_two_columns_over_the_same_items(tmp_path):
    judge = [line(1, "yes", "judge1"), line(2, "yes", "judge1"), line(2, "no", "judge2")]
    rows = join(tmp_path, [line(1, "yes")], judge).rows
    assert [(row.judge, row.item, row.judged) for row in rows] == [
        ("judge1", "1", 1.0),
        ("judge1", "2", 1.0),
        ("judge2", "1", None),
        ("judge2", "2", 0.0),
    ]


@pytest.mark.parametrize(
    ("people", "judge", "words"),
    [
        ([line(1, "yes")], [line(7, "yes")], "no item_id in common: people.jsonl has 1, judge.jsonl has 7"),
        ([line(1, "yes")], [line(1, "yes", question="topic")], "no question in common: people.jsonl has fluent"),
        (
            [line(1, "yes")],
            [line(1, "yes", pi=0.5), line(2, "yes")],
            "pi is given for 1 of 2 items and questions, not for item 2",
        ),
    ],
)
def test_files_that_do_not_fit(tmp_path, people, judge, words):
    with pytest.raises(CannotJoin, match=words):
        join(tmp_path, people, judge)


@pytest.mark.parametrize(
    ("people", "judge", "words"),
    [
        (
            [line(1, "yes")],
            [line(1, "yes", system="beta")],
            "judge.jsonl, line 1, system: of item 1 is 'alpha' on line 1",
        ),
        ([line(1, "yes")], [line(1, "yes", source_id="x")], "line 1, source_id: of item 1 is 's1'"),
        (
            [line(1, "yes")],
            [line(1, "maybe")],
            "judge.jsonl, line 1, answer: is not on the scale no/yes, which people's",
        ),
        ([line(1, "yes")], [line(1, 4)], "judge.jsonl, line 1, answer: is not on the scale no/yes"),
        ([line(1, "yes"), line(1, "no")], [line(1, "yes")], "people.jsonl, line 2.*already answered.*on line 1"),
        ([line(1, None)], [line(1, "yes")], "people.jsonl, line 1.*answer: is null"),
        ([line(1, "yes", pi=0)], [line(1, "yes")], "pi: is not a chance"),
        ([line(1, "yes", systems=["a", "b", "c"])], [line(1, "yes")], "systems: is not a list of two"),
        ([line(1, "yes", source_id=None)], [line(1, "yes")], "source_id: is missing"),
        ([], [line(1, "yes")], "people.jsonl, line 1: holds no record"),
    ],
)
def test_a_fault_names_file_line_and_field(tmp_path, people, judge, words):
    with pytest.raises(BadRows, match=words):
        join(tmp_path, people, judge)
