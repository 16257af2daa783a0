"""Pauses of members and of raters: started by staff or by a rule, and ended by staff."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models.joining import AbstractPause

Paused = TypeVar("Paused", bound=AbstractPause)


def start_pause(rows: "QuerySet[Paused]", *, reason: Mapping[str, Any] | None = None, **values: Any) -> bool:
    """Pause people who are not paused yet; whether anything changed. reason: of a rule. values: of other columns."""
    return bool(rows.filter(paused_at=None).update(paused_at=timezone.now(), pause_reason=reason or {}, **values))


def end_pause(rows: "QuerySet[Paused]", **values: Any) -> bool:
    """Resume people who are paused; whether anything changed. Rules count only later answers."""
    paused = rows.filter(paused_at__isnull=False)
    return bool(paused.update(paused_at=None, pause_reason={}, pause_counts_from=timezone.now(), **values))
