"""What a page shows of trainings that combine adapters: weights and search of LoRAHub, attention of AdapterFusion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from epitome.figures.heat import Heat
from epitome.figures.signed_bars import SignedBar, SignedBars
from epitome.figures.svg import Svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Cell, Column, Table
from epitome.schema import Schema
from epitome.systems.attention_means import SITES, mean_over_layers
from modelbridge.views.training.loss_chart import loss_chart

WEIGHT = "weight_"
LABEL_LETTERS = 8


@dataclass(frozen=True)
class FigureSection:
    """figures, then their numbers. is_open: shown at once, else behind its heading."""

    key: str
    title: str
    note: str
    figures: Sequence[Svg]
    table: RenderedTable
    is_open: bool = True


def search_sections(rows: Sequence[Mapping[str, Any]], bound: float) -> list[FigureSection]:
    """Of LoRAHub's search. rows: the metrics of its evaluations in order; none yet: no sections."""
    trials = [row for row in rows if "objective" in row]
    if not trials:
        return []
    best = min(trials, key=lambda row: row["objective"])
    names = [name.removeprefix(WEIGHT) for name in best if name.startswith(WEIGHT)]
    weights = {name: float(best[WEIGHT + name]) for name in names}
    bars = SignedBars("weights", _("Weights"), [SignedBar(*pair) for pair in weights.items()], bound)
    weights_note = _("Best of the evaluations so far, number %(n)s: every adapter is multiplied by its weight.")
    curve = loss_chart(_("Objective"), [(row["step"], float(row["objective"])) for row in trials], key="objective")
    return [
        FigureSection(
            "weights", _("Weights of the adapters"), weights_note % {"n": best["step"]}, [bars.draw()],
            _weights_table(weights),
        ),
        FigureSection(
            "objective", _("Objective by evaluation"),
            _("Loss on the drawn examples, plus a penalty for large weights. The first evaluations are the base model "
              "and each adapter alone."),
            [curve] if curve else [], _search_table(trials, names),
        ),
    ]  # fmt: skip


def _weights_table(weights: Mapping[str, float]) -> RenderedTable:
    columns = [Column(_("Adapter"), kind="text"), Column(_("Weight"), digits=4)]
    rows = [[Cell(name), Cell(weight)] for name, weight in weights.items()]
    return render_table(Table("weights", _("Weights of the adapters"), columns, rows), gettext=_)


def _search_table(trials: Sequence[Mapping[str, Any]], names: Sequence[str]) -> RenderedTable:
    columns = [Column(_("Evaluation"), digits=0), Column(_("Objective"), digits=4), Column(_("Loss"), digits=4)]
    columns += [Column(name, group=_("Weight"), digits=3) for name in names]
    rows = [
        [Cell(row["step"]), Cell(row["objective"]), Cell(row["loss"]), *(Cell(row[WEIGHT + name]) for name in names)]
        for row in trials
    ]
    return render_table(Table("objective", _("Objective by evaluation"), columns, rows), gettext=_)


def attention_sections(attention: Mapping[str, Any], schema: Schema, note: str) -> list[FigureSection]:
    """Of AdapterFusion: all samples, the mean per requested value, then each value by itself behind its heading.

    note: what the numbers are."""
    if not attention:
        return []
    adapters = attention["adapters"]
    by_value = attention["by_value"]
    title = _("Attention to the adapters, by layer")
    sections = [_layers_section("attention", title, note, attention["all"], adapters,
                                schema)]  # fmt: skip
    if by_value:
        sections.append(_values_section(by_value, adapters, schema))
    for index, (key, rows) in enumerate(by_value.items()):
        title = _("Attention where %(value)s was requested") % {"value": _value_label(key, schema)}
        value_note = _("Samples: %(n)s.") % {"n": rows["n"]}
        section_key = f"attention-value-{index}"
        sections.append(_layers_section(section_key, title, value_note, rows, adapters, schema, is_open=False))
    return sections


def _layers_section(
    key: str,
    title: str,
    note: str,
    rows: Mapping[str, Any],
    adapters: Sequence[str],
    schema: Schema,
    *,
    is_open: bool = True,
) -> FigureSection:
    site_titles = {"encoder": _("Encoder"), "decoder": _("Decoder")}
    columns = [_short_label(name, schema) for name in adapters]
    figures = [
        Heat(
            f"{key}-{site}", site_titles[site], _("layers"), _("adapters"),
            [str(number) for number in range(1, len(rows[site]) + 1)], columns, rows[site],
        ).draw()
        for site in SITES
    ]  # fmt: skip
    heads = [Column(_("Part"), kind="text"), Column(_("Layer"), digits=0)]
    heads += [Column(name, digits=3) for name in adapters]
    cells = [
        [Cell(site_titles[site]), Cell(number), *(Cell(share) for share in row)]
        for site in SITES
        for number, row in enumerate(rows[site], 1)
    ]
    return FigureSection(key, title, note, figures, render_table(Table(key, title, heads, cells), gettext=_), is_open)


def _values_section(by_value: Mapping[str, Any], adapters: Sequence[str], schema: Schema) -> FigureSection:
    means = {key: mean_over_layers(rows) for key, rows in by_value.items()}
    title = _("Attention to the adapters, by requested value")
    figure = Heat(
        "attention-values", title, _("requested"), _("adapters"), [_short_value(key, schema) for key in means],
        [_short_label(name, schema) for name in adapters], list(means.values()),
    )  # fmt: skip
    heads = [Column(_("Requested"), kind="text"), Column(_("Samples"), digits=0)]
    heads += [Column(name, digits=3) for name in adapters]
    cells = [
        [Cell(_value_label(key, schema)), Cell(by_value[key]["n"]), *(Cell(share) for share in row)]
        for key, row in means.items()
    ]
    note = _("Mean over all layers of encoder and decoder.")
    table = render_table(Table("attention-values", title, heads, cells), gettext=_)
    return FigureSection("attention-values", title, note, [figure.draw()], table)


def _value_label(key: str, schema: Schema) -> str:
    """ "readability=high" in words; "keywords" of a list that was requested."""
    name, is_value, value = key.partition("=")
    attribute = schema.find(name)
    label = attribute.label if attribute is not None else name
    return f"{label} = {value}" if is_value else label


def _short_value(key: str, schema: Schema) -> str:
    name, _is_value, value = key.partition("=")
    return f"{_short_label(name, schema)[:4]} {value}".strip()[: LABEL_LETTERS + 2]


def _short_label(name: str, schema: Schema) -> str:
    """The code of the attribute that an adapter is named after, else the beginning of its name."""
    attribute = schema.find(name)
    if attribute is not None:
        return attribute.code
    return name if len(name) <= LABEL_LETTERS else name[: LABEL_LETTERS - 1] + "…"
