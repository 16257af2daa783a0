"""Scores, categories, agreement and figures of marked errors, by hand and against other computations."""

from xml.etree import ElementTree

import numpy as np
import pytest

from epitome.agreement.alpha import alpha_statistic
from epitome.agreement.kappa import cohen_kappa
from epitome.agreement.scales import disagreement_matrix
from epitome.figures.charts import chart_from_json, chart_json
from epitome.figures.pdf import render_pdf
from epitome.reports.answers import Answers
from epitome.reports.build import build_report
from epitome.reports.judges import INVALID
from epitome.reports.span_agreement import span_agreement_tables, span_judge_table
from epitome.reports.span_errors import span_error_tables
from epitome.rounds.marks import Mark, covered_words, find_words, load_marks, write_marks
from tests.reports.frames import make_frame
from tests.span_errors.factories import ERRORS, answer, over

TEN = "one two three four five six seven eight nine ten"
FOUR = "alpha beta gamma delta"
DOMAINS = (("document", "Documents"),)


def frame(**changes):
    fields = {"systems": ("gold", "lead"), "questions": (ERRORS,), "domains": DOMAINS, "raters": ("one", "two")}
    return make_frame(**{**fields, **changes})


def row_of(table, first: str) -> dict[str, object]:
    heads = [column.full_label for column in table.columns]
    row = next(row for row in table.rows if row[0].value == first)
    return {head: cell.value for head, cell in zip(heads, row, strict=True)}


def given_answers() -> list:
    """Two texts of a system and one of gold, by two raters; the texts have 10, 4 and 10 words."""
    omitted = write_marks([Mark("minor", "omission")])
    return [
        answer("one", over(TEN, "two three"), item="i1", text=TEN),
        answer("two", over(TEN, "three four", severity="minor"), item="i1", text=TEN),
        answer("one", "[]", item="i2", text=FOUR),
        answer("two", omitted, item="i2", text=FOUR),
        answer("one", "[]", item="i3", text=TEN, system="gold"),
        answer("two", "[]", item="i3", text=TEN, system="gold"),
    ]


def test_the_score_is_minus_the_weights_per_100_words():
    scores, categories = span_error_tables(frame(), Answers(given_answers()))
    lead = row_of(scores, "lead")
    # 5 + 1 + 0 + 1 over 10 + 10 + 4 + 4 words; three errors of them minor and major.
    assert lead["Score"] == pytest.approx(-100 * 7 / 28)
    assert lead["Without errors"] == 0.25
    assert lead["Errors All"] == pytest.approx(100 * 3 / 28)
    assert lead["Errors Minor"] == pytest.approx(100 * 2 / 28) and lead["Errors Critical"] == 0
    assert row_of(scores, "gold")["Score"] == 0
    by_category = row_of(categories, "lead")
    assert by_category["Accuracy"] == pytest.approx(100 * 6 / 28)
    assert by_category["Omission"] == pytest.approx(100 / 28) and by_category["Errors"] == 3
    assert "not adjudicated" in " ".join(scores.notes)


def test_intervals_draw_whole_sources():
    rows = [answer("one", over(TEN, "two") if n % 3 else "[]", item=f"i{n}", text=TEN) for n in range(12)]
    (table, _categories) = span_error_tables(frame(raters=("one",)), Answers(rows))
    apart = table.rows[0][2]
    assert apart.low < apart.value < apart.high
    one_source = [answer("one", row.answer, item=row.item, text=TEN, source="s") for row in rows]
    (table, _categories) = span_error_tables(frame(raters=("one",)), Answers(one_source))
    assert table.rows[0][2].low is None and table.rows[0][2].n == 12


def test_agreement_by_hand():
    (table,) = span_agreement_tables(frame(), Answers(given_answers()))
    cells = row_of(table, "Documents")
    # "two three" has 9 characters and "three four" 10; "three" has 5.
    assert cells["F1"] == pytest.approx(2 * 5 / 19) and cells["F1, category"] == pytest.approx(2 * 5 / 19)
    assert cells["F1, severity"] == 0 and (cells["Texts"], cells["Raters"]) == (3, 2)


def test_kappa_and_alpha_on_words_equal_those_of_the_other_tables():
    rng = np.random.default_rng(5)
    words = TEN.split()
    rows = []
    for number in range(9):
        for rater in ("one", "two", "three")[: 2 + number % 2]:
            picks = [words[place] for place in sorted(rng.choice(10, size=rng.integers(0, 5), replace=False))]
            rows.append(answer(rater, over(TEN, *picks), item=f"i{number}", text=TEN))
    labels: dict[str, np.ndarray] = {rater: np.full(90, -1) for rater in ("one", "two", "three")}
    for row in rows:
        start = 10 * int(row.item[1:])
        labels[row.rater][start : start + 10] = covered_words(find_words(TEN), load_marks(row.answer))
    counts = np.stack([sum(column == label for column in labels.values()) for label in (0, 1)], axis=1)
    alpha = alpha_statistic(counts, disagreement_matrix("nominal", 2)).value()
    pairs = [("one", "two"), ("one", "three"), ("two", "three")]
    kappas = [float(cohen_kappa(labels[a], labels[b])) for a, b in pairs]

    (table,) = span_agreement_tables(frame(raters=("one", "two", "three")), Answers(rows))

    cells = row_of(table, "Documents")
    assert cells["Krippendorff's α, words"] == pytest.approx(float(alpha))
    assert cells["κ, words"] == pytest.approx(np.mean(kappas))


