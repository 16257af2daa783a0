"""Every write service: whichever statement of it fails, the last one (its commit) included, nothing is stored.

The calls are those of the table of who may call what, with its world; what no call reaches is called by name. A
function that writes and stands nowhere fails test_no_write_is_forgotten.
"""

import ast
import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.api.core import throttling
from annotation.transactions import write_transaction
from tests.api.access_table import TABLE, build_path, collect_ids, prepare_world  # noqa: F401
from tests.api.world import World
from tests.tasks.all_writes import BY_NAME, ELSEWHERE
from tests.tasks.planted_faults import BreakAt, Broken
from tests.tasks.several_writes import Several

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
ROOT = Path(__file__).resolve().parents[2]
TWO_WRITES = {("api-runs", "POST")}
"""A system that comes with Epitome is registered first, which is whole without the run, and then the run is started."""
CALLS = sorted(
    key for key, cell in TABLE.items() if key[1] != "GET" and cell.may and cell.status < 400 and key not in TWO_WRITES
)
MOST = 800
TRIED = None if os.environ.get("EPITOME_TEST_FULL") else 60
"""Of so many statements every one is tried; of more, this many spread over all of them. None: always every one."""
WRITES = re.compile(r'\b(?:INSERT\s+INTO|INSERT\s+OR\s+IGNORE\s+INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)')


def writers() -> set[str]:
    """Every function that opens the transaction of a write, as `file:function`."""
    found = set()
    for room in ("annotation", "evaluation", "modelbridge"):
        for file in (ROOT / room).rglob("*.py"):
            for one in ast.walk(ast.parse(file.read_text())):
                if isinstance(one, ast.FunctionDef) and any(map(_opens_a_write, ast.walk(one))):
                    found.add(f"{file.relative_to(ROOT)}:{one.name}")
    return found


def _opens_a_write(node: ast.AST) -> bool:
    if not isinstance(node, ast.With):
        return False
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == write_transaction.__name__ for call in calls)


class Reached:
    """Which functions stand on the stack when something is written."""

    def __init__(self, known: set[str]) -> None:
        self.known, self.found = known, set[str]()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE"):
            frame = sys._getframe()
            while frame is not None:
                name = f"{frame.f_code.co_filename.removeprefix(f'{ROOT}/')}:{frame.f_code.co_name}"
                self.found |= {name} & self.known
                frame = frame.f_back  # type: ignore[assignment]
        return execute(sql, params, many, context)


@functools.cache
def tables() -> list[str]:
    return connection.introspection.table_names()


def rows(of: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Everything that is stored, or what some tables hold."""
    found = {}
    with connection.cursor() as cursor:
        for table in tables() if of is None else of:
            cursor.execute(f'SELECT * FROM "{table}"')
            found[table] = sorted(map(repr, cursor.fetchall()))
    return found


def caller_of(world: World, key: tuple[str, str]) -> Callable[[], int]:
    """The call by somebody who may; returns its status."""
    cell = TABLE[key]
    who = next(one for one in ("admin", "annotator", "rater", "site") if one in cell.may)
    caller = world.as_(who)
    world.as_("admin")  # whose token is one of the ids
    path = build_path(key[0], "news", collect_ids(world))

    def ask() -> int:
        throttling.counter.clear()
        answer = caller(key[1], path, cell.body, data=cell.data() if cell.data else None, **cell.headers)
        return int(answer.status_code)

    return ask


def undone(work: Callable[[], Any], look: Callable[[], Any]) -> tuple[Any, Any]:
    """What the work returned (None where it broke), and what was seen after it; then all of it is undone."""
    with transaction.atomic():
        try:
            done = work()
        except Broken:
            done = None
        seen = look()
        transaction.set_rollback(True)
    return done, seen


class Written(set[str]):
    """The tables that a statement has tried to write to: no others can have changed."""

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.update({*WRITES.findall(sql)} & {*tables()})
        return execute(sql, params, many, context)


def difference(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, int]:
    """table -> rows more or less, of every table that is not as before."""
    return {table: len(found) - len(before[table]) for table, found in after.items() if found != before[table]}


def places_tried(n_statements: int) -> Iterator[int]:
    """The statements at which the work is broken, in order, and the places behind the last."""
    step = 1 if TRIED is None else max(1, -(-n_statements // TRIED))
    yield from range(0, n_statements, step)
    yield from range(n_statements - (n_statements - 1) % step, MOST)


def break_everywhere(work: Callable[[], Any]) -> None:
    """All or nothing, whichever statement fails; one that fails after the commit finds everything stored.

    Of several writes each is all or nothing, so that a break finds no more states than there are places between them,
    and the next attempt ends where the one that nothing broke did.
    """
    several = work if isinstance(work, Several) else Several(work, writes=1)
    before, written = rows(), Written()
    counter = BreakAt(MOST)
    with connection.execute_wrapper(written), connection.execute_wrapper(counter):
        done, after = undone(several, rows)
    assert not isinstance(done, int) or done < 400
    whole = difference(before, after)
    written.update(whole)  # PostgreSQL's COPY passes by the wrapper
    between: list[dict[str, int]] = []
    for n in places_tried(MOST - counter.left):
        fault = BreakAt(n)

        def broken(fault: BreakAt = fault) -> Any:
            with connection.execute_wrapper(written), connection.execute_wrapper(fault):
                return several()

        def look() -> dict[str, int]:
            seen = difference(before, rows(written))
            if several.writes > 1 and seen not in ({}, whole):
                several()
                assert several.settled(difference(before, rows(written))) == several.settled(whole)
            return seen

        _done, seen = undone(broken, look)
        if seen not in ({}, whole, *between):
            between.append(seen)
        assert len(between) < several.writes, f"statement {n} left half of it behind: {between}"
        if not fault.hit:
            assert n > 1 or not whole
            return
    raise AssertionError(f"more than {MOST} statements")


@pytest.fixture(autouse=True)
def _few_tries(settings):
    settings.EPITOME_SIGN_IN_TRIES = 10


@pytest.mark.parametrize("key", CALLS, ids=" ".join)
def test_a_call_whose_statement_fails_stores_nothing(world, key):
    break_everywhere(caller_of(world, key))


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_service_whose_statement_fails_stores_nothing(world, name):
    break_everywhere(BY_NAME[name](world))


@pytest.mark.skipif(connection.vendor != "sqlite", reason="which functions write is the same with every database")
def test_no_write_is_forgotten(world):
    known = writers()
    reached = Reached(known)
    calls = [caller_of(world, key) for key in (*CALLS, *TWO_WRITES)]
    made = [*calls, *(lambda make=make: make(world)() for make in BY_NAME.values())]
    for work in made:
        with connection.execute_wrapper(reached):
            undone(work, lambda: None)
    elsewhere = {f"{Path(call.__code__.co_filename).relative_to(ROOT)}:{call.__name__}" for call in ELSEWHERE}
    assert len(known) > 50, "the search for writes finds no writes"
    assert sorted(known - reached.found - elsewhere) == [], "break it in tests/tasks/all_writes.py"
    assert sorted(elsewhere - known) == [], "writes no longer: take it off the list"
