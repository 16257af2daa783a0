"""Active time of an attempt by step, counted by the server from activity signals.

The task page sends a signal about once a minute with the current step; saving and submitting count as signals too.
Each signal adds the time since the last one, by the server's clock, and at most `CAP` seconds. All signals of a claim
share one timestamp, so that two tabs never count a second twice. Nothing is stored without consent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

STEPS = ("choose", "write", "mark", "review")
CAP = 75.0
"""Maximum seconds that one signal can add. A page sends one every minute."""

Seconds = dict[str, float]


@dataclass(frozen=True, slots=True)
class Sign:
    """A signal from the task page. active False: the user left or came back, and the time before it is not counted."""

    step: str
    active: bool = True


def add_sign(activity: Mapping[str, Any], *, attempt: int, sign: Sign, now: datetime) -> dict[str, Any]:
    """The activity of a claim after a signal: {at, step, attempt, seconds: {attempt: {step: seconds}}}."""
    seconds = {key: dict(value) for key, value in (activity.get("seconds") or {}).items()}
    added = _seconds_to_add(activity, now) if sign.active else 0.0
    if added:
        attempt_seconds = seconds.setdefault(str(attempt), {})
        attempt_seconds[sign.step] = round(attempt_seconds.get(sign.step, 0.0) + added, 1)
    last_sign_at = parse_datetime(str(activity.get("at", "")))
    at = now if last_sign_at is None else max(now, last_sign_at)  # a clock that was set back does not count time twice
    return {"at": at.isoformat(), "step": sign.step, "attempt": attempt, "seconds": seconds}


def _seconds_to_add(activity: Mapping[str, Any], now: datetime) -> float:
    last_sign_at = parse_datetime(str(activity.get("at", "")))
    return 0.0 if last_sign_at is None else min(CAP, max(0.0, (now - last_sign_at).total_seconds()))


def add_submit_sign(activity: Mapping[str, Any], *, attempt: int, now: datetime) -> dict[str, Any]:
    """Submitting counts as a signal of this attempt's last known step; without a step nothing is added."""
    if activity.get("attempt") != attempt:
        return dict(activity)
    return add_sign(activity, attempt=attempt, sign=Sign(str(activity["step"])), now=now)


def seconds_by_step(activity: Mapping[str, Any], attempt: int) -> Seconds:
    """Step -> active seconds of one attempt so far, over all its revisions."""
    step_seconds: Seconds = (activity.get("seconds") or {}).get(str(attempt), {})
    return {step: step_seconds[step] for step in STEPS if step in step_seconds}


def build_active_timings(
    activity: Mapping[str, Any], attempt: int, earlier: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Active-time fields for the timings of a revision; {} if none was recorded. earlier: the timings of the
    previous revisions, whose time is subtracted."""
    seconds = seconds_by_step(activity, attempt)
    for timings in earlier:
        for step, spent in (timings.get("active_by_step") or {}).items():
            seconds[step] = max(0.0, round(seconds.get(step, 0.0) - spent, 1))
    if not seconds:
        return {}
    return {"active_seconds": round(sum(seconds.values()), 1), "active_by_step": seconds}


def carry_over_activity(activities: Iterable[Mapping[str, Any]], attempts: Iterable[int]) -> dict[str, Any]:
    """The initial activity of a new claim that reclaims attempts of older claims."""
    attempt_keys = {str(attempt) for attempt in attempts}
    seconds = {
        key: value
        for activity in activities
        for key, value in (activity.get("seconds") or {}).items()
        if key in attempt_keys
    }
    return {"seconds": seconds} if seconds else {}


def minutes_of(timings: dict[str, Any]) -> tuple[float | None, bool]:
    """(minutes, whether they are active ones) of one summary's timings."""
    if isinstance(active := timings.get("active_seconds"), int | float):
        return active / 60, True
    wall = timings.get("writing_seconds") or timings.get("seconds")
    return (wall / 60, False) if isinstance(wall, int | float) else (None, False)
