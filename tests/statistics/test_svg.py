"""Figures are well-formed, carry words for those who cannot see them, and hold no style and no markup of others."""

import re
from xml.etree import ElementTree

import pytest
from django.template import Context, Template

from epitome.figures.charts import Bar, Bars, Dot, Dots, Grouped, Strip, Strips, chart_from_json, chart_json
from epitome.figures.svg import build_element, format_number, nice_step, standalone_svg

EVIL = """"'><script>alert(1)</script>&\x00"""
CHARTS = [
    Bars("b", EVIL, [Bar(EVIL, 3, 5, "3 of 5", 4.0), Bar("snh", 0, 0, "0 of 0")]),
    Dots("d", "Length", [Dot(EVIL, 5.0, "5.00", "n 9", 4.0, 6.5), Dot("long", None, "n/a: none")]),
    Grouped("g", "Arms", ["full", EVIL], ["short"], [[Dot("full", 3.0, "3.00"), Dot("minimal", None, "n/a")]]),
    Strips("s", "Ratios", 0.2, [Strip(EVIL, "n 3", [0, 2, 1, 0], 2, (0.05, 0.1), [0.06, 0.5]), Strip("x", "n 0", [])]),
    Bars("e", "Nothing", []),
    Dots("f", "Nothing", []),
]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{chart.chart}-{chart.key}")
def test_a_figure_is_well_formed_in_the_page_and_as_a_file(chart):
    drawn = chart.draw()
    root = ElementTree.fromstring(drawn)
    assert root.attrib["role"] == "img" and root.attrib["class"] == "chart"
    assert [child.tag for child in root[:2]] == ["title", "desc"]
    assert {root.attrib["aria-labelledby"], root.attrib["aria-describedby"]} == {
        root[0].attrib["id"],
        root[1].attrib["id"],
    }
    assert not re.search(r"style=|<style|<script|onclick", drawn)
    assert not any({"fill", "stroke", "style"} & set(item.attrib) for item in root.iter())
    _remaining, _top, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter("rect"):
        x, y, wide, tall = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + wide <= width + 1 and y + tall <= height + 1
    saved = ElementTree.fromstring(standalone_svg(drawn).encode())
    assert saved.tag == "{http://www.w3.org/2000/svg}svg"
    assert saved.attrib["width"] == "320"


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{chart.chart}-{chart.key}")
def test_a_figure_comes_back_from_what_is_stored(chart):
    assert chart_from_json(chart_json(chart)).draw() == chart.draw()


def test_a_template_shows_the_figure_and_escapes_what_is_none():
    drawn = Template("{{ figure }}{{ text }}").render(Context({"figure": CHARTS[0].draw(), "text": "<b>"}))
    assert drawn.startswith("<svg") and drawn.endswith("&lt;b&gt;")
    assert "<script" not in drawn and "&lt;script" in drawn


def test_the_description_tells_the_numbers():
    root = ElementTree.fromstring(CHARTS[1].draw())
    assert root[1].text.endswith("5.00 n 9; long: n/a: none")


def test_attributes_that_could_carry_style_or_script_are_refused():
    for name in ("style", "onclick", "x y"):
        with pytest.raises(ValueError, match="no attribute"):
            build_element("rect", **{name: "1"})


def test_coordinates_and_steps():
    assert [format_number(value) for value in (1.0, 0.04, -0.04, -0.26, 12.345)] == ["1", "0", "0", "-0.3", "12.3"]
    assert [nice_step(span) for span in (1, 0.2, 90, 7)] == [0.2, 0.05, 20, 2]
    with pytest.raises(ValueError, match="above 0"):
        nice_step(0)


def test_labels_of_ideographs_get_the_room_they_need():
    root = ElementTree.fromstring(Dots("z", "t", [Dot("10月26日", 5.0, "5", "n 9")]).draw())
    label = next(item for item in root.iter("text") if item.text == "10月26日")
    assert float(label.attrib["x"]) >= 4 * 6.7 + 2 * 11 - 0.1
