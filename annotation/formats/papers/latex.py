r"""A paper as LaTeX source, one file: `\title`, the abstract, `\section`s, `\keywords`. Files that it includes are not
read. Comments, floats and displayed formulas are left out; pylatexenc makes plain text of the rest."""

import re
from collections.abc import Iterator
from pathlib import Path

from annotation.formats.papers.paper import Paper, PaperFault, Section

_COMMENT = re.compile(r"(?<!\\)%.*")
_FLOATS = (
    "figure", "table", "algorithm", "equation", "align", "gather", "multline", "eqnarray", "displaymath",
    "tabular", "lstlisting", "verbatim", "tikzpicture", "thebibliography", "comment",
)  # fmt: skip
_FLOAT = re.compile(rf"\\begin\{{({'|'.join(_FLOATS)})(\*?)\}}.*?\\end\{{\1\2\}}", re.DOTALL)
_DISPLAYED = re.compile(r"\\\[.*?\\\]|\$\$.*?\$\$", re.DOTALL)
_ABSTRACT = re.compile(r"\\begin\{abstract\}(.*?)\\end\{abstract\}|\\abstract\s*\{", re.DOTALL)
_SECTION = re.compile(r"\\section\*?\s*(?:\[[^\]]*\])?\s*\{")
_END = re.compile(r"\\appendix\b|\\bibliography\b|\\printbibliography\b|\\end\{document\}")
_DROPPED = re.compile(r"\\(?:cite[a-z]*|ref|eqref|cref|label|footnote|url)\*?\s*(?:\[[^\]]*\]\s*)*\{")


def read_latex(path: Path, name: str) -> Iterator[Paper]:
    """The one paper of a file; its key is the file's name."""
    source = _COMMENT.sub("", path.read_bytes().decode("utf-8", errors="replace"))
    if "\\begin{document}" not in source and "\\section" not in source:
        raise PaperFault(f"{name}: is no LaTeX document with sections")
    source = _DISPLAYED.sub(" ", _FLOAT.sub(" ", source))
    yield Paper(
        key=Path(name).name.removesuffix(".tex"),
        title=_plain(_argument_of(source, "title")),
        abstract=_plain(_find_abstract(source)),
        sections=tuple(_sections(source)),
        keywords=tuple(_split_words(_plain(_argument_of(source, "keywords")))),
        place=name,
    )


def _split_words(text: str) -> Iterator[str]:
    return filter(None, (word.strip() for word in re.split("[,;]", text)))


def _sections(source: str) -> Iterator[Section]:
    begins = list(_SECTION.finditer(source))
    ending = _END.search(source, begins[0].end() if begins else 0)
    stop = ending.start() if ending else len(source)
    heads = [(begin, _close(source, begin.end() - 1)) for begin in begins if begin.start() < stop]
    for number, (begin, closed) in enumerate(heads):
        until = heads[number + 1][0].start() if number + 1 < len(heads) else stop
        yield Section(_plain(source[begin.end() : closed]), _plain(source[closed + 1 : until]))


def _find_abstract(source: str) -> str:
    match = _ABSTRACT.search(source)
    if match is None:
        return ""
    return match[1] if match[1] is not None else source[match.end() : _close(source, match.end() - 1)]


def _argument_of(source: str, command: str) -> str:
    r"""The argument of the first `\command{...}`, "" where there is none."""
    match = re.search(rf"\\{command}\s*(?:\[[^\]]*\])?\s*\{{", source)
    return source[match.end() : _close(source, match.end() - 1)] if match else ""


def _close(source: str, opening: int) -> int:
    """The place of the brace that closes the one at `opening`; the end of the text where none does."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, opening):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return len(source)


def _plain(source: str) -> str:
    """Plain text, paragraphs parted by line breaks; citations, references and footnotes left out."""
    from pylatexenc.latex2text import LatexNodes2Text

    while match := _DROPPED.search(source):
        source = source[: match.start()] + source[_close(source, match.end() - 1) + 1 :]
    text = LatexNodes2Text(math_mode="text", strict_latex_spaces=False).latex_to_text(source, tolerant_parsing=True)
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return "\n".join(re.sub(r" +([.,;:])", r"\1", paragraph) for paragraph in paragraphs if paragraph)
