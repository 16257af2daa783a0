"""Papers from a file by its ending."""

from collections.abc import Callable, Iterator
from pathlib import Path

from annotation.formats.papers.json_papers import read_json_papers
from annotation.formats.papers.latex import read_latex
from annotation.formats.papers.paper import Paper, PaperFault
from annotation.formats.papers.tei import read_tei

MAX_FILE = 200_000_000
"""Bytes of one file; JSON lines are read line by line and may be longer."""

_READERS: dict[str, Callable[[Path, str], Iterator[Paper]]] = {
    ".jsonl": read_json_papers,
    ".xml": read_tei,
    ".tei": read_tei,
    ".tex": read_latex,
}
ENDINGS = tuple(_READERS)


def read_papers(path: Path, name: str) -> Iterator[Paper]:
    """The papers of a file, `name` being what messages call it. Raises PaperFault at the first entry that is none."""
    ending = Path(name).suffix.lower()
    if ending not in _READERS:
        raise PaperFault(f"{name}: papers come as {', '.join(ENDINGS)}")
    try:
        if ending != ".jsonl" and path.stat().st_size > MAX_FILE:
            raise PaperFault(f"{name}: has more than {MAX_FILE:,} bytes; one paper stands in one file")
        yield from _READERS[ending](path, name)
    except OSError as error:
        raise PaperFault(f"{name}: cannot be read: {error.strerror or type(error).__name__}") from error
