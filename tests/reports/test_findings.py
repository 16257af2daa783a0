"""What a report says first: no difference that its test does not show, always n, and what could have been found."""

import random
from dataclasses import replace
from itertools import combinations

import pytest

from epitome.figures.charts import chart_from_json, chart_json
from epitome.figures.forest import Forest, ForestRow, span_axis
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.build import build_report
from epitome.reports.chapters import order_tables
from epitome.reports.combined import CombinedMaterial
from epitome.reports.headline import find_headline, is_decided
from tests.combined.test_group_estimates import make_rows
from tests.combined.test_row_looks import rows_with_looks
from tests.reports.frames import make_frame, printed_answers

BETTER = ReportQuestion("better", "Better", "Bet", "preference", text="Which is better?")
FLUENT = ReportQuestion("fluency", "Fluency", "Flu", "likert", values=("1", "2", "3", "4", "5"))


def pair_frame(*systems: str, raters=("one", "two"), questions=(BETTER,), **changes) -> Frame:
    fields = {"replicates": 200, "domains": (("document", "Documents"),), **changes}
    return Frame("Round 2", systems, questions, raters, **fields)


def pair_answers(strengths: dict[str, float], sources: int, raters=("one", "two"), seed: int = 3) -> list[Answer]:
    """Every pair on every source; a rater prefers the stronger system, with noise of the source and of the rater."""
    noise = random.Random(seed)
    rows = []
    for first, second in combinations(strengths, 2):
        for source in range(sources):
            lead = strengths[first] - strengths[second] + noise.gauss(0, 1)
            for rater in raters:
                seen = lead + noise.gauss(0, 0.5)
                answer = "tie" if abs(seen) < 0.15 else "1" if seen > 0 else "2"
                names = {"system": first, "other": second, "source": f"s{source}", "sample": f"s{source}#1"}
                rows.append(
                    Answer(f"{first}{second}{source}", rater, "better", answer, domain="document", left=1, **names)
                )
    return rows


def sentences(frame, rows, **options):
    return [finding.text for finding in build_report(frame, rows, **options).story.findings]


def details(frame, rows):
    return [finding.detail for finding in build_report(frame, rows).story.findings]


def test_a_system_ahead_of_all_others_is_named():
    frame, rows = pair_frame("a", "b", "c"), pair_answers({"a": 3, "b": 0, "c": 0}, 30)
    first, second, third = sentences(frame, rows)
    assert first == "Better: a was preferred to each of the other 2 systems."
    assert second == "No difference could be shown between c and b." or second.endswith("between b and c.")
    assert third.startswith("The two raters gave the same answer for ") and "more often than by chance" in third


def test_equal_systems_are_said_to_show_no_difference_with_n_and_what_could_have_been_found():
    frame, rows = pair_frame("a", "b", "c"), pair_answers({"a": 0, "b": 0, "c": 0}, 40)
    first, second, _third = sentences(frame, rows)
    assert first == "Better: no difference between the systems could be shown, in none of 3 pairs."
    assert second.startswith("A difference of ") and "with a chance of 80 %" in second
    assert all("n = 40 sources" in detail for detail in details(frame, rows)[:2])


def test_a_large_difference_on_few_sources_is_not_claimed():
    """Four sources cannot reach p < .05 by flipping signs: 2 of 16 ways are as extreme."""
    frame, rows = pair_frame("a", "b"), pair_answers({"a": 9, "b": 0}, 4)
    first, second, _third = sentences(frame, rows)
    assert first == "Better: no difference could be shown between a and b."
    assert second == "The round has too few sources for its test to show any difference, however large."


@pytest.mark.parametrize("seed", range(12))
def test_of_equal_systems_hardly_any_round_claims_a_difference(seed):
    """Whatever is said of systems that differ, the tests of the report show."""
    frame, rows = pair_frame("a", "b", "c", "d"), pair_answers(dict.fromkeys("abcd", 0.0), 25, seed=seed)
    headline = find_headline(frame, Answers(rows))
    decided = [compared for compared in headline.comparisons if is_decided(compared)]
    first = sentences(frame, rows)[0]
    assert ("no difference" in first) == (not decided)


def test_what_is_claimed_is_what_holm_leaves():
    """Without the correction a pair of these would be called different; with it none is."""
    for seed in range(40):
        frame, rows = pair_frame(*"abcdef"), pair_answers(dict.fromkeys("abcdef", 0.0), 15, seed=seed)
        headline = find_headline(frame, Answers(rows))
        plain = [compared for compared in headline.comparisons if float(compared.test.p_value) < 0.05]
        if plain and not any(is_decided(compared) for compared in headline.comparisons):
            break
    assert plain
    assert "no difference between the systems could be shown" in sentences(frame, rows)[0]


def test_the_first_sentence_turns_with_the_data():
    strengths = {"a": -3.0, "b": 0.0}
    first = sentences(pair_frame("a", "b"), pair_answers(strengths, 30))[0]
    assert first == "Better: b was preferred to a."
    assert details(pair_frame("a", "b"), pair_answers(strengths, 30))[0].startswith("difference +")


def test_one_rater_measures_no_agreement():
    frame, rows = pair_frame("a", "b", raters=("one",)), pair_answers({"a": 1, "b": 0}, 20, ("one",))
    assert sentences(frame, rows)[2] == "Agreement between raters cannot be measured: no item was rated twice."