def test_what_is_undefined_says_why():
    alone = [answer("one", over(TEN, "two"), text=TEN)]
    (table,) = span_agreement_tables(frame(), Answers(alone))
    assert {cell.undefined for cell in table.rows[0][3:]} == {"no text was rated by two"}
    clean = [answer(rater, "[]", text=TEN) for rater in ("one", "two")]
    (table,) = span_agreement_tables(frame(), Answers(clean))
    reasons = [cell.undefined for cell in table.rows[0][3:]]
    assert reasons[:3] == ["nobody marked any words"] * 3 and len(set(reasons[3:])) == 1
    assert span_error_tables(frame(), Answers([answer("one", "[]", text="")])) == []


def test_models_are_compared_with_people_and_their_unaligned_quotes_counted():
    people = [answer("one", over(TEN, "two"), text=TEN), answer("two", over(TEN, "two three"), text=TEN)]
    judge = answer("gpt", over(TEN, "two"), text=TEN, unaligned=2)
    broken = answer("gpt", INVALID, item="i2", text=FOUR)
    table = span_judge_table(frame(judges=("gpt",)), Answers([*people, judge, broken]))
    cells = row_of(table, "gpt")
    # 3 of 3 and 3 of 9 characters: 2 * (3 + 3) / (3 + 3 + 3 + 9).
    assert cells["F1"] == pytest.approx(12 / 18)
    assert (cells["Texts"], cells["Unaligned"], cells["Invalid"]) == (1, 2, 1)
    assert cells["Score"] == pytest.approx(-50)
    assert span_judge_table(frame(), Answers(people)) is None


def test_the_whole_report_compares_scores_and_leaves_marks_out_of_kappa_tables():
    rows = [
        answer(rater, over(TEN, "two") if system == "lead" else "[]", item=f"{system}{n}", text=TEN, system=system,
               source=f"s{n}")
        for n in range(8) for system in ("gold", "lead") for rater in ("one", "two")
    ]  # fmt: skip
    report = build_report(frame(judges=()), rows)
    keys = [table.key for table in report.tables]
    assert {"span-errors", "span-categories", "span-agreement", "significance"} <= set(keys)
    assert not {"agreement", "agreement-systems", "judges"} & set(keys)
    difference = next(table for table in report.tables if table.key == "significance").rows[0]
    assert [cell.value for cell in difference[2:5]] == ["gold", "lead", 50.0]
    assert "marked the words of every error" in report.methods and "F1 of the marked characters" in report.methods
    assert "asked about" not in report.methods and "minor (1), major (5) and critical (10)" in report.methods
    assert r"\begin{tabular}" in next(table for table in report.tables if table.key == "span-errors").latex()


def test_the_difference_has_the_sign_of_the_scores():
    """Lead errs in its long text, gold in its short ones: by the words lead is worse, by the mean of texts better."""
    long_text = " ".join([TEN] * 10)
    texts = {"s0": long_text, **{f"s{number}": FOUR for number in range(1, 4)}}
    rows = []
    for source, text in texts.items():
        for system, n_errors in (("lead", 3 * (source == "s0")), ("gold", int(source == "s1"))):
            marks = write_marks([Mark("major", "accuracy", *place) for place in find_words(text)[:n_errors]])
            rows.append(answer("one", marks, item=f"{system}-{source}", text=text, system=system, source=source))
    report = build_report(frame(raters=("one",), judges=()), rows)
    tables = {table.key: table for table in report.tables}
    scores = {row[0].value: row[2].value for row in tables["span-errors"].rows}
    first, second, difference, p_value = [cell.value for cell in tables["significance"].rows[0][2:6]]
    assert (first, second) == ("gold", "lead") and scores["gold"] > scores["lead"]
    assert difference == pytest.approx(scores["gold"] - scores["lead"]) and difference > 0
    assert 0 < p_value <= 1


def test_figures_show_where_errors_stand_and_how_many_raters_marked_a_word():
    report = build_report(frame(), given_answers())
    density, texts = report.figures["span-errors"]
    lead = dict(zip(density.rows, density.cells, strict=True))["lead"]
    # Of the second tenth: "two", by one of two raters; FOUR has no word there.
    assert lead[1] == 0.5 and dict(zip(density.rows, density.cells, strict=True))["gold"] == [0.0] * 10
    (shown_text, _other) = texts.rows
    assert list(shown_text.words)[:4] == ["one", "two", "three", "four"] and list(shown_text.shares)[:4] == [
        0,
        0.5,
        1,
        0.5,
    ]
    drawn = chart_from_json(chart_json(texts)).draw()
    words = {node.text for node in ElementTree.fromstring(drawn).iter("text")}
    assert {"three", "seven", "lead, i1#0"} <= words and "three (100 %)" in drawn
    assert render_pdf(drawn).startswith(b"%PDF")


def test_a_text_from_right_to_left_is_drawn_from_the_right():
    text = "כל הכבוד"
    report = build_report(frame(), [answer("one", over(text, "כל"), text=text)])
    drawn = ElementTree.fromstring(report.figures["span-errors"][1].draw())
    x = {node.text: float(node.get("x")) for node in drawn.iter("text")}
    assert x["כל"] > x["הכבוד"]
