"""Retrying a service write after a deadlock, a serialization failure or a lost race."""

import functools
import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError, connection
from django.utils.translation import gettext as _

from annotation.services.core.errors import Conflict

Params = ParamSpec("Params")
Result = TypeVar("Result")

# PostgreSQL's codes for a serialisation failure and a deadlock.
RETRYABLE_SQLSTATES = ("40001", "40P01")


class Overtaken(Exception):
    """Another request took the row that this write had picked; nothing was stored, try again."""


def is_retryable(error: Exception) -> bool:
    """Whether the same write may succeed on a retry."""
    if isinstance(error, Overtaken):
        return True
    return getattr(error.__cause__, "sqlstate", None) in RETRYABLE_SQLSTATES


def retry_on_contention(
    tries: int = 4, *, unique_keys: bool = False
) -> Callable[[Callable[Params, Result]], Callable[Params, Result]]:
    """Retry the function after Overtaken, a deadlock or a serialization failure; raises Conflict after `tries`.

    The function must open its own transaction. With `unique_keys` an IntegrityError is retried too.
    Inside a caller's transaction a deadlock is re-raised, because that transaction is lost.
    """

    def wrap(function: Callable[Params, Result]) -> Callable[Params, Result]:
        @functools.wraps(function)
        def run(*args: Params.args, **kwargs: Params.kwargs) -> Result:
            for attempt in range(1, tries + 1):
                try:
                    return function(*args, **kwargs)
                except (Overtaken, IntegrityError, OperationalError) as error:
                    may_retry = is_retryable(error) or (unique_keys and isinstance(error, IntegrityError))
                    if not may_retry or (connection.in_atomic_block and isinstance(error, OperationalError)):
                        raise
                    if attempt == tries:
                        raise Conflict(_("The server is busy. Please try again."), code="busy") from error
                time.sleep(random.uniform(0, 0.01) * attempt)
            raise AssertionError("unreachable")

        return run

    return wrap
