r"""Expands the macros of a LaTeX paper: its own (`\newcommand`, `\def`), and those of common packages whose arguments
are no text (boxes, citations, colours, siunitx). Macros that neither we nor pylatexenc know are counted."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from epitome.formats.papers.latex_source import find_close
from epitome.formats.papers.paper import PaperFault
from epitome.formats.papers.siunitx import SIUNITX

MAX_DEPTH = 40
MAX_GROWTH = 20
"""How many times longer than its source a paper may become."""
_CONTROL = re.compile(r"\\([A-Za-z@]+|.)", re.DOTALL)
_SPACE = re.compile(r"\s*")
_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re)?newcommand|providecommand|DeclareRobustCommand|newrobustcmd|DeclareMathOperator)\*?"
    r"\s*\{?\s*\\(?P<name>[A-Za-z@]+)\s*\}?\s*(?:\[(?P<count>\d)\]\s*)?(?:\[(?P<default>[^\]]*)\]\s*)?"
    r"|(?:long\s*\\)?[gex]?def\s*\\(?P<def>[A-Za-z@]+)\s*(?P<parameters>(?:#\d)*)\s*)(?=\{)"
)


class Macro(NamedTuple):
    """arguments: s for a star, o for an optional one, m for one in braces. body: with #1 for the first that is no star;
    or a function of all of them. default: of the first optional one."""

    arguments: str
    body: str | Callable[[list[str]], str]
    default: str = ""


def _table(names: str, arguments: str, body: str) -> dict[str, Macro]:
    return {name: Macro(arguments, body) for name in names.split()}


_FONTS = "texttt textsf textmd textup textrm textnormal textsc textbf textit textsl emph mbox hbox fbox uline"
_CITED = (
    "cite citep citet citealp citealt citeauthor citeyear citeyearpar nocite newcite shortcite parencite textcite "
    "citeN autocite footcite fullcite Cite Citep Citet Textcite Parencite Autocite citeA onlinecite"
)
_REFERRED = "ref eqref cref Cref autoref pageref nameref vref Vref labelcref label index bibliographystyle"
_SPACES = "vspace hspace includegraphics pagestyle thispagestyle phantom hphantom vphantom"
_SETTINGS = "hypersetup graphicspath pagenumbering linespread selectlanguage author date affil institute email"
_SILENT = "xspace centering noindent protect relax maketitle tableofcontents sloppy"
_WORDS = {"eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "cf": "cf.", "vs": "vs."}
"""Macros of common style files, which rarely come with a paper."""
BUILT_IN: dict[str, Macro] = {
    **_table(f"{_FONTS} textsuperscript textsubscript underline textquote", "m", "#1"),
    **_table("text mathrm ensuremath operatorname nohyphens MakeUppercase MakeLowercase", "sm", "#1"),
    **_table("makebox framebox", "oom", "#3"),
    **_table("parbox", "ooomm", "#5"),
    **_table("raisebox", "moom", "#4"),
    **_table("scalebox rotatebox", "omom", "#4"),
    **_table("resizebox", "smmm", "#3"),
    **_table("textcolor colorbox foreignlanguage", "omm", "#3"),
    **_table("fcolorbox", "ommm", "#4"),
    **_table("adjustbox hyperlink hypertarget", "mm", "#2"),
    **_table("enquote", "sm", "“#1”"),
    **_table("color footnote footnotetext thanks todo", "om", ""),
    **_table(_CITED, "soom", ""),
    **_table(_REFERRED, "sm", ""),
    **_table(_SPACES, "som", ""),
    **_table("setlength addtolength setcounter addtocounter", "mm", ""),
    **_table(_SETTINGS, "om", ""),
    **_table(_SILENT, "", ""),
    **_table("hyperref", "om", "#2"),
    **_table("footnotemark", "o", ""),
    **_table("item", "o", "\n\n#1 "),
    **_table("subsection subsubsection", "som", "\n\n#2\n\n"),
    **_table("paragraph subparagraph", "som", "\n\n#2 "),
    **_table("par newpage clearpage pagebreak", "", "\n\n"),
    **_table("newline linebreak", "o", " "),
    **{name: Macro("", words) for name, words in _WORDS.items()},
    **{name: Macro("s", name) for name in ("argmax", "argmin", "LaTeX", "TeX", "BibTeX")},
    **_table("gls Gls glspl Glspl acrshort ac acp acs acf Ac", "som", "#2"),
    **{name: Macro(arguments, function) for name, (arguments, function) in SIUNITX.items()},
}
_LISTS = ("itemize", "enumerate", "description", "compactitem", "compactenum", "inparaenum")
_BLOCKS = {
    **dict.fromkeys(_LISTS, "o"),
    "minipage": "ooom", "multicols": "mo", "spacing": "m", "adjustwidth": "mm", "tcolorbox": "o",
    "mdframed": "o", "quote": "", "quotation": "", "center": "", "flushleft": "", "flushright": "", "small": "",
}  # fmt: skip
"""Environments that stand by themselves, with arguments that are no text."""
_FILES = frozenset(("input", "include", "subfile", "import", "subimport", "includestandalone", "InputIfFileExists"))
_STRUCTURE = frozenset(
    ("begin", "end", "section", "title", "abstract", "keywords", "appendix", "bibliography", "printbibliography")
)


def read_definitions(source: str) -> tuple[str, dict[str, Macro]]:
    """(the source without definitions, the macros that it defines); of two definitions the later one counts."""
    macros: dict[str, Macro] = {}
    pieces: list[str] = []
    position = 0
    while match := _DEFINITION.search(source, position):
        closing = find_close(source, match.end())
        body = source[match.end() + 1 : closing]
        pieces.append(source[position : match.start()])
        position = closing + 1
        name = match["name"] or match["def"]
        count = int(match["count"] or 0) if match["new"] else len(match["parameters"]) // 2
        optional = "o" if match["default"] is not None and count else ""
        if name not in _STRUCTURE and not re.search(rf"\\{name}(?![A-Za-z@])", body):
            macros[name] = Macro(optional + "m" * (count - len(optional)), body, match["default"] or "")
    return "".join([*pieces, source[position:]]), macros


@dataclass
class Expander:
    """macros: the paper's own before those of packages. left_out: files that are not read and macros that nobody knows
    -> how often."""

    macros: Mapping[str, Macro]
    is_known: Callable[[str], bool]
    room: int
    left_out: Counter[str] = field(default_factory=Counter)

    def expand(self, source: str, depth: int = 0) -> str:
        """The source with macros expanded. Raises PaperFault for macros that never end."""
        self.room -= len(source)
        if depth > MAX_DEPTH or self.room < 0:
            raise PaperFault("its macros expand without end")
        pieces: list[str] = []
        position = 0
        while match := _CONTROL.search(source, position):
            pieces.append(source[position : match.start()])
            name, position = match[1], match.end()
            macro = self.macros.get(name)
            if name in ("begin", "end"):
                text, position = self._read_environment(source, match)
                pieces.append(text)
            elif name in _FILES:
                position = _skip_file(source, position)
                self.left_out["files that it includes"] += 1
            elif macro is None:
                pieces.append(match[0])
                if len(name) > 1 and name not in _STRUCTURE and not self.is_known(name):
                    self.left_out[f"unknown macro \\{name}"] += 1
            else:
                arguments, position = read_arguments(source, position, macro.arguments, macro.default)
                text = macro.body(arguments) if callable(macro.body) else _fill(macro.body, arguments)
                pieces.append(self.expand(text, depth + 1))
        return "".join([*pieces, source[position:]])

    def _read_environment(self, source: str, match: re.Match[str]) -> tuple[str, int]:
        """The begin or end of an environment without arguments that are no text, and the place behind."""
        label = re.compile(r"\s*\{([^{}]*)\}").match(source, match.end())
        if label is None:
            return match[0], match.end()
        name, position = label[1].rstrip("*"), label.end()
        if name not in _BLOCKS:
            return f"\\{match[1]}{{{label[1]}}}", position
        if match[1] == "begin":
            position = read_arguments(source, position, _BLOCKS[name])[1]
        return "\n\n", position


def _skip_file(source: str, position: int) -> int:
    """The place behind a file's name, in braces or after a blank."""
    name = re.compile(r"\s*\{[^}]*\}(?:\s*\{[^}]*\})?|[ \t]+[^\s\\{}]+").match(source, position)
    return name.end() if name else position


