"""Tables of systems that rank candidate aggregations, above the published rows.

Layout and published numbers: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for Abstractive
Summarization", EMNLP 2020, Tables 4 and 5, and its released code (P@10, NDCG@10, reciprocal of the mean rank).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.published import load_tables
from epitome.metrics.ranking import METRICS, VERSION, Scored, chance_level, list_metrics, reciprocal_mean_rank
from epitome.metrics.significance import paired_permutation
from epitome.reports.cells import aggregate_cell, few_clusters_notes

DEPTH = 10
COLUMNS = {
    "ap": Column("MAP", digits=3, interval=True, count=True),
    "recall": Column("R@10", digits=3, interval=True),
    "rr": Column("MRR", digits=3, interval=True),
    "precision": Column("P@10", digits=3, interval=True),
    "ndcg": Column("NDCG@10", digits=3, interval=True),
    "mean_rank": Column("1 / mean rank", digits=3, interval=True),
}
CHANCE = "Random order, exact"
NOTE = (
    "MAP: mean average precision. R@10, P@10: share of golds among the first ten, and of the first ten that are gold. "
    "MRR: mean of 1 / rank of the best gold. 1 / mean rank: of all golds. Of candidates with the same score every "
    "order counts alike. 95 % intervals by a bootstrap that draws whole articles."
)
PUBLISHED_NOTE = "In grey: as printed in EMNLP 2020, on its own 430 test instances."
CUTS_NOTE = "The same lists by what they are about. n: lists."
ABLATION_NOTE = (
    "MAP minus that of the same system with the full input, on the same lists; below 0 the full input is "
    "better. p: permutation test that swaps whole articles, two-sided; 95 % intervals by a bootstrap that draws them."
)
NOT_PRINTED = "not printed"
NO_LISTS = "no lists"


@dataclass(frozen=True)
class ListFacts:
    """What a list is about. cluster: its article. n_entities: size of the tuple."""

    key: str
    cluster: str
    entity_type: str
    n_entities: int
    n_gold: int
    n_candidates: int
    unseen: bool
    context_kind: str


@dataclass(frozen=True)
class RankedRun:
    """What one system gave. scored: its lists, in any order. family: its key without the input form; input_form: which
    parts of the input it reads, "full" for all."""

    name: str
    family: str
    input_form: str
    scored: Mapping[str, Scored]


@dataclass(frozen=True)
class _Cut:
    label: str
    value_of: Callable[[ListFacts], str]


CUTS = (
    _Cut("Type", lambda facts: facts.entity_type),
    _Cut("Entities", lambda facts: str(facts.n_entities)),
    _Cut("Entities in train", lambda facts: "unseen" if facts.unseen else "seen"),
    _Cut("Golds", lambda facts: str(facts.n_gold) if facts.n_gold < 5 else "5 or more"),
    _Cut("Context", lambda facts: facts.context_kind),
)


def measure_lists(facts: Sequence[ListFacts], scored: Mapping[str, Scored], draws: Draws) -> dict[str, Aggregate]:
    """The columns of a run over its lists, in the order of `facts`, which are all in `scored`."""
    metrics = [list_metrics(scored[row.key], DEPTH) for row in facts]
    means = {}
    for name in METRICS:
        cut = {} if name in ("ap", "rr") else {"k": str(DEPTH)}
        means[name] = mean_of(name, VERSION, [values[name] for values in metrics], draws, ties="expected", **cut)
    ranks = [reciprocal_mean_rank(scored[row.key]) for row in facts]
    means["mean_rank"] = mean_of("rmr", VERSION, ranks, draws, ties="expected")
    return means


def systems_table(runs: Sequence[RankedRun], facts: Sequence[ListFacts], *, title: str) -> Table:
    """Table 4: every run over the lists that it ranked, chance on all of them, and the published rows in grey."""
    rows = [[Cell(CHANCE), *_chance_cells(facts)]]
    measured: list[Aggregate] = []
    for run in runs:
        of_run = [row for row in facts if row.key in run.scored]
        means = measure_lists(of_run, run.scored, draws_of(of_run))
        rows.append([Cell(run.name), *(aggregate_cell(means[name]) for name in COLUMNS)])
        measured.append(means["ap"])
    published = load_tables("tesa")["systems"].rows
    quoted = range(len(rows), len(rows) + len(published))
    for row in published:
        cells = [Cell(row.cells[name]) if name in row.cells else Cell(None, NOT_PRINTED) for name in COLUMNS]
        rows.append([Cell(row.name), *cells])
    columns = [Column("System", kind="text"), *COLUMNS.values()]
    signature = str(measured[0].signature) if measured else ""
    notes = (NOTE, *few_clusters_notes(measured), PUBLISHED_NOTE)
    return Table("rankings", title, columns, rows, notes=notes, signature=signature, quoted=list(quoted))


def draws_of(facts: Sequence[ListFacts]) -> Draws:
    """Bootstrap draws of whole articles."""
    return Draws([row.cluster for row in facts])


def _chance_cells(facts: Sequence[ListFacts]) -> list[Cell]:
    """The means of a random order, exact; of the mean rank none is known."""
    if not facts:
        return [Cell(None, NO_LISTS) for _name in COLUMNS]
    levels = [chance_level(row.n_gold, row.n_candidates, DEPTH) for row in facts]
    means = {name: sum(level[name] for level in levels) / len(levels) for name in METRICS}
    cells = [Cell(means[name], n=len(facts)) if name in means else Cell(None, "no closed form") for name in COLUMNS]
    return cells


def cuts_table(runs: Sequence[RankedRun], facts: Sequence[ListFacts]) -> Table:
    """MAP, R@10 and MRR of every run by type, size, seen or unseen entities, number of golds, and context."""
    names = ("ap", "recall", "rr")
    columns = [Column("Cut", kind="text"), Column("Lists", kind="text"), Column("System", kind="text")]
    columns += [COLUMNS[name] for name in names]
    rows = []
    measured: list[Aggregate] = []
    for cut in CUTS:
        for value in sorted({cut.value_of(row) for row in facts}):
            for run in runs:
                of_cut = [row for row in facts if row.key in run.scored and cut.value_of(row) == value]
                means = measure_lists(of_cut, run.scored, draws_of(of_cut))
                measured.append(means["ap"])
                cells = [aggregate_cell(means[name]) for name in names]
                rows.append([Cell(cut.label), Cell(value), Cell(run.name), *cells])
    return Table(
        "rankings-cuts", "By what the lists are about", columns, rows, notes=(CUTS_NOTE, *few_clusters_notes(measured))
    )


def ablation_table(runs: Sequence[RankedRun], facts: Sequence[ListFacts]) -> Table | None:
    """Table 5: what each left-out part of the input costs, per family of systems that has a run with the full input
    and others; None where there is no such pair."""
    rows = []
    for full in runs:
        variants = [run for run in runs if run.family == full.family and run.input_form != "full"]
        if full.input_form != "full" or not variants:
            continue
        for run in variants:
            rows.append([Cell(full.name), Cell(run.input_form), *_difference_cells(run, full, facts)])
    if not rows:
        return None
    columns = [
        Column("Full input", kind="text"),
        Column("Input", kind="text"),
        Column("Δ MAP", digits=3, interval=True, count=True),
        Column("p", digits=4),
    ]
    return Table("rankings-ablation", "What each part of the input is worth", columns, rows, notes=(ABLATION_NOTE,))


def _difference_cells(run: RankedRun, full: RankedRun, facts: Sequence[ListFacts]) -> list[Cell]:
    common = [row for row in facts if row.key in run.scored and row.key in full.scored]
    ours, theirs = ([list_metrics(side.scored[row.key], DEPTH)["ap"] for row in common] for side in (run, full))
    test = paired_permutation(ours, theirs, [row.cluster for row in common])
    if not test.difference.defined:
        return [Cell(None, test.difference.undefined), Cell(None, test.difference.undefined)]
    low, high = test.ci95.low, test.ci95.high
    p_cell = Cell(test.p_value.value) if test.p_value.defined else Cell(None, test.p_value.undefined)
    return [Cell(test.difference.value, low=low, high=high, n=test.n), p_cell]
