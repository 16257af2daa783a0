"""Which runs are in the tables of a project: chosen by their ids, or the newest finished ones."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.reports.ccsbench import COMPOSITION_METRICS
from evaluation.services.runs_compared.ccsbench_tables import has_ccsbench_length
from evaluation.services.runs_compared.paper_tables import CompositionRuns
from modelbridge.models import Run
from modelbridge.services.runs.run_names import find_named_run

MAX_RUNS = 8
DEFAULT_RUNS = 4
"""Number of runs shown if none is chosen."""
MAX_LISTED = 100
SINGLE_ATTRIBUTES = tuple(dict.fromkeys(attribute for attribute, _better in COMPOSITION_METRICS.values()))
"""The attributes that a run of CCSBench's Table 4 may have been trained on alone."""


def list_table_runs(project: Project) -> list[Run]:
    """The finished runs that wrote summaries, newest first."""
    rows = Run.objects.writing().done().filter(project=project).select_related("revision__system")
    return list(rows.order_by("-pk")[:MAX_LISTED])


def choose_runs(runs: Sequence[Run], ids: Sequence[str]) -> list[Run]:
    """Those of the ids, or the newest if none is named, in the order in which they were started. Raises BadInput."""
    if len(set(ids)) > MAX_RUNS:
        raise BadInput(_("Choose at most %(n)s runs.") % {"n": MAX_RUNS}, field="run")
    named_keys = {_find_run(runs, run_id, "run").pk for run_id in ids}
    chosen = [run for run in runs if run.pk in named_keys] if ids else list(runs[:DEFAULT_RUNS])
    return chosen[::-1]


def choose_composition(
    project: Project, runs: Sequence[Run], together: str, alone: Mapping[str, str]
) -> CompositionRuns | None:
    """The runs of CCSBench's Table 4, by the id of the run trained on all attributes and by attribute of those trained
    on one; None unless there is one of each. Raises BadInput."""
    if not together or not any(alone.values()):
        return None
    if not has_ccsbench_length(project.schema_version.schema):
        raise BadInput(_("This table is for projects with CCSBench's attributes."), field="together")
    for attribute in alone:
        if attribute not in SINGLE_ATTRIBUTES:
            known = join_names(SINGLE_ATTRIBUTES)
            raise BadInput(_("Trained on one of: %(known)s.") % {"known": known}, field=f"alone_{attribute[:40]}")
    single = {attribute: _find_run(runs, run_id, f"alone_{attribute}") for attribute, run_id in alone.items() if run_id}
    return CompositionRuns(_find_run(runs, together, "together"), single)


def _find_run(runs: Sequence[Run], run_id: str, field: str) -> Run:
    named_run = find_named_run(Run.objects.filter(pk__in=[run.pk for run in runs]), run_id)
    if named_run is not None:
        return next(run for run in runs if run.pk == named_run.pk)
    raise BadInput(_("There is no finished run %(id)s that wrote summaries.") % {"id": run_id[:60]}, field=field)
