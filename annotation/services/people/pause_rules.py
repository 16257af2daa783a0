"""Rules that pause a member by the verdicts of inspection or by the time a task takes. Off unless a project sets them.

A rule looks at a person's latest verdicts or times since the person was last resumed, so that it does not pause them
again at once. Each event costs one query, and none while no rule for it is set.
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Annotation, Inspection, Membership, Participation, Project, Verdict
from annotation.services.people import quotas
from epitome.figures.numbers import format_count, format_decimal, format_percent

RETURNED, ACCEPTED, SECONDS = "returned", "accepted", "seconds"
ANNOTATOR = "annotation__assignment__annotator"
Reason = dict[str, Any]
"""Why a rule pauses: rule, n (what it looked at), and its numbers; stored as JSON."""


@dataclass(frozen=True, slots=True)
class PauseRules:
    """The rules of a project; None: off. window: how many of the latest verdicts or times a share or median is of."""

    after_returned: int | None = None
    accepted_below: float | None = None
    seconds_below: int | None = None
    window: int = 10

    @classmethod
    def of_project(cls, project: Project) -> Self:
        return cls.from_settings({name: getattr(project, name) for name in SETTINGS})

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> Self:
        """The rules of the values of `SETTINGS`."""
        return cls(**{name.removeprefix("pause_"): values[name] for name in SETTINGS})

    @property
    def n_verdicts(self) -> int:
        """How many of a person's latest verdicts matter; 0: none."""
        return max(self.after_returned or 0, self.window if self.accepted_below is not None else 0)

    @property
    def n_times(self) -> int:
        return self.window if self.seconds_below is not None else 0

    def judge_verdicts(self, verdicts: Sequence[str]) -> Reason | None:
        """Why these verdicts, newest first, pause their person; None if they do not."""
        n = self.after_returned
        if n is not None and len(verdicts) >= n and Verdict.ACCEPT not in verdicts[:n]:
            return {"rule": RETURNED, "n": n}
        latest = verdicts[: self.window]
        if self.accepted_below is None or len(latest) < self.window:
            return None
        accepted = sum(verdict == Verdict.ACCEPT for verdict in latest)
        if accepted / self.window >= self.accepted_below:
            return None
        return {"rule": ACCEPTED, "n": self.window, "accepted": accepted, "below": self.accepted_below}

    def judge_times(self, seconds: Sequence[float]) -> Reason | None:
        """Why these active seconds of tasks, newest first, pause their person; None if they do not."""
        return judge_seconds(seconds, window=self.window, below=self.seconds_below) if self.seconds_below else None


def judge_seconds(seconds: Sequence[float], *, window: int, below: float) -> Reason | None:
    """Why the latest `window` of these times, newest first, pause their person; None if they do not."""
    latest = seconds[:window]
    if len(latest) < window:
        return None
    median = round(statistics.median(latest), 1)
    return {"rule": SECONDS, "n": window, "median": median, "below": below} if median < below else None


SETTINGS = tuple(f"pause_{field.name}" for field in fields(PauseRules))
"""The settings of a project that hold its rules; the settings form and the API have a field for each."""


class PausedPerson(NamedTuple):
    """Somebody whom the rules would pause, and why in words."""

    user: User
    reason: str


def apply_after_verdict(*, project: Project, user_id: int) -> None:
    """Pause the person if a verdict on their work was one too many. Runs in the transaction of the verdict."""
    rules = PauseRules.of_project(project)
    if rules.n_verdicts:
        rows = _verdicts(project).filter(**{ANNOTATOR: user_id}).order_by("-pk")
        _pause(project, user_id, rules.judge_verdicts(list(rows.values_list("verdict", flat=True)[: rules.n_verdicts])))


def apply_after_submit(*, project: Project, user_id: int) -> None:
    """Pause the person if their latest tasks took too little time. Runs in the transaction of the submit."""
    rules = PauseRules.of_project(project)
    if rules.n_times:
        rows = _timed(project).filter(assignment__annotator=user_id).order_by("-pk")
        seconds = rows.values_list("timings__active_seconds", flat=True)[: rules.n_times]
        _pause(project, user_id, rules.judge_times(list(seconds)))


