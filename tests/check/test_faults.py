"""What a reviewer sees of a file that was changed, cut, or is another one; and the command `epitome check`."""

import json

import pytest

from epitome.check.checking import STATISTICS
from epitome.check.report_file import BadReport, parse_report
from epitome.cli.main import main
from epitome.reports import check_formulas
from epitome.reports.answers import ReportQuestion
from tests.check.rounds import check_lines_of, file_of, make_frame, pick_of, rate_summaries


@pytest.fixture(scope="module")
def lines():
    frame = make_frame(ReportQuestion("topic", "Topic", "Tpc", "yes-no", "topic"))
    return file_of(frame, rate_summaries(frame, "topic", pick_of("yes", "no")))


@pytest.fixture
def call(tmp_path, capsys):
    def run(lines, *options):
        path = tmp_path / "report.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        status = main(["check", str(path), *options])
        return status, *capsys.readouterr()

    return run


def change(lines, changed, **wanted):
    """The lines with one of them changed: the first that has these values."""
    entries = [json.loads(line) for line in lines]
    entry = next(one for one in entries if all(one.get(key) == value for key, value in wanted.items()))
    entry.update(changed)
    return [json.dumps(one, ensure_ascii=False) for one in entries]


POOLED = {"kind": "number", "table": "yes-pooled", "row": ["hp"], "column": "Documents Tpc"}
NAME = "yes-pooled / hp / Documents Tpc"


@pytest.mark.parametrize(("field", "ending"), [("value", ""), ("low", " low"), ("high", " high"), ("n", " n")])
def test_a_changed_number_is_found_and_named_with_both_values(lines, call, field, ending):
    printed = next(json.loads(line) for line in lines if POOLED.items() <= json.loads(line).items())
    status, out, err = call(change(lines, {field: printed[field] + 1}, **POOLED))
    assert (status, err) == (1, "")
    shown = f"printed {printed[field] + 1:.10g}, recomputed {printed[field]:.10g}"
    assert f"different: {NAME}{ending}: {shown}" in out
    assert out.endswith("1 different, 0 not recomputed\n")


def test_a_changed_answer_makes_its_numbers_different(lines, call):
    answer = next(json.loads(line) for line in lines if '"answer": "yes"' in line and '"system' in line)
    wanted = {"kind": "answer", "item": answer["item"], "rater": answer["rater"]}
    status, out, _err = call(change(lines, {"answer": "no"}, **wanted))
    assert status == 1
    assert "different: yes-pooled / " in out and "different: agreement / Topic" in out


def test_an_untouched_file_is_equal_and_json_has_every_number(lines, call):
    status, out, _err = call(lines)
    assert status == 0 and out.endswith(" equal, 0 different, 0 not recomputed\n") and out.count("\n") == 1
    status, out, _err = call(lines, "--json")
    found = json.loads(out)
    one = next(one for one in found["numbers"] if one["name"] == NAME)
    assert status == 0 and one["outcome"] == "equal" and one["printed"] == pytest.approx(one["recomputed"])
    assert found["counts"] == {"equal": len(found["numbers"])}
    out = call(lines, "--all", "--formulas")[1]
    assert f"equal: {NAME}: printed " in out and "wilson: Wilson's interval" in out


def test_a_number_without_a_formula_is_counted_with_its_reason(lines, call):
    entries = [json.loads(line) for line in lines]
    for entry in entries:
        if POOLED.items() <= entry.items():
            del entry["statistic"], entry["interval"], entry["of"]
            entry["reason"] = "it needs the texts"
    status, out, _err = call([json.dumps(entry) for entry in entries])
    assert status == 0 and "not recomputed: 4: it needs the texts\n" in out and "4 not recomputed" in out
    changed = change(lines, {"statistic": "kuiper"}, **POOLED)
    assert "not recomputed: 4: the file does not say what 'kuiper' is" in call(changed)[1]


def test_a_formula_that_this_version_does_not_know_is_no_difference(lines, call):
    new = json.dumps({"kind": "formula", "name": "kuiper", "text": "..."})
    lines = [lines[0], new, *lines[1:-1], json.dumps({"kind": "end", "lines": len(lines) + 1})]
    status, out, _err = call(change(lines, {"statistic": "kuiper"}, **POOLED))
    assert status == 0 and "not recomputed: 4: the formula 'kuiper' is not known to this version" in out
    status, out, _err = call(change(lines, {"interval": "kuiper"}, **POOLED))
    assert status == 0 and "not recomputed: 4: the interval 'kuiper' is not known to this version" in out


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda lines: lines[:-1], "without its last line, so a part is missing"),
        (lambda lines: [*lines[:-2], lines[-2][:40]], "the file ends within a line, so a part of it is missing"),
        (lambda lines: [*lines[:5], *lines[6:]], "lines were lost or added"),
        (lambda lines: ['{"item_id": "1", "rater": "a"}'], "line 1: is no report for checking"),
        (lambda lines: ["Model,CER", "hp,0.4"], "line 1: is no JSON"),
        (lambda lines: [lines[0], "[1]", *lines[1:]], "line 2: is no JSON object"),
        (lambda lines: [lines[0], '{"kind": "answer"}', *lines[2:]], "line 2: is no line of the kind answer"),
        (lambda lines: [lines[0], '{"kind": "row"}', *lines[2:]], "line 2: has the kind 'row'"),
        (lambda lines: [""], "is empty"),
        (lambda lines: [lines[0].replace('"seed"', '"sead"'), *lines[1:]], "line 1: lacks seed"),
    ],
)
def test_a_file_that_is_cut_or_another_one_gets_one_clear_line(lines, call, spoil, message):
    status, out, err = call(spoil(lines))
    assert (status, out) == (1, "")
    assert message in err and err.startswith("epitome: report.jsonl") and err.count("\n") == 1


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl: cannot be read" in capsys.readouterr().err
    (tmp_path / "some.zip").write_bytes(b"PK\x03\x04\xff\xfe")
    assert main(["check", str(tmp_path / "some.zip")]) == 1
    assert "some.zip: is no UTF-8 text, so no report" in capsys.readouterr().err


def test_what_the_check_computes_is_stated_and_what_is_stated_is_computed():
    assert set(check_formulas.STATISTICS) == set(STATISTICS)


def test_a_question_whose_name_is_taken_twice_is_left_out_rather_than_wrong():
    twins = [ReportQuestion(key, "Topic", "Tpc", "yes-no") for key in ("topic", "theme")]
    frame = make_frame(*twins)
    rows = [row for twin in twins for row in rate_summaries(frame, twin.key, pick_of("yes", "no"))]
    findings = check_lines_of(file_of(frame, rows))
    assert {one.outcome for one in findings} == {"equal", "not recomputed"}
    assert any("name two things" in one.reason for one in findings)


def test_reading_says_which_line_is_at_fault_without_a_file():
    with pytest.raises(BadReport, match="report: is empty"):
        parse_report([])
