"""The table of control and content scores: runs beside the human summaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.table_numbers import CONTENT, ContentNumber
from epitome.schema import Attribute
from evaluation.services.runs_compared import ccsbench_tables
from evaluation.services.runs_compared.run_comparison import (
    Comparison,
    Numbers,
    describe_judges,
    measured_attributes,
)
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.models.runs import CUT_OFF

if TYPE_CHECKING:
    from epitome.metrics.aggregate import Aggregate


def control_table(comparison: Comparison, runs: Sequence[Run]) -> RenderedTable:
    """CER, CC and content of each run, the human summaries first; CC alone while there is no human summary."""
    choice = _ColumnChoice(comparison)
    rows = [_build_row(_("Human summaries"), comparison.gold, choice, gold=True)] if choice.gold else []
    rows += [
        _build_row(_run_name(run, runs), numbers, choice) for run, numbers in zip(runs, comparison.runs, strict=True)
    ]
    table = Table(
        key="control",
        title=_("Control and content") if comparison.has_requests else _("Measures"),
        columns=_build_columns(choice),
        rows=rows,
        notes=[*_build_notes(comparison, choice), *_list_cut_outputs(runs)],
        signature=comparison.signature,
    )
    return render_table(table, gettext=_)


@dataclass(frozen=True)
class _ColumnChoice:
    """Which columns the table has. gold: whether there are human summaries to compare with."""

    comparison: Comparison

    @property
    def gold(self) -> bool:
        return self.comparison.gold.n > 0

    @property
    def compared(self) -> list[Attribute]:
        return measured_attributes(self.comparison.schema) if self.has_average else []

    @property
    def has_average(self) -> bool:
        """Whether there is an error of control, and so its mean."""
        return self.gold and self.comparison.has_requests

    @property
    def steered(self) -> list[Attribute]:
        return self._with_values if self.comparison.has_requests else []

    @property
    def averaged(self) -> list[Attribute]:
        """Those whose measure is shown itself, as nothing was requested."""
        return [] if self.comparison.has_requests else self._with_values

    @property
    def _with_values(self) -> list[Attribute]:
        return [attribute for attribute in measured_attributes(self.comparison.schema) if attribute.has_values]

    @property
    def content(self) -> list[tuple[str, ContentNumber]]:
        """The metrics of content: the heading of each, and its numbers."""
        if not self.gold:
            return []
        return [(f"{metric.name} {metric.better}", number) for metric in CONTENT.values() for number in metric.numbers]

    @property
    def papers(self) -> dict[str, str]:
        """CCSBench's own measures: those that some row has."""
        present = set(self.comparison.gold.papers).union(*(numbers.papers for numbers in self.comparison.runs))
        return {key: label for key, label in ccsbench_tables.COLUMNS.items() if key in present}


def _run_name(run: Run, runs: Sequence[Run]) -> str:
    """The system's name, followed by the run's label or, to distinguish runs of one system, its time."""
    name = run.revision.system.name
    if run.label:
        return f"{name}: {run.label}"
    twins = [other for other in runs if other.revision.system_id == run.revision.system_id]
    return name if len(twins) < 2 else f"{name}, {run.created_at:%Y-%m-%d %H:%M}"


def _build_columns(choice: _ColumnChoice) -> list[Column]:
    def number(label: str, group: str, digits: int = 3) -> Column:
        return Column(label, group=group, digits=digits, interval=True)

    return [
        Column(_("System"), kind="text"),
        Column(_("Texts"), digits=0),
        *(number(attribute.code, _("CER ↓")) for attribute in choice.compared),
        *([Column(_("Avg"), group=_("CER ↓"), digits=3)] if choice.has_average else []),
        *(number(attribute.code, _("CC"), 2) for attribute in choice.steered),
        *(number(attribute.label, _("Mean"), _count_digits(attribute)) for attribute in choice.averaged),
        *(number(content.column, heading, content.digits) for heading, content in choice.content),
        *(number(label, "CCSBench", 2) for label in choice.papers.values()),
    ]


def _count_digits(attribute: Attribute) -> int:
    """Decimals of a mean: lengths are counts, other measures are shares."""
    return 1 if attribute.measure == "length" else 3


