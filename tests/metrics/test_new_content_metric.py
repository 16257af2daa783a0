"""A metric of content is one entry: `measure` prints it, JSON, the library and the papers' table have it."""

import pytest

from epitome.metrics.public.macsum import scores_of_report
from epitome.metrics.report import Report, make_report
from epitome.metrics.report_json import report_json
from epitome.metrics.report_text import report_text
from epitome.metrics.table_numbers import CONTENT
from epitome.reports.automatic import SystemRow, SystemScores, system_table
from tests.metrics.factories import LENGTH_RATIO, EveryWordANoun, build_macsum_file, read_requests


@pytest.fixture
def report(monkeypatch) -> Report:
    monkeypatch.setitem(CONTENT, LENGTH_RATIO.key, LENGTH_RATIO)
    file = build_macsum_file("macsum-doc-test", "cnndm", list(read_requests("macsum-doc-test")))
    doubled = [sample.summary * 2 for sample in file.samples]
    return make_report(file, doubled, tagger=EveryWordANoun())


def test_measure_prints_it(report):
    line = next(line for line in report_text(report).splitlines() if line.startswith("Length ratio, characters"))

    assert line.split()[3:] == [str(len(report.file.samples)), "2.00", "-"]


def test_json_and_library_have_it_with_interval_and_signature(report):
    shown = report_json(report, intervals=True)
    scores = scores_of_report(report)

    assert shown["length-ratio"] == {"chars": 2} and shown["ci95"]["length-ratio"] == {"chars": None}
    assert "length-ratio:characters" in shown["signature"]
    assert scores["chars"].value == 2


def test_the_table_of_a_paper_has_its_column(report):
    numbers = SystemScores(report.cer, report.scores.cc, report.content, report.average)

    table = system_table([SystemRow("ours", numbers)], report.gold.cc, {}, title="Scores", signature="s")

    assert [(column.group, column.label) for column in table.columns][-1] == ("Size", "Ch")
    assert [row[-1].value for row in table.rows] == [1, 2]
