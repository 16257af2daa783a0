"""Whichever statement of a call fails, and be it the commit: everything is stored or nothing."""

import pytest
from django.db import connection, transaction
from django.db.models import Q

from annotation.models import Annotation, Assignment, AuditEvent, Claim, Draft, Group, RefusedDraft, Slot
from annotation.services.tasks import leases
from benchmarks.checking import faults
from tests.tasks.factories import make_people, make_project, payload
from tests.tasks.planted_faults import BreakAt, Broken

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
TOPIC = {"chosen": {"topic": [{"text": "topic 3", "candidate": "topic 3"}]}}


def outline(project):
    """How many rows of each table a project has, by what distinguishes before from after."""
    other_fields = {
        Annotation: ("revision", "surplus"),
        Assignment: ("state", "skip_reason"),
        AuditEvent: ("verb",),
        Claim: (Q(closed_at=None),),
        Group: (Q(frozen_at=None),),
        Slot: ("state",),
    }
    rows = [
        sorted(map(repr, model.objects.filter(project=project).values_list(*fields)))
        for model, fields in other_fields.items()
    ]
    drafts = Draft.objects.filter(assignment__project=project).values_list("revision")
    return [*rows, sorted(drafts), RefusedDraft.objects.filter(assignment__project=project).count()]


def broken_at(call, n):
    """Run the call with its n-th statement failing; whether the fault was met."""
    fault = BreakAt(n)
    with connection.execute_wrapper(fault):
        try:
            call()
        except Broken:
            assert fault.hit
    return fault.hit


def claimed(caller):
    return caller.claim(caller.slug).data_out["id"]


# What each call needs before it, and the call.
CALLS = {
    "claim": (lambda c: None, lambda c, t: c.claim(c.slug)),
    "choose": (claimed, lambda c, t: c("POST", f"assignments/{t}/choose/", TOPIC)),
    "draft": (claimed, lambda c, t: c("PUT", f"assignments/{t}/draft/", {"revision": 0, "payload": {"summary": "x"}})),
    "submit": (claimed, lambda c, t: c.submit(t, payload())),
    "skip": (claimed, lambda c, t: c("POST", f"assignments/{t}/skip/", {"reason": "other"})),
    "release": (claimed, lambda c, t: c("POST", f"assignments/{t}/release/", {"whole": True})),
    "heartbeat": (claimed, lambda c, t: c("POST", f"assignments/{t}/heartbeat/")),
    "expire": (claimed, lambda c, t: leases.expire_leases(now="2999-01-01T00:00:00Z")),
}


def begin(call, name, slug):
    """A project of its own with one annotator, and a function that makes the call."""
    state_before, work = CALLS[name]
    project = make_project(slug, documents=2, frozen=name != "choose", overlap=2)
    caller = call(*make_people(1, project, start=project.pk))
    caller.slug = slug
    task = state_before(caller)
    return project, lambda: work(caller, task)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_statement_that_fails_leaves_no_half_state(call, name):
    project, work = begin(call, name, "whole")
    start = outline(project)
    work()
    result = outline(project)
    assert name == "heartbeat" or result != start
    met, n, seen = True, 0, []
    while met:
        project, work = begin(call, name, f"n{n}")
        met = broken_at(work, n)
        seen.append(outline(project))
        assert seen[-1] in (start, result), f"statement {n} left half of it behind"
        assert sum(faults(project).values()) == 0
        work()
        n += 1
    assert 2 < n < 40
    assert seen[0] == start
    assert seen[-1] == result


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_commit_that_fails_leaves_nothing(call, name, monkeypatch):
    project, work = begin(call, name, "whole")
    start = outline(project)

    def refuse():
        raise Broken("planted at the commit")

    with monkeypatch.context() as planted, pytest.raises(Broken):
        planted.setattr(transaction.get_connection(), "_commit", refuse)
        work()
    assert outline(project) == start
    work()
    assert name == "heartbeat" or outline(project) != start
    assert sum(faults(project).values()) == 0