def read_arguments(source: str, position: int, kinds: str, default: str = "") -> tuple[list[str], int]:
    """(arguments, place behind the last one); an optional one that is not there is the default or empty."""
    arguments: list[str] = []
    for kind in kinds:
        space = _SPACE.match(source, position)
        begin = space.end() if space else position
        if kind == "s":
            position = begin + 1 if source.startswith("*", begin) else position
            continue
        if kind == "o":
            end = _find_bracket(source, begin) if source.startswith("[", begin) else -1
            arguments.append(source[begin + 1 : end] if end >= 0 else default)
            position, default = (end + 1 if end >= 0 else position), ""
        elif source.startswith("{", begin):
            end = find_close(source, begin)
            arguments.append(source[begin + 1 : end])
            position = min(end + 1, len(source))
        else:
            token = re.compile(r"\\[A-Za-z@]+|\\.|[^\s{}]", re.DOTALL).match(source, begin)
            arguments.append(token[0] if token else "")
            position = token.end() if token else position
    return arguments, position


def _find_bracket(source: str, opening: int) -> int:
    """The place of the bracket that closes the one at `opening`, outside braces; -1 for none near by."""
    depth = 0
    for match in re.compile(r"\\.|[{}\]]", re.DOTALL).finditer(source, opening, opening + 2000):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match[0] == "]" and depth <= 0:
            return match.start()
    return -1


def _fill(body: str, arguments: list[str]) -> str:
    """The body with its arguments; what it asks for beyond them is empty."""
    return re.sub(r"#([1-9])", lambda match: "".join(arguments[int(match[1]) - 1 : int(match[1])]), body)
