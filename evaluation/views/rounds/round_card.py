"""Rounds on the cards of Home: disagreements to decide, rounds to close, and open ones, for those who make rounds."""

from django.urls import reverse
from django.utils.translation import ngettext

from annotation.services.staff.pipeline_counts import Waiting
from annotation.services.staff.project_progress import ProjectProgress, UndecidedRound
from annotation.views.people.project_cards import MAKER_ROLES, WAITING_LINES, WaitingLine
from epitome.figures.numbers import format_count


@WAITING_LINES.register
def list_waiting_rounds(entry: Waiting, progress: ProjectProgress) -> list[WaitingLine]:
    if not MAKER_ROLES & {*entry.roles}:
        return []
    rounds, slug = progress.rounds, entry.project.slug
    n_running = rounds.open - rounds.complete
    lines = [_link_disagreements(slug, undecided) for undecided in rounds.undecided]
    url = reverse("rounds", args=[slug])
    if rounds.complete:
        lines.append(WaitingLine(4, "check", _count_complete(rounds.complete), url))
    if n_running:
        lines.append(WaitingLine(5, "open", _count_running(n_running), url))
    return lines


def _link_disagreements(slug: str, undecided: UndecidedRound) -> WaitingLine:
    """A line for each round, as its page lists the disagreements of one."""
    words = ngettext(
        "%(n)s disagreement to decide in round %(round)d",
        "%(n)s disagreements to decide in round %(round)d",
        undecided.n,
    )
    url = reverse("round-disagreements", args=[slug, undecided.public_id])
    return WaitingLine(0, "help", words % {"n": format_count(undecided.n), "round": undecided.number}, url)


def _count_complete(n: int) -> str:
    return ngettext("%(n)s round fully rated, to close", "%(n)s rounds fully rated, to close", n) % {
        "n": format_count(n)
    }


def _count_running(n: int) -> str:
    return ngettext("%(n)s open round", "%(n)s open rounds", n) % {"n": format_count(n)}
