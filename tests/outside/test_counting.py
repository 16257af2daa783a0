"""How imported answers count: exports, reports, agreement, pay, and what is planned for the round's own raters."""

import json

import pytest
from django.core.management import call_command

from epitome.formats.reading import input_file
from evaluation.models import ItemAssignment
from evaluation.services.monitoring import round_control, round_spending
from evaluation.services.rating import outside_raters
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.reports import combined_rows, judgements, report_jobs, report_rows
from tests.outside.factories import CROSSED, judged, outside_project, outside_round, pearmut_file
from tests.rounds.factories import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def imported(tmp_path):
    """Two outside raters: both marked "June", one also "valley" before it; (round)."""
    round_ = outside_round(outside_project())
    path = pearmut_file(
        tmp_path,
        judged("calm-otter", comment="A slip."),
        judged("shy-fox", marks=[(36, 39, "major"), (26, 31, "minor")]),
        judged("calm-otter", CROSSED, "sysB", marks=[], score=90),
        judged("shy-fox", CROSSED, "sysB", marks=[], score=80),
    )
    import_answers(round_=round_, file=input_file(path), mapping={}, by=None)
    return round_


def test_exports_mark_them_and_name_nobody(imported):
    lines = list(judgements.export_lines(imported, judgements.ExportOptions(notes=True)))
    assert {line["outside"] for line in lines} == {"Pearmut"} and len({line["rater"] for line in lines}) == 2
    assert {line["seconds"] for line in lines} == {None}
    (first, *_others) = [line for line in lines if line["question"] == "errors" and line.get("note")]
    assert first["marks"] == [{"start": 35, "end": 39, "severity": "major", "quote": "June"}]
    text = b"".join([*judgements.export_jsonl(imported), *judgements.export_csv(imported)]).decode()
    assert "otter" not in text and "fox" not in text and text.count("Pearmut") == 16


def test_they_count_in_agreement_and_in_the_tables_of_systems(imported):
    """F1 of "June" against "valley" and "June": 2 * 4 / (4 + 10)."""
    round_control.apply_action(round_=imported, action="unblind", by=None)
    report = report_jobs.make_report(imported)
    tables = {table["key"]: table for table in _list_tables(report)}
    cells = [cell for row in tables["span-agreement"]["rows"] for cell in row]
    assert any(cell.get("value") == pytest.approx(8 / 14) for cell in cells if isinstance(cell.get("value"), float))
    scores = {row[0]["value"]: (row[2]["value"], row[2]["n"]) for row in tables["span-errors"]["rows"]}
    assert scores == {"sysA": (pytest.approx(-100 * 11 / 18), 2), "sysB": (0, 2)}
    assert sum("(imported)" in row[0]["value"] for row in tables["raters"]["rows"]) == 2


def _list_tables(value):
    if isinstance(value, dict):
        if {"key", "rows"} <= value.keys():
            yield value
        for child in value.values():
            yield from _list_tables(child)
    elif isinstance(value, list):
        for child in value:
            yield from _list_tables(child)


def test_the_methods_say_where_they_came_from(imported):
    round_control.apply_action(round_=imported, action="unblind", by=None)
    methods = json.dumps(report_jobs.make_report(imported))
    assert "Imported: 2 more raters worked in Pearmut; 4 ratings were imported" in methods
    assert "2 raters took part; each item was to be judged by 2" in methods
    assert "is not known here" in methods


def test_they_are_shown_beside_the_ratings_of_the_rounds_own_raters(imported):
    own = imported.raters.filter(tool="").first().rater
    assignment = claim(imported, own)
    assert assignment.slot_id and ItemAssignment.objects.filter(slot=None).count() == 4
    answers = report_rows.load_answers(imported)
    frame = report_rows.build_frame(imported, answers)
    assert len(frame.raters) == 4 and len(frame.outside) == 2 and frame.facts["raters"] == 2


def test_nobody_is_paid_for_them(tmp_path):
    project = outside_project()
    project.pay_per_hour, project.pay_currency = 12.0, "EUR"
    project.save()
    round_ = outside_round(project)
    import_answers(round_=round_, file=input_file(pearmut_file(tmp_path, judged())), mapping={}, by=None)
    assert round_spending.count_spending(round_).ratings == 0


def test_estimates_with_judges_leave_them_out(imported):
    assert all(row.human is None for row in combined_rows.load_rows(imported))


def test_a_report_is_stale_after_an_import_and_after_a_removal(imported):
    versions = [report_jobs.data_version(imported)]
    rater = outside_raters.list_outside_raters(imported)[0]
    outside_raters.remove_outside_rater(round_=imported, account=rater.account, by=None)
    versions.append(report_jobs.data_version(imported))
    assert len(set(versions)) == 2


def test_the_library_reads_what_is_exported(imported, tmp_path, capsys):
    path = tmp_path / "judgements.jsonl"
    path.write_bytes(b"".join(judgements.export_jsonl(imported)))
    call_command("agreement", str(path), "--json")
    questions = json.loads(capsys.readouterr().out)["questions"]
    assert {key: (row["raters"], row["judgements"]) for key, row in questions.items()} == {
        "errors": (2, 4),
        "score": (2, 4),
    }
