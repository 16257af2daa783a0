"""The other tables of a round, each against numbers worked out by hand or by another library."""

import re
from dataclasses import replace

import numpy as np
import pytest

from epitome.reports.agreement_tables import agreement_by_question, agreement_by_system
from epitome.reports.answers import Answer, Frame, ReportQuestion, real_answers
from epitome.reports.build import build_report
from epitome.reports.comparisons import significance_table
from epitome.reports.correlation import ScoredSummary, correlation_p, correlation_table, spearman
from epitome.reports.disagreements import find_disagreements
from epitome.reports.forms import form_table
from epitome.reports.identification import identification_tables
from epitome.reports.judges import INVALID, judge_table
from epitome.reports.methods import methods_paragraph
from epitome.reports.pairs import pair_tables
from epitome.reports.rater_table import rater_table
from epitome.reports.scales import scale_tables
from tests.reports.frames import make_frame, printed_answers

ONE = (("document", "Doc"),)


def small(*questions: ReportQuestion, systems=("Gold", "A", "B"), raters=("one", "two"), **more) -> Frame:
    return Frame("small", systems, questions, raters, ONE, replicates=100, **more)


def answer(item, rater, question, said, system="A", **more) -> Answer:
    fields = {"source": f"s-{item}", "sample": f"x-{item}", **more}
    return Answer(str(item), rater, question, said, system, "document", **fields)


def column(table, label, row=0):
    at = next(i for i, column in enumerate(table.columns) if column.label == label)
    return table.rows[row][at]


