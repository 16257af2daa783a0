"""The lines of the annotators on the overview, ready to render: two dozen people with ten cells each."""

from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.day_words import write_moment
from annotation.services.staff.dashboard import PersonRow, RecentWork
from epitome.figures.numbers import format_count, format_decimal, format_percent
from epitome.figures.svg import Svg

NONE = "–"


class PersonLine(NamedTuple):
    """One annotator. pace_n: "" without a pace. last_iso, last: time of the last submission, "" and a dash where there
    is none."""

    url: str
    name: str
    days: Svg | str
    n_done: str
    n_held: str
    pace: str
    pace_n: str
    skipped: str
    skips_much: bool
    accepted: str
    picked: str
    n_own: str
    last_iso: str
    last: str


class Patterns(NamedTuple):
    """What is written around the numbers of every line."""

    accepted: str
    active: str
    wall: str


def build_person_lines(project: Project, people: list[PersonRow], recent_days: dict[int, Svg]) -> list[PersonLine]:
    summaries = reverse("annotations", args=[project.slug])
    patterns = Patterns(_("%(ok)s of %(n)s"), _("%(n)s min"), _("%(n)s min wall"))
    return [_build_line(summaries, patterns, row, recent_days.get(row.user.pk, NONE)) for row in people]


def _build_line(summaries: str, patterns: Patterns, row: PersonRow, days: Svg | str) -> PersonLine:
    work = row.work
    last = timezone.localtime(work.last) if work.last else None
    judged = {"ok": format_count(row.accepted), "n": format_count(row.judged)}
    return PersonLine(
        url=f"{summaries}?{urlencode({'person': row.user.username})}",
        name=row.user.username,
        days=days,
        n_done=format_count(row.done),
        n_held=format_count(row.held) if row.held else NONE,
        pace=_describe_pace(work, patterns),
        pace_n=str(work.pace_n or ""),
        skipped=NONE if row.skip_rate is None else format_percent(row.skip_rate, 1),
        skips_much=row.skips_much,
        accepted=patterns.accepted % judged if row.judged else NONE,
        picked=format_count(work.picked) if work.chosen else NONE,
        n_own=format_count(work.own) if work.chosen else NONE,
        last_iso=last.isoformat() if last else "",
        last=write_moment(last, "j M H:i") if last else NONE,
    )


def _describe_pace(work: RecentWork, patterns: Patterns) -> str:
    if work.pace is None:
        return NONE
    return (patterns.active if work.active else patterns.wall) % {"n": format_decimal(work.pace, 0)}
