"""Prefetching: reading the next item from the database while the current one is being used."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def read_ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield the same items in the same order, read by another thread at most one ahead: the database works while the
    caller does. Inside a transaction they are read on the caller's own connection, which alone sees its writes."""
    if connection.in_atomic_block:
        yield from items
        return
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        pending = pool.submit(next, items, end)
        try:
            while (item := pending.result()) is not end:
                pending = pool.submit(next, items, end)
                yield item  # type: ignore[misc]  # everything but the end marker is an item
        finally:
            # If the caller stops early, reading stops too; the thread's connection is closed before the thread ends.
            pending.cancel()
            pool.submit(lambda: connection.close()).result()  # looked up in that thread: each has its own
