"""Line numbers of the keys in a TOML text: the standard parser gives values without line numbers."""

import re
from collections.abc import Iterator

KeyPath = tuple[str | int, ...]

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


def find_lines(text: str) -> dict[KeyPath, int]:
    """Line (from 1) of each table header and key: ("attribute", 1, "values") is `values` of the second
    [[attribute]]. Keys inside inline tables are not listed. Works on invalid text as far as possible."""
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for line, pieces in _split_statements(text):
        if pieces[0] == "[":
            is_array = pieces[1:2] == ["["]
            key_parts = _parse_key(pieces[2 if is_array else 1 :])
            table = _resolve_path((), key_parts[:-1], counts) + tuple(key_parts[-1:])
            if is_array:
                counts[table] = counts.get(table, 0) + 1
                lines.setdefault(table, line)
                table = (*table, counts[table] - 1)
            lines.setdefault(table, line)
        elif "=" in pieces:
            key_parts = _parse_key(pieces)
            for end in range(1, len(key_parts) + 1):
                lines.setdefault((*table, *key_parts[:end]), line)
    return lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """The line of a path, or of its nearest parent that has one."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def last_path(lines: dict[KeyPath, int], line: int) -> KeyPath:
    """The path that starts at a line or last before it: the location of a syntax error."""
    candidates = [(at, index, path) for index, (path, at) in enumerate(lines.items()) if at <= line]
    return max(candidates)[2] if candidates else ()


def _split_statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """(first line, pieces) of each header or key; a value may run over several lines."""
    line, start, depth = 1, 1, 0
    pieces: list[str] = []
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece == "\n" and (depth == 0 or pieces[:1] == ["["]):  # an unclosed header ends at the end of its line
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


def _parse_key(pieces: list[str]) -> list[str]:
    """The names of a dotted key at the start of the pieces."""
    key_parts = []
    for piece in pieces:
        if piece in ("=", "]", "[") or "\n" in piece:
            break
        if piece != ".":
            key_parts.append(piece.strip("\"'"))
    return key_parts


def _resolve_path(path: KeyPath, key_parts: list[str], counts: dict[KeyPath, int]) -> KeyPath:
    """A header's path, with the index of the last entry inserted for each list on the way."""
    for name in key_parts:
        path = (*path, name)
        if path in counts:
            path = (*path, counts[path] - 1)
    return path
