"""The colours of figures stand once: pages, SVG files and PDF agree."""

import re
from pathlib import Path

import pytest

from epitome.figures import palette
from epitome.figures.pdf import render_pdf
from epitome.figures.svg import build_element, draw_frame, draw_rect, standalone_svg

CSS = Path(__file__).resolve().parents[2] / "static" / "css"


IGNORED = re.compile(r"/\*.*?\*/|@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", re.DOTALL)  # comments and conditional rules


def read_rules(*names: str) -> dict[str, dict[str, str]]:
    """selector -> property -> value, of all rules without a condition; later rules win, as on the page."""
    rules: dict[str, dict[str, str]] = {}
    for name in names:
        text = IGNORED.sub("", (CSS / name).read_text())
        for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
            pairs = (line.split(":", 1) for line in body.split(";") if ":" in line)
            declarations = {key.strip(): value.strip() for key, value in pairs}
            for selector in selectors.split(","):
                rules.setdefault(selector.strip(), {}).update(declarations)
    return rules


def test_every_colour_is_that_of_the_light_theme():
    tokens = read_rules("tokens.css")[":root"]
    assert {name: tokens.get(f"--{name}") for name in palette.COLOURS} == palette.COLOURS


def test_the_dark_theme_is_the_same_by_preference_and_by_choice():
    text = (CSS / "tokens.css").read_text()
    selectors = (':root:not([data-theme="light"]) {', ':root[data-theme="dark"] {')
    by_preference, by_choice = (text.partition(selector)[2].partition("}")[0].split() for selector in selectors)
    assert "--page:" in by_choice and by_preference == by_choice


@pytest.mark.parametrize("name", palette.SHAPES)
def test_pages_paint_every_shape_with_the_same_names(name):
    rule = read_rules("chart.css", "figures.css").get(f".chart .{name.replace(' ', '.')}", {})
    paint = palette.SHAPES[name]
    for key, colour in (("fill", paint.fill), ("stroke", paint.stroke)):
        assert rule.get(key) == (colour and f"var(--{colour})"), key


@pytest.mark.parametrize(("name", "colour"), palette.TEXTS.items())
def test_pages_colour_every_text_with_the_same_names(name, colour):
    rules = read_rules("chart.css", "figures.css")
    selector = '.chart [class^="heat"] + text.light' if name == "light" else f".chart text.{name}"
    assert rules[selector]["fill"] == f"var(--{colour})"
    assert rules[".chart text"]["fill"] == f"var(--{palette.PLAIN_TEXT})"


def test_a_file_on_paper_has_the_colour_of_the_page():
    figure = draw_frame("k", "t", "d", 10, [draw_rect(0, 0, 5, 5, "bar s3"), draw_rect(0, 0, 5, 5, "heat2")])
    assert ".bar.s3 { fill: #b27c06; }" in standalone_svg(figure)
    assert ".heat2 { fill: #c6d3f6; }" in standalone_svg(figure)


def test_pdf_refuses_a_class_without_paint():
    with pytest.raises(ValueError, match="no class"):
        render_pdf(draw_frame("k", "t", "d", 10, [build_element("rect", class_="unpainted", width=1.0, height=1.0)]))
