"""SVG drawing with CSS classes only: a figure has no colours, fonts or styles, so it fits light and dark themes.

All content of a drawing is escaped here. `Svg` declares that by `__html__`, the protocol of template engines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

WIDTH = 320
"""Width of a small figure in its own units: about the pixels of a phone, so that text keeps its size there."""
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_PAPER = """
svg { font-family: system-ui, "Liberation Sans", Arial, sans-serif; background: #fff; }
text { font-size: 11px; font-weight: 500; fill: #4b4e54; }
text.title { font-size: 12px; font-weight: 600; fill: #1b1c1f; }
text.strong { fill: #1b1c1f; font-weight: 600; } text.faint { fill: #62656c; }
text.end { text-anchor: end; } text.mid { text-anchor: middle; }
.axis { stroke: #85877f; } .grid { stroke: #e3e3de; } .bar { fill: #62656c; } .bar.lead { fill: #2346b5; }
.rail { fill: #e3e3de; } .band { fill: #e9eefc; stroke: #aebdf0; } .whisker { stroke: #1b1c1f; }
.goal { stroke: #1b1c1f; stroke-dasharray: 3 2; } .dot { fill: #fff; stroke: #4b4e54; stroke-width: 1.75; }
.dot.lead { fill: #2346b5; stroke: #2346b5; } .mark { fill: #1b1c1f; } .bar.s1 { fill: #2346b5; }
.bar.s2 { fill: #85877f; } .bar.s3 { fill: #7d5000; } text.light { fill: #fff; font-weight: 600; }
.heat0 { fill: #f4f4f1; } .heat1 { fill: #dfe6fa; } .heat2 { fill: #bccbf5; } .heat3 { fill: #93abec; }
.heat4 { fill: #6a88de; } .heat5 { fill: #4163ca; } .heat6 { fill: #2346b5; }
"""


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
        if value is None:
            continue
        name = name.rstrip("_").replace("_", "-") if name != "viewBox" else name
        if not _NAME.fullmatch(name) or name == "style" or name.startswith("on"):
            raise ValueError(f"{name} is no attribute of a drawing")
        attribute_texts.append(f' {name}="{escape_text(format_number(value) if isinstance(value, float) else value)}"')
    inside = "".join(child if isinstance(child, Svg) else escape_text(child) for child in children)
    return Svg(
        f"<{tag}{''.join(attribute_texts)}>{inside}</{tag}>" if children else f"<{tag}{''.join(attribute_texts)}/>"
    )


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
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn[:end]}<style>{_PAPER}</style>{drawn[end:]}\n'


def nice_step(span: float, max_steps: int = 5) -> float:
    """The smallest of 1, 2, 2.5, 5 x 10^k that cuts the span into at most `max_steps`. Raises ValueError below 0."""
    import math

    if not span > 0:
        raise ValueError(f"a span is above 0, not {span!r}")
    power = 10.0 ** math.floor(math.log10(span / max_steps))
    steps = (power * factor for factor in (1, 2, 2.5, 5, 10, 20))
    return next(step for step in steps if span / step <= max_steps + 1e-9)
