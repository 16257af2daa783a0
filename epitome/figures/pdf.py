"""A figure as PDF, drawn from the same elements as its SVG: vectors and text, so that a paper can scale it.

reportlab draws; only the shapes and classes that our figures use are known, and an unknown one is an error.
"""

import io
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree  # parses only our own figures

from epitome.figures import palette
from epitome.figures.svg import Svg

_NAMES = {"κ": "kappa", "α": "alpha", "ρ": "rho", "\u202f": " ", "\u00a0": " "}


def render_pdf(figure: Svg) -> bytes:
    """One page of the figure's size, one unit to the point. The same figure gives the same bytes.

    Raises ValueError for a shape or class that no figure of ours has.
    """
    from reportlab.pdfgen.canvas import Canvas

    root = ElementTree.fromstring(figure)  # noqa: S314 - drawn by this program a moment ago
    _x, _y, width, height = (float(number) for number in root.attrib["viewBox"].split())
    out = io.BytesIO()
    page = Canvas(out, pagesize=(width, height), invariant=1)
    page.setTitle(root.findtext("title") or "")
    page.setLineWidth(1)
    for shape in root:
        if shape.tag not in ("title", "desc"):
            _draw_shape(page, shape, height)
    page.showPage()
    page.save()
    return out.getvalue()


def _draw_shape(page: Any, shape: ElementTree.Element, height: float) -> None:
    if shape.tag not in _SHAPES:
        raise ValueError(f"a figure has no <{shape.tag}>")
    _SHAPES[shape.tag](page, shape, height)


def _set_paint(page: Any, shape: ElementTree.Element) -> dict[str, int]:
    from reportlab.lib.colors import HexColor

    name = shape.get("class", "")
    if name not in palette.SHAPES:
        raise ValueError(f'a figure has no class "{name}"')
    fill, stroke = palette.SHAPES[name].fill_colour, palette.SHAPES[name].stroke_colour
    if fill:
        page.setFillColor(HexColor(fill))
    if stroke:
        page.setStrokeColor(HexColor(stroke))
    page.setDash([3, 2] if name == "goal" else [])
    return {"fill": int(fill is not None), "stroke": int(stroke is not None)}


def _number_attribute(shape: ElementTree.Element, name: str) -> float:
    return float(shape.get(name, "0"))


def _draw_rect(page: Any, shape: ElementTree.Element, height: float) -> None:
    paint = _set_paint(page, shape)
    box = (
        _number_attribute(shape, "x"),
        height - _number_attribute(shape, "y") - _number_attribute(shape, "height"),
        _number_attribute(shape, "width"),
        _number_attribute(shape, "height"),
    )
    if box[2] > 0 and box[3] > 0:
        page.roundRect(*box, min(_number_attribute(shape, "rx"), box[2] / 2, box[3] / 2), **paint)


def _draw_line(page: Any, shape: ElementTree.Element, height: float) -> None:
    _set_paint(page, shape)
    page.line(
        _number_attribute(shape, "x1"),
        height - _number_attribute(shape, "y1"),
        _number_attribute(shape, "x2"),
        height - _number_attribute(shape, "y2"),
    )


def _draw_circle(page: Any, shape: ElementTree.Element, height: float) -> None:
    page.circle(
        _number_attribute(shape, "cx"),
        height - _number_attribute(shape, "cy"),
        _number_attribute(shape, "r"),
        **_set_paint(page, shape),
    )


def _draw_path(page: Any, shape: ElementTree.Element, height: float) -> None:
    """Draw a small mark: one M and relative lines, as in the strips."""
    paint = _set_paint(page, shape)
    start, *steps = re.findall(r"([Mlhz])([^Mlhz]*)", shape.get("d", ""))
    x, y = (float(number) for number in start[1].split())
    path = page.beginPath()
    path.moveTo(x, height - y)
    for command, numbers in steps:
        offsets = [float(number) for number in numbers.split()]
        if command == "z":
            path.close()
            continue
        x, y = x + offsets[0], y + (offsets[1] if command == "l" else 0)
        path.lineTo(x, height - y)
    page.drawPath(path, **paint)


def _draw_text(page: Any, shape: ElementTree.Element, height: float) -> None:
    from reportlab.lib.colors import HexColor

    classes = shape.get("class", "").split()
    size = palette.TITLE_SIZE if "title" in classes else palette.TEXT_SIZE
    bold = bool({"title", "strong"} & set(classes))
    page.setFillColor(HexColor(palette.text_colour(classes)))
    page.setFont(_register_font(bold), size * 0.94)  # Vera is wider than the page's font
    words = "".join(_NAMES.get(letter, letter) for letter in shape.text or "")
    if length := _number_attribute(shape, "textLength"):
        page.saveState()
        page.translate(_number_attribute(shape, "x"), height - _number_attribute(shape, "y"))
        page.scale(length / max(page.stringWidth(words, _register_font(bold), size * 0.94), 1.0), 1)
        page.drawString(0, 0, words)
        page.restoreState()
        return
    draw = page.drawRightString if "end" in classes else page.drawCentredString if "mid" in classes else page.drawString
    draw(_number_attribute(shape, "x"), height - _number_attribute(shape, "y"), words)


@cache
def _register_font(bold: bool) -> str:
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfbase.ttfonts import TTFont

    name = "VeraBd" if bold else "Vera"
    registerFont(TTFont(name, f"{name}.ttf"))
    return name


_SHAPES: dict[str, Callable[[Any, ElementTree.Element, float], None]] = {
    "rect": _draw_rect,
    "line": _draw_line,
    "circle": _draw_circle,
    "path": _draw_path,
    "text": _draw_text,
}
