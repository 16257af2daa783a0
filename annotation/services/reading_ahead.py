"""Reading the next part from the database while the one before is being used."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def read_ahead(parts: Iterator[T]) -> Iterator[T]:
    """The same parts in the same order, each read by another thread, at most one ahead: the database works while the
    caller does. Within a transaction they are read by the caller's own connection, which alone sees what it wrote."""
    if connection.in_atomic_block:
        yield from parts
        return
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as pool:
        coming = pool.submit(next, parts, end)
        try:
            while (part := coming.result()) is not end:
                coming = pool.submit(next, parts, end)
                yield part  # type: ignore[misc]  # everything but the end is a part
        finally:
            # Whoever stops halfway, stops the reading too; the thread's connection goes back before the thread ends.
            coming.cancel()
            pool.submit(lambda: connection.close()).result()  # looked up in that thread: each has its own
