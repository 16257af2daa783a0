"""The hours of work so far, and those to come at the measured time per summary. Pure; minutes in, minutes out."""

from dataclasses import dataclass

FEWEST_TIMED = 5
"""Fewer measured summaries say nothing of the time that one takes."""


@dataclass(frozen=True, slots=True)
class RecordedTime:
    """Minutes of all work that was not voided. active: of n_active summaries whose active time was measured, with their
    revisions; wall: of n_wall others, from first draft to submission; n_untimed have neither."""

    active: float = 0.0
    wall: float = 0.0
    n_active: int = 0
    n_wall: int = 0
    n_untimed: int = 0

    @property
    def minutes(self) -> float | None:
        """Recorded so far; None where nothing was timed."""
        return self.active + self.wall if self.n_active or self.n_wall else None

    @property
    def minutes_each(self) -> float | None:
        """Mean active minutes of a summary; None for fewer than `FEWEST_TIMED` measured ones. Wall time has pauses in
        it and is left out."""
        return self.active / self.n_active if self.n_active >= FEWEST_TIMED else None

    def forecast_minutes(self, remaining: int) -> float | None:
        """What the remaining summaries take at the mean so far; None where it is unknown."""
        if remaining <= 0:
            return 0.0
        return None if self.minutes_each is None else remaining * self.minutes_each


def price_minutes(minutes: float | None, pay_per_hour: float | None) -> float | None:
    """None where the minutes or the pay are unknown."""
    return None if minutes is None or pay_per_hour is None else minutes / 60 * pay_per_hour
