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
from annotation.models import AuditEvent
from annotation.services.core import audit
from annotation.transactions import write_transaction
from tests.api.access_table import TABLE, build_path, collect_ids, prepare_world  # noqa: F401
from tests.api.world import World
from tests.tasks.all_writes import BY_NAME, ELSEWHERE
from tests.tasks.planted_faults import BreakAt, Broken
from tests.tasks.several_writes import Several
from tests.tasks.writes_without_events import NOT_COUNTED

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
    values = set()
    for room in ("annotation", "evaluation", "modelbridge"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef) and any(map(_opens_a_write, ast.walk(node))):
                    values.add(f"{file.relative_to(ROOT)}:{node.name}")
    return values


def list_elsewhere() -> set[str]:
    return {f"{Path(call.__code__.co_filename).relative_to(ROOT)}:{call.__name__}" for call in ELSEWHERE}


def _opens_a_write(node: ast.AST) -> bool:
    if not isinstance(node, ast.With):
        return False
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == write_transaction.__name__ for call in calls)


def list_callers(known: set[str]) -> Iterator[str]:
    """Those of the known functions that are being run, the innermost first."""
    frame = sys._getframe()
    while frame is not None:
        name = f"{frame.f_code.co_filename.removeprefix(f'{ROOT}/')}:{frame.f_code.co_name}"
        if name in known:
            yield name
        frame = frame.f_back  # type: ignore[assignment]


class Reached:
    """Which functions stand on the stack when something is written."""

    def __init__(self, known: set[str]) -> None:
        self.known, self.found = known, set[str]()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if WRITES.search(sql):
            self.found |= {*list_callers(self.known)}
        return execute(sql, params, many, context)


class Audited:
    """The functions whose transactions write something, and those whose transactions leave an event of a project.

    Stands in for the statement that inserts events."""

    def __init__(self, known: set[str]) -> None:
        self.known, self.insert_event = known, audit.INSERT_EVENT
        self.writing, self.with_event = set[str](), set[str]()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if WRITES.search(sql) and AuditEvent._meta.db_table not in sql:
            self.writing |= self._find_outermost()
        return execute(sql, params, many, context)

    def send(self, rows: Any) -> None:
        if rows[0]["project_id"]:
            self.with_event |= self._find_outermost()
        self.insert_event.send(rows)

    def _find_outermost(self) -> set[str]:
        return {*[*list_callers(self.known)][-1:]}

    def begin(self) -> None:
        self.writing, self.with_event = set(), set()


@functools.cache
def tables() -> list[str]:
    return connection.introspection.table_names()


def rows(of: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Everything that is stored, or what some tables hold."""
    fields = {}
    with connection.cursor() as cursor:
        for table in tables() if of is None else of:
            cursor.execute(f'SELECT * FROM "{table}"')
            fields[table] = sorted(map(repr, cursor.fetchall()))
    return fields


def caller_of(world: World, key: tuple[str, str]) -> Callable[[], int]:
    """The call by somebody who may; returns its status."""
    cell = TABLE[key]
    who = next(text for text in ("admin", "annotator", "rater", "site") if text in cell.may)
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
            result = work()
        except Broken:
            result = None
        seen = look()
        transaction.set_rollback(True)
    return result, seen


class Written(set[str]):
    """The tables that a statement has tried to write to: no others can have changed."""

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.update({*WRITES.findall(sql)} & {*tables()})
        return execute(sql, params, many, context)


def difference(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, int]:
    """table -> rows more or less, of every table that is not as before."""
    return {table: len(value) - len(before[table]) for table, value in after.items() if value != before[table]}


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
    state_before, written = rows(), Written()
    counter = BreakAt(MOST)
    with connection.execute_wrapper(written), connection.execute_wrapper(counter):
        completed, state_after = undone(several, rows)
    assert not isinstance(completed, int) or completed < 400
    result = difference(state_before, state_after)
    written.update(result)  # PostgreSQL's COPY passes by the wrapper
    between: list[dict[str, int]] = []
    for n in places_tried(MOST - counter.left):
        fault = BreakAt(n)

        def broken(fault: BreakAt = fault) -> Any:
            with connection.execute_wrapper(written), connection.execute_wrapper(fault):
                return several()

        def look() -> dict[str, int]:
            seen = difference(state_before, rows(written))
            if several.writes > 1 and seen not in ({}, result):
                several()
                assert several.settled(difference(state_before, rows(written))) == several.settled(result)
            return seen

        _completed, seen = undone(broken, look)
        if seen not in ({}, result, *between):
            between.append(seen)
        assert len(between) < several.writes, f"statement {n} left half of it behind: {between}"
        if not fault.hit:
            assert n > 1 or not result
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
def test_every_write_leaves_an_event_or_is_named_as_not_counted(world, monkeypatch):
    """What is kept of a project is true as long as its newest events are the same (see kept_results)."""
    known = writers()
    seen = Audited(known)
    monkeypatch.setattr(audit, "INSERT_EVENT", seen)
    without_event, with_event = set[str](), set[str]()

    def run(make: Callable[[], Callable[[], Any]]) -> None:
        work = make()
        seen.begin()
        with connection.execute_wrapper(seen):
            work()

    makes = [functools.partial(caller_of, world, key) for key in (*CALLS, *TWO_WRITES)]
    for make in (*makes, *(functools.partial(make, world) for make in BY_NAME.values())):
        undone(functools.partial(run, make), lambda: None)
        without_event |= seen.writing - seen.with_event
        with_event |= seen.with_event
    assert len(with_event) > 50, "no events are seen"
    assert sorted(without_event - NOT_COUNTED.keys()) == [], (
        "record an event, or say why nothing that is kept counts it"
    )
    assert sorted(NOT_COUNTED.keys() - known) == [], "writes no longer: take it off the list"
    assert sorted(NOT_COUNTED.keys() - without_event - list_elsewhere()) == [], "leaves an event: take it off the list"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="which functions write is the same with every database")
def test_no_write_is_forgotten(world):
    known = writers()
    reached = Reached(known)
    calls = [caller_of(world, key) for key in (*CALLS, *TWO_WRITES)]
    items = [*calls, *(lambda make=make: make(world)() for make in BY_NAME.values())]
    for work in items:
        with connection.execute_wrapper(reached):
            undone(work, lambda: None)
    elsewhere = list_elsewhere()
    assert len(known) > 50, "the search for writes finds no writes"
    assert sorted(known - reached.found - elsewhere) == [], "break it in tests/tasks/all_writes.py"
    assert sorted(elsewhere - known) == [], "writes no longer: take it off the list"
