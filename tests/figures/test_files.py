"""Figures as files: PDF of every kind of chart, and the heat map."""

import re

import pytest

from epitome.figures.charts import Bar, Bars, Dot, Dots, Grouped, Heat, Strip, Strips, chart_from_json, chart_json
from epitome.figures.pdf import render_pdf
from epitome.figures.svg import build_element, draw_frame, standalone_svg

DOT = Dot("HP", 0.6, ".60", "n 30", 0.4, 0.8)
CHARTS = [
    Bars("b", "Combinations", [Bar("nnn", 3, 10, "3 of 10", goal=5)]),
    Dots("d", "Share of yes", [DOT, Dot("SP", None, "n/a")]),
    Grouped("g", "Difficulty", ["one", "two"], ["short"], [[DOT, DOT]]),
    Heat("h", "Dependency", "changed", "measured", ["Len", "Ext"], ["Len", "Ext"], [[0.8, 0.1], [None, 0.4]]),
    Strips("s", "Ratios", 0.5, [Strip("short", "n 3", [1, 2], 1, (0.1, 0.2), [0.15])]),
]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.chart)
def test_every_chart_becomes_a_pdf_that_does_not_change(chart):
    first = render_pdf(chart.draw())
    assert first.startswith(b"%PDF-")
    assert render_pdf(chart_from_json(chart_json(chart)).draw()) == first


def test_a_shape_that_no_figure_has_is_refused():
    with pytest.raises(ValueError, match="<image>"):
        render_pdf(draw_frame("k", "t", "d", 10, [build_element("image")]))


def test_a_heat_map_prints_every_number_and_colours_by_size():
    drawn = CHARTS[3].draw()
    assert ">.80<" in drawn and ">n/a<" in drawn
    assert re.search(r'class="heat6"[^>]*><title>Len, Len: .80<', drawn)
    assert ".heat6" in standalone_svg(drawn)
