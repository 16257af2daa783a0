"""How often one person may write: EPITOME_WRITES_PER_MINUTE calls in any 60 seconds, drafts not counted.

Counted in the memory of each process, so that it costs no query: with several processes a person gets at most that
many times the limit. 0 turns it off.
"""

import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotation.api.core.authentication import SAFE_METHODS

if TYPE_CHECKING:
    from rest_framework.views import APIView

SECONDS = 60.0
EXEMPT_CALLS = frozenset({"api-draft"})
"""Autosave neither counts towards the limit nor is refused by it."""
MAX_TRACKED_PEOPLE = 1000


class Counter:
    """The times of each person's recent writes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.moments: dict[int, deque[float]] = {}

    def wait(self, person: int, limit: int, now: float) -> float:
        """Seconds until the person may write again; 0 if allowed now, and then this write is counted."""
        with self.lock:
            if len(self.moments) > MAX_TRACKED_PEOPLE:
                self._forget(now)
            write_times = self.moments.setdefault(person, deque())
            while write_times and write_times[0] <= now - SECONDS:
                write_times.popleft()
            if len(write_times) >= limit:
                return max(write_times[-limit] + SECONDS - now, 0.001)
            write_times.append(now)
            return 0.0

    def _forget(self, now: float) -> None:
        for person in [
            key for key, write_times in self.moments.items() if not write_times or write_times[-1] <= now - SECONDS
        ]:
            del self.moments[person]

    def clear(self) -> None:
        with self.lock:
            self.moments.clear()


counter = Counter()


class Writes(BaseThrottle):
    waits = 0.0

    def allow_request(self, request: Request, view: "APIView") -> bool:
        limit: int = settings.EPITOME_WRITES_PER_MINUTE
        match = request.resolver_match
        if (
            not limit
            or request.method in SAFE_METHODS
            or request.user.pk is None
            or (match and match.url_name in EXEMPT_CALLS)
        ):
            return True
        self.waits = counter.wait(request.user.pk, limit, time.monotonic())
        return not self.waits

    def wait(self) -> float:
        return math.ceil(self.waits)
