"""Reading the next part from the database while the one before is being used."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def read_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same parts in the same order, each read by another thread, at most one ahead: the database works while the
    caller does. Within a transaction they are read by the caller's own connection, which alone sees what it wrote."""
    if connection.in_atomic_block:
        yield from items
        return
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        pending = pool.submit(next, items, end)
        try:
            while (item := pending.result()) is not end:
                pending = pool.submit(next, items, end)
                yield item  # type: ignore[misc]  # everything but the end is a part
        finally:
            # Whoever stops halfway, stops the reading too; the thread's connection goes back before the thread ends.
            pending.cancel()
            pool.submit(lambda: connection.close()).result()  # looked up in that thread: each has its own
