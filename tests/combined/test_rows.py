"""Rows of combined estimates: answers as values, files, groups, and differences between systems."""

import json
from dataclasses import replace

import pytest

from epitome.combined.judged_items import TooFew
from epitome.combined.rows import CombinedRow, Scale, group_rows, make_items, pair_items, rows_by_judge
from epitome.combined.rows_file import BadRows, read_combined_rows, write_rows
from epitome.formats.reading import input_file


def make_row(place=0, system="alpha", human: float | None = 1.0, judged: float | None = 1.0, **fields):
    values = {
        "item": f"{system}-{place}",
        "source": f"s{place}",
        "sample": f"s{place}#1",
        "system": system,
        "question": "fluent",
        "judge": "judge1, revision 1",
        "chance": 0.5,
        "drawn": human is not None,
        "human": human,
        "judged": judged,
        "scale": "no/yes",
        "raters": 0 if human is None else 2,
    }
    return CombinedRow(**{**values, **fields})


@pytest.mark.parametrize(
    ("type_", "values", "answer", "value"),
    [
        ("yes-no", (), "yes", 1.0),
        ("yes-no", (), "no", 0.0),
        ("yes-no", (), True, 1.0),
        ("likert", ("1", "2", "3", "4", "5"), "2", 0.25),
        ("likert", ("1", "2", "3", "4", "5"), 5, 1.0),
        ("likert", ("bad", "fair", "good"), "fair", 0.5),
        ("preference", (), "1", 1.0),
        ("preference", (), "tie", 0.5),
        ("side", (), "2", 0.0),
        ("number", (), "0.25", 0.25),
    ],
)
def test_answers_become_values_from_0_to_1(type_, values, answer, value):
    scale = Scale.of_question(type_, values)
    assert scale is not None
    assert scale.value_of(answer) == value


@pytest.mark.parametrize(
    ("type_", "values"), [("note", ()), ("value", ("short", "long")), ("ranking", ("a", "b", "c"))]
)
def test_answers_without_an_order_have_no_scale(type_, values):
    assert Scale.of_question(type_, values) is None


@pytest.mark.parametrize(
    ("scale", "answer"),
    [(Scale(("no", "yes")), "perhaps"), (Scale(("1", "2", "3")), 4), (Scale((), 0, 100), 101), (Scale(), "much"),
     (Scale(), True)],
)  # fmt: skip
def test_an_answer_that_the_scale_does_not_have_is_refused(scale, answer):
    with pytest.raises(ValueError, match="scale"):
        scale.value_of(answer)


def test_rows_survive_a_file(tmp_path):
    rows = [
        make_row(0),
        make_row(1, human=None, judged=0.25),
        make_row(2, human=0.5, judged=None, other="beta", look=4),
    ]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(write_rows(rows)))
    assert read_combined_rows(input_file(path)) == rows
    first = json.loads(path.read_text().splitlines()[0])
    assert (first["pi"], first["H"], first["G"]) == (0.5, 1.0, 1.0)


def line_of(row=None, **changes):
    values = {**json.loads(next(write_rows([row or make_row()]))), **changes}
    return json.dumps({name: value for name, value in values.items() if value != "absent"})


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([line_of(pi="absent")], "line 1, column 1, pi: is missing: the chance"),
        ([line_of(pi=0)], "pi: is 0"),
        ([line_of(pi=1.5)], "line 1.*pi: is not from 0 to 1"),
        ([line_of(H=2)], "H: is not from 0 to 1"),
        ([line_of(G="yes")], "G: is text, not a number"),
        ([line_of(drawn=False)], "H: is given, but the item was not drawn"),
        ([line_of(system="absent")], "system: is missing"),
        ([line_of(), line_of()], "line 2.*on line 1; keep one"),
        ([line_of(), line_of(judge="judge2", source_id="t")], "line 2.*source_id: differs.*line 1"),
        ([line_of(), line_of(judge="judge2", H=0)], "line 2.*H: differs from that of the same item and question"),
        ([line_of(), line_of(make_row(1), scale="1/2/3")], "line 2.*scale: differs"),
        (["[]"], "line 1.*is a list, not a row"),
        (["{"], "line 1"),
        ([], "holds no record"),
    ],
)
def test_a_fault_names_line_and_field(tmp_path, lines, words):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(BadRows, match=words):
        read_combined_rows(input_file(path))


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"chance": 0}, "pi is 0"), ({"judged": 1.2}, "G is 1.2"), ({"drawn": False}, "not drawn")],
)
def test_a_row_that_cannot_be_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        make_row(**changes)


def test_a_changed_judge_is_another_column():
    rows = [make_row(0), make_row(1, judge="judge1, revision 2"), make_row(1)]
    assert [len(column) for column in rows_by_judge(rows).values()] == [2, 1]
    assert len(group_rows(rows)) == 2


def test_items_of_a_group_for_the_estimates():
    rows = [make_row(0), make_row(1, human=0.0, judged=0.0), make_row(2, human=None, judged=None)]
    items = make_items(rows)
    assert items.n_human == 2
    assert items.judge.tolist() == [1.0, 0.0, 0.5]  # the judge's missing answer: the mean of the others


def test_drawn_items_without_an_answer_lower_all_chances():
    rows = [make_row(0), make_row(1, human=None, drawn=True), make_row(2, human=None)]
    assert make_items(rows).chance.tolist() == [0.25] * 3


def test_without_answers_there_is_nothing_to_estimate():
    with pytest.raises(TooFew, match="people judged none"):
        make_items([make_row(human=None)])


def test_a_judge_without_answers_leaves_people_alone():
    assert make_items([make_row(judged=None), make_row(1, judged=None)]).judge.tolist() == [0.5, 0.5]


def test_differences_of_two_systems_on_the_same_samples():
    alpha = [make_row(place, human=float(place != 1), judged=1.0) for place in range(4)]
    beta = [make_row(place, "beta", human=0.0 if place < 3 else None, judged=0.5) for place in (3, 2, 1, 0, 7)]
    items = pair_items(alpha, beta)
    assert items.human[:3].tolist() == [1.0, 0.0, 1.0]
    assert not items.is_human[3]
    assert items.judge.tolist() == [0.5] * 4
    assert (items.low, items.high) == (-1.0, 1.0)


def test_systems_that_cannot_be_paired():
    with pytest.raises(TooFew, match="no sample in common"):
        pair_items([make_row(0)], [make_row(1, "beta")])
    uneven = [make_row(0, chance=0.2), make_row(1, chance=0.7)]
    with pytest.raises(ValueError, match="chance of its own for each system"):
        pair_items(uneven, [replace(row, system="beta", chance=0.5) for row in uneven])
    with pytest.raises(ValueError, match="twice for alpha"):
        pair_items([make_row(0), make_row(0, item="again")], [make_row(0, "beta")])
