"""The register of kinds: a new kind of task is one object, and no service knows its name."""

import pytest

from annotation import kinds
from annotation.kinds import CompletedPayload, PayloadRefused
from annotation.models import Annotation
from annotation.services.core.errors import BadInput
from annotation.services.tasks import claim, submit, task_payload
from tests.tasks.factories import make_people, make_project


class EchoKind(kinds.KindDefaults):
    """Says back one word."""

    key = "echo"
    fields = {"type": "object", "properties": {"word": {"type": "string"}}}

    def draft(self, payload):
        return {"word": payload["word"]}

    def complete(self, payload, about):
        if payload["word"] not in about.segments[0]["text"]:
            raise PayloadRefused("word", "does not stand in the first segment")
        return CompletedPayload(self.draft(payload))

    def export(self, payload):
        return {"text": payload["word"]}

    def text_of(self, payload):
        return payload["word"]


def test_the_shipped_kinds_are_known():
    assert {"aggregation", "choosing", "summary"} <= set(kinds.KINDS)
    assert kinds.get_task_kind("summary", has_sample=False).key == "choosing"
    with pytest.raises(KeyError, match="summary"):
        kinds.get_task_kind("translation", has_sample=True)


def test_a_kind_is_registered_once():
    with pytest.raises(ValueError, match="already"):
        kinds.register_kind(kinds.KINDS["summary"])


def test_exports_name_the_fields_of_a_line():
    stored = {"summary": "s", "title": "t", "relevant_segments": [1], "spans": []}
    line = kinds.KINDS["summary"].export(stored)
    assert line == {"text": "s", "title": "t", "relevant_segments": [1], "spans": [], "proposals": []}


def test_proposals_are_checked_like_spans_and_kept_with_what_became_of_them():
    kind = kinds.KINDS["summary"]
    fields = {"segment": 0, "start": 0, "end": 5, "quote": "Three", "decision": "rejected"}
    assert kind.draft({"proposals": [fields]}) == {"proposals": [fields]}
    for wrong in (
        {**fields, "decision": "maybe"},
        {**fields, "start": -1},
        {**fields, "more": 1},
        {"decision": "accepted"},
    ):
        with pytest.raises(kinds.PayloadRefused) as refused:
            kind.draft({"proposals": [wrong]})
        assert refused.value.field.startswith("proposals[0]") or refused.value.field == "more"


@pytest.mark.django_db
def test_a_new_kind_is_claimed_and_handed_in_without_a_change(monkeypatch):
    monkeypatch.setitem(kinds.KINDS, "echo", EchoKind())
    project = make_project(frozen=True, kind="echo")
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    assert task_payload.describe_task(task)["kind"] == "echo"
    with pytest.raises(BadInput) as refused:
        submit.submit_task(assignment=task, payload={"word": "zebra"}, idempotency_key="k")
    assert refused.value.field == "word"
    submit.submit_task(assignment=task, payload={"word": "ferry"}, idempotency_key="k")
    assert Annotation.objects.get().payload == {"word": "ferry"}