def test_raters_who_answer_by_chance_are_not_said_to_agree():
    noise = random.Random(1)
    rows = [replace(row, answer=noise.choice("12")) for row in pair_answers({"a": 0, "b": 0}, 40)]
    assert sentences(pair_frame("a", "b"), rows)[2].endswith("; more than by chance could not be shown.")


def test_questions_of_yes_or_no_are_told_together_and_then_one_by_one():
    frame, rows = make_frame(), printed_answers()
    report = build_report(frame, rows)
    first, second, _third = (finding.text for finding in report.story.findings)
    assert first == "Over all questions, Gold got yes more often than each of the other 2 systems."
    assert second.startswith("Question by question")
    assert [finding.table for finding in report.story.findings][:2] == ["headline-differences", "significance"]
    keys = {table.key for table in report.tables}
    assert all(finding.table in keys for finding in report.story.findings)


def test_a_scale_is_told_by_its_means():
    rows = [
        Answer(f"{system}{n}", rater, "fluency", str(base + n % 2), system, "document", f"s{n}", sample=f"s{n}#1")
        for system, base in (("a", 4), ("b", 1))
        for n in range(20)
        for rater in ("one", "two")
    ]
    assert sentences(pair_frame("a", "b", questions=(FLUENT,)), rows)[0] == "Fluency: a was rated higher than b."


def test_a_round_that_could_stop_early_is_told_by_its_sequences():
    """Tests of a fixed number of items claim too much there, so they are not quoted."""
    frame, rows = pair_frame("a", "b"), pair_answers({"a": 3, "b": 0}, 30)
    looked_at = CombinedMaterial(tuple(rows_with_looks()), combines=False, rule="decided")
    findings = build_report(frame, rows, combined=looked_at).story.findings
    assert {finding.table for finding in findings[:2]} == {"combined-sequences"}
    assert all("after Holm" not in finding.detail for finding in findings)
    too_few = CombinedMaterial(tuple(make_rows()[:1]), combines=False, rule="decided")
    first = build_report(frame, rows, combined=too_few).story.findings[0]
    assert first.text == "No difference between the systems could be shown: there are too few answers to compare them."


def test_items_drawn_by_doubt_are_told_by_combined_estimates():
    frame, rows = pair_frame("alpha", "beta"), pair_answers({"alpha": 3, "beta": 0}, 30)
    story = build_report(frame, rows, combined=CombinedMaterial(tuple(make_rows()), selection="active")).story
    assert story.table == "combined-estimates" and "unequal chances" in story.caption
    assert all(finding.table != "significance" for finding in story.findings[:2])


def test_a_round_without_answers_says_so():
    first, second = sentences(pair_frame("a", "b"), [])
    assert first.startswith("The round has 0 answers")
    assert second.startswith("Agreement between raters cannot be measured")


def test_the_figure_the_matrix_and_the_bars_agree():
    frame, rows = pair_frame("a", "b", "c"), pair_answers({"a": 2, "b": 0, "c": -1}, 20)
    report = build_report(frame, rows)
    (duels,) = report.figures["win-matrix"]
    matrix = next(table for table in report.tables if table.key == "win-matrix")
    heads = [column.label for column in matrix.columns]
    cells = {(row[0].value, heads[place]): row[place].value for row in matrix.rows for place in range(1, 4)}
    for duel in duels.rows:
        assert cells[duel.first, duel.second] == f"{duel.wins}–{duel.losses}"
        assert duel.total == 40
    shares = {row.label: row.value for row in report.story.figure.rows}
    table = next(table for table in report.tables if table.key == "headline")
    assert shares == {row[0].value: row[1].value for row in table.rows}
    assert sum(shares.values()) == pytest.approx(1.5)


def test_every_figure_says_in_words_what_it_shows_and_is_stored_as_it_was():
    report = build_report(pair_frame("a", "b"), pair_answers({"a": 1, "b": 0}, 20))
    figures = [report.story.figure, *(chart for charts in report.figures.values() for chart in charts)]
    for figure in figures:
        assert "a" in figure.description and chart_from_json(chart_json(figure)) == figure
        assert figure.description.split(";")[0][:20] in figure.draw().replace("&#x27;", "'")
        assert all("<title>" in line.plot for line in figure.lines())


def test_places_on_the_axis_never_leave_it():
    low, high = span_axis([0.95, 0.99, 1.0], within=(0.0, 1.0))
    assert high == 1.0 and low < 0.95
    figure = Forest("f", "F", [ForestRow("a", 0.97, "97 %", low=0.9, high=1.0)], low, high)
    assert figure.place(0.0) == 0.0 and figure.place(2.0) == 1.0
    assert 'x="100.00%"' in figure.axis() or 'x="9' in figure.axis()


def test_every_table_stands_in_one_chapter_and_results_come_first():
    keys = [
        "yes-rater-1",
        "yes-pooled",
        "agreement",
        "headline",
        "significance",
        "win-matrix",
        "systems",
        "raters",
        "new",
    ]
    chapters = order_tables(keys)
    assert list(chapters) == ["out", "differences", "agreement", "answers", "scores", "raters"]
    assert chapters["differences"] == ["win-matrix", "significance"]
    assert chapters["answers"] == ["yes-pooled", "yes-rater-1", "new"]
    assert sorted(key for chapter in chapters.values() for key in chapter) == sorted(keys)
