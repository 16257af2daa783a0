"""The colours of figures, for files on white paper: standalone SVG and PDF.

On pages the same classes get the same names of colours from static/css; a test compares both.
"""

from dataclasses import dataclass

COLOURS = {
    "surface": "#ffffff",
    "line": "#e3e3de",
    "line-strong": "#85877f",
    "ink": "#1b1c1f",
    "ink-2": "#4b4e54",
    "ink-3": "#62656c",
    "accent": "#2346b5",
    "accent-soft": "#e9eefc",
    "accent-line": "#aebdf0",
    "copied-line": "#b27c06",
    "heat-0": "#f2f2ef",
    "heat-1": "#e3e9fb",
    "heat-2": "#c6d3f6",
    "heat-3": "#a2b6ee",
    "heat-4": "#7590e0",
    "heat-5": "#3d5fc9",
    "heat-6": "#1a3590",
    "heat-ink-deep": "#ffffff",
}
"""Custom property of static/css/tokens.css (without its dashes) -> its colour in the light theme."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Names of the colours that fill and outline a shape."""

    fill: str | None = None
    stroke: str | None = None

    @property
    def fill_colour(self) -> str | None:
        return self.fill and COLOURS[self.fill]

    @property
    def stroke_colour(self) -> str | None:
        return self.stroke and COLOURS[self.stroke]


SHAPES = {
    "axis": Paint(stroke="line-strong"),
    "grid": Paint(stroke="line"),
    "bar": Paint("ink-3"),
    "bar lead": Paint("accent"),
    "bar s1": Paint("accent"),
    "bar s2": Paint("line-strong"),
    "bar s3": Paint("copied-line"),
    "rail": Paint("line"),
    "band": Paint("accent-soft", "accent-line"),
    "whisker": Paint(stroke="ink"),
    "curve s1": Paint(stroke="accent"),
    "curve s2": Paint(stroke="line-strong"),
    "curve s3": Paint(stroke="copied-line"),
    "goal": Paint(stroke="ink"),
    "dot": Paint("surface", "ink-2"),
    "dot lead": Paint("accent", "accent"),
    "mark": Paint("accent"),
    **{f"heat{step}": Paint(f"heat-{step}") for step in range(7)},
}
"""Class of a shape -> its paint."""
TEXTS = {"title": "ink", "strong": "ink", "faint": "ink-3", "light": "heat-ink-deep"}
"""Class of a text -> its colour; a text of no such class has PLAIN_TEXT."""
PLAIN_TEXT = "ink-2"
TEXT_SIZE = 11
TITLE_SIZE = 12


def text_colour(classes: list[str]) -> str:
    """The colour of a text with these classes."""
    return COLOURS[next((TEXTS[name] for name in classes if name in TEXTS), PLAIN_TEXT)]


def paper_style() -> str:
    """The style sheet of a figure that is saved as a file of its own."""
    rules = [
        f'svg {{ font-family: system-ui, "Liberation Sans", Arial, sans-serif; background: {COLOURS["surface"]}; }}',
        f"text {{ font-size: {TEXT_SIZE}px; font-weight: 500; fill: {COLOURS[PLAIN_TEXT]}; }}",
        *(f"text.{name} {{ fill: {COLOURS[colour]}; }}" for name, colour in TEXTS.items()),
        f"text.title {{ font-size: {TITLE_SIZE}px; }}",
        "text.title, text.strong, text.light { font-weight: 600; }",
        "text.end { text-anchor: end; } text.mid { text-anchor: middle; }",
        *(_shape_rule(name, paint) for name, paint in SHAPES.items()),
        ".goal { stroke-dasharray: 3 2; } .dot { stroke-width: 1.75; }",
    ]
    return "\n" + "\n".join(rules) + "\n"


def _shape_rule(name: str, paint: Paint) -> str:
    colours = (("fill", paint.fill_colour), ("stroke", paint.stroke_colour))
    declarations = "".join(f" {key}: {colour};" for key, colour in colours if colour)
    return f".{name.replace(' ', '.')} {{{declarations} }}"
