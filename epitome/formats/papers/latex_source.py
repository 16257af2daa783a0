r"""The source of a LaTeX paper made ready to be read: decoded as it declares, without comments, verbatim texts,
conditions that do not hold, floats and displayed formulas.

Everything is cut by one scan from the left, so that `\\[2pt]` begins no formula, `\$$n$` is a dollar sign before a
formula, and `%` inside an address begins no comment.
"""

import re
from collections import Counter

from epitome.formats.declared_encoding import UnknownEncoding, decode_declared

_ENCODINGS = {
    "utf8": "utf-8", "utf8x": "utf-8", "ansinew": "cp1252", "applemac": "mac-roman", "latin9": "iso8859-15",
    "latin10": "iso8859-16", "macce": "mac-latin2", "cp437de": "cp437", "cp852": "cp852", "next": "latin-1",
}  # fmt: skip
_INPUTENC = re.compile(rb"\\usepackage\s*\[([^\]]*)\]\s*\{[^}]*\binputenc\b[^}]*\}|\\inputencoding\s*\{([^}]*)\}")
_MAGIC = re.compile(rb"^%+\s*!\s*TE?X\s+encoding\s*=\s*([\w -]+)|-\*-.*?\bcoding:\s*([\w-]+)", re.M | re.I)
_BYTE_COMMENT = re.compile(rb"(?<!\\)%[^\n]*")
_VERBATIM = "verbatim|Verbatim|BVerbatim|lstlisting|minted|comment|filecontents"
_FLOATS = (
    "figure", "table", "algorithm", "algorithmic", "equation", "align", "alignat", "flalign", "gather", "multline",
    "eqnarray", "displaymath", "math", "tabular", "tabularx", "longtable", "array", "tikzpicture", "pspicture",
    "thebibliography", "wrapfigure", "wraptable", "sidewaysfigure", "sidewaystable", "subequations", "IEEEeqnarray",
)  # fmt: skip
_FLOAT = re.compile(rf"\\begin\{{({'|'.join(_FLOATS)})(\*?)\}}.*?\\end\{{\1\2\}}", re.DOTALL)
_CODE = re.compile(
    rf"\\begin\{{(?P<env>(?:{_VERBATIM})\*?)\}}.*?\\end\{{(?P=env)\}}"
    r"|\\(?:verb\*?|lstinline(?:\[[^\]]*\])?|mintinline\{\w*\})(?P<mark>[^A-Za-z\s*])(?P<code>.*?)(?P=mark)"
    r"|\\(?P<address>url|path|nolinkurl|href)\s*(?:\[[^\]]*\]\s*)?(?=\{)"
    r"|\\."
    r"|%[^\n]*(?:\n[ \t]*(?=[^\s%])|)",
    re.DOTALL,
)
_CONDITION = re.compile(r"\\(if(?!thenelse)[A-Za-z@]*|else|fi)(?![A-Za-z@])\s?")
_NEW_CONDITION = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_FORMULA = re.compile(
    r"(?P<line>\\\\\*?(?:[ \t]*\[[^\]\n]{0,30}\])?)"
    r"|(?P<shown>\\\[.*?\\\]|\$\$.*?\$\$)"
    r"|\\."
    r"|\$(?:\\.|[^$\\])++\$",
    re.DOTALL,
)
_SHIELD = 0xE000
"""Characters of verbatim texts that mean something in LaTeX stand in this private range until the text is plain."""
_SPECIAL = "\\{}$&#^_~%`'-<>\"|[]"
_SHIELDED = {ord(char): chr(_SHIELD + ord(char)) for char in _SPECIAL}
_PLAIN = {_SHIELD + ord(char): char for char in _SPECIAL}


def decode_latex(raw: bytes) -> str:
    """The text of a file in the encoding that inputenc or a comment of an editor names, else in UTF-8. A file that is
    UTF-8 although it declares an older encoding is read as UTF-8. Raises UnknownEncoding."""
    declarations = _INPUTENC.findall(_BYTE_COMMENT.sub(b"", raw)) or _MAGIC.findall(raw[:2000])
    options = next((name for name in declarations[-1] if name), b"") if declarations else b""
    declared = options.decode("ascii", "replace").split(",")[-1].strip().lower()
    try:
        return decode_declared(raw, "")
    except UnknownEncoding:
        if not declared:
            raise
    return decode_declared(raw, _ENCODINGS.get(declared, declared))


def shield(text: str) -> str:
    """A text that no later step takes for LaTeX."""
    return text.translate(_SHIELDED)


def unshield(text: str) -> str:
    return text.translate(_PLAIN)


def strip_comments(source: str) -> str:
    r"""The source without comments; verbatim texts in a line are shielded, blocks of them and addresses left out, and
    of `\href{address}{text}` the text stays."""
    pieces: list[str] = []
    position = 0
    while match := _CODE.search(source, position):
        pieces.append(source[position : match.start()])
        position = match.end()
        if match["address"]:
            position = min(find_close(source, position) + 1, len(source))
        elif match["mark"]:
            pieces.append(shield(match["code"]))
        elif match[0].startswith("\\begin"):
            pieces.append(" ")
        elif match[0].startswith("\\"):
            pieces.append(match[0])
    return "".join([*pieces, source[position:]])


def resolve_conditions(source: str, left_out: Counter[str]) -> str:
    r"""The source without what stands in `\iffalse`, and in a condition of its own (`\newif`) that is not switched on.
    Conditions that need TeX are kept with all their branches, and counted."""
    switched = {
        name: re.search(rf"\\{name}true(?![A-Za-z@])", source) is not None for name in _NEW_CONDITION.findall(source)
    }
    known = {"iffalse": False, "iftrue": True, **{f"if{name}": is_on for name, is_on in switched.items()}}
    source = _NEW_CONDITION.sub("", source)
    for name in switched:
        source = re.sub(rf"\\{name}(?:true|false)(?![A-Za-z@])\s?", "", source)
    pieces: list[str] = []
    open_conditions: list[bool | None] = []
    position = 0
    for match in _CONDITION.finditer(source):
        if False not in open_conditions:
            pieces.append(source[position : match.start()])
        position = match.end()
        if match[1] == "fi":
            open_conditions = open_conditions[:-1]
        elif match[1] == "else":
            last = open_conditions[-1] if open_conditions else None
            open_conditions[-1:] = [None if last is None else not last]
        else:
            open_conditions.append(known.get(match[1]))
            left_out["conditions of TeX"] += match[1] not in known
    if False not in open_conditions:
        pieces.append(source[position:])
    return "".join(pieces)


def drop_formulas(source: str) -> str:
    r"""The source without floats and displayed formulas; line breaks (`\\[2pt]`) become blanks."""
    source = _FLOAT.sub(" ", source)
    return _FORMULA.sub(lambda match: " " if match["line"] or match["shown"] else match[0], source)


def find_close(source: str, opening: int) -> int:
    """The place of the brace that closes the one at `opening`; the end of the text where none does."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(source, opening):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return len(source)
