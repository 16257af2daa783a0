"""Tables of combined estimates: people only, judge only and both, differences with Holm, sequences, methods, LaTeX."""

import json
from dataclasses import replace

import pytest

from epitome.reports.answers import Answer, Frame, ReportQuestion
from epitome.reports.build import build_report
from epitome.reports.combined import CombinedMaterial, combined_sentences, combined_tables
from tests.combined.test_group_estimates import by_equal_formula, make_rows, read_columns
from tests.combined.test_row_looks import rows_with_looks

FRAME = Frame(
    name="Round",
    systems=("beta", "alpha", "gamma"),
    questions=(ReportQuestion("fluent", "Fluent", "Flu", "yes-no"),),
    raters=("rater1",),
    domains=(("document", "Documents"),),
)


def tables_of(rows, **options):
    return {table.key: table for table in combined_tables(FRAME, CombinedMaterial(tuple(rows), **options))}


def columns_of(table, row):
    return {column.full_label: cell for column, cell in zip(table.columns, table.rows[row], strict=True)}


def test_an_outsider_can_check_the_table_from_the_exported_rows():
    rows = make_rows()
    table = tables_of(rows)["combined-estimates"]
    assert [row[1].value for row in table.rows] == ["beta", "alpha", "gamma"]  # the frame's order
    cells = columns_of(table, 1)
    value, low, high, weight, effective, _p = by_equal_formula(read_columns(rows, "alpha"))
    judge = "judge1, revision 1"
    combined = cells[f"{judge} Combined"]
    assert (combined.value, combined.low, combined.high) == pytest.approx((value, max(0, low), min(1, high)))
    assert cells[f"{judge} l"].value == pytest.approx(weight)
    assert cells[f"{judge} Effective n"].value == pytest.approx(effective)
    assert cells[f"{judge} Saved"].value == pytest.approx(effective - 40)
    assert (cells["People only"].n, cells[f"{judge} N"].value) == (40, 80)
    assert any("theta = mean_n(H) - l (mean_n(G) - mean_N(G))" in note for note in table.notes)
    assert any("biased by as much as judge and people differ" in note for note in table.notes)
    assert "Judge only (biased)" in table.latex()
    assert table.signature.startswith("round-combined-estimates|v:2|clusters:sources")


def test_differences_have_holm_over_all_pairs():
    rows = make_rows()
    table = tables_of(rows)["combined-differences"]
    assert [(row[1].value, row[2].value) for row in table.rows] == [
        ("beta", "gamma"),
        ("alpha", "beta"),
        ("alpha", "gamma"),
    ]
    p_values = [by_equal_formula(read_columns(rows, row[1].value, row[2].value))[-1] for row in table.rows]
    holm = [row[-1].value for row in table.rows]
    assert min(holm) == pytest.approx(min(1, 3 * min(p_values)))
    assert max(holm) == pytest.approx(max(p_values)) or max(holm) >= max(p_values)


def test_a_changed_judge_has_columns_of_its_own():
    first = make_rows()
    second = make_rows(judge="judge1, revision 2", accuracy=0.5)
    table = tables_of([*first, *second])["combined-estimates"]
    assert {column.group for column in table.columns} == {"", "judge1, revision 1", "judge1, revision 2"}
    assert len(table.rows) == 3
    cells = columns_of(table, 0)
    assert cells["judge1, revision 1 l"].value > cells["judge1, revision 2 l"].value


def test_a_judge_of_one_question_only_is_absent_elsewhere_with_a_reason():
    rows = [*make_rows(), *[replace(row, question="topic", judge="judge2", item=f"t{row.item}") for row in make_rows()]]
    table = tables_of(rows)["combined-estimates"]
    assert columns_of(table, 0)["judge2 Combined"].undefined == "this judge was not asked"


def test_shares_of_wins_are_a_table_of_their_own():
    rows = [replace(row, other="delta", scale="2/tie/1") for row in make_rows() if row.system == "alpha"]
    tables = tables_of(rows)
    assert list(tables) == ["combined-wins"]
    assert [cell.value for cell in tables["combined-wins"].rows[0][:3]] == ["Fluent", "alpha", "delta"]
    assert any("an even share of wins" in note for note in tables["combined-wins"].notes)


def test_a_round_that_looked_has_sequences_and_says_what_its_other_intervals_are_worth():
    rows = rows_with_looks()
    tables = tables_of(rows, rule="decided")
    sequences = tables["combined-sequences"]
    assert [row[4].value for row in sequences.rows] == [20, 20, 20]
    assert any("they describe" in note for note in tables["combined-differences"].notes)
    assert "Evidence of 60 or more" in sequences.notes[0]
    assert "98.33 %" in sequences.notes[0]
    assert "combined-sequences" not in tables_of(rows)


def test_without_a_judge_a_round_that_looked_has_sequences_alone():
    rows = [replace(row, judge="", judged=None) for row in rows_with_looks()]
    tables = tables_of(rows, combines=False, rule="width", width=0.3)
    assert list(tables) == ["combined-sequences"]
    assert any("betting" in note or "capital" in note for note in tables["combined-sequences"].notes)


def test_unequal_chances_are_said_with_their_formula():
    table = tables_of(make_rows(n_sources=150, asked=60, uneven=True), selection="active")["combined-estimates"]
    assert any("Unequal chances" in note for note in table.notes)
    assert not any("Equal chances" in note for note in table.notes)
    assert "pi:unequal" in table.signature


def test_too_few_judgements_are_absent_with_the_reason():
    table = tables_of(make_rows(asked=2))["combined-estimates"]
    cells = columns_of(table, 0)
    assert "at least 3 are needed" in cells["People only"].undefined
    assert "at least 3 are needed" in cells["judge1, revision 1 l"].undefined
    assert cells["judge1, revision 1 Judge only (biased)"].value is not None


def test_items_drawn_and_not_judged_are_said():
    rows = [replace(row, human=None) if row.source == "s1" else row for row in make_rows()]
    notes = tables_of(rows)["combined-estimates"].notes
    assert any("Up to 2 items of a line were drawn for people and not judged" in note for note in notes)


def test_the_methods_say_estimator_sampling_and_looks():
    rows = tuple(make_rows())
    fixed = combined_sentences(CombinedMaterial(rows))
    assert "A model (judge1, revision 1) judged all 360 items, people 120 of them, drawn at random" in fixed
    assert "PPI++; Angelopoulos et al., 2023" in fixed
    assert "Nobody looked at results" in fixed
    active = combined_sentences(CombinedMaterial(rows, selection="active", rule="width", width=0.2, maximum=40))
    assert "unequal chances" in active
    assert "at most 0.2 wide, or when 40 sources were judged" in active
    assert "Waudby-Smith and Ramdas, 2024" in active
    assert combined_sentences(None) == ""


def test_the_report_holds_them_beside_people_and_leaves_agreement_to_people():
    answers = [
        Answer(f"i{place}", "rater1", "fluent", "yes", "alpha", "document", f"s{place}", sample=f"s{place}")
        for place in range(4)
    ]
    without = build_report(FRAME, answers)
    report = build_report(FRAME, answers, combined=CombinedMaterial(tuple(make_rows())))
    keys = [table.key for table in report.tables]
    assert "combined-estimates" in keys
    assert [table for table in report.tables if not table.key.startswith("combined")] == list(without.tables)
    assert report.methods.startswith(without.methods)
    assert "prediction-powered" in report.methods
    assert json.dumps(report.as_json())
