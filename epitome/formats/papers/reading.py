"""Papers from a file by its ending."""

from collections.abc import Callable, Iterator
from pathlib import Path

from epitome.formats.papers.json_papers import read_json_papers
from epitome.formats.papers.latex import read_latex
from epitome.formats.papers.paper import Paper, PaperFault
from epitome.formats.papers.tei import read_tei

MAX_FILE = 200_000_000
"""Bytes of one file; JSON lines are read line by line and may be longer."""

_READERS: dict[str, Callable[[Path, str], Iterator[Paper | PaperFault]]] = {
    ".jsonl": read_json_papers,
    ".xml": read_tei,
    ".tei": read_tei,
    ".tex": read_latex,
}
ENDINGS = tuple(_READERS)
REPLACEMENT = "\ufffd"


def read_papers(path: Path, name: str) -> Iterator[Paper | PaperFault]:
    """The papers of a file, `name` being what messages call it; a fault in place of an entry that is none."""
    ending = Path(name).suffix.lower()
    try:
        if ending not in _READERS:
            raise PaperFault(f"{name}: papers come as {', '.join(ENDINGS)}")
        if ending != ".jsonl" and path.stat().st_size > MAX_FILE:
            raise PaperFault(f"{name}: has more than {MAX_FILE:,} bytes; one paper stands in one file")
        for paper in _read(path, name, ending):
            yield _check_characters(paper) if isinstance(paper, Paper) else paper
    except PaperFault as error:
        yield error


def _read(path: Path, name: str, ending: str) -> Iterator[Paper | PaperFault]:
    """Raises PaperFault for whatever a reader raises: converters of markup fail in many ways."""
    try:
        yield from _READERS[ending](path, name)
    except PaperFault:
        raise
    except OSError as error:
        raise PaperFault(f"{name}: cannot be read: {error.strerror or type(error).__name__}") from error
    except Exception as error:
        raise PaperFault(f"{name}: cannot be read ({type(error).__name__}: {str(error)[:120]})") from error


def _check_characters(paper: Paper) -> Paper | PaperFault:
    """A fault for a paper with a replacement character: an earlier program did not know its encoding."""
    texts = [
        paper.title,
        paper.abstract,
        *(text for section in paper.sections for text in (section.title, section.text)),
    ]
    damaged = next((text for text in texts if REPLACEMENT in text), None)
    if damaged is None:
        return paper
    place = damaged.index(REPLACEMENT)
    seen = " ".join(damaged[max(0, place - 20) : place + 20].split())
    return PaperFault(f"{paper.place}: holds a replacement character (U+FFFD) in {seen!r}; convert it to UTF-8 anew")
