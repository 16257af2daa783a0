"""Distribution of the combinations of drawn values: drawn, written, skipped; and the weight of each value."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Project, RestoredSkip
from annotation.services.statistics.records import Record, SampleRequest
from epitome.figures.charts import Bar, Bars, Chart
from epitome.figures.numbers import format_percent
from epitome.figures.tables import Cell, Column, Table
from epitome.schema import InvalidValue, Schema

IN_FIGURE = 36
"""Maximum number of combinations in the figure; the table has all of them."""

SkipCounts = Mapping[int, int]


def count_skips(project: Project) -> SkipCounts:
    """sample id -> number of skips, here or on the site it was restored from."""
    here = Assignment.objects.skipped_samples().filter(project=project)
    restored = RestoredSkip.objects.filter(project=project)
    counted = Counter(here.values_list("sample_id", flat=True).iterator())
    counted.update(restored.values_list("sample_id", flat=True).iterator())
    return counted


def build_combinations_table(
    samples: Collection[SampleRequest], records: Sequence[Record], skips: SkipCounts, schema: Schema
) -> Table:
    """One line per combination of drawn values: samples, samples with a summary, summaries, skips."""
    drawn = Counter(sample.combination for sample in samples)
    written = _samples_by_combination(records)
    summaries = Counter(record.sample.combination for record in records)
    skipped: Counter[str] = Counter()
    for sample in samples:
        skipped[sample.combination] += skips.get(sample.pk, 0)
    total = sum(drawn.values())
    codes = "-".join(attribute.code for attribute in schema.sampled)
    rows = []
    for code in _order_codes({*drawn, *summaries}, schema):
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
        _("Drawn: active samples. Written: samples with a valid summary. Skipped: skipped with a reason."),
        ngettext("%(n)d sample.", "%(n)d samples.", total) % {"n": total}
        + " "
        + _("Combinations that were never drawn are not listed."),
    ]
    return Table("combinations", _("Combinations of values"), columns, rows, "", notes)


def _samples_by_combination(records: Iterable[Record]) -> dict[str, set[int]]:
    samples_by_code: dict[str, set[int]] = defaultdict(set)
    for record in records:
        samples_by_code[record.sample.combination].add(record.sample.pk)
    return samples_by_code


def _order_codes(codes: Collection[str], schema: Schema) -> list[str]:
    """Codes in the order of the schema's values, unknown ones last."""
    order = {code: index for index, code in enumerate(_all_codes(schema))}
    return sorted(codes, key=lambda code: (order.get(code, len(order)), code))


def _all_codes(schema: Schema, limit: int = 10_000) -> list[str]:
    options: list[dict[str, object]] = [{}]
    for attribute in schema.sampled:
        options = [{**option, attribute.key: value} for option in options for value in attribute.values][:limit]
    try:
        return [schema.combination_code(values) for values in options]
    except InvalidValue:
        return []


def build_combinations_figure(table: Table) -> Chart:
    """The most frequent combinations, in the table's order."""
    largest = sorted(table.rows, key=lambda row: -_int_value(row[1]))[:IN_FIGURE]
    listed_rows = [row for row in table.rows if row in largest]
    bars = []
    for row in listed_rows:
        drawn, written, skipped = _int_value(row[1]), _int_value(row[2]), _int_value(row[4])
        text = _("%(written)d of %(drawn)d") % {"written": written, "drawn": drawn}
        if skipped:
            text += _(", %(n)d skipped") % {"n": skipped}
        bars.append(Bar(str(row[0].value), written, drawn, text))
    return Bars("combinations", _("Written of drawn samples"), bars)


def _int_value(cell: Cell) -> int:
    return cell.value if isinstance(cell.value, int) else 0


def build_values_table(samples: Collection[SampleRequest], records: Sequence[Record], schema: Schema) -> Table:
    """Per value of the drawn attributes: samples, their share, the share the schema's weights ask for, summaries."""
    rows = []
    for attribute in schema.sampled:
        drawn = Counter(sample.values.get(attribute.key, "") for sample in samples)
        written = Counter(record.sample.values.get(attribute.key, "") for record in records)
        total, weights = sum(drawn.values()), attribute.weights
        for value in (*attribute.values, *sorted({*drawn} - {*attribute.values, ""})):
            share = Cell(drawn[value] / total, n=total) if total else Cell(undefined=_("no sample is drawn"))
            total_weight = sum(weights.values()) if weights else 0
            weight = (
                Cell(weights.get(value, 0) / total_weight)
                if total_weight
                else Cell(undefined=_("the schema gives no weights"))
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


def build_values_figures(table: Table) -> list[Chart]:
    """One small figure per attribute; the dashed mark is the schema's weight."""
    bars_by_attribute: dict[str, list[Bar]] = defaultdict(list)
    for attribute, value, drawn, share, weight, _summaries in table.rows:
        if isinstance(share.value, float):
            goal = weight.value if isinstance(weight.value, float) else None
            text = f"{format_percent(share.value)}, n {drawn.value}"
            bars_by_attribute[str(attribute.value)].append(Bar(str(value.value), share.value, 0, text, goal))
    return [Bars(f"values-{index}", label, bars) for index, (label, bars) in enumerate(bars_by_attribute.items())]
