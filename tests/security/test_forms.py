"""An object of another project in a field of a page's form or address: answered like one that nobody has.

The fields are those of the code: one that is neither tried nor known to name nothing fails. See test_bodies.py for the
calls of the API.
"""

import re
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import transaction

from annotation.models import Membership, PracticeItem, Publication, Role
from modelbridge.models import TrainingRun
from tests.api.world import UNKNOWN
from tests.practice.factories import ensure_practice
from tests.security.form_cases import ALIKE, CASES, CHOICES, ELSEWHERE, WORDS, Sent
from tests.security.form_names import ROOT, list_names
from tests.security.test_swaps import said
from tests.security.theirs import Trio, add_more, make_theirs, name_trios, read_rows
from tests.tasks.factories import pass_gate

SESSION_NAME = settings.SESSION_COOKIE_NAME
NONCE = re.compile(rb'nonce="[^"]*"')
KEPT_OUT = {"Session": ("session_data", "expire_date"), "User": ("last_login",)}


def test_every_field_of_a_form_is_tried_or_names_nothing():
    tried = {case.field for case in CASES}
    assert list_names() - tried - CHOICES - WORDS - set(ELSEWHERE) == set()
    assert all((ROOT / path).exists() for path in ELSEWHERE.values())


@pytest.fixture
def swapped(world, addresses):
    project, admin = world.project, world.people["admin"]
    others = set(Role) - {Role.ADMIN}
    Membership.objects.bulk_create(Membership(user=admin, project=project, role=role) for role in others)
    pass_gate(project, admin)
    add_more(project, admin, "our-system", "ours-v1")
    theirs = make_theirs()
    TrainingRun.objects.create(project=theirs, key="theirs", name="Theirs")
    trios = name_trios(project, theirs)
    trios["left sample"] = trios["sample"]
    practice = [ensure_practice(world), PracticeItem.objects.get(project=theirs)]
    training = [TrainingRun.objects.filter(project=one)[0] for one in (project, theirs)]
    for kind, rows in (("practice", practice), ("training", training)):
        trios[kind] = Trio(str(rows[0].public_id), str(rows[1].public_id), str(UNKNOWN))
    hits = Publication.objects.get(tag="ours-v1-public")
    own = Publication.objects.get(project=project, tag="v1")
    addresses["publication-hits"] = addresses["publication-hits"].replace(str(own.public_id), str(hits.public_id))
    return world.as_("admin"), addresses, trios


def send(swapped: Any, case: Sent, value: str, models: Any) -> tuple[tuple[int, str, bytes], dict[str, list[Any]]]:
    """The page that is shown in the end, without the value, and the rows afterwards; what was done is undone."""
    client, addresses, _trios = swapped
    client.cookies = SimpleCookie({SESSION_NAME: client.cookies[SESSION_NAME].value})  # without an earlier message
    form = {**dict(case.others), case.field: value}
    with transaction.atomic():
        answer = (client.get if case.by_get else client.post)(addresses[case.page], form, follow=True)
        rows = read_rows(models, KEPT_OUT)
        transaction.set_rollback(True)
    status, body = said(answer, value)
    where = str(answer.redirect_chain).replace(value, "")
    return (status, where, NONCE.sub(b"", body).replace(value.encode(), b"")), rows


def test_what_is_anothers_is_answered_like_what_nobody_has(swapped):
    models = [model for model in apps.get_models() if model._meta.managed]
    before, wrong = read_rows(models, KEPT_OUT), {}
    for case in CASES:
        trio, key = swapped[2][case.kind], (case.page, case.field)
        own, theirs, nowhere = (send(swapped, case, value, models) for value in (trio.own, trio.theirs, trio.nowhere))
        statuses = [answer[0][0] for answer in (own, theirs, nowhere)]
        if max(statuses) >= 500:
            wrong[key] = ("broke", *statuses)
        elif theirs[0] != nowhere[0]:
            wrong[key] = ("told apart", *statuses)
        elif theirs[1] != before:
            wrong[key] = ("changed rows", [name for name in before if theirs[1][name] != before[name]])
        elif own[0] == nowhere[0] and own[1] == nowhere[1] and key not in ALIKE:
            wrong[key] = ("never looked at", *statuses)
    assert wrong == {}, "\n".join(f"{key}: {found}" for key, found in wrong.items())
