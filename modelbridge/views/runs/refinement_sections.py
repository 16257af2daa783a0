"""What the page of a run shows of a system that refines: what it brought, what it took, and what else moved."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from epitome.figures.table_rendering import render_table
from epitome.figures.tables import Table
from modelbridge.models import Run
from modelbridge.services.runs.refinements import MAX_OUTPUTS, refines, report_refinement
from modelbridge.services.runs.run_progress import RunProgress
from modelbridge.services.training.training import schema_of
from modelbridge.views.training.method_figures import FigureSection


def refinement_sections(project: Project, run: Run, run_progress: RunProgress, currency: str) -> list[FigureSection]:
    """None before the run has ended, and for systems that do not refine."""
    if not run_progress.ended or not refines(run):
        return []
    refinement = report_refinement(run, schema_of(project), currency)
    if refinement is None:
        return []
    report = refinement.report
    note = ngettext("%(n)d output with its drafts.", "%(n)d outputs with their drafts.", refinement.n_read)
    read = note % {"n": refinement.n_read}
    if run_progress.done > MAX_OUTPUTS:
        read = _("Only the first outputs are read, up to %(n)d.") % {"n": MAX_OUTPUTS}
    last = _section(report.combinations, is_open=False)
    if not report.has_steps:
        return [_section(report.summary, read), _section(report.attributes), last]
    figures = [report.figure.draw()] if report.figure else []
    return [
        _section(report.summary, read),
        FigureSection(report.curve.key, report.curve.title, "", figures, render_table(report.curve, gettext=_)),
        _section(report.attributes),
        _section(report.movement),
        last,
    ]


def _section(table: Table, note: str = "", *, is_open: bool = True) -> FigureSection:
    return FigureSection(table.key, table.title, note, [], render_table(table, gettext=_), is_open)
