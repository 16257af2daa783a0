"""The kinds of things that the search knows. Each finds only what the asker could open as a page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import User
from django.utils.functional import Promise

from annotation.extension_points import ExtensionPoint
from annotation.models import Project

HITS_PER_KIND = 5


class Hit(NamedTuple):
    """One line: its words, where it belongs, and its address."""

    title: str
    where: str
    url: str


@dataclass(frozen=True)
class Asker:
    """Who searches for what, in which project and with which roles there (none outside of one). text: never empty."""

    user: User
    project: Project | None
    roles: frozenset[str]
    text: str

    def fits(self, *names: str) -> bool:
        """Whether every word of the text is in one of these names, in any case."""
        folded = " ".join(names).casefold()
        return all(word in folded for word in self.text.casefold().split())


@dataclass(frozen=True)
class Kind:
    """A group of hits. order: its place among the groups. find: at most HITS_PER_KIND, by indexes or capped."""

    key: str
    label: Promise
    order: int
    find: Callable[[Asker], Iterable[Hit]]


KINDS = ExtensionPoint[Kind]("kinds of search hits", key=lambda kind: kind.key)


def register_kind(
    key: str, label: Promise, *, order: int
) -> Callable[[Callable[[Asker], Iterable[Hit]]], Callable[[Asker], Iterable[Hit]]]:
    """Register the function that finds hits of a kind."""

    def register(find: Callable[[Asker], Iterable[Hit]]) -> Callable[[Asker], Iterable[Hit]]:
        KINDS.register(Kind(key, label, order, find))
        return find

    return register
