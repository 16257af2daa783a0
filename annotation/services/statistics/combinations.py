"""How the combinations of drawn values are spread: drawn, written, skipped; and the weight of each value."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from annotation.figures.charts import Bar, Bars, Chart
from annotation.figures.tables import Cell, Column, Table
from annotation.models import Assignment, AssignmentState, Project, RestoredSkip
from annotation.schema import InvalidValue, Schema
from annotation.services.statistics.records import Asked, Record

IN_FIGURE = 36
"""Combinations that a figure shows; the table has all of them."""

Skips = Mapping[int, int]


def skips_of(project: Project) -> Skips:
    """sample id -> how often somebody left it with a reason, here or where it was restored from."""
    here = Assignment.objects.filter(project=project, state=AssignmentState.SKIPPED, sample__isnull=False)
    restored = RestoredSkip.objects.filter(project=project)
    counted = Counter(here.values_list("sample_id", flat=True).iterator())
    counted.update(restored.values_list("sample_id", flat=True).iterator())
    return counted


def table_combinations(samples: Collection[Asked], records: Sequence[Record], skips: Skips, schema: Schema) -> Table:
    """One line per combination of drawn values: samples, samples with a summary, summaries, skips."""
    drawn = Counter(one.combination for one in samples)
    written = _samples_per(records)
    summaries = Counter(one.sample.combination for one in records)
    skipped: Counter[str] = Counter()
    for one in samples:
        skipped[one.combination] += skips.get(one.pk, 0)
    total = sum(drawn.values())
    codes = "-".join(attribute.code for attribute in schema.sampled)
    rows = []
    for code in _in_order({*drawn, *summaries}, schema):
        n = drawn[code]
        share = Cell(n / total, n=total) if total else Cell(undefined=_("no sample is drawn"))
        rows.append([Cell(code), *map(Cell, (n, len(written[code]), summaries[code], skipped[code])), share])
    columns = [
        Column(codes or _("Combination"), kind="text"),
        Column(_("Drawn"), digits=0),
        Column(_("Written"), digits=0),
        Column(_("Summaries"), digits=0),
        Column(_("Skipped"), digits=0),
        Column(_("Share drawn"), digits=3),
    ]
    notes = [
        _("Drawn: active samples. Written: samples with a summary that counts. Skipped: left with a reason."),
        _("n = %(n)d samples; a combination that was never drawn is not listed.") % {"n": total},
    ]
    return Table("combinations", _("Combinations of values"), columns, rows, "", notes)


def _samples_per(records: Iterable[Record]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for one in records:
        found[one.sample.combination].add(one.sample.pk)
    return found


def _in_order(codes: Collection[str], schema: Schema) -> list[str]:
    """Codes in the order of the schema's values, unknown ones last."""
    order = {code: place for place, code in enumerate(_all_codes(schema))}
    return sorted(codes, key=lambda code: (order.get(code, len(order)), code))


def _all_codes(schema: Schema, most: int = 10_000) -> list[str]:
    options: list[dict[str, object]] = [{}]
    for attribute in schema.sampled:
        options = [{**before, attribute.key: value} for before in options for value in attribute.values][:most]
    try:
        return [schema.combination_code(values) for values in options]
    except InvalidValue:
        return []


def figure_combinations(table: Table) -> Chart:
    """The most frequent combinations, in the table's order."""
    largest = sorted(table.rows, key=lambda row: -_whole(row[1]))[:IN_FIGURE]
    kept = [row for row in table.rows if row in largest]
    bars = []
    for row in kept:
        drawn, written, skipped = _whole(row[1]), _whole(row[2]), _whole(row[4])
        told = _("%(written)d of %(drawn)d") % {"written": written, "drawn": drawn}
        if skipped:
            told += _(", %(n)d skipped") % {"n": skipped}
        bars.append(Bar(str(row[0].value), written, drawn, told))
    return Bars("combinations", _("Written of drawn samples"), bars)


def _whole(cell: Cell) -> int:
    return cell.value if isinstance(cell.value, int) else 0


def table_values(samples: Collection[Asked], records: Sequence[Record], schema: Schema) -> Table:
    """Per value of the drawn attributes: samples, their share, the share the schema's weights ask for, summaries."""
    rows = []
    for attribute in schema.sampled:
        drawn = Counter(one.values.get(attribute.key, "") for one in samples)
        written = Counter(one.sample.values.get(attribute.key, "") for one in records)
        total, weights = sum(drawn.values()), attribute.weights
        for value in (*attribute.values, *sorted({*drawn} - {*attribute.values, ""})):
            share = Cell(drawn[value] / total, n=total) if total else Cell(undefined=_("no sample is drawn"))
            wanted = sum(weights.values()) if weights else 0
            weight = (
                Cell(weights.get(value, 0) / wanted) if wanted else Cell(undefined=_("the schema gives no weights"))
            )
            label = attribute.value_label(value) if value in attribute.values else value
            rows.append([Cell(attribute.label), Cell(label), Cell(drawn[value]), share, weight, Cell(written[value])])
    columns = [
        Column(_("Attribute"), kind="text"),
        Column(_("Value"), kind="text"),
        Column(_("Drawn"), digits=0),
        Column(_("Share"), digits=3),
        Column(_("Schema's weight"), digits=3),
        Column(_("Summaries"), digits=0),
    ]
    notes = [_("The schema's weights are used by the samplers that draw by weight; the uniform sampler ignores them.")]
    return Table("values", _("Weights of values"), columns, rows, "", notes)


def figures_values(table: Table) -> list[Chart]:
    """One small figure per attribute; the dashed mark is the schema's weight."""
    found: dict[str, list[Bar]] = defaultdict(list)
    for attribute, value, drawn, share, weight, _summaries in table.rows:
        if isinstance(share.value, float):
            goal = weight.value if isinstance(weight.value, float) else None
            told = f"{100 * share.value:.0f} %, n {drawn.value}"
            found[str(attribute.value)].append(Bar(str(value.value), share.value, 0, told, goal))
    return [Bars(f"values-{number}", label, bars) for number, (label, bars) in enumerate(found.items())]
