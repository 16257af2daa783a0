"""One paper as every reader gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Section:
    """title: as printed, numbers included; "" for text before the first heading."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Paper:
    """sections: the main text in its order, without abstract and appendix where the file separates them.
    categories: such as cs.CL; place: of the paper in its file, for messages. left_out: what the reader could not read
    (files that it includes, macros that nobody knows) -> how often."""

    key: str
    title: str
    abstract: str
    sections: tuple[Section, ...]
    keywords: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    place: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)


class PaperFault(ValueError):
    """A file or an entry of it is no paper; the message names the place and says what to do."""
