"""The cards of Home for staff: how far each project is, what waits there, and what happened last."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.figures.numbers import format_count
from annotation.models import AuditEvent, Role
from annotation.services.core import access
from annotation.services.core.kind_words import name_finished
from annotation.services.core.word_patterns import join_names
from annotation.services.staff.pipeline_counts import Waiting
from annotation.services.staff.project_progress import ProjectProgress, RoundTotals
from annotation.views.core.project_entry import STAFF_ROLES

MAKER_ROLES = {role.value for role in access.MAKERS}


class ProgressRow(NamedTuple):
    """One line of a card: a label, done of total, and what is said where there is no total yet."""

    label: str
    done: int
    total: int
    without: str


class WaitingLine(NamedTuple):
    """Something that waits: an icon, words with the number, and where it is done."""

    drawing: str
    words: str
    url: str
    is_fault: bool = False


class ProjectCard(NamedTuple):
    """One project, ready to render. roles: in words. first_step: what to do in a project without samples."""

    entry: Waiting
    url: str
    roles: str
    rows: list[ProgressRow]
    waiting: list[WaitingLine]
    first_step: WaitingLine | None
    last_event: AuditEvent | None


def build_cards(entries: list[Waiting]) -> list[ProjectCard]:
    """A card for every project in which the person is staff; those where something waits come first."""
    cards = [_build_card(entry, entry.progress) for entry in entries if entry.progress is not None]
    return sorted(cards, key=lambda card: not card.waiting)


def _build_card(entry: Waiting, progress: ProjectProgress) -> ProjectCard:
    slug = entry.project.slug
    roles = [str(Role(role).label) for role in Role.values if role in entry.roles and role in STAFF_ROLES]
    return ProjectCard(
        entry,
        reverse("project", args=[slug]),
        join_names(roles),
        _build_rows(progress),
        _list_waiting(entry, progress),
        _find_first_step(entry, progress),
        progress.last_event,
    )


def _build_rows(progress: ProjectProgress) -> list[ProgressRow]:
    rounds = progress.rounds
    return [
        ProgressRow(_("Written"), progress.written, progress.slots, _("no samples yet")),
        ProgressRow(_("Inspected"), progress.inspected, progress.to_inspect, _("none drawn yet")),
        ProgressRow(_("Rated"), rounds.rated, rounds.ratings, _("no round yet")),
    ]


def _list_waiting(entry: Waiting, progress: ProjectProgress) -> list[WaitingLine]:
    """What waits for this person: reviewers see no jobs and no rounds."""
    to_inspect = progress.to_inspect - progress.inspected
    kind = entry.project.kind
    lines = [
        (progress.questions, "help", _count_questions(progress.questions), "questions", False),
        (
            progress.resubmitted,
            "back",
            _count_resubmitted(kind, progress.resubmitted),
            "inspection",
            False,
        ),
        (to_inspect, "check", _count_uninspected(kind, to_inspect), "inspection", False),
    ]
    if MAKER_ROLES & {*entry.roles}:
        rounds, running = progress.rounds, progress.rounds.open - progress.rounds.complete
        lines += [
            (rounds.complete, "check", _count_complete(rounds.complete), "rounds", False),
            (running, "open", _count_running(running), "rounds", False),
            (progress.jobs_failed, "warn", _count_failed(progress.jobs_failed), "jobs", True),
            (progress.jobs_under_way, "sync", _count_jobs(progress.jobs_under_way), "jobs", False),
        ]
    slug = entry.project.slug
    waiting = [
        WaitingLine(drawing, words, reverse(name, args=[slug]), is_fault)
        for n, drawing, words, name, is_fault in lines
        if n
    ]
    if MAKER_ROLES & {*entry.roles} and progress.rounds.undecided:
        waiting.insert(0, _link_disagreements(slug, progress.rounds))
    return waiting


def _link_disagreements(slug: str, rounds: RoundTotals) -> WaitingLine:
    words = ngettext(
        "%(n)s disagreement between raters to decide", "%(n)s disagreements between raters to decide", rounds.undecided
    )
    url = reverse("round-disagreements", args=[slug, rounds.undecided_round])
    return WaitingLine("help", words % {"n": format_count(rounds.undecided)}, url)


def _count_questions(n: int) -> str:
    return ngettext("%(n)s question to answer", "%(n)s questions to answer", n) % {"n": format_count(n)}


def _count_resubmitted(project_kind: str, n: int) -> str:
    return _("%(n)s revised %(nouns)s") % {"n": format_count(n), "nouns": name_finished(project_kind, n)}


def _count_uninspected(project_kind: str, n: int) -> str:
    return _("%(n)s %(nouns)s to inspect") % {"n": format_count(n), "nouns": name_finished(project_kind, n)}


def _count_complete(n: int) -> str:
    return ngettext("%(n)s round fully rated, to close", "%(n)s rounds fully rated, to close", n) % {
        "n": format_count(n)
    }


def _count_running(n: int) -> str:
    return ngettext("%(n)s open round", "%(n)s open rounds", n) % {"n": format_count(n)}


def _count_failed(n: int) -> str:
    return ngettext("%(n)s job failed", "%(n)s jobs failed", n) % {"n": format_count(n)}


def _count_jobs(n: int) -> str:
    return ngettext("%(n)s job in progress", "%(n)s jobs in progress", n) % {"n": format_count(n)}


def _find_first_step(entry: Waiting, progress: ProjectProgress) -> WaitingLine | None:
    if progress.slots or not MAKER_ROLES & {*entry.roles}:
        return None
    if progress.has_sources:
        return WaitingLine("plus", _("Draw samples"), reverse("draw", args=[entry.project.slug]))
    return WaitingLine("plus", _("Import sources"), reverse("import", args=[entry.project.slug]))
