"""The file of a round of each question type checks equal, by formulas that share no code with its report."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from epitome.metrics.contrastive_scores import RULES
from epitome.reports.answers import Answer, ReportQuestion
from epitome.reports.combined import CombinedMaterial
from epitome.reports.correlation import ScoredSummary
from tests.check.rounds import (
    SYSTEMS,
    TEXT,
    check_lines_of,
    file_of,
    list_faults,
    make_frame,
    mark_errors,
    pick_of,
    rate_lists,
    rate_pairs,
    rate_summaries,
)
from tests.combined.test_group_estimates import make_rows
from tests.combined.test_row_looks import rows_with_looks

TOPIC = ReportQuestion("topic", "Topic", "Tpc", "yes-no", "topic", ("normal", "high"))
SPECIFIC = ReportQuestion("specific", "Specificity", "Spe", "yes-no", "specific")
ERRORS = ReportQuestion(
    "errors", "Errors", "Err", "span-errors", values=("accuracy", "fluency"),
    severities=(("minor", 1.0), ("major", 5.0)), omission=True,
)  # fmt: skip
YES_NO = pick_of("yes", "no")


def yes_no(raters):
    frame = make_frame(TOPIC, SPECIFIC, raters=raters)
    return frame, rate_summaries(frame, "topic", YES_NO, requested="high") + rate_summaries(frame, "specific", YES_NO)


def single(type_, say, values=(), **more):
    frame = make_frame(ReportQuestion("asked", "Asked", "Ask", type_, values=values))
    return frame, rate_summaries(frame, "asked", say, **more)


def pairs(type_, *answers):
    frame = make_frame(ReportQuestion("better", "Better", "Bet", type_))
    return frame, rate_pairs(frame, "better", answers)


def lists(type_):
    frame = make_frame(ReportQuestion("order", "Order", "Ord", type_), raters=3)
    return frame, rate_lists(frame, "order", rank=type_ == "ranking")


def marked(raters, **more):
    frame = make_frame(ERRORS, raters=raters)
    return frame, rate_summaries(frame, "errors", mark_errors, text=TEXT, **more)


def one_sided(*, lost):
    """Preferences for gold but for one source, or for all; the other two win by turns."""
    frame, rows = pairs("preference", "1", "tie", "2")
    for_gold = {source: "2" if lost and source == "s3" else "1" for source in {row.source for row in rows}}
    return frame, [replace(row, answer=for_gold[row.source]) if row.system == "gold" else row for row in rows]


def forms():
    questions = (
        ReportQuestion("agree", "Agree", "Q1", "yes-no"),
        ReportQuestion("more-readable", "More readable", "Q2", "side"),
        ReportQuestion("fluent", "Fluent", "Q3", "yes-no"),
    )
    frame, rng = make_frame(*questions, raters=3), np.random.default_rng(6)
    common = {"domain": "document", "system": "hp"}
    rows = []
    for number in range(14):
        place = {"source": f"s{number // 2}", "sample": f"x{number}", **common}
        for rater in frame.raters:
            said = [str(rng.choice(["yes", "no"])) for _ in range(2)]
            rows.append(Answer(f"i{number}", rater, "agree", said[0], other="hp", **place))
            side = str(rng.choice(["1", "2"]))
            rows.append(Answer(f"i{number}", rater, "more-readable", side, other="hp", expected="2", **place))
            rows.append(Answer(f"i{number}:1", rater, "fluent", said[1], **place))
    return frame, rows


def human_check():
    questions = (
        ReportQuestion("readability-issue", "Readability issue", "R", "yes-no"),
        ReportQuestion("discrepancy", "Discrepancy", "D", "yes-no"),
    )
    frame = replace(make_frame(*questions), systems=("contrastive",), domains=(("document", "Documents"),))
    rng, rows = np.random.default_rng(8), []
    for number in range(24):
        place = {"source": f"s{number // 3}", "domain": "document", "rule": RULES[number % 8], "system": "contrastive"}
        for rater in frame.raters[: 1 + number % 2]:
            for question in questions:
                rows.append(Answer(f"i{number}", rater, question.key, str(rng.choice(["yes", "no"])), **place))
    return frame, rows


def judged(*, marks):
    question = ERRORS if marks else ReportQuestion("better", "Better", "Bet", "preference")
    frame = make_frame(question, judges=["model"])
    rows = rate_summaries(frame, "errors", mark_errors, text=TEXT) if marks else rate_pairs(frame, "better", ["1", "2"])
    by_judge = [replace(row, rater="model") for row in rows if row.rater == "rater1"]
    turned = [replace(row, answer={"1": "2", "2": "1"}.get(row.answer, row.answer)) for row in by_judge[::3]]
    swapped = [] if marks else [replace(row, quality="repeat") for row in [*by_judge[1::3], *turned]]
    by_judge[4], by_judge[7] = replace(by_judge[4], answer="invalid"), replace(by_judge[7], unaligned=2)
    return frame, [*rows, *by_judge, *swapped]


ROUNDS = {
    "yes-no, two raters": lambda: yes_no(2),
    "yes-no, three raters": lambda: yes_no(3),
    "likert": lambda: single("likert", pick_of(*"12345", toward=4), tuple("12345")),
    "number": lambda: single("number", pick_of("0", "12.5", "70", "100", toward=3)),
    "several": lambda: single("several", pick_of("x", "x; y", "none"), ("x", "y")),
    "value, identified": lambda: single("value", pick_of("low", "high"), ("low", "high"), requested="high"),
    "value, own": lambda: single("value", pick_of("low", "high"), ("low", "high")),
    "preference": lambda: pairs("preference", "1", "tie", "2"),
    "side": lambda: pairs("side", "1", "2"),
    "best-worst": lambda: lists("best-worst"),
    "ranking": lambda: lists("ranking"),
    "span-errors, two raters": lambda: marked(2),
    "span-errors, three raters": lambda: marked(3),
    "more sources than can be swapped in all ways": lambda: single("likert", pick_of(*"12345"), tuple("12345"), n=60),
    "marks of so many sources": lambda: marked(2, n=60),
    "gold that always wins": lambda: one_sided(lost=False),
    "gold that loses one source": lambda: one_sided(lost=True),
    "raters who always agree": lambda: single("yes-no", lambda _rng, number, system: "yes" if number % 5 else "no"),
    "raters who say one thing": lambda: single("yes-no", lambda _rng, _number, _system: "yes"),
    "forms": forms,
    "human check": human_check,
    "judge": lambda: judged(marks=False),
    "judge that marks": lambda: judged(marks=True),
}
LEAST = {"forms": 6, "human check": 80, "judge": 150}
"""How many numbers there are at least, so that no table is silently without any."""


@pytest.mark.parametrize("name", ROUNDS)
def test_every_number_is_computed_again_and_equal(name):
    findings = check_lines_of(file_of(*ROUNDS[name]()))
    assert [fault for fault in list_faults(findings) if "quoted from a publication" not in fault] == []
    assert Counter(one.outcome for one in findings)["equal"] >= LEAST.get(name, 60)
    assert any(one.name.endswith(" low") and one.recomputed is not None for one in findings)


def test_numbers_that_are_quoted_are_counted_as_not_recomputed():
    findings = check_lines_of(file_of(*human_check()))
    left_out = [one for one in findings if one.outcome == "not recomputed"]
    assert {one.reason for one in left_out} == {"quoted from a publication"}
    assert [one.printed for one in left_out] == [200, 49.5, 43.5, 93, None]


def test_correlations_with_scores_are_equal():
    frame, rng = make_frame(TOPIC), np.random.default_rng(1)
    scores = [
        ScoredSummary("topic", name, f"x{n}", f"s{n // 2}", float(rng.integers(0, 4)), float(rng.integers(0, 3)) / 2)
        for name in SYSTEMS
        for n in range(14)
    ]
    findings = check_lines_of(file_of(frame, rate_summaries(frame, "topic", YES_NO), scores))
    assert list(list_faults(findings)) == []
    assert sum(one.name.startswith("metric-human") for one in findings) == 4 * 6


COMBINED = {
    "equal chances": (make_rows(), {}),
    "unequal chances": (make_rows(uneven=True), {"selection": "active"}),
    "looks": (rows_with_looks(), {"rule": "decided"}),
    "wins": ([replace(row, other="gamma") for row in make_rows() if row.system == "alpha"], {}),
    "looks at wins": ([replace(row, other="gamma") for row in rows_with_looks() if row.system == "alpha"],
                      {"rule": "decided"}),
}  # fmt: skip


@pytest.mark.parametrize("name", COMBINED)
def test_combined_estimates_and_sequences_are_equal(name):
    rows, options = COMBINED[name]
    frame = replace(make_frame(ReportQuestion("fluent", "Fluent", "Flu", "yes-no")), systems=("beta", "alpha", "gamma"))
    findings = check_lines_of(file_of(frame, [], combined=CombinedMaterial(tuple(rows), **options)))
    assert list(list_faults(findings)) == []
    keys = {one.name.partition(" ")[0] for one in findings}
    assert "combined-wins" in keys if "wins" in name else {"combined-estimates", "combined-differences"} <= keys
    assert ("combined-sequences" in keys) == ("looks" in name)
