"""Tables of pair rounds, of three raters, and of summaries that share their sources."""

from dataclasses import replace

import numpy as np
import pytest

from epitome.agreement.intervals import wilson_interval
from epitome.reports.agreement_tables import agreement_by_question, agreement_by_system
from epitome.reports.answers import ReportQuestion, real_answers
from epitome.reports.build import build_report
from epitome.reports.comparisons import significance_table
from epitome.reports.correlation import ScoredSummary, correlation_p, correlation_table
from epitome.reports.methods import methods_paragraph
from epitome.reports.yes_rates import yes_tables
from tests.reports.frames import make_frame, printed_answers
from tests.reports.test_tables import answer, column, small

TOPIC = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
BETTER = ReportQuestion("better", "Better", "Pref", "preference", text="Which summary follows the request better?")


def preference_rows(pairs=(("Gold", "A"), ("Gold", "B"), ("A", "B")), n=30, raters=("one", "two")):
    return [
        answer(f"{first}{second}{number}", rater, "better", "1", first, other=second, source=f"s{number}")
        for first, second in pairs
        for number in range(n)
        for rater in raters
    ]


def test_agreement_on_pairs_is_booked_on_the_pair():
    rows = preference_rows()
    rows += [answer(f"y{n}", rater, "topic", "yes", "B") for n in range(4) for rater in ("one", "two")]
    table = agreement_by_system(small(BETTER, TOPIC), real_answers(rows))
    assert [(row[0].value, row[1].value, row[2].value) for row in table.rows] == [
        ("B", "Doc, yes-no", 4),
        ("Gold / A", "Doc, preference", 30),
        ("Gold / B", "Doc, preference", 30),
        ("A / B", "Doc, preference", 30),
    ]
    assert table.title == "Agreement by system and pair of systems, pooled over questions"
    only = agreement_by_system(small(BETTER), real_answers(preference_rows()))
    assert only.title == "Agreement by pair of systems, pooled over questions"
    assert only.columns[0].label == "Pair of systems"


def test_two_summaries_of_one_system_are_about_that_system():
    report_question = ReportQuestion("better", "Better", "Pref", "side")
    rows = [answer(n, rater, "better", "1", "A", other="A") for n in range(3) for rater in ("one", "two")]
    table = agreement_by_system(small(report_question), real_answers(rows))
    assert [(row[0].value, row[2].value) for row in table.rows] == [("A", 3)]
    assert table.columns[0].label == "System"
    assert significance_table(small(report_question), real_answers(rows)) is None


def test_a_yes_no_question_about_a_pair_is_booked_on_the_pair():
    report_question = ReportQuestion("agree", "Agree", "Agr", "yes-no")
    rows = [answer(n, rater, "agree", "yes", "A", other="B") for n in range(5) for rater in ("one", "two")]
    tables = {table.key: table for table in yes_tables(small(report_question), real_answers(rows))}
    assert [row[0].value for row in tables["yes-pooled"].rows] == ["A / B"]


def test_ac1_counts_the_answers_that_nobody_gave():
    rows = real_answers([answer(n, rater, "topic", "yes") for n in range(25) for rater in ("one", "two")])
    for table in (agreement_by_question(small(TOPIC), rows), agreement_by_system(small(TOPIC), rows)):
        assert column(table, "Gwet's AC1").value == 1
        assert column(table, "Cohen's κ").value is None


def test_three_raters_have_no_cohens_kappa_anywhere():
    rows = [replace(row, rater=rater) for row in printed_answers() for rater in (row.rater, "three")]
    rows = list({(row.item, row.question, row.rater): row for row in rows}.values())
    facts = {"raters": 3, "raters_per_item": 3}
    report = build_report(make_frame(raters=("one", "two", "three"), facts=facts), rows)
    words = report.methods + "".join(table.latex() for table in report.tables)
    assert "Cohen" not in words
    assert "Agreement is kappa as the mean over pairs of raters (Light, 1971)" in report.methods
    tables = {table.key: table for table in report.tables}
    assert column(tables["agreement"], "κ, mean over pairs of raters").value is not None
    assert any(other_column.label == "κ, mean over pairs of raters" for other_column in tables["yes-rater-1"].columns)
    assert "mean over pairs of raters" in " ".join(tables["yes-rater-3"].notes)


def test_two_raters_have_cohens_kappa_by_its_name():
    report = build_report(make_frame(facts={"raters": 2, "raters_per_item": 2}), printed_answers())
    words = report.methods + "".join(table.latex() for table in report.tables)
    assert "mean over pairs" not in words and "Agreement is Cohen's kappa" in report.methods


