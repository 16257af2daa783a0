"""A figure as PDF, drawn from the same elements as its SVG: vectors and text, so that a paper can scale it.

reportlab draws; only the shapes and classes that our figures use are known, and an unknown one is an error.
"""

import io
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree  # only of figures that this program drew

from annotation.figures.svg import Svg

_NAMES = {"κ": "kappa", "α": "alpha", "ρ": "rho", "\u202f": " ", "\u00a0": " "}
_PAINT: dict[str, tuple[str | None, str | None]] = {
    "axis": (None, "#85877f"),
    "grid": (None, "#e3e3de"),
    "bar": ("#62656c", None),
    "bar lead": ("#2346b5", None),
    "bar s1": ("#2346b5", None),
    "bar s2": ("#85877f", None),
    "bar s3": ("#7d5000", None),
    "rail": ("#e3e3de", None),
    "band": ("#e9eefc", "#aebdf0"),
    "whisker": (None, "#1b1c1f"),
    "goal": (None, "#1b1c1f"),
    "dot": ("#ffffff", "#4b4e54"),
    "dot lead": ("#2346b5", "#2346b5"),
    "mark": ("#1b1c1f", None),
    "heat0": ("#f4f4f1", None),
    "heat1": ("#dfe6fa", None),
    "heat2": ("#bccbf5", None),
    "heat3": ("#93abec", None),
    "heat4": ("#6a88de", None),
    "heat5": ("#4163ca", None),
    "heat6": ("#2346b5", None),
}
"""class -> (fill, stroke) on paper, as the style of a standalone SVG has them."""
_TEXT = {"title": ("#1b1c1f", 12), "strong": ("#1b1c1f", 11), "faint": ("#62656c", 11), "light": ("#ffffff", 11)}
_PLAIN = ("#4b4e54", 11)


def pdf_of(figure: Svg) -> bytes:
    """One page of the figure's size, one unit to the point. The same figure gives the same bytes.

    Raises ValueError for a shape or class that no figure of ours has.
    """
    from reportlab.pdfgen.canvas import Canvas

    root = ElementTree.fromstring(figure)  # noqa: S314 - drawn by this program a moment ago
    _x, _y, width, height = (float(part) for part in root.attrib["viewBox"].split())
    out = io.BytesIO()
    page = Canvas(out, pagesize=(width, height), invariant=1)
    page.setTitle(root.findtext("title") or "")
    page.setLineWidth(1)
    for shape in root:
        if shape.tag not in ("title", "desc"):
            _draw(page, shape, height)
    page.showPage()
    page.save()
    return out.getvalue()


def _draw(page: Any, shape: ElementTree.Element, height: float) -> None:
    if shape.tag not in _SHAPES:
        raise ValueError(f"a figure has no <{shape.tag}>")
    _SHAPES[shape.tag](page, shape, height)


def _paint(page: Any, shape: ElementTree.Element) -> dict[str, int]:
    from reportlab.lib.colors import HexColor

    name = shape.get("class", "")
    if name not in _PAINT:
        raise ValueError(f'a figure has no class "{name}"')
    fill, stroke = _PAINT[name]
    if fill:
        page.setFillColor(HexColor(fill))
    if stroke:
        page.setStrokeColor(HexColor(stroke))
    page.setDash([3, 2] if name == "goal" else [])
    return {"fill": int(fill is not None), "stroke": int(stroke is not None)}


def _at(shape: ElementTree.Element, name: str) -> float:
    return float(shape.get(name, "0"))


def _rect(page: Any, shape: ElementTree.Element, height: float) -> None:
    paint = _paint(page, shape)
    box = (_at(shape, "x"), height - _at(shape, "y") - _at(shape, "height"), _at(shape, "width"), _at(shape, "height"))
    if box[2] > 0 and box[3] > 0:
        page.roundRect(*box, min(_at(shape, "rx"), box[2] / 2, box[3] / 2), **paint)


def _line(page: Any, shape: ElementTree.Element, height: float) -> None:
    _paint(page, shape)
    page.line(_at(shape, "x1"), height - _at(shape, "y1"), _at(shape, "x2"), height - _at(shape, "y2"))


def _circle(page: Any, shape: ElementTree.Element, height: float) -> None:
    page.circle(_at(shape, "cx"), height - _at(shape, "cy"), _at(shape, "r"), **_paint(page, shape))


def _path(page: Any, shape: ElementTree.Element, height: float) -> None:
    """A small mark: one M and relative lines, as the strips have it."""
    paint = _paint(page, shape)
    start, *steps = re.findall(r"([Mlhz])([^Mlhz]*)", shape.get("d", ""))
    x, y = (float(part) for part in start[1].split())
    path = page.beginPath()
    path.moveTo(x, height - y)
    for what, numbers in steps:
        parts = [float(part) for part in numbers.split()]
        if what == "z":
            path.close()
            continue
        x, y = x + parts[0], y + (parts[1] if what == "l" else 0)
        path.lineTo(x, height - y)
    page.drawPath(path, **paint)


def _text(page: Any, shape: ElementTree.Element, height: float) -> None:
    from reportlab.lib.colors import HexColor

    classes = shape.get("class", "").split()
    colour, size = next((_TEXT[name] for name in classes if name in _TEXT), _PLAIN)
    bold = bool({"title", "strong"} & set(classes))
    page.setFillColor(HexColor(colour))
    page.setFont(_font(bold), size * 0.94)  # Vera is wider than the page's face
    words = "".join(_NAMES.get(letter, letter) for letter in shape.text or "")
    draw = page.drawRightString if "end" in classes else page.drawCentredString if "mid" in classes else page.drawString
    draw(_at(shape, "x"), height - _at(shape, "y"), words)


@cache
def _font(bold: bool) -> str:
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfbase.ttfonts import TTFont

    name = "VeraBd" if bold else "Vera"
    registerFont(TTFont(name, f"{name}.ttf"))
    return name


_SHAPES: dict[str, Callable[[Any, ElementTree.Element, float], None]] = {
    "rect": _rect,
    "line": _line,
    "circle": _circle,
    "path": _path,
    "text": _text,
}
