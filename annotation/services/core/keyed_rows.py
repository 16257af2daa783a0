"""Rows of a list for a paginator: the keys of all of them, and a page of rows when it is asked for."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Generic, TypeVar

from annotation.models import Project
from annotation.services.core.list_pages import LARGE, keep_while_unchanged

Row = TypeVar("Row")


class KeyedRows(Generic[Row]):
    """In the order of the keys. Only for rows that change by audited writes: of many rows the keys are kept until
    something is written in the project (see list_pages), under a name that tells what was selected."""

    def __init__(
        self,
        project: Project,
        name: tuple[str, ...],
        *,
        read_keys: Callable[[], Iterable[tuple[int]]],
        read_rows: Callable[[Sequence[int]], list[Row]],
    ) -> None:
        self.read_rows = read_rows
        self.keys: Sequence[int] = keep_while_unchanged(
            project,
            name,
            lambda: array("q", chain.from_iterable(read_keys())),
            is_large=lambda keys: len(keys) >= LARGE,
        )

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, part: slice) -> list[Row]:
        keys = self.keys[part]
        return self.read_rows(keys) if keys else []