def test_agreement_of_a_question_is_that_of_the_command(tmp_path):
    from epitome.agreement.judgements_file import read_judgements
    from epitome.agreement.report import make_report
    from epitome.formats.reading import input_file

    rows = real_answers(printed_answers())
    file = tmp_path / "judgements.jsonl"
    lines = [
        f'{{"item_id": "{row.item}", "rater": "{row.rater}", "question": "{row.question}", "answer": "{row.answer}"}}'
        for row in rows.rows
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    report = make_report(read_judgements(input_file(str(file))), replicates=10, seed=1)
    table = agreement_by_question(make_frame(), rows)
    all_domains = next(row for row in table.rows if (row[0].value, row[1].value) == ("Topic", "all"))
    topic = report.questions["topic"].statistics
    at = {column.label: place for place, column in enumerate(table.columns)}
    for label, name in (("Cohen's κ", "cohen_kappa"), ("Krippendorff's α", "krippendorff_alpha"), ("Agree", "percent")):
        assert all_domains[at[label]].value == pytest.approx(float(topic[name].value))


def test_kappa_by_system_pools_its_questions():
    table = agreement_by_system(make_frame(), real_answers(printed_answers()))
    rows = {(row[0].value, row[1].value): row for row in table.rows}
    at = next(i for i, column in enumerate(table.columns) if column.label == "Cohen's κ")
    assert round(rows["HP+SP", "MAC-Dial"][at].value, 2) == 0.69


def test_a_common_answer_brings_an_honest_sentence():
    report_question = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    result = [("yes", "yes")] * 46 + [("yes", "no"), ("no", "yes"), ("no", "yes"), ("no", "no")]
    rows = [
        answer(number, rater, "topic", item)
        for number, both in enumerate(result)
        for rater, item in zip(("one", "two"), both, strict=True)
    ]
    notes = " ".join(agreement_by_question(small(report_question), real_answers(rows)).notes)
    assert "so common an answer makes chance agreement high" in notes


def test_wins_ties_and_losses_of_a_pair():
    report_question = ReportQuestion("better", "Better", "Pref", "preference")
    result = ["1"] * 6 + ["tie"] * 3 + ["2"]
    rows = [answer(n, "one", "better", item, system="A", other="B") for n, item in enumerate(result)]
    rows += [answer(n + 10, "one", "better", "2", system="B", other="A") for n in range(2)]  # A again, shown second
    (table,) = pair_tables(small(report_question, systems=("A", "B")), real_answers(rows))
    assert [column(table, label).value for label in ("First wins", "Tie", "Second wins")] == pytest.approx(
        [8 / 12, 0.25, 1 / 12]
    )


def test_significance_is_paired_and_corrected():
    report_question = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = []
    for number in range(12):
        fields = {"source": f"s{number}", "sample": f"x{number}"}
        rows += [
            answer(f"{system}{number}", "one", "topic", answers, system=system, **fields)
            for system, answers in (("Gold", "yes"), ("A", "no"), ("B", "yes" if number else "no"))
        ]
    table = significance_table(small(report_question), real_answers(rows))
    first = {row[2].value + row[3].value: row for row in table.rows}
    assert first["GoldA"][4].value == 1
    assert first["GoldA"][5].value == pytest.approx(2 / 2**12)  # both extreme ways of 2^12
    assert first["GoldA"][6].value == pytest.approx(3 * 2 / 2**12)
    assert first["GoldB"][5].value == 1


def test_means_of_a_scale_and_the_share_of_each_step():
    report_question = ReportQuestion("fluent", "Fluency", "Flu", "likert", values=("1", "2", "3", "4", "5"))
    rows = [answer(number, "one", "fluent", character) for number, character in enumerate("44552")]
    (table,) = scale_tables(small(report_question), real_answers(rows))
    assert column(table, "Mean").value == pytest.approx(4)
    assert [column(table, step).value for step in "12345"] == [0, 0.2, 0, 0.4, 0.4]


def test_values_named_rightly_and_the_confusion():
    report_question = ReportQuestion("length", "Length", "Len", "value", "length", ("short", "long"))
    items = [("short", "short"), ("short", "long"), ("long", "long"), ("long", "long")]
    rows = [answer(n, "one", "length", name, requested=expected) for n, (expected, name) in enumerate(items)]
    accuracy, confusion = identification_tables(small(report_question), real_answers(rows))
    assert (column(accuracy, "Named rightly").value, column(accuracy, "Chance").value) == (0.75, 0.5)
    assert [cell.value for cell in confusion.rows[0][3:]] == [0.5, 0.5]
    assert [cell.value for cell in confusion.rows[1][3:]] == [0, 1]


def test_fac_flu_and_ctrl_of_a_form_by_answer_and_by_majority():
    items = (
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
    table = form_table(small(*items, raters=("one", "two", "three")), real_answers(rows))
    assert [cell.value for cell in table.rows[0][1:]] == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert [cell.value for cell in table.rows[1][1:]] == [1, 0, 1]


def test_raters_are_told_by_pace_foils_and_self_agreement():
    report_question = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = [answer(n, "one", "topic", "yes", seconds=10.0 * (n + 1), unsure=n == 0) for n in range(4)]
    rows += [answer(n, "two", "topic", "yes" if n else "no") for n in range(4)]
    rows += [answer("f", "one", "topic", "yes", quality="foil", expected="no")]
    rows += [answer("r", "one", "topic", "yes", quality="repeat", repeats="1")]
    table = rater_table(small(report_question), rows)
    values = [
        column(table, label).value for label in ("Items", "Seconds, median", "Unsure", "Yes", "Foils right", "Itself")
    ]
    assert values == [4, 25, 0.25, 1, 0, 1]
    assert column(table, "Others").value == 0.75
    assert column(table, "Foils right", row=1).value is None


def test_disagreements_show_the_evenest_votes_first():
    rows = [answer("i", rater, "topic", text) for rater, text in zip("abc", ("yes", "yes", "no"), strict=True)]
    rows += [answer("j", rater, "topic", text) for rater, text in zip("ab", ("yes", "no"), strict=True)]
    rows += [answer("k", rater, "topic", "yes") for rater in "ab"]
    assert [disagreement.item for disagreement in find_disagreements(real_answers(rows))] == ["j", "i"]


def test_a_judge_is_held_against_people_and_never_one_of_them():
    report_question = ReportQuestion("topic", "Topic", "Tpc", "yes-no")
    rows = [answer(n, rater, "topic", "yes" if n < 6 else "no") for n in range(8) for rater in ("one", "two")]
    items = ["yes", "yes", "yes", "yes", "yes", "no", "no", INVALID]
    with_judge = [*rows, *(answer(n, "model", "topic", item) for n, item in enumerate(items))]
    result = small(report_question, judges=("model",))
    table = judge_table(result, real_answers(with_judge))
    assert column(table, "Accuracy").value == pytest.approx(6 / 8)
    assert column(table, "Invalid").value == 1
    report_before, report_after = build_report(result, rows), build_report(result, with_judge)
    same = {
        table.key: table.as_json()["rows"] for table in report_before.tables if table.key not in ("raters", "judges")
    }
    assert {table.key: table.as_json()["rows"] for table in report_after.tables if table.key in same} == same


def test_rank_correlation_and_its_p_are_those_of_scipy():
    from scipy.stats import spearmanr

    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 5, 40).astype(float), rng.integers(0, 3, 40).astype(float)
    result = spearmanr(first, second)
    assert float(spearman(first, second)) == pytest.approx(result.statistic)
    assert correlation_p(first, second, range(40), 20_000, 1).value == pytest.approx(result.pvalue, abs=0.02)
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
    result = methods_paragraph(make_frame(facts=facts))
    assert "the human references, HP and HP+SP on 30 samples per system and domain (MAC-Doc and MAC-Dial)" in result
    assert "Length was counted by a program, not asked." in result
    assert "6 foils" in result and "seed 7" in result and "each item was to be judged by 2" in result


def test_the_methods_paragraph_claims_no_more_than_was_done():
    result = methods_paragraph(make_frame(facts={"raters": 2, "raters_per_item": 2, "apart": 3, "cleared": 2}))
    assert "items of one source planned at least 3 places apart" in result and "but for 2 exceptions" in result
    outcome = methods_paragraph(
        make_frame(raters=("one",), systems=("Gold",), facts={"raters": 1, "raters_per_item": 1, "apart": 1})
    )
    assert not any(word in outcome for word in ("apart", "exceptions", "kappa", "permutation"))
    assert "were asked about Topic." in methods_paragraph(make_frame(facts={"asked": ["topic"]}))


def test_every_table_goes_out_as_csv_latex_and_json():
    from epitome.figures.tables import Table

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
