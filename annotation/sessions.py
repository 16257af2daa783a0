"""Sessions in the database that know when they began and were last used, so that they end.

Settings: SESSION_COOKIE_AGE is the longest life, EPITOME_SESSION_IDLE the longest pause, both in seconds.
"""

import time
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from annotation.transactions import write

BEGAN, SEEN = "began", "seen"
NOTED_EVERY = 600
"""Seconds between two notes of use: one write in ten minutes, not one per request. A pause may look shorter by that."""


class SessionStore(DatabaseStore):
    def cycle_key(self) -> None:
        """Called at every sign-in and change of password: a new key, and the clock starts again."""
        super().cycle_key()
        self.stamp()

    def stamp(self) -> None:
        self[BEGAN] = self[SEEN] = int(time.time())

    def is_over(self) -> bool:
        now = time.time()
        too_old = now - self.get(BEGAN, now) > settings.SESSION_COOKIE_AGE
        return bool(too_old or now - self.get(SEEN, now) > settings.EPITOME_SESSION_IDLE)

    def note_use(self) -> None:
        """Store that the session is in use, once in ten minutes. The cookie stays as it is, and so does its end."""
        if BEGAN not in self:
            self.stamp()
        elif time.time() - self.get(SEEN, 0) <= NOTED_EVERY:
            return
        self[SEEN] = int(time.time())
        self.save()
        self.modified = False

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """The end counts from the sign-in, whenever the row is saved."""
        if BEGAN in self:
            return datetime.fromtimestamp(self[BEGAN] + settings.SESSION_COOKIE_AGE, UTC)
        return super().get_expiry_date(**kwargs)

    def save(self, must_create: bool = False) -> None:
        with write():
            super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        with write():
            super().delete(session_key)


def end_sessions(user: User) -> int:
    """Sign a person out everywhere, for good; returns how many sessions there were."""
    live = Session.objects.filter(expire_date__gt=timezone.now())
    keys = [row.session_key for row in live.iterator() if row.get_decoded().get(SESSION_KEY) == str(user.pk)]
    with write():
        Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


@receiver(post_save, sender=User, dispatch_uid="annotation.sessions.closed")
def _closed(sender: type[User], instance: User, created: bool, **_kwargs: Any) -> None:
    """A closed account has no sessions left that could come to life when it is opened again."""
    if not created and not instance.is_active:
        end_sessions(instance)
