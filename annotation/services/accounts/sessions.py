"""Database sessions that store when they began and were last used, so that they expire.

Loads a session and its user in one query, where this process has seen the session before: a query less in each request
of the task page.

Settings: SESSION_COOKIE_AGE is the maximum age, EPITOME_SESSION_IDLE the maximum idle time, both in seconds.
"""

import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.db.models import Subquery
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from annotation.services.accounts.languages import build_language_subquery
from annotation.services.core.prepared_queries import DateTimeParam, IntParam, Prepared, TextParam
from annotation.transactions import write_transaction

BEGAN, SEEN = "began", "seen"
NOTED_EVERY = 600
"""Seconds between two updates of the last use: one write in ten minutes, not one per request. Measured idle time may
be too long by that much."""
MOST_KNOWN = 10_000

user_ids_by_key: dict[str, int] = {}
"""Session key -> id of its user when it was last read here. A hint for the query only; never used as proof."""
_session_user: ContextVar[User | None] = ContextVar("session_user", default=None)
"""The user that was loaded with the session of the request, for `Backend`, which Django gives no request."""


def _build_user_query() -> Any:
    rows = Session.objects.filter(session_key=TextParam("key"), expire_date__gt=DateTimeParam("now"))
    return User.objects.filter(pk=IntParam("user")).annotate(
        session_data=Subquery(rows.values("session_data")[:1]), chosen_language=build_language_subquery()
    )


USER_WITH_SESSION: Prepared[Any] = Prepared(_build_user_query)


class SessionStore(DatabaseStore):
    user: User | None = None
    """The user loaded together with the session; not checked yet."""

    def load(self) -> dict[str, Any]:
        data: dict[str, Any]
        self.user, user_id = None, user_ids_by_key.get(self.session_key or "")
        if user_id is not None:
            user = USER_WITH_SESSION.first(user=user_id, key=self.session_key, now=timezone.now())
            data = self.decode(user.session_data) if user is not None and user.session_data is not None else {}
            if data.get(SESSION_KEY) == str(user_id):
                self.user = user
                return data
        data = super().load()
        if self.session_key and SESSION_KEY in data:
            if len(user_ids_by_key) >= MOST_KNOWN:
                user_ids_by_key.clear()
            user_ids_by_key[self.session_key] = int(data[SESSION_KEY])
        return data

    def cycle_key(self) -> None:
        """Called at every sign-in and change of password: sets a new key and restarts the session's age."""
        super().cycle_key()
        self.stamp()

    def stamp(self) -> None:
        self[BEGAN] = self[SEEN] = int(time.time())

    def is_over(self) -> bool:
        now = time.time()
        too_old = now - self.get(BEGAN, now) > settings.SESSION_COOKIE_AGE
        return bool(too_old or now - self.get(SEEN, now) > settings.EPITOME_SESSION_IDLE)

    def note_use(self) -> None:
        """Store that the session is in use, at most once in ten minutes. Cookie and expiry do not change."""
        if BEGAN not in self:
            self.stamp()
        elif time.time() - self.get(SEEN, 0) <= NOTED_EVERY:
            return
        self[SEEN] = int(time.time())
        self.save()
        self.modified = False

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        """Expiry counts from the sign-in, whenever the row is saved."""
        if BEGAN in self:
            return datetime.fromtimestamp(self[BEGAN] + settings.SESSION_COOKIE_AGE, UTC)
        return super().get_expiry_date(**kwargs)

    def save(self, must_create: bool = False) -> None:
        with write_transaction():
            super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        with write_transaction():
            super().delete(session_key)


class Backend(ModelBackend):
    """Skips the user query when the session already loaded the user, else loads the language of the pages with it; all
    other checks stay Django's."""

    def get_user(self, user_id: int) -> User | None:
        user = _session_user.get()
        if user is None or user.pk != user_id:
            user = User.objects.filter(pk=user_id).annotate(chosen_language=build_language_subquery()).first()
        return user if user is not None and self.user_can_authenticate(user) else None


def signed_in_person(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """The user of the session, with all of Django's checks; for the middleware."""
    request.session.get(SESSION_KEY)  # loads the session, and usually its user
    reset_token = _session_user.set(getattr(request.session, "user", None))
    try:
        return auth.get_user(request)
    finally:
        _session_user.reset(reset_token)


def end_sessions(user: User) -> int:
    """Delete all sessions of a user; returns their number."""
    live = Session.objects.filter(expire_date__gt=timezone.now())
    keys = [row.session_key for row in live.iterator() if row.get_decoded().get(SESSION_KEY) == str(user.pk)]
    with write_transaction():
        Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


@receiver(post_save, sender=User, dispatch_uid="annotation.sessions.closed")
def _end_closed_sessions(sender: type[User], instance: User, created: bool, **_kwargs: Any) -> None:
    """Delete the sessions of a deactivated account, so that reopening it does not revive them."""
    if not created and not instance.is_active:
        end_sessions(instance)