def test_preferences_are_tested_by_flipping_whole_sources():
    """Six sources with two pairs each: the first wins in five of them, one source ties."""
    rows = []
    for number in range(6):
        for pair in ("x", "y"):
            place = {"source": f"s{number}", "sample": f"{pair}{number}", "other": "A"}
            rows.append(answer(f"{pair}{number}", "one", "better", "tie" if number == 5 else "1", "Gold", **place))
    rows.append(answer("b", "one", "better", "1", "A", other="B", source="s0", sample="x0"))
    table = significance_table(small(BETTER), real_answers(rows))
    first, last = table.rows
    assert [cell.value for cell in first[:4]] == ["Better", "Doc", "Gold", "A"]
    assert (first[4].value, first[4].n) == (pytest.approx(10 / 12), 12)
    assert first[5].value == pytest.approx(2 / 2**5)  # five sources that do not tie: all one way, or all the other
    assert first[6].value == pytest.approx(2 * 2 / 2**5)  # Holm over the two pairs
    assert (last[2].value, last[3].value, last[4].value) == ("A", "B", 1)
    assert "flips the signs of whole sources" in " ".join(table.notes)


def test_a_second_text_that_is_preferred_counts_against_the_first():
    rows = [answer(n, "one", "better", "2", "A", other="Gold") for n in range(4)]
    (row,) = significance_table(small(BETTER, systems=("Gold", "A")), real_answers(rows)).rows
    assert (row[2].value, row[4].value) == ("Gold", 1)  # A was shown first and lost


def test_tables_of_few_sources_warn():
    def notes_of(n):
        rows = [answer(number, rater, "topic", "yes") for number in range(n) for rater in ("one", "two")]
        return " ".join(agreement_by_question(small(TOPIC), real_answers(rows)).notes)

    assert "Only 12 sources: below 20, intervals are rough" in notes_of(12)
    assert "Only" not in notes_of(20)


def test_one_raters_interval_is_wider_where_items_share_their_source():
    def width_of(source):
        result = ["yes"] * 24 + ["no"] * 12
        rows = [answer(n, "one", "topic", item, source=source(n)) for n, item in enumerate(result)]
        cell = yes_tables(small(TOPIC, raters=("one",)), real_answers(rows))[0].rows[1][1]
        assert (cell.value, cell.n) == (pytest.approx(2 / 3), 36)
        return cell.high - cell.low

    apart, together = width_of(lambda n: f"s{n}"), width_of(lambda n: f"s{n // 6}")
    plain = wilson_interval(24, 36)
    assert apart == pytest.approx(plain.high - plain.low)
    assert together > 1.5 * apart


def test_unrelated_scores_of_the_same_sources_are_seldom_significant():
    """30 sources of 8 summaries, .6 of the spread between sources, no relation: p below .05 in about 5 %."""
    rng = np.random.default_rng(6)
    sources = np.repeat(np.arange(30), 8)
    rounds, by_source, by_summary = 300, 0, 0
    for _round in range(rounds):
        first, second = (
            np.sqrt(0.6) * rng.standard_normal(30)[sources] + np.sqrt(0.4) * rng.standard_normal(240) for _ in range(2)
        )
        by_source += correlation_p(first, second, sources.tolist(), 500, 1).value < 0.05
        by_summary += correlation_p(first, second, range(240), 500, 1).value < 0.05
    assert 0.02 <= by_source / rounds <= 0.08
    assert by_summary / rounds > 0.2  # where summaries are taken as independent


def test_the_interval_of_a_correlation_is_expanded_for_few_sources(monkeypatch):
    rng = np.random.default_rng(9)
    pairs = [ScoredSummary("topic", "A", f"x{n}", f"s{n}", float(rng.random()), float(rng.random())) for n in range(10)]

    def width_of():
        cell = correlation_table(small(TOPIC), pairs).rows[0][2]
        return cell.high - cell.low

    expanded = width_of()
    monkeypatch.setattr("epitome.metrics.bootstrap.expanded_level", lambda n_clusters: 0.95)
    assert width_of() < expanded


def test_correlations_are_corrected_over_the_rows_of_the_table():
    pairs = [ScoredSummary("topic", "A", f"x{n}", f"s{n}", error=n / 10, yes=1 - n / 10) for n in range(10)]
    table = correlation_table(small(TOPIC), pairs)
    assert [row[3].value for row in table.rows] == [2 / 2**10] * 2  # both extreme ways to flip ten sources
    assert [row[4].value for row in table.rows] == [2 * 2 / 2**10] * 2


def test_the_methods_of_a_preference_round_say_what_raters_did():
    facts = {"samples": 30, "same_samples": True, "raters": 3, "raters_per_item": 3, "counted": ["Length"]}
    result = methods_paragraph(small(BETTER, raters=("one", "two", "three"), facts={**facts, "pairs_by": "targets"}))
    assert (
        "Raters saw two summaries side by side and answered “Which summary follows the request better?” with one of "
        "the two, or no difference."
    ) in result
    assert "Preferences are tested by flipping the signs of whole sources" in result
    assert not any(words in result for words in ("asked about", "Length", "paired permutation"))
    assert "Preferences are tested" not in methods_paragraph(small(BETTER, facts={**facts, "pairs_by": "value"}))
