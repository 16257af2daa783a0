"""The overview's burn-up figure with its forecast in words, and the small bars of each annotator's last days."""

from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core.kind_words import name_finished
from annotation.services.core.word_patterns import join_names
from annotation.services.inspection.weekly_sample import project_zone
from annotation.services.staff.counts_cache import Counts
from annotation.services.staff.dashboard import PersonRow
from annotation.services.staff.forecast import FEWEST, WINDOW, Forecast, forecast_completion
from annotation.services.staff.written_by_day import read_days, recent_by_person
from epitome.figures.burn_up import BurnUp, draw_day_bars
from epitome.figures.numbers import format_count, format_decimal
from epitome.figures.svg import Svg


@dataclass(frozen=True)
class BurnUpSection:
    """heading: when the writing will be done, or how far it is; explanation: the pace it comes from, or why there is no
    forecast."""

    heading: str
    explanation: str
    figure: Svg
    interval: str
    has_inspected: bool


def build_burn_up(project: Project, counts: Counts) -> BurnUpSection | None:
    """None before the first summary."""
    written = read_days(counts.by_day.written)
    if not written or not counts.pipeline.slots:
        return None
    today = project_today(project)
    remaining = max(counts.pipeline.slots - counts.pipeline.filled, 0)
    forecast = forecast_completion(dict(written), remaining, today)
    inspected = read_days(counts.by_day.inspected)
    heading = _describe_end(project.kind, forecast, remaining, counts.pipeline.slots)
    explanation = _explain_pace(project.kind, forecast, remaining, (today - written[0][0]).days)
    interval = _describe_interval(forecast) if forecast else ""
    figure = BurnUp(
        written,
        inspected,
        n_wanted=counts.pipeline.slots,
        today=today,
        ends=(forecast.earliest, forecast.done_on, forecast.latest) if forecast else None,
        label=f"{_describe_written(project.kind, counts)} {explanation} {interval}".strip(),
        wanted_label=_("%(n)s wanted") % {"n": format_count(counts.pipeline.slots)},
        today_label=_("today"),
        name_day=_name_day,
    )
    return BurnUpSection(heading, explanation, figure.draw(), interval, bool(inspected))


def project_today(project: Project) -> date:
    return timezone.now().astimezone(project_zone(project)).date()


def _name_day(day: date) -> str:
    return date_format(day, "j M Y") if abs((day - timezone.now().date()).days) > 300 else date_format(day, "j M")


def _describe_written(kind: str, counts: Counts) -> str:
    target = counts.pipeline.slots
    numbers = {"n": format_count(counts.pipeline.filled), "all": format_count(target)}
    return _("%(n)s of %(all)s %(noun)s written.") % {**numbers, "noun": name_finished(kind, target)}


def _describe_end(kind: str, forecast: Forecast | None, remaining: int, wanted: int) -> str:
    if forecast is not None:
        return _("Done on %(day)s at this pace") % {"day": date_format(forecast.done_on, "j F Y")}
    if remaining:
        values = {"n": format_count(remaining), "noun": name_finished(kind, remaining)}
        return _("%(n)s %(noun)s left to write") % values
    words = ngettext("The %(noun)s is written", "All %(n)s %(noun)s are written", wanted)
    return words % {"n": format_count(wanted), "noun": name_finished(kind, wanted)}


def _explain_pace(kind: str, forecast: Forecast | None, remaining: int, n_days: int) -> str:
    if forecast is not None:
        days = min(WINDOW, n_days)
        words = ngettext(
            "%(pace)s %(noun)s a day over the last day.", "%(pace)s %(noun)s a day over the last %(n)d days.", days
        )
        return words % {"pace": format_decimal(forecast.pace, 1), "n": days, "noun": name_finished(kind, 2)}
    if not remaining:
        return ""
    if n_days < FEWEST:
        return _("A forecast needs three full days of writing.")
    return _("No forecast: too little was written in the last two weeks.")


def _describe_interval(forecast: Forecast) -> str:
    first = date_format(forecast.earliest, "j F Y")
    if forecast.latest is None:
        return _("Forecast: not before %(first)s") % {"first": first}
    days = {"first": first, "last": date_format(forecast.latest, "j F Y")}
    return _("Forecast: %(first)s to %(last)s (80 %% interval)") % days


def draw_recent_days(project: Project, counts: Counts, people: list[PersonRow]) -> dict[int, Svg]:
    """User id -> bars of their last days, on one scale for all; who wrote nothing then has none."""
    recent = recent_by_person(counts.by_day, project_today(project))
    highest = max((max(numbers) for numbers in recent.values()), default=0)
    label = _("Per day, last 14 days: %(numbers)s")
    return {
        person.user.pk: draw_day_bars(
            recent[person.user.pk],
            highest,
            label % {"numbers": join_names(format_count(n) for n in recent[person.user.pk])},
        )
        for person in people
        if person.user.pk in recent
    }
