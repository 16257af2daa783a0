"""Tables 1 and 2 of CCSBench for a project that was constructed or imported, for its construction page."""

from collections.abc import Mapping

from django.db.models import Count, Max
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import Project
from annotation.services.core.kept_results import keep_copies
from epitome.figures.tables import Cell, Table
from epitome.reports.construction import RewrittenTexts, SizeCount, sizes_table, validation_table
from epitome.site.file_language import FILE_LANGUAGE
from evaluation.models import Round, RoundState
from evaluation.services.reports.report_jobs import StoredReport, stored_report
from modelbridge.models import ConstructionStep, Rewrite, RewriteVerdict
from modelbridge.services.construction.rewrite_pairs import list_pairs, rewriting_calls
from modelbridge.services.construction.set_tables import CONSTRUCTION_TABLES, count_sets

VALIDATED = ("readability", "focus")


@CONSTRUCTION_TABLES.register
def build_sizes_table(project: Project) -> Table:
    """Table 1: summaries and documents of each set and split."""
    counts = {place: SizeCount(*count) for place, count in count_sets(project).items()}
    return sizes_table(counts, title=_("Sizes of the sets"))


@CONSTRUCTION_TABLES.register
@override(FILE_LANGUAGE)
def build_validation_table(project: Project) -> Table:
    """Table 2: rewrites beside their abstracts. Dropped ones do not count. Kept until another rewrite or verdict."""
    reports = {key: _find_report(project, key) for key in VALIDATED}
    state = _read_state(project, reports)
    return keep_copies(project, ("construction",), state, lambda: _compute_validation_table(project, reports))


def _find_report(project: Project, key: str) -> StoredReport | None:
    """The stored report of the newest unblinded round with the paper's form of a set."""
    rounds = Round.objects.filter(project=project, template=f"ccsbench-{key}", state=RoundState.UNBLINDED)
    newest = rounds.order_by("-pk").first()
    return stored_report(newest) if newest is not None else None


def _read_people(report: StoredReport | None) -> list[Cell] | None:
    """FAC, FLU and CTRL by majority, from a round's report."""
    tables = report.report["tables"] if report is not None else []
    form = next((Table.from_json(table) for table in tables if table["key"] == "forms"), None)
    row = next((row for row in form.rows if row[0].value == "majority"), None) if form is not None else None
    return list(row[1:4]) if row is not None else None


def _read_state(project: Project, reports: Mapping[str, StoredReport | None]) -> str:
    calls = Rewrite.objects.filter(project=project).done().aggregate(n=Count("pk"), last=Max("finished_at"))
    verdicts = RewriteVerdict.objects.filter(rewrite__project=project)
    judged = verdicts.aggregate(n=Count("pk"), last=Max("judged_at"))
    jobs = [report.job.pk if report is not None else 0 for report in reports.values()]
    return f"{sorted(calls.items())} {sorted(judged.items())} {jobs}"


def _compute_validation_table(project: Project, reports: Mapping[str, StoredReport | None]) -> Table:
    steps = ConstructionStep.objects.filter(project=project, key__in=VALIDATED)
    sets = {step.key: _collect_texts(step, _read_people(reports[step.key])) for step in steps}
    return validation_table(sets, title=_("Validation of the data"), language=project.language)


def _collect_texts(step: ConstructionStep, people: list[Cell] | None) -> RewrittenTexts:
    calls = list(rewriting_calls(step).order_by("pk"))
    pairs = [pair for pair in list_pairs(calls) if pair.verdict != RewriteVerdict.Verdict.DROP]
    identified = step.rewrites.done().filter(call=Rewrite.Call.IDENTIFICATION).values_list("texts", flat=True)
    answers = list(identified)
    missing = sum(not text for texts in answers for text in texts.values())
    return RewrittenTexts(
        originals=[pair.original for pair in pairs],
        rewrites=[pair.text for pair in pairs],
        abstracts=len(answers),
        none=missing if answers else None,
        people=people,
    )
