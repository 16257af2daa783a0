r"""A paper as LaTeX source, one file: `\title`, the abstract, `\section`s, `\keywords`. Files that it includes are not
read, but counted. Comments, floats and displayed formulas are left out; pylatexenc makes plain text of the rest."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from epitome.formats.declared_encoding import UnknownEncoding
from epitome.formats.papers.latex_macros import BUILT_IN, MAX_GROWTH, Expander, read_definitions
from epitome.formats.papers.latex_source import (
    decode_latex,
    drop_formulas,
    find_close,
    resolve_conditions,
    strip_comments,
    unshield,
)
from epitome.formats.papers.paper import Paper, PaperFault, Section

_ABSTRACT = re.compile(r"\\begin\{abstract\}(.*?)\\end\{abstract\}|\\abstract\s*\{", re.DOTALL)
_SECTION = re.compile(r"\\section\*?\s*(?:\[[^\]]*\])?\s*\{")
_END = re.compile(r"\\appendix\b|\\bibliography\b|\\printbibliography\b|\\end\{document\}")
_MIN_ROOM = 1_000_000


def read_latex(path: Path, name: str) -> Iterator[Paper]:
    """The one paper of a file; its key is the file's name."""
    try:
        source = strip_comments(decode_latex(path.read_bytes()))
    except UnknownEncoding as error:
        raise PaperFault(f"{name}: {error}") from error
    if "\\begin{document}" not in source and "\\section" not in source:
        raise PaperFault(f"{name}: is no LaTeX document with sections")
    left_out: Counter[str] = Counter()
    source, macros = read_definitions(resolve_conditions(source, left_out))
    source = drop_formulas(source)
    expander = Expander({**BUILT_IN, **macros}, _make_test(), MAX_GROWTH * len(source) + _MIN_ROOM)
    preamble, begin, document = source.rpartition("\\begin{document}")
    title = "" if not begin else "".join(_find_commands(preamble))
    try:
        source = expander.expand(title + begin + document)
    except PaperFault as error:
        raise PaperFault(f"{name}: {error}") from error
    yield Paper(
        key=Path(name).name.removesuffix(".tex"),
        title=_plain(_argument_of(source, "title")),
        abstract=_plain(_find_abstract(source)),
        sections=tuple(_sections(source)),
        keywords=tuple(_split_words(_plain(_argument_of(source, "keywords")))),
        place=name,
        left_out={**left_out, **expander.left_out},
    )


def _make_test() -> Callable[[str], bool]:
    """Whether pylatexenc prints a macro, or drops it knowingly."""
    from pylatexenc.latex2text import get_default_latex_context_db

    known = get_default_latex_context_db()
    return lambda name: known.get_macro_spec(name) is not None


def _find_commands(preamble: str) -> Iterator[str]:
    """Title, abstract and keywords that stand before the document."""
    for command in ("title", "keywords", "abstract"):
        if match := re.search(rf"\\{command}\s*(?:\[[^\]]*\])?\s*\{{", preamble):
            yield preamble[match.start() : find_close(preamble, match.end() - 1) + 1]
    yield from (match[0] for match in re.finditer(r"\\begin\{abstract\}.*?\\end\{abstract\}", preamble, re.DOTALL))


def _split_words(text: str) -> Iterator[str]:
    return filter(None, (word.strip() for word in re.split("[,;]", text)))


def _sections(source: str) -> Iterator[Section]:
    begins = list(_SECTION.finditer(source))
    ending = _END.search(source, begins[0].end() if begins else 0)
    stop = ending.start() if ending else len(source)
    heads = [(begin, find_close(source, begin.end() - 1)) for begin in begins if begin.start() < stop]
    for index, (begin, closed) in enumerate(heads):
        until = heads[index + 1][0].start() if index + 1 < len(heads) else stop
        yield Section(_plain(source[begin.end() : closed]), _plain(source[closed + 1 : until]))


def _find_abstract(source: str) -> str:
    match = _ABSTRACT.search(source)
    if match is None:
        return ""
    return match[1] if match[1] is not None else source[match.end() : find_close(source, match.end() - 1)]


def _argument_of(source: str, command: str) -> str:
    r"""The argument of the first `\command{...}`, "" where there is none."""
    match = re.search(rf"\\{command}\s*(?:\[[^\]]*\])?\s*\{{", source)
    return source[match.end() : find_close(source, match.end() - 1)] if match else ""


def _plain(source: str) -> str:
    """Plain text, paragraphs separated by line breaks."""
    from pylatexenc.latex2text import LatexNodes2Text

    text = LatexNodes2Text(math_mode="text", strict_latex_spaces=False).latex_to_text(source, tolerant_parsing=True)
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return unshield("\n".join(re.sub(r" +([.,;:])", r"\1", paragraph) for paragraph in paragraphs if paragraph))
