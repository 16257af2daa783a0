"""Effect of assistance while writing: measures, length ratio and time of summaries by people, per arm."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.statistics.control import (
    explain_no_values,
    format_mean,
    format_n,
    list_lines,
    measured_values,
    name_measured,
)
from annotation.services.statistics.intervals import BOOTSTRAP, mean_cells
from annotation.services.statistics.records import Record
from annotation.services.tasks import suggestions
from epitome.figures.charts import Chart, Dot, Grouped
from epitome.figures.tables import Cell, Column, Table
from epitome.schema import Schema
from epitome.text.kept_words import RUN

MAX_ARMS = 3
"""Maximum number of arms in one figure."""


def build_arms_table(records: Sequence[Record], schema: Schema) -> Table:
    """One line per measure and value, one column per arm; then ratio and minutes."""
    people = [record for record in records if record.by_person]
    arms = sorted({record.arm for record in people if record.arm})
    by_arm = [[record for record in people if record.arm == arm] for arm in arms]
    columns = [
        Column(_("What"), kind="text"),
        Column(_("Value"), kind="text"),
        *(Column(arm, interval=True, count=True) for arm in arms),
    ]
    rows, used = [], set()
    for line in list_lines(schema) if arms else []:
        groups = [[record for record in group if line.takes(record)] for group in by_arm]
        measure = line.attribute.measure
        used |= {record.scores[measure].signature for group in groups for record in group if measure in record.scores}
        cells = mean_cells(
            [measured_values(group, measure) for group in groups],
            [explain_no_values(group, measure) for group in groups],
        )
        rows.append([Cell(name_measured(line.attribute)), Cell(line.label if line.value else _("chosen")), *cells])
    if arms:
        rows += [_ratio_row(by_arm), _minutes_row(by_arm), _median_row(by_arm)]
    if Project.Assistance.SUGGESTED in arms:
        rows += [
            _kept_row(_("median % kept"), by_arm, suggestions.read_kept_share),
            _kept_row(_("median % of the text"), by_arm, suggestions.read_share_of_text),
        ]
    notes = _build_notes(people, arms)
    signature = " || ".join([*sorted(used), f"mean|{BOOTSTRAP}"]) if used else ""
    return Table("arms", _("Assistance while writing"), columns, rows, "", notes, signature)


def _ratio_row(by_arm: Sequence[Sequence[Record]]) -> list[Cell]:
    values = [
        [(record.sample.source.pk, 100 * record.ratio) for record in group if record.ratio is not None]
        for group in by_arm
    ]
    cells = mean_cells(values, [_("no summary has a ratio")] * len(values))
    return [Cell(_("Ratio")), Cell(_("% of words")), *cells]


def _minutes_row(by_arm: Sequence[Sequence[Record]]) -> list[Cell]:
    values = [
        [(record.sample.source.pk, record.seconds / 60) for record in group if record.seconds is not None]
        for group in by_arm
    ]
    return [Cell(_("Time")), Cell(_("mean minutes")), *mean_cells(values, [_("no time recorded")] * len(values))]


def _median_row(by_arm: Sequence[Sequence[Record]]) -> list[Cell]:
    cells = []
    for group in by_arm:
        minutes = [record.seconds / 60 for record in group if record.seconds is not None]
        cells.append(Cell(median(minutes), n=len(minutes)) if minutes else Cell(undefined=_("no time recorded"), n=0))
    return [Cell(_("Time")), Cell(_("median minutes")), *cells]


def _kept_row(
    label: str, by_arm: Sequence[Sequence[Record]], read_share: Callable[[Mapping[str, Any]], float | None]
) -> list[Cell]:
    """Median share, of the texts that started from a suggestion."""
    cells = []
    for group in by_arm:
        shares = [100 * share for record in group if (share := read_share(record.suggestion)) is not None]
        cells.append(Cell(median(shares), n=len(shares)) if shares else Cell(undefined=_("no suggested text"), n=0))
    return [Cell(_("Suggested text")), Cell(label), *cells]


def _build_notes(people: Sequence[Record], arms: Sequence[str]) -> list[str]:
    notes = []
    without = sum(not record.arm for record in people)
    if arms:
        timed = [record for record in people if record.seconds is not None and record.arm]
        active = sum(record.active for record in timed)
        notes.append(
            ngettext(
                "Time: active seconds for %(active)d summary, from claim to submission for %(wall)d.",
                "Time: active seconds for %(active)d summaries, from claim to submission for %(wall)d.",
                active,
            )
            % {"active": active, "wall": len(timed) - active}
        )
        notes.append(_("Second line: 95 % interval (bootstrap over sources) and number of summaries."))
    if Project.Assistance.SUGGESTED in arms:
        notes.append(
            _(
                "Suggested text: characters of the words in runs longer than %(n)d words that both texts have, as a "
                "share of the suggestion (kept) and of the submitted text."
            )
            % {"n": RUN - 1}
        )
        notes += _note_unchanged(people)
    if len(arms) == 1:
        notes.append(_("There is only one arm, so there is nothing to compare."))
    if without:
        message = ngettext(
            "%(n)d summary has no record of the assistance and is left out.",
            "%(n)d summaries have no record of the assistance and are left out.",
            without,
        )
        notes.append(message % {"n": without})
    return notes


def _note_unchanged(people: Sequence[Record]) -> list[str]:
    unchanged = sum(record.suggestion.get("identical") is True for record in people)
    if not unchanged:
        return []
    message = ngettext(
        "%(n)d summary was submitted as it had been suggested.",
        "%(n)d summaries were submitted as they had been suggested.",
        unchanged,
    )
    return [message % {"n": unchanged}]


def build_arms_figures(table: Table) -> list[Chart]:
    """One figure per measure: bars by value, one series per arm; none unless there are two or three arms."""
    arms = [column.label for column in table.columns[2:]]
    if not 2 <= len(arms) <= MAX_ARMS:
        return []
    groups: dict[str, list[tuple[str, list[Dot]]]] = {}
    for what, value, *cells in table.rows:
        dots = [
            Dot(
                arm,
                cell.value if isinstance(cell.value, float) else None,
                format_mean(cell),
                format_n(cell),
                cell.low,
                cell.high,
            )
            for arm, cell in zip(arms, cells, strict=True)
        ]
        groups.setdefault(str(what.value), []).append((str(value.value), dots))
    return [
        Grouped(f"arms-{index}", label, arms, [value for value, _dots in series], [dots for _value, dots in series])
        for index, (label, series) in enumerate(groups.items())
        if any(dot.value is not None for _value, dots in series for dot in dots)
    ]
