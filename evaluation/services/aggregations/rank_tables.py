"""Runs that ranked the lists of a release: their tables, and the ranking of one list by each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import Project, RankingList, RankingSplit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.word_patterns import join_names
from epitome.figures.tables import Table
from epitome.metrics.ranking import Scored
from epitome.reports.rankings import ListFacts, RankedRun, ablation_table, cuts_table, systems_table
from epitome.site.file_language import FILE_LANGUAGE
from modelbridge.models import OutputState, Run
from modelbridge.services.runs.ranking_texts import KEY, parse_argument
from modelbridge.services.runs.run_names import find_named_run
from modelbridge.services.training.learned_weights import build_system_weights

MAX_RUNS = 12


@dataclass(frozen=True)
class RankingReport:
    """facts: of the lists of the split; runs: in the order that they were named; weights: what those of them have
    learned that are logistic regressions."""

    tag: str
    split: str
    facts: Sequence[ListFacts]
    runs: Sequence[RankedRun]
    weights: Sequence[Table] = ()


def release_of(run: Run) -> str:
    """The tag of the release whose lists a run ranked; "" for other runs."""
    key, _colon, argument = run.over.partition(":")
    return parse_argument(argument)[0] if key == KEY else ""


def list_rank_runs(project: Project) -> list[Run]:
    """The runs over ranking lists that have ended, newest first."""
    rows = Run.objects.done().filter(project=project, over__startswith=f"{KEY}:")
    return list(rows.select_related("revision__system").order_by("-pk")[:100])


def find_rank_runs(project: Project, names: Sequence[str]) -> list[Run]:
    """Runs by what people call them (run_names.py). Raises NotFound, BadInput for a run over something else."""
    rows = Run.objects.filter(project=project).select_related("revision__system").order_by("-pk")
    runs = []
    for name in dict.fromkeys(names):
        run = find_named_run(rows.filter(over__startswith=f"{KEY}:"), name) or find_named_run(rows, name)
        if run is None:
            raise NotFound(_("No run has the id %(id)s.") % {"id": name[:60]}, field="run")
        if not release_of(run):
            raise BadInput(_("The run %(id)s ranked no lists.") % {"id": name[:60]}, field="run", code="notranking")
        runs.append(run)
    return runs


def read_report(project: Project, runs: Sequence[Run], split: str = RankingSplit.TEST) -> RankingReport:
    """The results of the runs for the lists of one split. Raises BadInput: too many runs, lists of several releases, an
    unknown split, a split without lists."""
    if len(runs) > MAX_RUNS:
        raise BadInput(_("Choose at most %(n)s runs.") % {"n": MAX_RUNS}, field="run")
    tags = list(dict.fromkeys(map(release_of, runs)))
    if len(tags) != 1:
        values = {"tags": join_names(tags) or "-"}
        message = _(
            "Runs over the lists of one release can be compared, not of: %(tags)s. Choose those of one release."
        )
        raise BadInput(message % values, field="run", code="releases")
    if split not in RankingSplit.values:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(RankingSplit.values)}, field="split")
    facts, golds = _read_lists(project, tags[0], split)
    if not facts:
        raise BadInput(_("There are no lists in the split %(split)s.") % {"split": split}, field="split")
    ranked = [_read_run(run, facts, golds) for run in runs]
    return RankingReport(tags[0], split, list(facts.values()), ranked, _read_weights(runs))


def _read_weights(runs: Sequence[Run]) -> list[Table]:
    """One table per system, in the order of the runs."""
    systems = {run.revision.system_id: run for run in reversed(runs)}
    tables = [
        build_system_weights(run.revision, name_run(run)) for run in runs if systems[run.revision.system_id] is run
    ]
    return [table for table in tables if table is not None]


def _read_lists(project: Project, tag: str, split: str) -> tuple[dict[int, ListFacts], dict[int, frozenset[str]]]:
    """By sample: what each list is about, and its golds."""
    rows = RankingList.objects.of_release(project, tag).filter(split=split).order_by("pk")
    facts, golds = {}, {}
    rows = rows.select_related("sample__document", "sample__instance")
    for row in rows.iterator(chunk_size=500):
        instance = row.sample.instance
        facts[row.sample_id] = ListFacts(
            key=instance.key,
            cluster=row.sample.document.origin_id,
            entity_type=instance.entity_type,
            n_entities=len(instance.entities),
            n_gold=sum(row.golds),
            n_candidates=len(row.candidates),
            unseen=row.unseen,
            context_kind=instance.context_kind,
        )
        golds[row.sample_id] = frozenset(text for text, gold in zip(row.candidates, row.golds, strict=True) if gold)
    return facts, golds


def _read_run(run: Run, facts: dict[int, ListFacts], golds: dict[int, frozenset[str]]) -> RankedRun:
    rows = run.outputs.filter(state=OutputState.DONE, sample__in=list(facts)).order_by()
    scored = {}
    for sample, candidates in rows.values_list("sample_id", "candidates").iterator(500):
        key, marks = facts[sample].key, [ranked["text"] in golds[sample] for ranked in candidates]
        scored[key] = Scored(key, [float(ranked["score"]) for ranked in candidates], marks, len(golds[sample]))
    options = run.revision.config.options
    form = str(options.get("aggregation_input", "full"))
    return RankedRun(name_run(run), run.revision.system.key.removesuffix(f"-{form}"), form, scored)


def name_run(run: Run) -> str:
    """The run's label, or the name and revision of its system."""
    return str(run) if run.label else f"{run.revision.system.name} (r{run.revision.number})"


@override(FILE_LANGUAGE)
def build_tables(project: Project, report: RankingReport) -> dict[str, Any]:
    """The tables in the shape of `epitome.reports.build.RoundReport.as_json()`."""
    values = {"tag": report.tag, "split": report.split, "n": len(report.facts)}
    title = _("Rankings of the release %(tag)s, split %(split)s (lists: %(n)d)") % values
    tables = [
        systems_table(report.runs, report.facts, title=title),
        ablation_table(report.runs, report.facts),
        *report.weights,
        cuts_table(report.runs, report.facts),
    ]
    as_json = [table.as_json() for table in tables if table is not None]
    return {"name": project.name, "methods": "", "tables": as_json, "figures": {}}
