"""No cell of any CSV file that the app writes is read as a formula by a spreadsheet."""

import csv
import io
import re
import subprocess

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Membership, Role
from annotation.services.statistics.stored import start_statistics
from epitome.figures.tables import Cell, Column, Table
from evaluation.services.reports import report_files, report_jobs
from tests.guards.checkout import ROOT
from tests.reports.stored_tables import compute_tables
from tests.reports.test_service import rated, unblinded  # noqa: F401 - fixtures
from tests.rounds.factories import member

FORMULA = "=1+1"
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")
WRITERS = {"epitome/figures/tables.py"}
"""Files that may write CSV themselves; everything else takes `Table.csv` or `csv_line`."""
SERVED = {
    "annotation/views/people/forms.py",  # of a file that is sent
    "annotation/views/sources/import_results.py",  # asked in tests/pages/test_import_pages.py
    "annotation/views/statistics/statistics.py",
    "annotation/views/staff/ledger.py",
    "evaluation/api/rounds/rounds.py",  # documents what the next one writes
    "evaluation/services/reports/judgements.py",  # asked in tests/rounds/test_question_types.py
    "evaluation/services/reports/report_files.py",
}
"""Files that name the content type of CSV: their pages are asked below."""


def grep(pattern):
    folders = ("annotation/*.py", "evaluation/*.py", "modelbridge/*.py", "epitome/*.py")
    command = ["git", "grep", "-lE", pattern, "--", *folders]
    return set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split())


def read_cells(text):
    return [cell for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) for cell in row]


def assert_no_formula(text):
    for cell in read_cells(text):
        assert not cell.lstrip(" \u00a0").startswith(("=", "+", "-", "@", "\t", "\r")) or NUMBER.fullmatch(cell), cell


def test_the_pages_and_commands_below_are_all_that_write_csv():
    assert grep(r"csv\.(writer|DictWriter)") == WRITERS
    assert grep("text/csv") == SERVED


def test_nothing_writes_excel_files():
    """Whatever does one day makes its cells safe, too, and is asked here."""
    assert grep(r"Workbook\(|xlsxwriter|to_excel|application/vnd\.(openxmlformats|ms-excel)") == set()
    assert grep("load_workbook") == {"epitome/formats/excel_sheets.py"}


@pytest.mark.django_db
def test_names_like_formulas_are_texts_in_every_csv_file(unblinded, client, capsys):  # noqa: F811
    project = unblinded.project
    for user in User.objects.filter(username__startswith="rater"):
        User.objects.filter(pk=user.pk).update(username=f"{FORMULA}{user.username}", first_name=FORMULA)
        Membership.objects.get_or_create(project=project, user=user, role=Role.ANNOTATOR)
    run_job(report_jobs.start_report(round_=unblinded, by=None).pk)
    run_job(start_statistics(project=project, by=None).pk)
    client.force_login(member(project, "admin", Role.ADMIN))
    compute_tables(client, reverse("project-tables", args=[project.slug]))
    urls = [
        reverse("ledger-file", args=[project.slug]) + "?names=usernames",
        reverse("round-report-file", args=[project.slug, unblinded.public_id]) + "?format=csv",
        reverse("project-tables-file", args=[project.slug]) + "?table=combinations&format=csv",
        reverse("statistics-file", args=[project.slug]) + "?table=size&format=csv",
    ]
    for url in urls:
        answer = client.get(url)
        assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, "text/csv"), url
        assert_no_formula(answer.content.decode())
    call_command("report", project.slug, unblinded.name, "--format", "csv", "--raters")
    assert_no_formula(capsys.readouterr().out)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@x", "\t=1", "\r=1", "  =1", "a,=1+1", 'a",=1+1,"', "a\r\n=1"])
def test_titles_heads_and_cells_of_a_report_are_texts(text):
    table = Table(text, text, [Column(text, "", "text"), Column("n")], [[Cell(text), Cell(-1.5)]], signature=text)
    written = report_files.render_report({"tables": [table.as_json()], "methods": ""}, "csv")
    assert_no_formula(written)
    cells = read_cells(written)
    assert len(cells) == 6  # title, signature; two heads; two cells
    assert cells[-1] == "-1.5"
    assert text in cells[4]
