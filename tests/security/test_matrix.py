"""The authorisation matrix: every route x method x kind of caller, expected from the two access tables.

A page or call without a row in tests/pages/access_table.py or tests/api/access_table.py fails here and in the
test_access.py beside the table. What the table of pages cannot say (fewer people may send its form than see it) is in
SENDERS.
"""

import os
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotation.models import CrowdLink, Invitation, Membership, Project
from annotation.services.people import crowd_links, invitations
from annotation.views.core import errors
from tests.api import access_table as calls
from tests.api.world import Caller
from tests.pages.access_table import ANYONE, MAKERS, PAGE_CALLS, PAGES
from tests.security.principals import (
    PRINCIPALS,
    SESSION,
    TOKEN,
    Principal,
    add_newcomers,
    open_clients,
    session_keys,
    take_rights_away,
)
from tests.security.routes import HANDLED, names_an_object, routes

OPEN = {"api-schema", "api-unknown"}
"""Answer everybody alike; tried in test_open_calls."""
SENDERS: dict[str, set[str]] = {
    "pilot": MAKERS,  # a reviewer compares and does not decide
    "pilot-candidate": MAKERS,
    "skips": MAKERS,  # a reviewer reads the reasons and draws nothing
    "judge-check": MAKERS,  # a reviewer labels texts and draws none
    "practice-setup": MAKERS,  # a reviewer sees who is where and decides nothing
    "document": MAKERS,  # a reviewer reads a source and cannot flag it on its page
}
NAMED_IN_THE_FORM = {"skips", "publication"}
"""The form names an object or what to do; sent empty it names none, so that everybody gets 404. Swapped in
test_swaps."""
GONE = {"setup", "shared-report", "shared-report-file", "provider-sign-in", "provider-answer", "sign-in-link"}
"""Not found for everybody, signed in or not, on this site; see tests/pages/test_setup.py and tests/accounts."""
SESSIONS_ONLY = {("api-tokens", "POST"): calls.Cell(calls.SIGNED_IN, 201, {"name": "mine"})}
"""By token this is refused to everybody, so that a stolen token makes no other."""
ON_PAGES = ("GET", "POST", "DELETE")
OPEN_BEFORE_A_CHANGE = {"password_change", "second-factor", "sign-in", "sign-in-code", "sign-out", "theme", "language"}
"""What an account with a first password reaches; everything else leads to the change."""
FEWEST = 12_000
FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
A_FEW = {"anonymous", "annotator", "superuser", "read-only token"}
"""Who tries the methods that a page or call does not know."""
BY_SESSION = {"anonymous", "annotator", "researcher elsewhere", "reviewer", "demoted", "superuser", "first password"}
"""Who tries by session the calls that everybody tries by token. make test-full tries both as everybody."""
SESSION_NAME = settings.SESSION_COOKIE_NAME


@dataclass(frozen=True)
class Ask:
    """One row of the matrix: a route by one method."""

    name: str
    method: str
    path: str = ""


def pages_rows(addresses: dict[str, str] | None = None) -> list[Ask]:
    return [Ask(name, method, (addresses or {}).get(name, "")) for name in PAGES for method in ON_PAGES]


def calls_rows(path_of: Any = lambda _name: "") -> list[Ask]:
    """Every method of every call, those it does not know as well."""
    return [Ask(name, method, path_of(name)) for name in {name for name, _ in calls.TABLE} for method in HANDLED]


def test_every_route_stands_in_a_table():
    results = {name for name, _route, _view in routes()}

    assert "" not in results, "a route without a name cannot be looked up"
    assert results == set(PAGES) | {name for name, _method in calls.TABLE} | OPEN | PAGE_CALLS


def unknown(row: Ask) -> bool:
    """Whether nobody is served by this method there."""
    return row.method == "DELETE" if row.name in PAGES else (row.name, row.method) not in calls.TABLE


def askers(row: Ask, kind: str = TOKEN) -> set[str]:
    if FULL:
        return set(PRINCIPALS)
    return A_FEW if unknown(row) else BY_SESSION if kind == SESSION else set(PRINCIPALS)


def test_there_are_enough_cells():
    by_session = [Ask(*key) for key in calls.TABLE]
    pages = sum(len(askers(row)) for row in pages_rows())
    by_token = sum(len(askers(row)) for row in calls_rows())
    cells = {"pages": pages, TOKEN: by_token, SESSION: sum(len(askers(row, SESSION)) for row in by_session)}
    print(f"\nauthorisation matrix: {sum(cells.values())} cells: {cells}")
    assert sum(cells.values()) >= FEWEST


@pytest.fixture
def short_refusals(monkeypatch):
    """Refusals without their page: rendering it is half of the work, and what it says is read in test_swaps and
    tests/pages/test_error_pages.py."""
    monkeypatch.setattr(errors, "render", lambda _request, _name, _context, status: HttpResponse(status=status))


def test_pages(world, addresses, short_refusals):
    add_newcomers(world.project, world.people, Project.objects.get(slug="elsewhere"))
    clients = open_clients(world.people, SESSION)
    take_rights_away(world.people, clients, world.project, "/p/news/sources/")

    assert sweep(clients, pages_rows(addresses), askers, ask_page, page_fits) == {}


def test_links_that_are_over_let_nobody_in(world):
    """Revoked, expired and used-up ones, whoever opens them, by looking and by sending the form."""
    add_newcomers(world.project, world.people, Project.objects.get(slug="elsewhere"))
    clients, admin = open_clients(world.people, SESSION), world.people["admin"]
    links = [make_link(world.project, admin, over) for make_link in (invite, link_crowd) for over in OVER]
    before = list(Membership.objects.order_by("pk").values_list())
    n_people, wrong = User.objects.count(), {}
    for address in links:
        for who, client in clients.items():
            for method in ("GET", "POST"):
                answer = client.generic(method, address)
                if answer.status_code != (302 if PRINCIPALS[who].must_change else 410):
                    wrong[address, method, who] = answer.status_code
    assert wrong == {} and len(links) == 6
    assert list(Membership.objects.order_by("pk").values_list()) == before
    assert User.objects.count() == n_people


