"""What was measured, as tables: runs beside the human summaries, and the texts of one sample beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotation.figures.tables import Cell, Column, Table
from annotation.schema import Attribute
from annotation.views.shown_tables import ShownTable, show
from modelbridge.models import Run
from modelbridge.services import ccsbench
from modelbridge.services.comparing import Comparison, Numbers, attributes

if TYPE_CHECKING:
    from evaluation.metrics.aggregate import Aggregate

ROUGES = {"r1": "1", "r2": "2", "rl": "L"}


def control_table(found: Comparison, runs: Sequence[Run]) -> ShownTable:
    """CER, CC and ROUGE of each run, the human summaries first; CC alone while there is no human summary."""
    sides = _Sides(found)
    rows = [_row(_("Human summaries"), found.gold, sides, gold=True)] if sides.gold else []
    rows += [_row(_name(run, runs), numbers, sides) for run, numbers in zip(runs, found.runs, strict=True)]
    table = Table(
        key="control",
        title=_("Control and content"),
        columns=_columns(sides),
        rows=rows,
        notes=_notes(found, sides),
        signature=found.signature,
    )
    return show(table)


@dataclass(frozen=True)
class _Sides:
    """Which columns there are. gold: whether there are human summaries to compare with."""

    found: Comparison

    @property
    def gold(self) -> bool:
        return self.found.gold.n > 0

    @property
    def compared(self) -> list[Attribute]:
        return attributes(self.found.schema) if self.gold else []

    @property
    def steered(self) -> list[Attribute]:
        return [each for each in attributes(self.found.schema) if each.has_distance]

    @property
    def rouges(self) -> dict[str, str]:
        return ROUGES if self.gold else {}

    @property
    def papers(self) -> dict[str, str]:
        """CCSBench's own measures: those that some row has."""
        there = set(self.found.gold.papers).union(*(each.papers for each in self.found.runs))
        return {key: label for key, label in ccsbench.COLUMNS.items() if key in there}


def _name(run: Run, runs: Sequence[Run]) -> str:
    """The system's name; what tells it from another run in the table stands behind it."""
    name = run.revision.system.name
    if run.label:
        return f"{name}: {run.label}"
    twins = [each for each in runs if each.revision.system_id == run.revision.system_id]
    return name if len(twins) < 2 else f"{name}, {run.created_at:%Y-%m-%d %H:%M}"


def _columns(sides: _Sides) -> list[Column]:
    def number(label: str, group: str, digits: int = 3) -> Column:
        return Column(label, group=group, digits=digits, interval=True)

    return [
        Column(_("System"), kind="text"),
        Column(_("Texts"), digits=0),
        *(number(each.code, _("CER ↓")) for each in sides.compared),
        *([Column(_("Avg"), group=_("CER ↓"), digits=3)] if sides.gold else []),
        *(number(each.code, _("CC"), 2) for each in sides.steered),
        *(number(label, _("ROUGE ↑")) for label in sides.rouges.values()),
        *(number(label, "CCSBench", 2) for label in sides.papers.values()),
    ]


def _row(name: str, numbers: Numbers, sides: _Sides, *, gold: bool = False) -> list[Cell]:
    why = _("the human summaries are what it compares with") if gold else _("there is no human summary of its samples")
    if not numbers.measured:
        why = _("not measured yet")
    waits = why if not numbers.measured else ""
    average = Cell(undefined=numbers.average.undefined or why) if numbers.cer and not waits else Cell(undefined=why)
    if numbers.average.defined and not gold:
        average = Cell(numbers.average.value)
    return [
        Cell(name),
        Cell(numbers.n),
        *(_cell(numbers.cer.get(each.key), why, waits) for each in sides.compared),
        *([average] if sides.gold else []),
        *(_cell(numbers.cc.get(each.key), why, waits) for each in sides.steered),
        *(_cell(numbers.rouge.get(kind), why) for kind in sides.rouges),
        *(_cell(numbers.papers.get(key), why) for key in sides.papers),
    ]


def _cell(found: "Aggregate | None", why: str, waits: str = "") -> Cell:
    """A cell of an aggregate. why: there is none; waits: it has no value, because nothing is measured yet."""
    if found is None:
        return Cell(undefined=why)
    if found.value.value is None:
        return Cell(undefined=waits or found.value.undefined)
    low, high = (found.interval.low, found.interval.high) if found.interval.defined else (None, None)
    return Cell(found.value.value, low=low, high=high, n=found.n)


def _notes(found: Comparison, sides: _Sides) -> list[str]:
    notes = [_("CC: change per step of the request; best is what comes closest to the human summaries.")]
    if sides.gold:
        cer = _("CER: relative error against the human summary, lower is better; Avg is the mean of its columns.")
        notes = [cer, *notes]
    else:
        notes.append(_("CER and ROUGE are shown once there are human summaries."))
    if sides.papers:
        notes.append(
            _(
                "CCSBench: MAD, distance from the human summary in bins of 50 words; PCC, correlation of words with "
                "the requested bin; SR, share of requested keywords found; F, Flesch-Kincaid grade per requested "
                "readability, and how much lower it is where high was asked for. Focus takes a judge."
            )
        )
    notes.append(_("Under each number: its 95 % interval, drawn by source."))
    waiting = sum(each.n - each.measured for each in [found.gold, *found.runs])
    if waiting:
        notes.append(
            _("%(n)d texts are not measured yet; the numbers grow while that goes on in the background.")
            % {"n": waiting}
        )
    missing = sum(each.n - each.references for each in found.runs)
    if missing and any(each.references for each in found.runs):
        notes.append(_("%(n)d outputs have no human summary to be held against.") % {"n": missing})
    return notes
