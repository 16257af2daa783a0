"""Badges: the number beside an entry of the navigation, and what it says to those who do not see it."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from annotation.services.core.word_patterns import join_names

HIGHEST = 99
"""Higher numbers are shown as "99+"; the label has the exact one."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A number of things that wait, and a label for it, as in "2 questions wait"."""

    number: int
    label: str

    @property
    def shown(self) -> str:
        return str(self.number) if self.number <= HIGHEST else _("%(n)d+") % {"n": HIGHEST}


LABELS = {
    "questions": ngettext_lazy("%(n)d question waits", "%(n)d questions wait", "n"),
    "notes": ngettext_lazy("%(n)d new note", "%(n)d new notes", "n"),
    "resubmitted": ngettext_lazy(
        "%(n)d revised task waits for inspection", "%(n)d revised tasks wait for inspection", "n"
    ),
    "returned": ngettext_lazy("%(n)d task to revise", "%(n)d tasks to revise", "n"),
    "answers": ngettext_lazy("%(n)d new answer", "%(n)d new answers", "n"),
    "rounds": ngettext_lazy("%(n)d round open to you", "%(n)d rounds open to you", "n"),
    "jobs_under_way": ngettext_lazy("%(n)d in progress", "%(n)d in progress", "n"),
    "jobs_failed": ngettext_lazy("%(n)d failed", "%(n)d failed", "n"),
}


def build_badge(kind: str, number: int) -> Badge | None:
    """The badge of a kind of waiting things; None where nothing waits. Raises KeyError for an unknown kind."""
    label = LABELS[kind]
    return Badge(number, label % {"n": number}) if number else None


def join_badges(badges: Iterable[Badge | None]) -> Badge | None:
    """One badge with the sum and the labels of all; None where nothing waits."""
    shown = [badge for badge in badges if badge is not None]
    if not shown:
        return None
    return Badge(sum(badge.number for badge in shown), join_names(badge.label for badge in shown))
