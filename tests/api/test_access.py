"""Who may call what: every call of the API against every kind of caller, expected from one table.

A call that is missing in the table fails. Who may not sees what nobody can see: the answer for a thing that does not
exist, byte for byte.
"""

from typing import Any

import pytest

from annotation.models import Membership, Role
from tests.api.access_table import (
    CALLERS,
    HANDLED,
    SIGNED_IN,
    TABLE,
    build_path,
    call_api,
    collect_ids,
    collect_unknown_ids,
    expected_status,
    list_calls,
    prepare_world,  # noqa: F401  run by tests/api/conftest.py for every world of this module
    urlpatterns,
)

pytestmark = pytest.mark.django_db


def test_every_call_stands_in_the_table():
    assert set(list_calls()) == set(TABLE)


@pytest.mark.parametrize(("name", "method"), sorted(TABLE))
def test_who_may(world, name, method):
    cell = TABLE[name, method]
    path = build_path(name, "news", collect_ids(world))
    got = {who: call_api(world, who, cell, method, path).status_code for who in CALLERS}
    if (name, method) == ("api-claim", "POST"):
        assert got.pop("site") == 201  # a site admin may do everything, also take a task of their own
    if (name, method) == ("api-tokens", "POST"):
        assert set(got.values()) == {401}
        return
    assert got == {who: expected_status(cell, who, method) for who in got}


@pytest.mark.parametrize(("name", "method"), sorted(key for key, cell in TABLE.items() if cell.else_ == 404))
def test_forbidden_and_unknown_look_alike(world, name, method):
    cell = TABLE[name, method]
    there = build_path(name, "news", collect_ids(world))
    nowhere = build_path(name, "nowhere", collect_unknown_ids(world))
    for who in sorted(SIGNED_IN - cell.may):
        first, second = (call_api(world, who, cell, method, path) for path in (there, nowhere))
        assert (first.status_code, first.content) == (second.status_code, second.content) == (404, first.content), who
        assert first.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("row", urlpatterns, ids=lambda row: row.name)
def test_other_methods_are_refused_as_problems(world, row):
    caller = world.as_("outsider")
    path = build_path(row.name, "news", collect_ids(world))
    for method in HANDLED:
        if hasattr(row.callback.view_class, method.lower()):
            continue
        answer = caller(method, path)
        assert (answer.status_code, answer.json_body["status"], answer.json_body["code"]) == (
            405,
            405,
            "method_not_allowed",
        )
        assert answer.headers["Allow"]


def test_a_change_of_roles_counts_on_the_next_call(world):
    caller = world.as_("researcher")
    assert caller("GET", "projects/news/documents/").status_code == 200
    Membership.objects.filter(user=world.people["researcher"]).update(role=Role.ANNOTATOR)
    assert caller("GET", "projects/news/documents/").status_code == 404
    world.people["researcher"].is_active = False
    world.people["researcher"].save()
    assert caller("GET", "projects/news/").status_code == 401


def test_reading_changes_nothing(world):
    """Nothing but what a token remembers of its use."""
    from django.apps import apps

    def rows() -> dict[str, list[Any]]:
        return {model.__name__: list(model.objects.order_by("pk").values()) for model in apps.get_models()}

    caller = world.as_("site")
    ids = collect_ids(world)
    state_before = rows()
    for name, method in TABLE:
        if method == "GET":
            answer = caller("GET", build_path(name, "news", ids))
            if answer.streaming:
                b"".join(answer.streaming_content)
    assert rows() == state_before
