"""SVG drawing with CSS classes only: a figure has no colours, fonts or styles, so it fits light and dark themes.

All content of a drawing is escaped here. `Svg` declares that by `__html__`, the protocol of template engines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from epitome.figures.palette import paper_style

WIDTH = 320
"""Width of a small figure in its own units: about the pixels of a phone, so that text keeps its size there."""
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")


class Svg(str):
    """Finished markup."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def escape_text(text: object) -> str:
    """Escape a text for XML; characters that XML does not allow are removed."""
    return escape(_ILLEGAL.sub("", str(text)), quote=True)


def build_element(tag: str, *children: Svg | str, **attributes: object) -> Svg:
    """One element. Other children than Svg are escaped; class_ becomes class, a_b becomes a-b, None is left out."""
    attribute_texts = []
    for name, value in attributes.items():
        if value is not None:
            text = format_number(value) if isinstance(value, float) else escape_text(value)
            attribute_texts.append(f' {_name_attribute(name)}="{text}"')
    inside = "".join(child if isinstance(child, Svg) else escape_text(child) for child in children)
    return Svg(
        f"<{tag}{''.join(attribute_texts)}>{inside}</{tag}>" if children else f"<{tag}{''.join(attribute_texts)}/>"
    )


@lru_cache(maxsize=200)
def _name_attribute(name: str) -> str:
    name = name.rstrip("_").replace("_", "-") if name != "viewBox" else name
    if not _NAME.fullmatch(name) or name == "style" or name.startswith("on"):
        raise ValueError(f"{name} is no attribute of a drawing")
    return name


def format_number(value: float) -> str:
    """A coordinate: at most one decimal, no -0."""
    digits = f"{value:.1f}".removesuffix(".0")
    return "0" if digits == "-0" else digits


def draw_text(x: float, y: float, words: str, class_: str = "") -> Svg:
    return build_element("text", words, class_=class_ or None, x=float(x), y=float(y))


def draw_rect(x: float, y: float, width: float, height: float, class_: str, *, title: str = "", rx: float = 1.5) -> Svg:
    inner = [build_element("title", title)] if title else []
    box = {"x": float(x), "y": float(y), "width": float(max(width, 0)), "height": float(max(height, 0))}
    return build_element("rect", *inner, class_=class_, **box, rx=float(rx) if rx else None)


def draw_line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Svg:
    return build_element("line", class_=class_, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))


def draw_frame(
    key: str, title: str, description: str, height: float, shapes: Sequence[Svg], width: float = WIDTH
) -> Svg:
    """The figure around its shapes, with a title and a description for screen readers."""
    head = [build_element("title", title, id=f"{key}-t"), build_element("desc", description, id=f"{key}-d")]
    box = f"0 0 {format_number(float(width))} {format_number(float(height))}"
    labels = {"aria_labelledby": f"{key}-t", "aria_describedby": f"{key}-d"}
    return build_element("svg", *head, *shapes, class_="chart", viewBox=box, role="img", **labels)


def standalone_svg(figure: Svg) -> str:
    """The figure as a file: with namespace, size and a style sheet for a white page."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', figure)
    if box is None:
        raise ValueError("not a figure of frame()")
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{box[1]}" height="{box[2]}" '
    drawn = figure.replace("<svg ", start, 1)
    end = drawn.index(">") + 1
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn[:end]}<style>{paper_style()}</style>{drawn[end:]}\n'


def nice_step(span: float, max_steps: int = 5) -> float:
    """The smallest of 1, 2, 2.5, 5 x 10^k that cuts the span into at most `max_steps`. Raises ValueError below 0."""
    import math

    if not span > 0:
        raise ValueError(f"a span is above 0, not {span!r}")
    power = 10.0 ** math.floor(math.log10(span / max_steps))
    steps = (power * factor for factor in (1, 2, 2.5, 5, 10, 20))
    return next(step for step in steps if span / step <= max_steps + 1e-9)
