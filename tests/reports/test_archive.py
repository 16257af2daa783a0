"""The zip for a paper: all tables and figures, equal bytes for equal reports, and a clear word without reportlab."""

import io
import shutil
import subprocess
import zipfile

import pytest

from epitome.reports.build import build_report
from evaluation.services.reports import report_archive
from tests.reports.frames import make_frame, printed_answers


@pytest.fixture(scope="module")
def report():
    return build_report(make_frame(), printed_answers()).as_json()


def files_of(report):
    archive = zipfile.ZipFile(io.BytesIO(report_archive.build_archive(report)))
    return {name: archive.read(name) for name in archive.namelist()}


def test_every_table_and_figure_is_there_and_no_single_rater(report):
    files = files_of(report)
    tables = {table["key"] for table in report["tables"]} - {"raters"}
    assert {f"tables/{key}.{ending}" for key in tables for ending in ("tex", "csv")} <= set(files)
    assert not [name for name in files if "raters" in name]
    figures = {"headline-figure", "yes-figure", "significance-figure"}
    assert {f"figures/{key}.{ending}" for key in figures for ending in ("svg", "pdf")} <= set(files)
    assert all(files[f"figures/{key}.pdf"].startswith(b"%PDF") for key in figures)
    assert report["methods"] in files["methods.txt"].decode()
    assert "got yes more often" in files["findings.txt"].decode()
    document = files["report.tex"].decode()
    assert all(rf"\input{{tables/{key}.tex}}" in document for key in tables)
    described = files["README.txt"].decode()
    assert all(f"  {key}: " in described for key in tables)


def test_the_same_report_gives_the_same_bytes(report):
    assert report_archive.build_archive(report) == report_archive.build_archive(report)


def test_without_reportlab_the_zip_says_so(report, monkeypatch):
    monkeypatch.setattr(report_archive, "find_spec", lambda name: None)
    files = files_of(report)
    assert not [name for name in files if name.endswith(".pdf")] and "figures/yes-figure.svg" in files
    assert "lacks reportlab" in files["README.txt"].decode()
    assert "includegraphics" not in files["report.tex"].decode()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_the_document_compiles(report, tmp_path):
    zipfile.ZipFile(io.BytesIO(report_archive.build_archive(report))).extractall(tmp_path)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    assert (tmp_path / "report.pdf").exists()
