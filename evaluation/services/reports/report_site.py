"""The report of an unblinded round as a site of plain files: no scripts, nothing from elsewhere, no raters.

The table that lists the raters is left out, and so are disputed answers with their notes; `rater 1` and `rater 2` of
the remaining tables are numbers, not pseudonyms.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.publications.report_sites import REPORT_SITES, ReportSite
from epitome.figures.charts import chart_from_json
from epitome.figures.pdf import render_pdf
from epitome.figures.svg import standalone_svg
from epitome.figures.table_rendering import RenderedTable, render_table
from evaluation.models import Round, RoundState
from evaluation.services.reports import report_files, report_jobs


class SiteFigure(NamedTuple):
    """A figure, and the paths of its files."""

    title: str
    svg: str
    pdf: str


class SiteSection(NamedTuple):
    """A table with its figures, and the paths of its files."""

    shown: RenderedTable
    figures: list[SiteFigure]
    csv: str
    tex: str


ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def build_site(round_: Round) -> dict[str, bytes]:
    """The files by path. Raises Conflict for a blind round, or one whose report has not been computed."""
    report_jobs.check_unblinded(round_)
    stored = report_jobs.stored_report(round_)
    if stored is None:
        raise Conflict(_("The report has not been calculated yet."), code="noreport")
    return render_site(round_, stored.report, day=timezone.localtime(stored.at).date().isoformat() if stored.at else "")


def render_site(round_: Round, report: Mapping[str, Any], *, day: str) -> dict[str, bytes]:
    """The files of a report's JSON values. day: when it was computed."""
    files: dict[str, bytes] = {}
    sections = []
    for table in report_files.list_tables(report):
        section = SiteSection(render_table(table, gettext=_), [], f"tables/{table.key}.csv", f"tables/{table.key}.tex")
        files[section.csv] = ("\ufeff" + table.csv()).encode()
        files[section.tex] = table.latex().encode()
        for chart_fields in report["figures"].get(table.key, []):
            chart = chart_from_json(chart_fields)
            drawn = chart.draw()
            figure = SiteFigure(chart.title, f"figures/{chart.key}.svg", f"figures/{chart.key}.pdf")
            files[figure.svg], files[figure.pdf] = standalone_svg(drawn).encode(), render_pdf(drawn)
            section.figures.append(figure)
        sections.append(section)
    context = {"project": round_.project, "round": round_, "report": report, "sections": sections, "day": day}
    files["index.html"] = render_to_string("evaluation/reports/site.html", context).encode()
    files["style.css"] = render_to_string("evaluation/reports/site.css").encode()
    return files


def zip_site(files: Mapping[str, bytes], name: str) -> bytes:
    """A zip archive of the files under a folder of this name; the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{name}/{path}", ZIP_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def name_site(round_: Round) -> str:
    return f"{round_.project.slug}-round-{round_.number}-site"


def write_site(*, round_: Round, folder: Path) -> list[str]:
    """Write the files into a new or empty folder; returns their paths. Raises Conflict, BadInput."""
    files = build_site(round_)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(_("The folder %(name)s is not empty.") % {"name": folder.name}, field="output")
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise BadInput(
            _("%(file)s cannot be written: %(why)s") % {"file": folder.name, "why": error.strerror}, field="output"
        ) from error
    return sorted(files)


@REPORT_SITES.register
def list_sites(project: Project) -> list[ReportSite]:
    """The launched rounds of a project, and why one has no site yet."""
    rounds = Round.objects.filter(project=project, state__in=RoundState.LAUNCHED).select_related("project")
    return [
        ReportSite(row.name, reverse("round-site", args=[project.slug, row.public_id]), _describe_obstacle(row))
        for row in rounds.order_by("-number")
    ]


def _describe_obstacle(round_: Round) -> str:
    if round_.state != RoundState.UNBLINDED:
        return _("still blind")
    return "" if report_jobs.has_report(round_) else _("its report has not been calculated yet")