OVER = (
    {"revoked_at": timezone.now()},
    {"expires_at": timezone.now() - timedelta(seconds=1)},
    {"uses": F("max_uses")},
)


def invite(project: Project, by: Any, over: dict[str, Any]) -> str:
    row, plain = invitations.create_invitation(project=project, name="over", roles=["admin"], by=by, max_uses=1)
    Invitation.objects.filter(pk=row.pk).update(**over)
    return f"/join/{plain}/"


def link_crowd(project: Project, by: Any, over: dict[str, Any]) -> str:
    link_settings = crowd_links.LinkSettings(name="over", tasks=1, max_uses=1)
    row, plain = crowd_links.make_link(project=project, by=by, link_settings=link_settings)
    CrowdLink.objects.filter(pk=row.pk).update(**over)
    return f"/take-part/{plain}/?PROLIFIC_PID=5f1d2a77c0ffee"


@pytest.mark.parametrize("kind", [TOKEN, SESSION])
def test_calls(api_world, kind):
    add_newcomers(api_world.project, api_world.people, Project.objects.get(slug="elsewhere"))
    api_world.as_("admin")
    ids = calls.collect_ids(api_world)
    clients = open_clients(api_world.people, kind)
    take_rights_away(api_world.people, clients, api_world.project, "/api/v1/projects/news/documents/")
    rows = calls_rows(lambda name: f"/api/v1/{calls.build_path(name, 'news', ids)}")

    if kind == SESSION:  # the methods that a call does not know were tried by token
        rows = [row for row in rows if (row.name, row.method) in calls.TABLE]
    cells = calls.TABLE | (SESSIONS_ONLY if kind == SESSION else {})
    assert sweep(clients, rows, partial(askers, kind=kind), ask_call, partial(call_fits, cells)) == {}


def test_open_calls(api_world):
    clients = open_clients(api_world.people | dict.fromkeys(PRINCIPALS, api_world.people["idle"]), TOKEN)
    for who in ("anonymous", "superuser", "revoked token"):
        assert clients[who].get("/api/v1/nothing/").status_code in (401, 404)
    assert clients["anonymous"].get("/api/schema/").status_code == 200


def sweep(
    clients: dict[str, Client], rows: list[Ask], who_asks: Any, ask: Any, fits: Any
) -> dict[tuple[str, str, str], int]:
    """Ask each row as everybody who has to, each in a savepoint that is rolled back; the cells that do not fit."""
    keys, wrong = session_keys(clients), {}
    for row in rows:
        for who in who_asks(row):
            client = clients[who]
            client.cookies = SimpleCookie({SESSION_NAME: keys[who]} if who in keys else {})
            with transaction.atomic():
                answer = ask(client, row)
                if answer.streaming:
                    b"".join(answer.streaming_content)
                transaction.set_rollback(True)
            if not fits(PRINCIPALS[who], row, answer):
                wrong[row.name, row.method, who] = answer.status_code
    return wrong


def ask_page(client: Client, row: Ask) -> Any:
    return client.generic(row.method, row.path)


def page_fits(who: Principal, row: Ask, answer: Any) -> bool:
    """In: an answer that is neither "nothing here" nor the way to the sign-in. Out: 404, or the sign-in for nobody."""
    if who.must_change and row.name not in OPEN_BEFORE_A_CHANGE:
        return answer.status_code == 302 and answer.headers["Location"] == "/password/"
    if answer.status_code == 405:
        return row.method != PAGES[row.name][0].upper()
    if row.name in GONE:
        return answer.status_code == 404
    to_sign_in = "/sign-in/?next=" in answer.headers.get("Location", "")
    may = PAGES[row.name][2] if row.method == "GET" else SENDERS.get(row.name, PAGES[row.name][2])
    if may >= ANYONE:
        return answer.status_code < 404 or answer.status_code in (409, 422)
    if who.like == "nobody" or who.reads_only:  # a token opens no page
        return answer.status_code == 302 and to_sign_in
    if row.name in NAMED_IN_THE_FORM and row.method == "POST":
        may = set()
    inside = row.name in who.more or (who.like in may and (who.owns or not names_an_object(row.name) or len(may) > 1))
    return (
        (answer.status_code < 404 or answer.status_code in (409, 422)) and not to_sign_in
        if inside
        else (answer.status_code == 404)
    )


def ask_call(client: Client, row: Ask) -> Any:
    cell = calls.TABLE.get((row.name, row.method)) or calls.Cell(set())
    caller = Caller(client=client)
    return caller(row.method, row.path, cell.body, data=cell.data() if cell.data else None, **cell.headers)


def call_fits(cells: dict[tuple[str, str], Any], who: Principal, row: Ask, answer: Any) -> bool:
    """The class of the status for who may, exactly the refusal for who may not."""
    cell = cells.get((row.name, row.method))
    got = answer.status_code
    if who.must_change:  # by token it is nobody's
        return got == 401 or (got == 403 and answer.json_body["code"] == "password_change")
    if who.like == "nobody" or (cell is not None and cell.else_ == 401):
        return got == 401
    if who.reads_only and row.method != "GET":
        return got == (401 if (row.name, row.method) in SESSIONS_ONLY else 403)
    if cell is None:
        return got == 405
    inside = who.like in cell.may and (who.owns or not names_an_object(row.name) or len(cell.may) > 1)
    return got // 100 == cell.status // 100 if inside else got == cell.else_
