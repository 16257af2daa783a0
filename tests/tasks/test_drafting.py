"""Autosave: nothing is overwritten unseen, nothing is lost, nothing is changed but line ends."""

import random

import pytest

from annotation.models import Claim, Draft, RefusedDraft
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import assignments, claim, drafts, leases, submit
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def task():
    project = make_project(documents=1, frozen=True)
    return claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment


def save(task, summary, revision, **more):
    return drafts.save_draft(assignment=task, payload={"summary": summary, **more}, revision=revision)


def fresh(task):
    return assignments.get_own_assignment(task.annotator, task.public_id)


def test_each_save_adds_one(task):
    assert save(task, "a", 0).revision == 1
    assert save(task, "ab", 1).revision == 2
    assert (fresh(task).draft.revision, fresh(task).draft.payload) == (2, {"summary": "ab"})


def test_a_stale_save_overwrites_nothing_and_is_kept(task):
    save(task, "first", 0)
    save(task, "first more", 1)
    with pytest.raises(Conflict) as refused:
        save(task, "second", 1)
    assert refused.value.extra == {
        "revision": 2,
        "theirs": {"summary": "first more"},
        "mine": {"summary": "second"},
    }
    assert Draft.objects.get().payload == {"summary": "first more"}
    refused_draft = RefusedDraft.objects.get()
    assert (refused_draft.payload, refused_draft.revision) == ({"summary": "second"}, 1)


def test_a_revision_from_nowhere_is_stale_too(task):
    with pytest.raises(Conflict) as refused:
        save(task, "text", 7)
    assert refused.value.extra["theirs"] == {}
    assert RefusedDraft.objects.get().payload == {"summary": "text"}


def test_the_same_save_sent_twice_is_no_conflict(task):
    save(task, "a", 0)
    assert save(task, "a", 0).revision == 1
    assert not RefusedDraft.objects.exists()


def test_two_tabs_never_lose_a_text():
    """Random schedules of two tabs: every text is the draft, was the draft, or is kept as refused."""
    project = make_project(documents=30, groups=1, size=1, frozen=True)
    (person,) = make_people(1, project)
    rng = random.Random(11)
    for turn in range(30):
        task = claim.claim_next(project=project, annotator=person).assignment
        known, accepted, refused = {"a": 0, "b": 0}, [], []
        for step in range(8):
            tab = rng.choice("ab")
            text = f"{turn} {tab} {step}"
            try:
                known[tab] = save(task, text, known[tab]).revision
                accepted.append(text)
            except Conflict as conflict:
                assert conflict.extra["mine"] == {"summary": text}
                assert conflict.extra["theirs"] == {"summary": accepted[-1]}
                refused.append(text)
                if rng.random() < 0.5:
                    known[tab] = conflict.extra["revision"]
        assert fresh(task).draft.payload == {"summary": accepted[-1]}
        assert fresh(task).draft.revision == len(accepted)
        refused_drafts = RefusedDraft.objects.filter(assignment=task).order_by("pk")
        assert [item.payload["summary"] for item in refused_drafts] == refused
        submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")


def test_line_ends_are_joined_once_and_nothing_else_is_changed(task):
    decomposed = "  cafe\u0301\r\nline\rlone\n\u2028 \U0001f468\u200d\U0001f469\u200d\U0001f467 "
    save(task, decomposed, 0)
    assert Draft.objects.get().payload == {"summary": decomposed.replace("\r\n", "\n")}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"summary": "a\x00"}, "summary"),
        ({"title": "a\udc00"}, "title"),
        ({"summary": 5}, "summary"),
        ({"summary": "x" * 100_001}, "summary"),
        ({"relevant_segments": [True]}, "relevant_segments[0]"),
        ({"relevant_segments": [[2, 1]]}, "relevant_segments[0][1]"),
        ({"relevant_segments": {"a": 1}}, "relevant_segments"),
        ({"spans": [{"segment": 0, "start": 0, "end": 1}]}, "spans[0].quote"),
        ({"spans": [{"segment": 0, "start": -1, "end": 1, "quote": "t"}]}, "spans[0].start"),
        ({"spans": [{"segment": 0, "start": 10**30, "end": 1, "quote": "t"}]}, "spans[0].start"),
        ({"reread": 1}, "reread"),
        ({"state": "accepted"}, "state"),
        ("text", "payload"),
    ],
)
def test_a_draft_of_the_wrong_shape_is_refused_by_field(task, body, field):
    with pytest.raises(BadInput) as refused:
        drafts.save_draft(assignment=task, payload=body, revision=0)
    assert refused.value.field == field
    assert not Draft.objects.exists()


def test_a_save_keeps_the_lease(task):
    Claim.objects.update(lease_until="2020-01-01T00:00:00Z")
    save(task, "a", 0)
    assert leases.expire_leases() == 0


def test_a_save_after_expiry_is_kept_on_the_attempt(task):
    save(task, "in time", 0)
    Claim.objects.update(lease_until="2020-01-01T00:00:00Z")
    leases.expire_leases()
    assert save(fresh(task), "too late", 1).revision == 2
    assert fresh(task).state == "expired"
    assert fresh(task).draft.payload == {"summary": "too late"}


def test_a_closed_task_takes_no_draft(task):
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")
    with pytest.raises(Conflict) as refused:
        save(fresh(task), "more", 0)
    assert refused.value.code == "closed"
