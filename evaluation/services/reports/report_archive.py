"""A report as one zip for a paper: tables as LaTeX and CSV, figures as PDF and SVG, the methods paragraph, and a LaTeX
file that puts all of it together. The same report gives the same bytes."""

import io
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from epitome.figures.charts import Chart, chart_from_json
from epitome.figures.svg import standalone_svg
from epitome.figures.tables import Table, latex_text
from evaluation.services.reports.report_files import list_tables, render_report

FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, so that its bytes depend on the report alone."""
NO_PDF = (
    "The figures are here as SVG only: this site lacks reportlab, which draws them as PDF "
    "(pip install reportlab, or the web extra)."
)
DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{xcolor}
\title{%(title)s}
\author{}
\begin{document}
\maketitle
%(body)s
\end{document}
"""


def build_archive(report: Mapping[str, Any]) -> bytes:
    """The zip; tables about individual raters are left out."""
    out = io.BytesIO()
    tables, figures = list_tables(report), _list_figures(report)
    has_pdf = find_spec("reportlab") is not None
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def write(name: str, body: str | bytes) -> None:
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, body)

        write("README.txt", _describe(report, tables, figures, has_pdf))
        write("methods.txt", f"{report['methods']}\n")
        write("methods.tex", f"{latex_text(report['methods'])}\n")
        if findings := _list_findings(report):
            write("findings.txt", "\n".join(findings) + "\n")
        write("report.tex", _document(report, tables, figures, has_pdf))
        write("report.html", render_report(report, "html"))
        write("report.json", render_report({**report, "decisions": []}, "json"))
        for table in tables:
            write(f"tables/{table.key}.tex", table.latex())
            write(f"tables/{table.key}.csv", "\ufeff" + table.csv())
        for key, chart in figures.items():
            drawn = chart.draw()
            write(f"figures/{key}.svg", standalone_svg(drawn))
            if has_pdf:
                from epitome.figures.pdf import render_pdf

                write(f"figures/{key}.pdf", render_pdf(drawn))
    return out.getvalue()


def _list_figures(report: Mapping[str, Any]) -> dict[str, Chart]:
    """The large figure first."""
    story = report.get("story") or {}
    charts = [story["figure"]] if story.get("figure") else []
    charts += [chart for drawn in report["figures"].values() for chart in drawn]
    return {chart["key"]: chart_from_json(chart) for chart in charts}


def _list_findings(report: Mapping[str, Any]) -> list[str]:
    story = report.get("story") or {"findings": []}
    return [
        "".join(words for words, _is_name in finding["parts"])
        + (f" ({finding['detail']})" if finding["detail"] else "")
        for finding in story["findings"]
    ]


def _describe(report: Mapping[str, Any], tables: list[Table], figures: Mapping[str, Chart], has_pdf: bool) -> str:
    lines = [str(report["name"]), ""]
    lines += ["report.tex    puts the findings, tables, figures and methods together: pdflatex report.tex"]
    lines += ["methods.*     the methods paragraph, ready to edit"]
    lines += ["report.html, report.json   everything in one file each"]
    lines += ["", "tables/ (LaTeX for booktabs; CSV with a byte order mark for spreadsheets)"]
    lines += [f"  {table.key}: {table.title}" for table in tables]
    lines += ["", "figures/"] + [f"  {key}: {chart.title}" for key, chart in figures.items()]
    lines += [] if has_pdf else ["", NO_PDF]
    signatures = [f"  {table.key}: {table.signature}" for table in tables if table.signature]
    return "\n".join([*lines, "", "What reproduces the numbers", *signatures, ""])


def _document(report: Mapping[str, Any], tables: list[Table], figures: Mapping[str, Chart], has_pdf: bool) -> str:
    lines = []
    if findings := _list_findings(report):
        lines += [r"\section{What came out}", r"\begin{itemize}"]
        lines += [rf"\item {latex_text(finding)}" for finding in findings]
        lines += [r"\end{itemize}"]
    lines += [r"\section{Methods}", r"\input{methods.tex}"] if report["methods"] else []
    for key, chart in figures.items() if has_pdf else ():
        lines += [r"\begin{figure}", r"\centering", rf"\includegraphics[width=\linewidth]{{figures/{key}.pdf}}"]
        lines += [rf"\caption{{{latex_text(chart.title)}}}", r"\end{figure}"]
    lines += [rf"\input{{tables/{table.key}.tex}}" for table in tables]
    return DOCUMENT % {"title": latex_text(str(report["name"])), "body": "\n".join(lines)}
