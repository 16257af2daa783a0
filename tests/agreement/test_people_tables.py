"""`agreement` on tables as people have them: ids beside raters, marks for missing values, answers of several kinds."""

import pandas
import pytest

from epitome import combined
from epitome.agreement import agreement

ANN, BOB = ["yes", "yes", "no", "yes"], ["yes", "no", "no", "yes"]
IDS = ["a1", "a2", "a3", "a4"]


def kappa(data, **options):
    return agreement(data, replicates=20, **options)["cohen_kappa"].value


@pytest.mark.parametrize(
    "name", ["item", "Item", "id", "ID", "sample_id", "docId", "source_id", "text id", "Unnamed: 0"]
)
@pytest.mark.parametrize("ids", [IDS, [1, 2, 3, 4]])
def test_an_id_column_names_the_items_and_is_no_rater(name, ids):
    scores = agreement(pandas.DataFrame({name: ids, "ann": ANN, "bob": BOB}), replicates=20)
    assert scores["percent"].value == 0.75
    assert scores["cohen_kappa"].value == pytest.approx(0.5)
    assert scores["krippendorff_alpha"].value == pytest.approx(0.533, abs=1e-3)
    assert scores.title.endswith("raters: 2 (ann, bob)")


def test_a_rater_whose_name_ends_in_id_is_a_rater():
    assert agreement(pandas.DataFrame({"David": ANN, "Astrid": BOB}), replicates=20).title.endswith("(Astrid, David)")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"paper": IDS, "ann": ANN, "bob": BOB}, "answers of 'paper' are 'a1', 'a2', ..., another one for every item"),
        ({"nr": range(6), "ann": [*ANN, "no", "no"], "bob": [*BOB, "no", "no"]}, "answers of 'nr' are 0, 1"),
        (
            {"item": ["a1", "a1", "a2", "a3"], "ann": ANN, "bob": BOB},
            "rows 0 and 1: the column 'item' names the item 'a1'",
        ),
        ({"item": [None, *IDS[1:]], "ann": ANN, "bob": BOB}, "row 0: the column 'item' names no item"),
        ({"id": IDS, "item": IDS, "ann": ANN, "bob": BOB}, "the columns id, item are all ids: keep one of them"),
        (
            {"item": IDS, "annotator": ANN, "answer": BOB},
            "there is a column 'answer', but the columns are item, annotator",
        ),
    ],
)
def test_what_may_be_ids_is_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        agreement(pandas.DataFrame({name: list(values) for name, values in columns.items()}))


def test_ids_in_lists_are_refused_and_scales_are_not():
    with pytest.raises(ValueError, match="answers of 'rater1' are 'a1', 'a2'"):
        agreement([list(row) for row in zip(IDS, ANN, BOB, strict=True)])
    scale = [[10, 12], [20, 30], [35, 35], [50, 40], [70, 75], [90, 80]]
    assert agreement(scale, replicates=20)["percent"].value == pytest.approx(1 / 6)


def test_a_long_title_names_the_first_raters():
    rows = [[1] * 9, [2] * 9]
    assert agreement(rows, replicates=20).title.endswith(
        "raters: 9 (rater1, rater2, rater3, rater4, rater5, rater6 and 3 more)"
    )


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="2 columns are named 'ann': give each a name of its own"):
        agreement(pandas.DataFrame(zip(ANN, BOB, strict=True), columns=["ann", "ann"]))


def test_pandas_marks_of_missing_values_are_missing_everywhere():
    columns = {"ann": pandas.array([1, 0, 1, None], dtype="Int64"), "bob": pandas.array([1, 1, 0, 1], dtype="Int64")}
    assert kappa(pandas.DataFrame(columns)) == kappa([[1, 1], [0, 1], [1, 0], [None, 1]])
    human, judge = [1, 0, 1, 1, 0, 1, None, None], [1, 0, 1, 0, 0, 1, 1, 0]
    with_na = pandas.array(human, dtype="Int64")
    assert combined.estimate(human=with_na, judge=judge).scores == combined.estimate(human=human, judge=judge).scores


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ([[1, "1"], [2, "2"]], "the answer '1' stands beside 1"),
        ([[1, True], [0, False]], "the answer True stands beside 1"),
        ([["true", True], ["no", False]], "the answer True stands beside 'true'"),
        ([[2.0, "2.0"]], "the answer '2.0' stands beside 2"),
    ],
)
def test_answers_of_two_kinds_that_mean_the_same_are_refused(rows, shown):
    with pytest.raises(ValueError, match=shown):
        agreement(rows)


