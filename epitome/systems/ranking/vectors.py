"""Word vectors from a text file in word2vec's or GloVe's format, named by EPITOME_VECTORS.

The file is read once to note where each word is; a vector is read when it is first needed, so that a file of
gigabytes takes little memory.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from epitome.systems.protocol import SystemFault

VARIABLE = "EPITOME_VECTORS"
NONE = "none"
Vector = NDArray[np.float64]


class WordVectors:
    """name: of the file. Words that are not in it have no vector."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._stream: BinaryIO = path.open("rb")
            self._offsets, self.dimensions = _index_words(self._stream, path.name)
        except OSError as error:
            raise SystemFault(f"{VARIABLE}: {path} cannot be read: {error.strerror}") from error
        self._known: dict[str, Vector] = {}

    def mean(self, words: Iterable[str]) -> Vector:
        """The mean vector of the words that have one; zeros where none has."""
        vectors = [vector for word in words if (vector := self.find(word)) is not None]
        return np.mean(vectors, axis=0) if vectors else np.zeros(self.dimensions)

    def find(self, word: str) -> Vector | None:
        if word not in self._offsets:
            return None
        if word not in self._known:
            self._stream.seek(self._offsets[word])
            self._known[word] = _parse_line(self._stream.readline(), self.dimensions, self.name)
        return self._known[word]


def cosine(first: Vector, second: Vector) -> float:
    """0 where one of them is zero."""
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length else 0.0


@lru_cache(maxsize=1)
def _load_file(path: str) -> WordVectors:
    return WordVectors(Path(path))


def load_vectors() -> WordVectors | None:
    """The file that EPITOME_VECTORS names; None where it names none. Raises SystemFault for an unreadable one."""
    path = os.environ.get(VARIABLE, "").strip()
    return _load_file(path) if path else None


def _index_words(stream: BinaryIO, name: str) -> tuple[dict[str, int], int]:
    """Word -> where its line begins, and how many numbers a line has. The first line may be word2vec's header."""
    offsets: dict[str, int] = {}
    dimensions = at = 0
    for index, line in enumerate(stream):
        fields = line.rstrip().split(b" ")
        if index == 0 and len(fields) == 2:
            at += len(line)
            continue
        dimensions = dimensions or len(fields) - 1
        if len(fields) != dimensions + 1 or not dimensions:
            raise SystemFault(f"{name}, line {index + 1}: has {len(fields) - 1} numbers instead of {dimensions}")
        offsets.setdefault(fields[0].decode(errors="replace"), at)
        at += len(line)
    if not offsets:
        raise SystemFault(f"{name}: holds no word vectors")
    return offsets, dimensions


def _parse_line(line: bytes, dimensions: int, name: str) -> Vector:
    word, *numbers = line.rstrip().split(b" ")
    try:
        vector = np.array([float(number) for number in numbers])
    except ValueError as error:
        raise SystemFault(f"{name}: the vector of {word.decode(errors='replace')[:40]!r} is not of numbers") from error
    if len(vector) != dimensions or not np.isfinite(vector).all():
        raise SystemFault(f"{name}: the vector of {word.decode(errors='replace')[:40]!r} is not of finite numbers")
    return vector
