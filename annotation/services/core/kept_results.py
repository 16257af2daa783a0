"""Results that are kept in this process until their input changes.

Two kinds of input are compared. `keep_result` takes a state that changes with every input, such as the hash of counts
and newest ids. `keep_while_unchanged` takes the project's newest audit events: nearly every write leaves one, and
`tests/tasks/writes_without_events.py` names those that leave none, with why nothing that is kept counts what they
change.

Events may commit out of the order of their ids, so the newest `WATCHED` ones are compared, not just the last: a
transaction that commits late is noticed unless as many others of its project overtook it. `newest_events` is what
everything compares that is kept of a project, the rows in the database (annotation.services.staff.counts_cache)
included. It is read before a result is computed: a write meanwhile makes the result stale, never wrong.

What is kept is shared by all threads and must be immutable: a list or dictionary would be changed by the first caller
who sorts it; of tables, which are such, everybody gets a copy. Parsed texts that their content's hash names (schemas,
frozen designs) need none of this: they never change.
"""

import copy
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any, TypeVar, cast
from uuid import UUID

from django.db import connection

from annotation.models import AuditEvent, Project

WATCHED = 100
MOST_KEPT = 500
ATOMS = (str, bytes, int, float, date, timedelta, UUID, type(None))

Kept = TypeVar("Kept")
_kept_results: dict[tuple[Any, ...], tuple[Hashable, Any]] = {}


def newest_events(project_id: int) -> tuple[int, ...]:
    """The ids of a project's newest audit events, newest first."""
    events = AuditEvent.objects.filter(project=project_id).order_by("-id")
    return tuple(events.values_list("id", flat=True)[:WATCHED])


def keep_while_unchanged(
    project: Project,
    name: tuple[Any, ...],
    compute: Callable[[], Kept],
    *,
    is_large: Callable[[Kept], bool] | None = None,
) -> Kept:
    """What `compute` returns now; a large result (without `is_large`: any) is kept until something is written in the
    project."""
    if is_large is not None and _build_key(project, name) not in _kept_results and not is_large(result := compute()):
        return result
    result = keep_result(project, name, newest_events(project.pk), compute)
    if is_large is not None and not is_large(result):
        _kept_results.pop(_build_key(project, name), None)
    return result


def keep_result(project: Project, name: tuple[Any, ...], state: Hashable, compute: Callable[[], Kept]) -> Kept:
    """What `compute` returns, kept until the state differs. Raises TypeError for a result that could be changed."""

    def compute_immutable() -> Kept:
        result = compute()
        if not is_immutable(result):
            raise TypeError(f"{name[0]}: only immutable results are kept, this is {type(result).__name__}")
        return result

    return _keep(project, name, state, compute_immutable)


def keep_copies(project: Project, name: tuple[Any, ...], state: Hashable, compute: Callable[[], Kept]) -> Kept:
    """What `keep_result` gives, for a result that can be changed: every caller gets a copy."""
    return copy.deepcopy(_keep(project, name, state, compute))


def _keep(project: Project, name: tuple[Any, ...], state: Hashable, compute: Callable[[], Kept]) -> Kept:
    key = _build_key(project, name)
    kept = _kept_results.get(key)
    if kept is not None and kept[0] == state:
        return cast(Kept, kept[1])
    result = compute()
    if len(_kept_results) >= MOST_KEPT:
        _kept_results.clear()
    _kept_results[key] = (state, result)
    return result


def _build_key(project: Project, name: tuple[Any, ...]) -> tuple[Any, ...]:
    return (connection.alias, connection.settings_dict["NAME"], project.pk, *name)


def is_immutable(value: object) -> bool:
    """Whether neither the value nor anything in it can be changed."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_immutable, value))
    if isinstance(value, MappingProxyType):
        return all(map(is_immutable, value.values()))
    if isinstance(value, memoryview):
        return value.readonly
    if is_dataclass(value):
        is_frozen = type(value).__hash__ is not None
        return is_frozen and all(is_immutable(getattr(value, field.name)) for field in fields(value))
    return isinstance(value, ATOMS)


def forget_results() -> None:
    """Compute everything again, as another process would."""
    _kept_results.clear()
