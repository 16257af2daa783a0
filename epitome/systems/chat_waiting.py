"""When to retry: exponential backoff with jitter, and the rate-limit headers of servers."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class Backoff:
    """attempts: maximum number, including the first. first, most: seconds of the first and the longest wait. outlive:
    for so many seconds a server that is not there, as one that restarts, is tried again whatever attempts says, unless
    that is 1.
    patience: the longest wait, in seconds, that a server may ask for; beyond it the request fails."""

    attempts: int = 6
    first: float = 1.0
    most: float = 60.0
    patience: float = 300.0
    outlive: float = 300.0

    def ends(self, attempt: int, waited: float, *, is_away: bool) -> bool:
        """Whether no further attempt follows the n-th. waited: seconds so far. is_away: the server did not answer."""
        return attempt >= self.attempts and not (is_away and self.attempts > 1 and waited < self.outlive)

    def wait(self, attempt: int, jitter: float) -> float:
        """Seconds to wait after the n-th failure (from 1): 50-100 % of a time that doubles. jitter: 0 to 1."""
        full = min(self.most, self.first * 2.0 ** (attempt - 1))
        return full * (0.5 + jitter / 2)


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """How long a refusing server asks to wait: retry-after-ms, or Retry-After in seconds or as a date."""
    milliseconds = _parse_number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    header = headers.get("retry-after", "").strip()
    seconds = _parse_number(header)
    return seconds if seconds is not None else _seconds_until(header, headers.get("date", ""))


def seconds_until_reset(headers: Mapping[str, str]) -> float:
    """Seconds until an exhausted limit (x-ratelimit-remaining-* of 0) is reset; 0 if none is exhausted."""
    waits = [0.0]
    for unit in ("requests", "tokens"):
        if _parse_number(headers.get(f"x-ratelimit-remaining-{unit}", "")) == 0:
            waits.append(parse_duration(headers.get(f"x-ratelimit-reset-{unit}", "")) or 0.0)
    return max(waits)


def parse_duration(text: str) -> float | None:
    """Seconds of `1s`, `6m0s`, `120ms` or a plain number; None for anything else."""
    text = text.strip()
    plain = _parse_number(text)
    if plain is not None:
        return plain
    if not text or _PART.sub("", text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def _parse_number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else None


def _seconds_until(date: str, sent: str) -> float | None:
    """Seconds from the answer's Date header (the server's clock) to a date."""
    try:
        end = parsedate_to_datetime(date)
        begin = parsedate_to_datetime(sent) if sent else datetime.now(UTC)
        return max(0.0, (end - begin).total_seconds())
    except (ValueError, TypeError):
        return None


class Gate:
    """Delays all requests of a system while its server asks for a pause."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open_at = 0.0

    def close_for(self, seconds: float) -> None:
        with self._lock:
            self._open_at = max(self._open_at, self._clock() + seconds)

    def left(self) -> float:
        """Seconds until it opens."""
        with self._lock:
            return max(0.0, self._open_at - self._clock())
