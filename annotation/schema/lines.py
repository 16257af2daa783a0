"""Where the keys of a TOML text stand: the standard parser gives values without line numbers."""

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_TOKEN = re.compile(
    r'''
      """(?:\\.|[^\\]|\\\Z)*?(?:"{3,5}|\Z)        # strings over several lines; an open one ends with the text
    | \'\'\'.*?(?:\'{3,5}|\Z)
    | "(?:\\[^\n]|[^"\\\n]|\\(?=\n|\Z))*"?        # an open one ends with its line
    | \'[^\'\n]*\'?
    | \#[^\n]*
    | \n
    | [^\S\n]+
    | [\[\]{}=.,]
    | [^\s"'\#\[\]{}=.,]+
    ''',
    re.VERBOSE | re.DOTALL,
)


def find_lines(text: str) -> dict[Path, int]:
    """Line (from 1) of each table header and key: ("attribute", 1, "values") is `values` of the second
    [[attribute]]. Keys inside inline tables are not listed. Works on faulty text as far as it makes sense."""
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for line, pieces in _statements(text):
        if pieces[0] == "[":
            many = pieces[1:2] == ["["]
            parts = _key(pieces[2 if many else 1 :])
            table = _resolve((), parts[:-1], counts) + tuple(parts[-1:])
            if many:
                counts[table] = counts.get(table, 0) + 1
                lines.setdefault(table, line)
                table = (*table, counts[table] - 1)
            lines.setdefault(table, line)
        elif "=" in pieces:
            parts = _key(pieces)
            for end in range(1, len(parts) + 1):
                lines.setdefault((*table, *parts[:end]), line)
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a path, or of the nearest thing around it that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def last_path(lines: dict[Path, int], line: int) -> Path:
    """What begins at or last before a line: the place of a syntax error."""
    before = [(at, number, path) for number, (path, at) in enumerate(lines.items()) if at <= line]
    return max(before)[2] if before else ()


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """(first line, pieces) of each header or key; a value may run over several lines."""
    line, start, depth = 1, 1, 0
    pieces: list[str] = []
    for found in _TOKEN.finditer(text):
        piece = found.group()
        if piece == "\n" and (depth == 0 or pieces[:1] == ["["]):  # a header that does not close ends with its line
            if pieces:
                yield start, pieces
            pieces, depth = [], 0
        elif not piece.isspace() and not piece.startswith("#"):
            start = start if pieces else line
            pieces.append(piece)
            depth = max(0, depth + (piece in "[{") - (piece in "]}"))
        line += piece.count("\n")
    if pieces:
        yield start, pieces


def _key(pieces: list[str]) -> list[str]:
    """The parts of a dotted key at the front of the pieces."""
    parts = []
    for piece in pieces:
        if piece in ("=", "]", "[") or "\n" in piece:
            break
        if piece != ".":
            parts.append(piece.strip("\"'"))
    return parts


def _resolve(path: Path, parts: list[str], counts: dict[Path, int]) -> Path:
    """A header's path with the number of the last entry of each list it goes through."""
    for part in parts:
        path = (*path, part)
        if path in counts:
            path = (*path, counts[path] - 1)
    return path