def test_answers_of_different_questions_may_be_of_different_kinds():
    rows = [
        {"item": item, "rater": rater, "question": question, "answer": answer}
        for question, answers in (("good", (True, False)), ("points", (1.0, 0.0)))
        for item, answer in enumerate(answers)
        for rater in "ab"
    ]
    scores = agreement(rows, replicates=20)
    assert scores["cohen_kappa"].value == 1.0
    assert scores.notes == ("questions with answers of different kinds are pooled here; read them one by one",)


@pytest.mark.parametrize("name", ["item", "rater", "question"])
def test_a_judgement_of_nobody_is_refused(name):
    rows = [{"item": "i", "rater": rater, "question": "q", "answer": 1} for rater in "ab"]
    with pytest.raises(ValueError, match=rf"row 1 has an answer but no {name} \(nan\)"):
        agreement([rows[0], {**rows[1], name: float("nan")}])
    with pytest.raises(ValueError, match=f"rater 'b': {name if name == 'group' else 'group'} is nan"):
        agreement([{**rows[0], "group": "x"}, {**rows[1], "group": float("nan")}], by="group")


def test_text_without_an_order_is_weighted_by_the_alphabet_and_says_so():
    rows = [["low", "mid"], ["high", "high"], ["low", "low"], ["mid", "high"]]
    (note,) = agreement(rows, "quadratic", replicates=20).notes
    assert "by the alphabet" in note
    assert "high, low, mid" in note
    assert agreement(rows, "quadratic", order=["low", "mid", "high"], replicates=20).notes == ()
    assert agreement(rows, replicates=20).notes == ()
    assert agreement([[1, 2], [3, 3], [1, 1]], "linear", replicates=20).notes == ()


def test_n_counts_what_two_raters_answered_and_the_rest_is_said():
    rows = [["a", "a"], ["b", "a"], ["b", "b"], ["a", None], ["a", None], [None, None]]
    scores = agreement(rows, replicates=20)
    assert {(score.n, score.left_out) for score in scores.values()} == {(3, 2)}
    assert "|n:3|" in scores.signature
    (note,) = scores.notes
    assert note.startswith("2 of 5 have one rating only: Fleiss' kappa and Gwet's coefficients count those")
    whole = agreement(rows[:3], replicates=20)
    moved = {name for name in scores if scores[name].value != pytest.approx(whole[name].value)}
    assert moved == {"fleiss_kappa", "gwet_ac1"}


def test_answers_that_differ_in_case_or_blanks_are_said():
    rows = [["yes", "yes "], ["no", "No"], ["yes", "Yes"], ["no", "no"], ["yes", "yes"], ["no", "no"]]
    notes = agreement(rows, replicates=20).notes
    assert len(notes) == 3
    assert all("differ only in case or blanks" in note for note in notes)


def test_notes_of_a_group_name_the_group():
    rows = [
        {"item": f"{group}{item}", "rater": rater, "answer": answer, "group": group}
        for group, answers in (("a", ("yn", "nn", "yy")), ("b", ("y", "n", "yy")))
        for item, given in enumerate(answers)
        for rater, answer in zip("12", given, strict=False)
    ]
    notes = agreement(rows, by="group", replicates=20).notes
    assert [note[:24] for note in notes] == ["2 of 6 have one rating o", "b: 2 of 3 have one ratin"]


def test_a_name_of_ours_beside_another_name_of_the_same_field_keeps_its_values():
    rows = [{"item": i, "item_id": "x", "rater": rater, "answer": i % 2} for i in range(4) for rater in "ab"]
    assert agreement(rows, replicates=20).details["items"] == 4