def _build_row(name: str, numbers: Numbers, choice: _ColumnChoice, *, gold: bool = False) -> list[Cell]:
    why = _("the human summaries are the reference") if gold else _("its samples have no human summary")
    if not numbers.measured:
        why = _("not measured yet")
    waits = why if not numbers.measured else ""
    average = Cell(undefined=numbers.average.undefined or why) if numbers.cer and not waits else Cell(undefined=why)
    if numbers.average.defined and not gold:
        average = Cell(numbers.average.value)
    if not choice.compared:
        average = Cell(undefined=_("no attribute of the schema is measured"))
    return [
        Cell(name),
        Cell(numbers.n),
        *(_aggregate_cell(numbers.cer.get(attribute.key), why, waits) for attribute in choice.compared),
        *([average] if choice.has_average else []),
        *(_aggregate_cell(numbers.cc.get(attribute.key), why, waits) for attribute in choice.steered),
        *(_aggregate_cell(numbers.means.get(attribute.key), why, waits) for attribute in choice.averaged),
        *(_aggregate_cell(numbers.content.get(content.key), why) for _heading, content in choice.content),
        *(_aggregate_cell(numbers.papers.get(key), why) for key in choice.papers),
    ]


def _aggregate_cell(aggregate: "Aggregate | None", why: str, waits: str = "") -> Cell:
    """A cell of an aggregate. why: reason if there is none; waits: reason if nothing is measured yet."""
    if aggregate is None:
        return Cell(undefined=why)
    if aggregate.value.value is None:
        return Cell(undefined=waits or aggregate.value.undefined)
    low, high = (aggregate.interval.low, aggregate.interval.high) if aggregate.interval.defined else (None, None)
    return Cell(aggregate.value.value, low=low, high=high, n=aggregate.n)


def _build_notes(comparison: Comparison, choice: _ColumnChoice) -> list[str]:
    notes = [_("CC: change per step of the request; the best value is closest to the human summaries.")]
    if not comparison.has_requests:
        notes = [_("Nothing was requested of these summaries: the means of each measure, length in tokens.")]
    elif choice.gold:
        cer = _("CER: relative error against the human summary, lower is better; Avg is the mean of its columns.")
        notes = [cer, *notes]
    else:
        notes.append(_("CER and ROUGE appear once there are human summaries."))
    if choice.papers:
        notes += _build_paper_notes([comparison.gold, *comparison.runs])
    notes.append(_("Below each number: its 95 % interval, bootstrap over sources."))
    waiting = sum(numbers.n - numbers.measured for numbers in [comparison.gold, *comparison.runs])
    if waiting:
        notes.append(
            ngettext(
                "%(n)d text is not measured yet; this continues in the background.",
                "%(n)d texts are not measured yet; this continues in the background.",
                waiting,
            )
            % {"n": waiting}
        )
    missing = sum(numbers.n - numbers.references for numbers in comparison.runs)
    if missing and any(numbers.references for numbers in comparison.runs):
        message = ngettext(
            "%(n)d output has no human summary to compare with.",
            "%(n)d outputs have no human summary to compare with.",
            missing,
        )
        notes.append(message % {"n": missing})
    return notes


def _list_cut_outputs(runs: Sequence[Run]) -> list[str]:
    """Of each run with outputs that ran out of max_tokens: how many."""
    done = SystemOutput.objects.filter(run__in=runs, state=OutputState.DONE).values_list("run_id")
    counts = {run_id: (n, cut) for run_id, n, cut in done.annotate(n=Count("pk"), cut=Count("pk", filter=CUT_OFF))}
    notes = []
    for run in runs:
        n, cut = counts.get(run.pk, (0, 0))
        if cut:
            message = ngettext(
                "%(system)s: %(cut)d of %(n)d output was cut at max_tokens.",
                "%(system)s: %(cut)d of %(n)d outputs were cut at max_tokens.",
                n,
            )
            notes.append(message % {"system": _run_name(run, runs), "cut": cut, "n": n})
    return notes


def _build_paper_notes(rows: Sequence[Numbers]) -> list[str]:
    """What CCSBench's columns are, and who judged the focus."""
    notes = [
        _(
            "CCSBench: MAD, distance from the human summary in bins of 50 words; PCC, correlation of words with "
            "the requested bin; SR, share of requested keywords found; F, Flesch-Kincaid grade per requested "
            "readability, and how much lower it is where high was asked for; F1, of the focus that a judge saw "
            "against the one that was asked for, mean of both and of each."
        )
    ]
    judges = describe_judges(rows)
    if not judges:
        return [*notes, _("Focus takes a judge: run one over these outputs with the published question.")]
    notes.append(_("Judge of focus: %(judges)s.") % {"judges": judges})
    invalid = sum(numbers.invalid for numbers in rows)
    if invalid:
        message = ngettext(
            "%(n)d answer of a judge was neither of the two words; it counts as a miss.",
            "%(n)d answers of a judge were neither of the two words; they count as misses.",
            invalid,
        )
        notes.append(message % {"n": invalid})
    return notes
