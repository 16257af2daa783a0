"""Tables and the figure of a set of contrastive examples."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from annotation.models import ContrastiveSet
from annotation.services.contrastives.making import DryRun
from annotation.services.contrastives.set_numbers import RuleRow, add_rule_rows, list_histogram, list_rule_rows
from epitome.contrastives.pairs import (
    AS_GOLD,
    AVAILABLE,
    DOUBLE,
    DRAWN,
    FILTERS,
    NO_FORM,
    PAIRS,
    PLAIN_LIST,
    SAME_CONTEXT,
    SAME_WORD,
    USED_PAIR,
)
from epitome.figures.charts import Bar, Bars
from epitome.figures.numbers import format_count
from epitome.figures.svg import Svg
from epitome.figures.tables import Cell, Column, Table

FILTER_LABELS = {
    SAME_WORD: gettext_lazy("same word"),
    USED_PAIR: gettext_lazy("pair used"),
    PLAIN_LIST: gettext_lazy("plain list"),
    SAME_CONTEXT: gettext_lazy("same context"),
    NO_FORM: gettext_lazy("no form"),
    DOUBLE: gettext_lazy("double"),
    AS_GOLD: gettext_lazy("equals gold"),
}
BIN = 10


def build_rule_table(contrastive_set: ContrastiveSet) -> Table:
    """Rules and the results of their pairs; of an imported set only the number of examples."""
    rows = list_rule_rows(contrastive_set)
    rows.append(add_rule_rows(rows)._replace(rule=_("all")))
    if contrastive_set.origin == ContrastiveSet.Origin.IMPORT:
        columns = [Column(_("Rule"), kind="text"), Column(_("Examples"))]
        cells = [[Cell(row.rule), Cell(row.drawn)] for row in rows]
        return Table("rules", _("Examples by rule"), columns, cells)
    columns = [
        Column(_("Rule"), kind="text"),
        Column(_("Pairs")),
        *(Column(str(FILTER_LABELS[name]), group=_("Removed by filter")) for name in FILTERS),
        Column(_("Left")),
        Column(_("Quota")),
        Column(_("Drawn")),
        Column(pgettext("missing", "Short")),
    ]
    return Table("rules", _("Examples by rule"), columns, [_build_cells(row) for row in rows], notes=_list_notes())


def build_plan_table(plan: DryRun) -> Table:
    """What each rule gives for the golds that a dry run tried."""
    columns = [Column(_("Rule"), kind="text"), Column(_("Pairs"))]
    columns += [Column(str(FILTER_LABELS[name]), group=_("Removed by filter")) for name in FILTERS]
    columns += [Column(_("Left")), Column(_("Quota")), Column(_("Drawn"))]
    cells = []
    for rule, steps in plan.counts.as_dict()["rules"].items():
        numbers = [steps.get(PAIRS, 0), *(steps.get(name, 0) for name in FILTERS), steps.get(AVAILABLE, 0)]
        cells.append([Cell(rule), *map(Cell, numbers), Cell(plan.quotas[rule] * plan.tried), Cell(steps.get(DRAWN, 0))])
    return Table("planned", _("What the rules would give"), columns, cells)


def _build_cells(row: RuleRow) -> list[Cell]:
    return [
        Cell(row.rule),
        Cell(row.pairs),
        *map(Cell, row.removed),
        Cell(row.available),
        Cell(row.quota),
        Cell(row.drawn),
        Cell(row.short),
    ]


def _list_notes() -> Sequence[str]:
    return (
        _("Quota: of one gold summary, times their number. Short: some have fewer; other rules do not fill the gap."),
        _("Same context: two words to either side are the same for at least 65 %, so the result is probably true."),
        _("Double and equals gold: compared in lower case."),
    )


def draw_histogram(contrastive_set: ContrastiveSet) -> Svg:
    """Gold summaries by their number of examples, in bins of ten; none is a bin of its own."""
    bins: dict[int, int] = {}
    for number, golds in list_histogram(contrastive_set):
        low = 0 if number == 0 else 1 + (number - 1) // BIN * BIN
        bins[low] = bins.get(low, 0) + golds
    total = sum(bins.values())
    rows = [
        Bar("0" if low == 0 else f"{low}–{low + BIN - 1}", golds, total, format_count(golds))
        for low, golds in sorted(bins.items())
    ]
    return Bars("per-gold", _("Gold summaries by number of examples"), rows).draw()
