"""Somebody else's id in place of one's own: the answer is the one for an id that nobody has, byte for byte.

Tried with every route whose path names an object, by somebody who may do everything in another project, and by a
colleague with the same role in the same project where objects belong to one person.
"""

import re
from typing import Any

import pytest
from django.db import transaction
from django.urls import resolve, reverse
from django.utils import timezone

from annotation.models import Membership, PoolExit, Project, Role, Sample, SourceDocument
from annotation.services.tasks import claim, live_meters
from tests.api import access_table as calls
from tests.api.world import UNKNOWN
from tests.pages.access_table import ADMINS, MAKERS, PAGES, STAFF
from tests.pages.conftest import person
from tests.security.principals import add_newcomers
from tests.security.routes import names_an_object
from tests.tasks.factories import make_project, pass_gate

TOKEN = re.compile(rb'((?:name="csrfmiddlewaretoken" value|data-since)=")[A-Za-z0-9]+')
"""What differs from page to page: a token, and the second in which the page was made."""
OF_A_PROJECT = (STAFF, MAKERS, ADMINS)


def master_of(slug: str, name: str = "mallory") -> Any:
    """Somebody with every role in one project, and none elsewhere."""
    user = person(name)
    project = Project.objects.get(slug=slug)
    Membership.objects.bulk_create(Membership(user=user, project=project, role=role) for role in Role)
    pass_gate(project, user)
    return user


def swapped(address: str, slug: str = "elsewhere") -> tuple[str, str]:
    """The address within one's own project, with the id that is another's, and with one that nobody has."""
    match = resolve(address)
    there = {**match.kwargs, **({"slug": slug} if "slug" in match.kwargs else {})}
    nowhere = {key: value if key == "slug" else UNKNOWN for key, value in there.items()}
    return reverse(match.url_name, kwargs=there), reverse(match.url_name, kwargs=nowhere)


def said(answer: Any, address: str) -> tuple[int, bytes]:
    """Status and body without what repeats the address that was asked for, or the one above it (as 405 does)."""
    above = address.rstrip("/").rpartition("/")[0]
    body = TOKEN.sub(rb"\1", answer.content).replace(address.encode(), b"")
    return answer.status_code, body.replace(f'href="{above}/"'.encode(), b"")


def objects() -> list[str]:
    return [name for name in PAGES if names_an_object(name)]


def test_pages_of_another_projects_objects(world, addresses):
    master_of("elsewhere")
    world.people["mallory"] = type(world.people["admin"]).objects.get(username="mallory")
    client = world.as_("mallory")
    assert len(objects()) >= 6
    for name in objects():
        for method in ("GET", "POST"):
            there, nowhere = swapped(addresses[name])
            first, second = said(client.generic(method, there), there), said(client.generic(method, nowhere), nowhere)
            assert first == second, (name, method)
            assert first[0] in (404, 405), (name, method)


def test_pages_of_a_colleagues_own_objects(world, addresses):
    add_newcomers(world.project, world.people, Project.objects.get(slug="elsewhere"))
    client = world.as_("unassigned annotator")
    for name in objects():
        there, nowhere = swapped(addresses[name], "news")
        first, second = said(client.get(there), there), said(client.get(nowhere), nowhere)
        assert first == second and first[0] in (404, 405), name


@pytest.mark.parametrize("who", ["mallory", "colleague"])
def test_calls_with_anothers_ids(api_world, who):
    """Mallory may do everything elsewhere, the colleague is a fellow annotator; neither sees what is another's."""
    if who == "mallory":
        api_world.people[who] = master_of("elsewhere")
    else:
        api_world.people[who] = person(who)
        Membership.objects.create(project=api_world.project, user=api_world.people[who], role=Role.ANNOTATOR)
    api_world.as_("admin")
    ids, caller, tried = calls.collect_ids(api_world), api_world.as_(who), 0
    for (name, method), cell in calls.TABLE.items():
        if names_an_object(name):
            address = f"/api/v1/{calls.build_path(name, 'news', ids)}"
            answers = [said(ask(caller, method, path, cell), path) for path in swapped(address)]
            assert answers[0] == answers[1] and answers[0][0] == 404, (name, method)
            tried += 1
    assert tried >= 16


def ask(caller: Any, method: str, path: str, cell: Any) -> Any:
    with transaction.atomic():
        answer = caller(method, path, cell.body, data=cell.data() if cell.data else None, **cell.headers)
        transaction.set_rollback(True)
    return answer


def test_an_id_of_another_below_ones_own(api_world):
    """Meters are answered below a task: one's own task does not open another's answer."""
    mallory = master_of("news")
    assignment = claim.claim_next(project=api_world.project, annotator=mallory).assignment
    mine = live_meters.request_measurement(assignment=assignment, summary="The council met.", revision=0)
    api_world.people["mallory"] = mallory
    caller = api_world.as_("mallory")
    address = "/api/v1/assignments/{}/meters/{}/".format

    assert caller("GET", address(assignment.public_id, mine.public_id)).status_code == 200
    there = said(caller("GET", address(assignment.public_id, api_world.meter.public_id)), "")
    assert there == said(caller("GET", address(assignment.public_id, UNKNOWN)), "")
    assert there[0] == 404
    assert caller("GET", address(api_world.task.public_id, mine.public_id)).status_code == 404


@pytest.mark.parametrize("path", ["annotations/?source={}", "samples/?source={}", "documents/?q={}"])
def test_a_source_of_another_project_in_a_query(api_world, path):
    caller = api_world.as_("admin")
    assert SourceDocument.objects.filter(project__slug="elsewhere", external_id="elsewhere-0").exists()
    first, second = (caller("GET", f"projects/news/{path.format(name)}") for name in ("elsewhere-0", "nowhere-0"))

    assert said(first, "elsewhere-0") == said(second, "nowhere-0")
    assert first.json_body["count"] == 0


def test_a_name_of_another_project_in_a_body(api_world):
    """Who works elsewhere is as unknown here as somebody who does not exist."""
    caller = api_world.as_("admin")
    bodies = [{"username": name, "role": "admin"} for name in ("outsider", "nobodyatall")]
    first, second = (caller("POST", "projects/news/members/remove/", body) for body in bodies)

    assert first.content.replace(b"outsider", b"") == second.content.replace(b"nobodyatall", b"")
    assert first.status_code == second.status_code == 404


def left_pool(project: Project) -> PoolExit:
    sample = Sample.objects.filter(project=project)[0]
    return PoolExit.objects.create(project=project, sample=sample, skips=2, at=timezone.now())


@pytest.mark.parametrize("do", ["back", "redraw", ""])
def test_a_sample_named_in_a_form(world, do):
    """One's own sample is there; another project's is as unknown as one that does not exist."""
    theirs = left_pool(make_project("theirs")).sample.public_id
    public_id = left_pool(world.project).sample.public_id
    client = world.as_("admin")
    forms = [{"do": do, "sample": str(sample)} for sample in (theirs, UNKNOWN)]
    first, second = (said(client.post("/p/news/skips/", form), form["sample"]) for form in forms)

    assert first == second and first[0] == 404
    assert PoolExit.objects.filter(back_at=None, redrawn=None).count() == 2
    assert client.post("/p/news/skips/", {"do": do, "sample": str(public_id)}).status_code in (200, 302)
    assert world.as_("reviewer").post("/p/news/skips/", {"do": do, "sample": str(public_id)}).status_code == 404
