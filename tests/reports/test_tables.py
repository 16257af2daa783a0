"""The other tables of a round, each against numbers worked out by hand or by another library."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluation.reports.agreement_tables import agreement_by_question, agreement_by_system
from evaluation.reports.answers import Answer, Frame, ReportQuestion, real_answers
from evaluation.reports.build import build_report
from evaluation.reports.comparisons import significance_table
from evaluation.reports.correlation import ScoredSummary, correlation_p, correlation_table, spearman
from evaluation.reports.disagreements import find_disagreements
from evaluation.reports.forms import form_table
from evaluation.reports.identification import identification_tables
from evaluation.reports.judges import INVALID, judge_table
from evaluation.reports.methods import methods_paragraph
from evaluation.reports.pairs import bradley_terry, pair_tables
from evaluation.reports.rater_table import rater_table
from evaluation.reports.scales import scale_tables
from tests.reports.frames import make_frame, printed_answers

ONE = (("document", "Doc"),)


def small(*questions: ReportQuestion, systems=("Gold", "A", "B"), raters=("one", "two"), **more) -> Frame:
    return Frame("small", systems, questions, raters, ONE, replicates=100, **more)


def answer(item, rater, question, said, system="A", **more) -> Answer:
    told = {"source": f"s-{item}", "sample": f"x-{item}", **more}
    return Answer(str(item), rater, question, said, system, "document", **told)


def column(table, label, row=0):
    at = next(i for i, column in enumerate(table.columns) if column.label == label)
    return table.rows[row][at]


def test_agreement_of_a_question_is_that_of_the_command(tmp_path):
    from annotation.formats.reading import input_file
    from evaluation.agreement.judgements_file import read_judgements
    from evaluation.agreement.report import make_report

    rows = real_answers(printed_answers())
    file = tmp_path / "judgements.jsonl"
    lines = [
        f'{{"item_id": "{row.item}", "rater": "{row.rater}", "question": "{row.question}", "answer": "{row.answer}"}}'
        for row in rows.rows
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    told = make_report(read_judgements(input_file(str(file))), replicates=10, seed=1)
    table = agreement_by_question(make_frame(), rows)
    all_domains = next(row for row in table.rows if (row[0].value, row[1].value) == ("Topic", "all"))
    topic = told.questions["topic"].statistics
    at = {column.label: place for place, column in enumerate(table.columns)}
    for label, name in (("Cohen's κ", "cohen_kappa"), ("Krippendorff's α", "krippendorff_alpha"), ("Agree", "percent")):
        assert all_domains[at[label]].value == pytest.approx(float(topic[name].value))


def test_kappa_by_system_pools_its_questions():
    table = agreement_by_system(make_frame(), real_answers(printed_answers()))
    rows = {(row[0].value, row[1].value): row for row in table.rows}
    at = next(i for i, column in enumerate(table.columns) if column.label == "Cohen's κ")
    assert round(rows["HP+SP", "MAC-Dial"][at].value, 2) == 0.69


def test_a_common_answer_brings_an_honest_sentence():
    asked = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    said = [("yes", "yes")] * 46 + [("yes", "no"), ("no", "yes"), ("no", "yes"), ("no", "no")]
    rows = [
        answer(number, rater, "topic", given)
        for number, both in enumerate(said)
        for rater, given in zip(("one", "two"), both, strict=True)
    ]
    notes = " ".join(agreement_by_question(small(asked), real_answers(rows)).notes)
    assert "so common an answer makes chance agreement high" in notes


def test_wins_ties_and_losses_of_a_pair():
    asked = ReportQuestion("better", "Better", "Pref", "preference")
    said = ["1"] * 6 + ["tie"] * 3 + ["2"]
    rows = [answer(n, "one", "better", each, system="A", other="B") for n, each in enumerate(said)]
    rows += [answer(n + 10, "one", "better", "2", system="B", other="A") for n in range(2)]  # A again, shown second
    (table,) = pair_tables(small(asked, systems=("A", "B")), real_answers(rows))
    assert [column(table, label).value for label in ("First wins", "Tie", "Second wins")] == pytest.approx(
        [8 / 12, 0.25, 1 / 12]
    )


def test_bradley_terry_maximises_the_likelihood():
    from scipy.optimize import minimize

    wins = np.array([[0, 7, 9.5], [3, 0, 6], [2.5, 4, 0]])

    def loss(free):
        logs = np.array([0, *free])
        chance = 1 / (1 + np.exp(logs[None, :] - logs[:, None]))
        return -(wins * np.log(chance)).sum()

    found = minimize(loss, np.zeros(2), tol=1e-12).x
    wanted = np.array([0, *found]) - np.mean([0, *found])
    assert bradley_terry(wins) == pytest.approx(wanted, abs=1e-4)


def test_a_system_that_always_wins_has_no_strength():
    assert bradley_terry(np.array([[0, 5, 5], [0, 0, 3], [0, 2, 0]], dtype=float)) is None


def test_significance_is_paired_and_corrected():
    asked = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = []
    for number in range(12):
        told = {"source": f"s{number}", "sample": f"x{number}"}
        rows += [
            answer(f"{system}{number}", "one", "topic", said, system=system, **told)
            for system, said in (("Gold", "yes"), ("A", "no"), ("B", "yes" if number else "no"))
        ]
    table = significance_table(small(asked), real_answers(rows))
    first = {row[2].value + row[3].value: row for row in table.rows}
    assert first["GoldA"][4].value == 1
    assert first["GoldA"][5].value == pytest.approx(2 / 2**12)  # both extreme ways of 2^12
    assert first["GoldA"][6].value == pytest.approx(3 * 2 / 2**12)
    assert first["GoldB"][5].value == 1


def test_means_of_a_scale_and_the_share_of_each_step():
    asked = ReportQuestion("fluent", "Fluency", "Flu", "likert", values=("1", "2", "3", "4", "5"))
    rows = [answer(number, "one", "fluent", said) for number, said in enumerate("44552")]
    (table,) = scale_tables(small(asked), real_answers(rows))
    assert column(table, "Mean").value == pytest.approx(4)
    assert [column(table, step).value for step in "12345"] == [0, 0.2, 0, 0.4, 0.4]


def test_values_named_rightly_and_the_confusion():
    asked = ReportQuestion("length", "Length", "Len", "value", "length", ("short", "long"))
    said = [("short", "short"), ("short", "long"), ("long", "long"), ("long", "long")]
    rows = [answer(n, "one", "length", named, requested=wanted) for n, (wanted, named) in enumerate(said)]
    accuracy, confusion = identification_tables(small(asked), real_answers(rows))
    assert (column(accuracy, "Named rightly").value, column(accuracy, "Chance").value) == (0.75, 0.5)
    assert [cell.value for cell in confusion.rows[0][3:]] == [0.5, 0.5]
    assert [cell.value for cell in confusion.rows[1][3:]] == [0, 1]


def test_fac_flu_and_ctrl_of_a_form_by_answer_and_by_majority():
    asked = (
        ReportQuestion("agree", "Agree", "Q1", "yes-no"),
        ReportQuestion("more-readable", "More readable", "Q2", "side"),
        ReportQuestion("fluent-a", "Fluent", "Q3", "yes-no"),
    )
    rows = []
    for rater, agree, side, fluent in (
        ("one", "yes", "2", "yes"),
        ("two", "yes", "2", "no"),
        ("three", "no", "1", "no"),
    ):
        rows += [answer("i", rater, "agree", agree, other="B"), answer("i", rater, "fluent-a", fluent)]
        rows.append(answer("i", rater, "more-readable", side, other="B", expected="2"))
    table = form_table(small(*asked, raters=("one", "two", "three")), real_answers(rows))
    assert [cell.value for cell in table.rows[0][1:]] == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert [cell.value for cell in table.rows[1][1:]] == [1, 0, 1]


def test_raters_are_told_by_pace_foils_and_self_agreement():
    asked = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = [answer(n, "one", "topic", "yes", seconds=10.0 * (n + 1), unsure=n == 0) for n in range(4)]
    rows += [answer(n, "two", "topic", "yes" if n else "no") for n in range(4)]
    rows += [answer("f", "one", "topic", "yes", quality="foil", expected="no")]
    rows += [answer("r", "one", "topic", "yes", quality="repeat", repeats="1")]
    table = rater_table(small(asked), rows)
    told = [
        column(table, label).value for label in ("Items", "Seconds, median", "Unsure", "Yes", "Foils right", "Itself")
    ]
    assert told == [4, 25, 0.25, 1, 0, 1]
    assert column(table, "Others").value == 0.75
    assert column(table, "Foils right", row=1).value is None


def test_disagreements_show_the_evenest_votes_first():
    rows = [answer("i", rater, "topic", said) for rater, said in zip("abc", ("yes", "yes", "no"), strict=True)]
    rows += [answer("j", rater, "topic", said) for rater, said in zip("ab", ("yes", "no"), strict=True)]
    rows += [answer("k", rater, "topic", "yes") for rater in "ab"]
    assert [each.item for each in find_disagreements(real_answers(rows))] == ["j", "i"]


def test_a_judge_is_held_against_people_and_never_one_of_them():
    asked = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = [answer(n, rater, "topic", "yes" if n < 6 else "no") for n in range(8) for rater in ("one", "two")]
    said = ["yes", "yes", "yes", "yes", "yes", "no", "no", INVALID]
    with_judge = [*rows, *(answer(n, "model", "topic", each) for n, each in enumerate(said))]
    told = small(asked, judges=("model",))
    table = judge_table(told, real_answers(with_judge))
    assert column(table, "Accuracy").value == pytest.approx(6 / 8)
    assert column(table, "Invalid").value == 1
    before, after = build_report(told, rows), build_report(told, with_judge)
    same = {table.key: table.as_json()["rows"] for table in before.tables if table.key not in ("raters", "judges")}
    assert {table.key: table.as_json()["rows"] for table in after.tables if table.key in same} == same


def test_rank_correlation_and_its_p_are_those_of_scipy():
    from scipy.stats import spearmanr

    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 5, 40).astype(float), rng.integers(0, 3, 40).astype(float)
    told = spearmanr(first, second)
    assert float(spearman(first, second)) == pytest.approx(told.statistic)
    assert correlation_p(first, second, range(40), 20_000, 1).value == pytest.approx(told.pvalue, abs=0.02)
    assert not spearman(first, np.ones(40)).defined
    assert not correlation_p(first, np.ones(40), range(40), 100, 1).defined
    assert correlation_p(first, second, [1] * 40, 100, 1).undefined == "only one source"


def test_scores_that_say_what_raters_say_correlate():
    pairs = [ScoredSummary("topic", "A", f"x{n}", f"s{n}", error=n / 10, yes=1 - n / 10) for n in range(10)]
    table = correlation_table(small(ReportQuestion("topic", "Topic", "Tpc", "yes-no")), pairs)
    assert table.rows[0][2].value == pytest.approx(1)


def test_the_methods_paragraph_says_what_the_design_says():
    facts = {"samples": 30, "same_samples": True, "raters": 2, "raters_per_item": 2, "foils": 6,
             "items_hash": "ab" * 32, "design_seed": 7, "counted": ["Length"]}  # fmt: skip
    told = methods_paragraph(make_frame(facts=facts))
    assert "the human references, HP and HP+SP on 30 samples per system and domain (MAC-Doc and MAC-Dial)" in told
    assert "Length was counted by a program, not asked." in told
    assert "6 foils" in told and "seed 7" in told and "each item was to be judged by 2" in told


def test_the_methods_paragraph_claims_no_more_than_was_done():
    told = methods_paragraph(make_frame(facts={"raters": 2, "raters_per_item": 2, "apart": 3, "cleared": 2}))
    assert "items of one source planned at least 3 places apart" in told and "but for 2 exceptions" in told
    one = methods_paragraph(
        make_frame(raters=("one",), systems=("Gold",), facts={"raters": 1, "raters_per_item": 1, "apart": 1})
    )
    assert not any(word in one for word in ("apart", "exceptions", "kappa", "permutation"))
    assert "were asked about Topic." in methods_paragraph(make_frame(facts={"asked": ["topic"]}))


def test_every_table_goes_out_as_csv_latex_and_json():
    from annotation.figures.tables import Table

    report = build_report(make_frame(), printed_answers())
    assert {"yes-rater-1", "agreement", "agreement-systems", "significance", "raters"} <= {t.key for t in report.tables}
    for table in report.tables:
        assert r"\toprule" in table.latex()
        assert table.csv().count("\r\n") == len(table.rows) + 1
        assert Table.from_json(table.as_json()).as_json() == table.as_json()
        assert table.signature


def test_rows_of_latex_have_their_columns_whatever_a_system_is_called():
    odd = {"Gold": "[50 % & more]", "HP": "*_{x}^$", "HP+SP": "a \\\\ b #1 ~"}
    rows = [replace(row, system=odd[row.system]) for row in printed_answers()]
    for table in build_report(make_frame(systems=tuple(odd.values())), rows).tables:
        text = table.latex()
        columns = sum(not column.files_only for column in table.columns)
        body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
        assert len(body) == len(table.rows)
        for line in body:
            plain = line.removesuffix(r" \\")
            assert len(re.findall(r"(?<!\\)&", plain)) == columns - 1 and not re.search(r"(?<!\\)[%#]|\\\\", plain)
            assert not line.startswith(("[", "*"))