def _pause(project: Project, user_id: int, reason: Reason | None) -> None:
    if reason is not None:
        quotas.pause_by_rule(project=project, user_id=user_id, reason=reason)


def preview_pauses(project: Project, rules: PauseRules) -> list[PausedPerson]:
    """Active annotators whom these rules would pause if they applied now, by user name. At most three queries."""
    reasons: dict[int, Reason | None] = {}
    if rules.n_times:
        times = _latest_by_person(_timed(project), "assignment__annotator", "timings__active_seconds", rules.n_times)
        reasons |= {user_id: rules.judge_times(seconds) for user_id, seconds in times.items()}
    if rules.n_verdicts:
        verdicts = _latest_by_person(_verdicts(project), ANNOTATOR, "verdict", rules.n_verdicts)
        for user_id, latest in verdicts.items():
            reasons[user_id] = rules.judge_verdicts(latest) or reasons.get(user_id)
    paused = {user_id: reason for user_id, reason in reasons.items() if reason is not None}
    members = Membership.objects.active_annotators().filter(project=project, user__in=paused)
    users = [member.user for member in members.select_related("user").order_by("user__username")]
    return [PausedPerson(user, describe_reason(paused[user.pk])) for user in users]


def _latest_by_person(rows: QuerySet[Any], person: str, value: str, n: int) -> dict[int, list[Any]]:
    """The n newest values of each person, newest first."""
    rank = Window(RowNumber(), partition_by=F(person), order_by=F("pk").desc())
    values: dict[int, list[Any]] = defaultdict(list)
    for user_id, latest in rows.annotate(rank=rank).filter(rank__lte=n).order_by("rank").values_list(person, value):
        values[user_id].append(latest)
    return values


def _verdicts(project: Project) -> QuerySet[Inspection]:
    """The verdicts that decided about a text, of people who are not paused, since they were last resumed."""
    rows = Inspection.objects.filter(project=project, second=False, annotation__assignment__isnull=False)
    return rows.filter(_counts(project, ANNOTATOR))


def _timed(project: Project) -> QuerySet[Annotation]:
    """First revisions with an active time, of people who are not paused, since they were last resumed."""
    rows = Annotation.objects.filter(project=project, revision=1, assignment__sample__isnull=False)
    return rows.filter(_counts(project, "assignment__annotator"), timings__has_key="active_seconds")


def _counts(project: Project, person: str) -> Q:
    """Whether a row of a person counts: they are not paused, and it is later than when they were last resumed."""
    settled = Q(paused_at__isnull=False) | Q(pause_counts_from__gte=OuterRef("created_at"))
    return ~Q(Exists(Participation.objects.filter(settled, project=project, user=OuterRef(person))))


def describe_reason(reason: Mapping[str, Any]) -> str:
    """Why a rule paused a person, in words and numbers for staff; "" if staff paused them."""
    n = reason.get("n", 0)
    if reason.get("rule") == RETURNED:
        text = ngettext("Rule: %(n)s task returned or rejected.", "Rule: %(n)s tasks in a row returned or rejected.", n)
        return text % {"n": format_count(n)}
    if reason.get("rule") == ACCEPTED:
        values = {"accepted": format_count(reason["accepted"]), "n": format_count(n)}
        text = _("Rule: %(accepted)s of the last %(n)s inspected accepted, less than %(below)s.")
        return text % {**values, "below": format_percent(reason["below"])}
    if reason.get("rule") == SECONDS:
        text = ngettext(
            "Rule: %(median)s s of active time in the last task, less than %(below)s s.",
            "Rule: median of %(median)s s of active time in the last %(n)s tasks, less than %(below)s s.",
            n,
        )
        values = {"median": format_decimal(reason["median"], 1), "n": format_count(n)}
        return text % {**values, "below": format_count(reason["below"])}
    return ""
