"""The report of an unblinded round as a file that reviewers check: its rows, its formulas and its numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.core.errors import Conflict
from epitome.reports.check_lines import check_lines, write_check_file
from evaluation.models import Round
from evaluation.services.reports import report_files, report_jobs
from evaluation.services.reports.combined_material import load_material
from evaluation.services.reports.report_rows import build_frame, load_answers, load_machine_answers
from evaluation.services.runs_compared.automatic_scores import pair_scores


def name_file(round_: Round) -> str:
    return f"{round_.project.slug}-round-{round_.number}-check.jsonl"


def export_stored(round_: Round) -> Iterator[bytes]:
    """The stored report with the rows that it was computed from. Raises Conflict for a blind round, one without a
    report, and one whose answers or scores changed since."""
    report_jobs.check_unblinded(round_)
    stored = report_jobs.stored_report(round_)
    if stored is None:
        raise Conflict(_("The report has not been calculated yet."), code="noreport")
    if stored.version != report_jobs.data_version(round_):
        message = _("There are new answers or scores since the report was calculated. Recalculate it first.")
        raise Conflict(message, code="stale")
    return export_report(round_, stored.report)


def export_report(round_: Round, report: Mapping[str, Any]) -> Iterator[bytes]:
    """A report that was just computed, as JSON values, with its rows. Raises Conflict for a blind round."""
    report_jobs.check_unblinded(round_)
    answers = [*load_answers(round_), *load_machine_answers(round_)]
    frame = build_frame(round_, answers)
    tables = report_files.list_tables(report)
    named = {"project": round_.project.slug, "round": round_.number}
    scores, material = pair_scores(round_, frame, answers), load_material(round_)
    return write_check_file(check_lines(frame, answers, tables, scores, material, **named))
