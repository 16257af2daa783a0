"""One HTML file with tables and figures: no script, nothing from elsewhere, light, dark and on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from epitome.figures.forest import Forest
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Table
from epitome.reports.file_sections import Section

LIGHT = {
    "page": "#fafaf8",
    "line": "#e3e3de",
    "line-strong": "#85877f",
    "ink": "#1b1c1f",
    "ink-3": "#62656c",
    "accent": "#2346b5",
}
"""The colours of the site's style sheets (static/css/tokens.css), without their dashes."""
DARK = {
    "page": "#131416",
    "line": "#303238",
    "line-strong": "#81858e",
    "ink": "#e9e9e6",
    "ink-3": "#9c9fa6",
    "accent": "#9db4ff",
}
STYLE = """
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--page); color: var(--ink);
  font: 400 0.9375rem/1.45 system-ui, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.875rem; line-height: 1.25; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.375rem; margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
h3 { font-size: 1.0625rem; margin: 2rem 0 0.75rem; }
a { color: var(--accent); }
nav ul { padding: 0; margin: 1rem 0; list-style: none; }
p.note, .why, code, figcaption, small { color: var(--ink-3); font-size: 0.8125rem; }
p.note { margin: 0.5rem 0; max-width: 66ch; }
code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; min-width: 20rem; }
th, td { padding: 0.35rem 1rem 0.35rem 0; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; } thead th { border-bottom-color: var(--line-strong); }
th.text, td.text { text-align: left; font-weight: 400; overflow-wrap: break-word; }
th[scope="row"] { min-width: 7rem; }
thead th.text { font-weight: 600; }
td small { display: block; white-space: nowrap; }
figure { margin: 1.5rem 0; max-width: 46rem; }
figcaption { margin-bottom: 0.5rem; }
.forest .line { display: grid; grid-template-columns: minmax(6rem, 13rem) minmax(0, 1fr) 11rem; column-gap: 1.5rem;
  align-items: center; }
.forest .group { font-weight: 600; padding-top: 0.75rem; }
.forest .name { font-weight: 500; overflow-wrap: anywhere; }
.forest .value { text-align: right; font-weight: 600; line-height: 1.15; }
.forest .value small { display: block; font-weight: 400; }
.plot { width: 100%; height: 2.5rem; overflow: visible; display: block; }
.axis-row { height: 1.5rem; }
.plot .hit { fill: transparent; }
.plot .axis { stroke: var(--line-strong); }
.plot .ci { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; }
.plot .dot { fill: var(--accent); stroke: var(--page); stroke-width: 2; }
.plot text { font: 400 0.8125rem system-ui, sans-serif; fill: var(--ink-3); }
.plot text.mid { text-anchor: middle; } .plot text.end { text-anchor: end; }
@media (max-width: 40rem) {
  body { padding-inline: 1rem; }
  .forest .line { grid-template-columns: minmax(0, 1fr) auto; row-gap: 0; padding-block: 0.25rem; }
  .forest .line > .plot { grid-column: 1 / -1; grid-row: 2; }
  .forest .value small { display: inline; margin-left: 0.5rem; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-before: auto; } h2, h3, figcaption { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .wide { overflow: visible; }
}
"""


def write_html(title: str, sections: Sequence[Section], version: str = "") -> str:
    """The whole file. version: of Epitome, named at the end."""
    body = "\n".join(_write_section(number, section) for number, section in enumerate(sections, 1))
    origin = f"Made by Epitome{f' {version}' if version else ''}."
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_colours()}{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{_contents(sections)}\n{body}\n"
        f'<p class="note">{escape(origin)} Numbers with their 95 % intervals where there are any.</p>\n'
        "</main>\n</body>\n</html>\n"
    )


def _colours() -> str:
    """Custom properties, light on paper in any case."""
    light, dark = (" ".join(f"--{name}: {colour};" for name, colour in theme.items()) for theme in (LIGHT, DARK))
    return (
        f"\n:root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def _contents(sections: Sequence[Section]) -> str:
    if len(sections) < 2:
        return ""
    links = "".join(f'<li><a href="#s{n}">{escape(section.title)}</a></li>' for n, section in enumerate(sections, 1))
    return f'<nav aria-label="Files"><ul>{links}</ul></nav>'


def _write_section(number: int, section: Section) -> str:
    lines = [f'<section aria-labelledby="s{number}">', f'<h2 id="s{number}">{escape(section.title)}</h2>']
    lines += [f'<p class="note">{escape(note)}</p>' for note in section.notes]
    for table, figures in zip(section.tables, section.figures, strict=True):
        lines += [f"<h3>{escape(table.title)}</h3>"] if table.title != section.title else []
        lines += [_write_forest(figure, is_named=figure.title != table.title) for figure in figures]
        lines += _write_table(table)
    if signatures := dict.fromkeys(table.signature for table in section.tables if table.signature):
        lines += [f'<p class="note">Signature: <code>{escape(signature)}</code></p>' for signature in signatures]
    return "\n".join([*lines, "</section>"])


def _write_forest(figure: Forest, *, is_named: bool) -> str:
    rows = "".join(
        f"{_write_heading(line.heading)}"
        f'<div class="line"><div class="name" dir="auto">{escape(line.row.label)}</div>{line.plot}'
        f'<div class="value">{escape(line.row.value_text)} <small>{escape(line.row.small)}</small></div></div>'
        for line in figure.lines()
    )
    axis = f'<div class="line"><div></div>{figure.axis()}<div></div></div>'
    label = escape(f"{figure.title}. {figure.description}", quote=True)
    return (
        f"<figure>{f'<figcaption>{escape(figure.title)}</figcaption>' if is_named else ''}"
        f'<div class="forest" role="img" aria-label="{label}">{rows}{axis}</div></figure>'
    )


def _write_heading(heading: str) -> str:
    return f'<div class="group" dir="auto">{escape(heading)}</div>' if heading else ""


def _write_table(table: Table) -> Iterator[str]:
    rendered = render_table(table, gettext=str)
    yield f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title, quote=True)}"><table>'
    yield f"<thead>{_write_heads(rendered)}</thead><tbody>"
    for first, others, _quoted in rendered.marked_rows:
        cells = "".join(
            f"<td{_text_class(cell.align_left)}>{escape(cell.text)}"
            f"{f'<small>{escape(cell.small)}</small>' if cell.small else ''}</td>"
            for cell in others
        )
        yield f'<tr><th scope="row"{_text_class(first.align_left)} dir="auto">{escape(first.text)}</th>{cells}</tr>'
    yield "</tbody></table></div>"
    yield from (f'<p class="note">{escape(mark)}: {escape(why)}.</p>' for mark, why in rendered.whys)
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)


def _write_heads(rendered: RenderedTable) -> str:
    groups = ""
    if rendered.heads:
        spans = "".join(f'<th colspan="{span}">{escape(label)}</th>' for label, span in rendered.heads)
        groups = f"<tr>{spans}</tr>"
    labels = "".join(
        f'<th scope="col"{_text_class(is_text)}>{escape(label)}</th>' for label, is_text in rendered.labels
    )
    return f"{groups}<tr>{labels}</tr>"


def _text_class(is_text: bool) -> str:
    return ' class="text"' if is_text else ""
