"""The cards of Home for staff: how far each project is, what waits there, and what happened last."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.kinds import get_task_kind
from annotation.models import AuditEvent, Role
from annotation.services.core import access
from annotation.services.core.kind_words import name_finished
from annotation.services.core.word_patterns import join_names
from annotation.services.staff.pipeline_counts import Waiting
from annotation.services.staff.project_progress import ProjectProgress
from annotation.views.core.project_entry import STAFF_ROLES
from epitome.figures.numbers import format_count

MAKER_ROLES = {role.value for role in access.MAKERS}


class ProgressRow(NamedTuple):
    """One line of a card: a label, done of total, and what is said where there is no total yet."""

    label: str
    done: int
    total: int
    without: str


class WaitingLine(NamedTuple):
    """Something that waits. order: its place on the card; an icon, a label with the number, and where it is done."""

    order: int
    icon: str
    label: str
    url: str
    is_fault: bool = False


class ProjectCard(NamedTuple):
    """One project, ready to render. roles: in words. first_step: what a maker does next where nothing waits."""

    entry: Waiting
    url: str
    roles: str
    rows: list[ProgressRow]
    waiting: list[WaitingLine]
    first_step: WaitingLine | None
    last_event: AuditEvent | None


WAITING_LINES = ExtensionPoint[Callable[[Waiting, ProjectProgress], list[WaitingLine]]](
    "lines that wait on cards", key=qualified_name
)
"""What higher rooms add to a card; questions have the order 1, jobs 6 and 7."""


def build_cards(entries: list[Waiting]) -> list[ProjectCard]:
    """A card for every project in which the person is staff; those where something waits come first."""
    cards = [_build_card(entry, entry.progress) for entry in entries if entry.progress is not None]
    return sorted(cards, key=lambda card: not card.waiting)


def _build_card(entry: Waiting, progress: ProjectProgress) -> ProjectCard:
    slug = entry.project.slug
    roles = [str(Role(role).label) for role in Role.values if role in entry.given]
    if not STAFF_ROLES & {*entry.given}:
        roles.append(_("site admin"))
    waiting = _list_waiting(entry, progress)
    return ProjectCard(
        entry,
        reverse("project", args=[slug]),
        join_names(roles),
        _build_rows(progress),
        waiting,
        _find_first_step(entry, progress, waiting),
        progress.last_event,
    )


def _build_rows(progress: ProjectProgress) -> list[ProgressRow]:
    rounds = progress.rounds
    without_places = _("imported") if progress.has_samples else _("no samples yet")
    return [
        ProgressRow(_("Written"), progress.written, progress.slots, without_places),
        ProgressRow(_("Inspected"), progress.inspected, progress.to_inspect, _("none drawn yet")),
        ProgressRow(_("Rated"), rounds.rated, rounds.ratings, _("no round yet")),
    ]


def _list_waiting(entry: Waiting, progress: ProjectProgress) -> list[WaitingLine]:
    """What waits for this person: reviewers see no jobs."""
    to_inspect = progress.to_inspect - progress.inspected
    kind = entry.project.kind
    lines = [
        (1, "help", progress.questions, _count_questions(progress.questions), "questions"),
        (2, "back", progress.resubmitted, _count_resubmitted(kind, progress.resubmitted), "inspection"),
        (3, "check", to_inspect, _count_uninspected(kind, to_inspect), "inspection"),
    ]
    if MAKER_ROLES & {*entry.roles}:
        lines += [
            (6, "warn", progress.jobs_failed, _count_failed(progress.jobs_failed), "jobs"),
            (7, "sync", progress.jobs_under_way, _count_jobs(progress.jobs_under_way), "jobs"),
        ]
    slug = entry.project.slug
    waiting = [
        WaitingLine(order, icon, label, reverse(name, args=[slug]), is_fault=icon == "warn")
        for order, icon, n, label, name in lines
        if n
    ]
    waiting += [line for list_lines in WAITING_LINES for line in list_lines(entry, progress)]
    return sorted(waiting, key=lambda line: line.order)


def _count_questions(n: int) -> str:
    return ngettext("%(n)s question to answer", "%(n)s questions to answer", n) % {"n": format_count(n)}


def _count_resubmitted(project_kind: str, n: int) -> str:
    return _("%(n)s revised %(nouns)s") % {"n": format_count(n), "nouns": name_finished(project_kind, n)}


def _count_uninspected(project_kind: str, n: int) -> str:
    return _("%(n)s %(nouns)s to inspect") % {"n": format_count(n), "nouns": name_finished(project_kind, n)}


def _count_failed(n: int) -> str:
    return ngettext("%(n)s job failed", "%(n)s jobs failed", n) % {"n": format_count(n)}


def _count_jobs(n: int) -> str:
    return ngettext("%(n)s job in progress", "%(n)s jobs in progress", n) % {"n": format_count(n)}


def _find_first_step(entry: Waiting, progress: ProjectProgress, waiting: Collection[WaitingLine]) -> WaitingLine | None:
    """What a maker does next in a project without tasks, or where to look for it where nothing waits."""
    if not MAKER_ROLES & {*entry.roles}:
        return None
    slug = entry.project.slug
    if not progress.has_sources:
        return WaitingLine(0, "plus", _("Next: import sources"), reverse("import", args=[slug]))
    if progress.slots or progress.has_samples or progress.rounds.launched:
        return None if waiting else WaitingLine(0, "right", _("See the next step"), reverse("project", args=[slug]))
    if get_task_kind(entry.project.kind, has_sample=True).draws_samples:
        return WaitingLine(0, "plus", _("Next: draw samples"), reverse("draw", args=[slug]))
    return WaitingLine(0, "plus", _("Next: extract instances"), reverse("extract-tuples", args=[slug]))
