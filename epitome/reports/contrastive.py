"""How often systems prefer gold summaries to contrastive examples of them: tables and figures.

Layout and published numbers: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using
Contrastive Examples", NAACL 2019, Tables 3 and 4; numbers from the authors' logs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from epitome.figures.charts import Bar, Bars
from epitome.figures.numbers import format_count, format_decimal
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.contrastive_comparison import ContrastiveComparison, ShareDifference
from epitome.metrics.contrastive_scores import LAST_BAR, ContrastiveReport, RuleResult
from epitome.metrics.published import load_tables
from epitome.reports.cells import aggregate_cell, few_clusters_notes

CLASSES = {"N": "nouns", "P": "prepositions", "V": "verbs", "A": "adjectives"}
ORIGINS = {"G": "Gold", "S": "Source"}
NOT_PRINTED = "not printed"
LOW_ESCAPED = 50.0
"""Escaped shares below this are pointed out where the dodged share is above it."""
NOTE = (
    "Dodged: contrastives that score lower than the gold; a tie is not dodged. Escaped: tuples (source, gold) whose "
    "contrastives are all dodged. 95 % intervals: Wilson's, on n over the design effect of whole sources. A high "
    "dodged share with a low escaped one still means that most sources are lost: one contrastive that the system "
    "prefers is enough."
)
RULE_NOTE = (
    "Gold: two words of the gold swapped. Source: a word of the source put into the gold. The rules are inferred from "
    "the abstract and the authors' code. n: contrastives."
)
PUBLISHED_NOTE = "In grey: NAACL 2019, from the authors' logs."


@dataclass(frozen=True)
class ScoredSystem:
    """One run. excluded: scored contrastives that people excluded; unscored: active ones of its tuples without a
    score; tuples_missing: tuples of the project without a score."""

    name: str
    report: ContrastiveReport
    excluded: int
    unscored: int
    tuples_missing: int


def list_systems_table(systems: Sequence[ScoredSystem], *, counts_excluded: bool) -> Table:
    """Table 4: dodged and escaped shares, published rows below."""
    columns = [
        Column("System", kind="text"),
        Column("Tuples", digits=0),
        Column("Contrastives", digits=0),
        Column("Excluded", digits=0),
        Column("Dodged %", interval=True, percent=True),
        Column("Escaped %", interval=True, percent=True),
    ]
    rows = [
        [
            Cell(system.name),
            Cell(system.report.escaped.n),
            Cell(system.report.dodged.n),
            Cell(system.excluded),
            aggregate_cell(system.report.dodged),
            aggregate_cell(system.report.escaped),
        ]
        for system in systems
    ]
    published = load_tables("contrastive")["runs"].rows
    quoted = range(len(rows), len(rows) + len(published))
    for row in published:
        numbers = [Cell(int(row.cells["tuples"])), Cell(int(row.cells["contrastives"])), Cell(None, NOT_PRINTED)]
        rows.append([Cell(row.name), *numbers, Cell(row.cells["dodged"]), Cell(row.cells["escaped"])])
    return Table(
        "contrastive-systems",
        "Dodged and escaped",
        columns,
        rows,
        notes=[
            NOTE,
            *few_clusters_notes(one for system in systems for one in (system.report.dodged, system.report.escaped)),
            *_describe_systems(systems, counts_excluded=counts_excluded),
            PUBLISHED_NOTE,
        ],
        signature=str(systems[0].report.dodged.signature),
        quoted=list(quoted),
    )


def _describe_systems(systems: Sequence[ScoredSystem], *, counts_excluded: bool) -> list[str]:
    """What a reader must know of each system: lost sources, excluded contrastives, missing scores."""
    notes = [note for system in systems if (note := describe_lost_sources(system.name, system.report))]
    use = "counted here" if counts_excluded else "left out"
    for system in systems:
        if system.excluded:
            notes.append(f"{system.name}: {format_count(system.excluded)} scored contrastives are excluded and {use}.")
        if system.unscored:
            notes.append(f"{system.name}: {format_count(system.unscored)} contrastives of its tuples have no score.")
        if system.tuples_missing:
            notes.append(f"{system.name}: {format_count(system.tuples_missing)} tuples of the project have no score.")
    return notes


def describe_lost_sources(name: str, report: ContrastiveReport) -> str:
    """The sentence about a high dodged and a low escaped share; "" where it does not apply."""
    dodged, escaped = report.dodged.value.value, report.escaped.value.value
    if dodged is None or escaped is None or not escaped < LOW_ESCAPED < dodged:
        return ""
    return (
        f"{name} dodges {format_decimal(dodged, 1)} % of the contrastives, but of {format_count(report.escaped.n)} "
        f"tuples only {format_decimal(escaped, 1)} % escape: for the others it prefers a contrastive to the gold."
    )


def list_rules_table(systems: Sequence[ScoredSystem]) -> Table:
    """Table 3: per word class and origin the dodged share, tuples, and tuples with a failure."""
    columns = [Column("System", kind="text"), Column("Class", kind="text")]
    for origin in ORIGINS.values():
        columns += [
            Column("Dodged %", group=origin, interval=True, count=True, percent=True),
            Column("Tuples", group=origin, digits=0),
            Column("With a failure", group=origin, digits=0),
        ]
    rows = [
        [Cell(system.name), Cell(label), *(cell for origin in ORIGINS for cell in _rule_cells(system, origin, letter))]
        for system in systems
        for letter, label in CLASSES.items()
    ]
    n_own_rows = len(rows)
    for row in load_tables("contrastive")["runs"].rows:
        for letter, label in CLASSES.items():
            cells = [Cell(row.name), Cell(label)]
            for origin in ORIGINS:
                cells += [Cell(row.cells[f"{origin}-{letter}"]), Cell(None, NOT_PRINTED), Cell(None, NOT_PRINTED)]
            rows.append(cells)
    return Table(
        "contrastive-rules",
        "Dodged by rule",
        columns,
        rows,
        notes=[RULE_NOTE, *_describe_other_rules(systems), PUBLISHED_NOTE],
        signature=str(systems[0].report.dodged.signature),
        quoted=list(range(n_own_rows, len(rows))),
    )


def _rule_cells(system: ScoredSystem, origin: str, letter: str) -> list[Cell]:
    result: RuleResult | None = system.report.by_rule.get(f"{origin}-{letter}")
    if result is None:
        why = "no contrastive of this rule"
        return [Cell(None, why), Cell(0), Cell(0)]
    return [aggregate_cell(result.dodged), Cell(result.tuples), Cell(result.tuples_failed)]


def _describe_other_rules(systems: Sequence[ScoredSystem]) -> list[str]:
    known = {f"{origin}-{letter}" for origin in ORIGINS for letter in CLASSES}
    others = sorted({rule for system in systems for rule in system.report.by_rule} - known)
    return [f"Rules of other names count in the totals only: {', '.join(others)}."] if others else []


def list_failures_table(systems: Sequence[ScoredSystem]) -> Table:
    """How many tuples have 0, 1, ... 19, 20 or more contrastives that were not dodged."""
    columns = [Column("Not dodged", kind="text")]
    for system in systems:
        columns += [
            Column("Tuples", group=system.name, digits=0),
            Column("%", group=system.name, digits=1, percent=True),
        ]
    rows = []
    for index in range(LAST_BAR + 1):
        cells = [Cell(label_failures(index))]
        for system in systems:
            count, total = system.report.failures[index], sum(system.report.failures)
            cells += [Cell(count), Cell(100 * count / total) if total else Cell(None, "no tuples")]
        rows.append(cells)
    return Table(
        "contrastive-failures",
        "Failures per tuple",
        columns,
        rows,
        notes=["Contrastives of a tuple that are not dodged; a tuple with 0 escapes."],
        signature=str(systems[0].report.dodged.signature),
    )


def label_failures(place: int) -> str:
    """The label of a bar of the histogram."""
    return f"{LAST_BAR}+" if place == LAST_BAR else str(place)


def draw_failures(systems: Sequence[ScoredSystem]) -> list[Bars]:
    """One histogram of failures per tuple and system."""
    figures = []
    for number, system in enumerate(systems, 1):
        total = sum(system.report.failures)
        rows = [
            Bar(label_failures(index), count, count, _describe_bar(count, total), lead=index == 0)
            for index, count in enumerate(system.report.failures)
        ]
        figures.append(Bars(f"contrastive-failures-{number}", f"{system.name}: failures per tuple", rows))
    return figures


def _describe_bar(count: int, total: int) -> str:
    return f"{format_count(count)} ({100 * count / total:.0f} %)" if count else "0"


def list_comparison_table(first: str, second: str, comparison: ContrastiveComparison) -> Table:
    """Both systems over the contrastives that both scored, tested by swaps of whole sources."""
    columns = [
        Column("Share", kind="text"),
        Column("Tuples", digits=0),
        Column("n", digits=0),
        Column(f"{first} %", percent=True),
        Column(f"{second} %", percent=True),
        Column("Difference", interval=True),
        Column("p", digits=3),
        Column("p, Holm", digits=3),
    ]
    rows = [
        _difference_row("dodged", comparison.dodged, holm="one test"),
        _difference_row("escaped", comparison.escaped, holm="one test"),
        *(_difference_row(f"dodged, {rule}", row) for rule, row in comparison.by_rule.items()),
    ]
    notes = [
        f"{first} minus {second}, in points of percent, over the contrastives that both scored. p: permutation "
        "test that swaps whole sources, with Holm's correction over the rules; 95 % intervals by a bootstrap that "
        "draws whole sources.",
    ]
    signature = str(comparison.signature)
    title = f"{first} against {second}"
    return Table("contrastive-comparison", title, columns, rows, notes=notes, signature=signature)


def _difference_row(label: str, row: ShareDifference, holm: str = "") -> list[Cell]:
    def cell(number: float | None, why: str) -> Cell:
        return Cell(number) if number is not None else Cell(None, why)

    difference = row.difference.value
    return [
        Cell(label),
        Cell(row.tuples),
        Cell(row.n),
        cell(row.first.value, row.first.undefined),
        cell(row.second.value, row.second.undefined),
        Cell(difference, low=row.interval.low, high=row.interval.high)
        if difference is not None
        else Cell(None, row.difference.undefined),
        cell(row.p_value.value, row.p_value.undefined),
        Cell(None, holm) if holm else cell(row.holm_p.value, row.holm_p.undefined),
    ]
