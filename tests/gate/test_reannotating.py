"""After a change of rules: who wrote what under older ones, and a batch that has it done again, no text lost."""

import uuid

import pytest
from django.urls import reverse

from annotation.models import Annotation, Assignment, AuditEvent, BulkAction, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.guidelines import gate
from annotation.services.staff import reannotation, release_and_void
from annotation.services.tasks import revisions, submit
from annotation.services.tasks.claim import claim_next
from tests.gate.conftest import next_version, sign
from tests.inspection.factories import hand_in, save_inspection, submit_summaries
from tests.tasks.factories import make_people, payload

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(project, writer):
    """Two summaries of the writer under version 1; then a change of wording and one of rules."""
    task = claim_next(project=project, annotator=writer).assignment
    unit = list(Assignment.objects.filter(claim=task.claim_id).order_by("pk"))
    for item in unit:
        submit.submit_task(assignment=item, payload=payload(), idempotency_key=str(item.pk))
    next_version(project, "wording")
    assert not reannotation.affected_assignments(project).exists()
    next_version(project, "rule")
    return [Assignment.objects.get(pk=item.pk) for item in unit]


def test_it_is_counted_by_writer_and_version(project, writer, written):
    sign(project, writer)
    (other,) = make_people(1, project, start=70)
    late = claim_next(project=project, annotator=other).assignment
    submit.submit_task(assignment=late, payload=payload(), idempotency_key="late")
    assert list(reannotation.affected_assignments(project)) == written
    (row,) = reannotation.tally_affected(project)
    assert (row.username, row.version, row.n) == (writer.username, 1, 2)
    assert not reannotation.affected_assignments(project, annotator=other.pk).exists()
    assert not reannotation.affected_assignments(project, version=2).exists()


@pytest.mark.db_engine
def test_returned_ones_are_revised_under_the_new_rules_and_the_old_text_stays(project, writer, written, researcher):
    first, second = written
    fields = {"project": project, "action": "return", "chosen": [first.public_id, uuid.uuid4()]}
    state_before = reannotation.preview_batch(**fields)
    assert (state_before.attempts, state_before.writers, state_before.left) == ((first.public_id,), 1, 1)
    first.refresh_from_db()
    assert first.state == "submitted"

    assert reannotation.carry_out(**fields, by=researcher) == state_before
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("returned", "submitted")
    assert first.draft.payload["summary"] == "The ferry left late.\nA storm closed the channel."
    with pytest.raises(gate.Closed):
        submit.submit_task(assignment=first, payload=payload(summary="New."), idempotency_key="again")
    sign(project, writer)
    submit.submit_task(assignment=first, payload=payload(summary="New."), idempotency_key="again")
    texts = Annotation.objects.filter(assignment=first).order_by("revision")
    assert [(row.payload["summary"][:4], row.guideline_version.number) for row in texts] == [("The ", 1), ("New.", 3)]
    assert list(reannotation.affected_assignments(project)) == [second]
    event = AuditEvent.objects.get(verb="task.return")
    assert (event.actor, event.detail) == (researcher, {"reason": "rules", "version": 3})


@pytest.mark.db_engine
def test_reopened_places_go_to_somebody_else(project, writer, written, researcher):
    chosen = [item.public_id for item in written]
    reannotation.carry_out(project=project, action="reopen", chosen=chosen, by=researcher)
    assert set(Slot.objects.filter(pk__in=[item.slot_id for item in written]).values_list("state", flat=True)) == {
        "open"
    }
    assert Annotation.objects.count() == 2
    assert set(Assignment.objects.values_list("state", flat=True)) == {"void"}
    again = reannotation.carry_out(project=project, action="reopen", chosen=chosen, by=researcher)
    assert (again.attempts, again.left) == ((), 2)

    sign(project, writer)
    (other,) = make_people(1, project, start=70)
    samples = set()
    while (task := claim_next(project=project, annotator=other).assignment) is not None:
        samples.add(task.sample_id)
        submit.submit_task(assignment=task, payload=payload(), idempotency_key=str(task.pk))
    assert {item.sample_id for item in written} <= samples


@pytest.mark.parametrize(("action", "chosen"), [("erase", [uuid.uuid4()]), ("return", []), ("return", None)])
def test_what_cannot_be_done_is_refused(project, researcher, action, chosen):
    chosen = [uuid.uuid4() for _ in range(501)] if chosen is None else chosen
    with pytest.raises(BadInput):
        reannotation.carry_out(project=project, action=action, chosen=chosen, by=researcher)


def test_the_page_previews_before_it_does_anything(client, project, writer, written, researcher):
    client.force_login(researcher)
    address = "/p/news/guideline/affected/"
    page = client.get(f"{address}?annotator={writer.pk}&version=1").content.decode()
    assert "2 summaries" in page and "Titles are shorter now." in page
    fields = {"action": "return", "assignment": [str(item.public_id) for item in written], "do": "preview"}
    text = client.post(address, fields).content.decode()
    assert "nothing has changed yet" in text and "2 summaries are returned" in text
    assert set(Assignment.objects.values_list("state", flat=True)) == {"submitted"}
    assert client.post(address, {**fields, "assignment": []}).status_code == 422
    assert client.post(address, {**fields, "assignment": ["x"]}).status_code in (400, 422)
    client.post(address, {**fields, "do": "confirm"})
    assert set(Assignment.objects.values_list("state", flat=True)) == {"returned"}
    assert "No summaries written under older rules" in client.get(address).content.decode()
    client.force_login(writer)
    assert client.get("/p/news/work/").content.decode().count("returned: the rules have changed") == 2


def test_a_rule_change_hides_no_feedback_and_claims_no_return_of_its_own(client, project, writer, reviewer):
    for text in ("Returned", "Taken back"):
        (annotation,) = submit_summaries(project, writer, summary=f"{text}.")
        if text == "Returned":
            save_inspection(annotation, reviewer, verdict="revise", comment="Name the ferry.")
        else:
            revisions.take_back(assignment=annotation.assignment)
    next_version(project, "rule")
    sign(project, writer)
    client.force_login(writer)
    returned, taken_back = Assignment.objects.order_by("pk")

    page = client.get("/p/news/work/").content.decode()
    assert page.count("returned by a reviewer") == page.count("reopened by you") == 1
    assert page.count("Read the feedback") == 1 and reverse("finished", args=[returned.public_id]) in page
    assert page.count("written before the rules changed") == page.count("See what is new") == 2
    assert "returned: the rules have changed" not in page
    task_page = client.get(reverse("task", args=[returned.public_id])).content.decode()
    assert "Name the ferry." in task_page and "The rules have changed since" not in task_page
    revisions.leave_as_is(assignment=taken_back)
    assert Assignment.objects.get(pk=taken_back.pk).state == "submitted"


def test_work_returned_by_rules_keeps_the_link_to_earlier_feedback(client, project, writer, reviewer, researcher):
    (annotation,) = submit_summaries(project, writer)
    save_inspection(annotation, reviewer, verdict="accept", comment="Well done.")
    next_version(project, "rule")
    chosen = [annotation.assignment.public_id]
    reannotation.carry_out(project=project, action="return", chosen=chosen, by=researcher)
    client.force_login(writer)
    page = client.get("/p/news/work/").content.decode()
    assert "returned: the rules have changed" in page and "Read the feedback" in page
    sign(project, writer)
    revised = hand_in(annotation.assignment, summary="Under the new rules.")
    save_inspection(revised, reviewer, verdict="revise", comment="Shorter.")
    page = client.get("/p/news/work/").content.decode()
    assert "returned by a reviewer" in page and "the rules have changed" not in page


@pytest.mark.db_engine
@pytest.mark.parametrize(("action", "slot"), [("return", "filled"), ("reopen", "open")])
def test_a_batch_is_undone_where_nobody_went_on(project, writer, written, researcher, action, slot):
    chosen = [item.public_id for item in written]
    reannotation.carry_out(project=project, action=action, chosen=chosen, by=researcher)
    assert set(Slot.objects.filter(assignments__in=written).values_list("state", flat=True)) == {slot}
    if action == "return":  # one is handed in again meanwhile
        sign(project, writer)
        written[1].refresh_from_db()
        submit.submit_task(assignment=written[1], payload=payload(summary="New."), idempotency_key="again")

    bulk_action = BulkAction.objects.get()
    assert release_and_void.undo_action(action=bulk_action, by=researcher) == (1 if action == "return" else 2)

    for item in written:
        item.refresh_from_db()
    assert {item.state for item in written} == {"submitted"}
    assert set(Slot.objects.filter(assignments__in=written).values_list("state", flat=True)) == {"filled"}
    assert Annotation.objects.filter(assignment=written[0]).count() == 1
    with pytest.raises(Conflict):
        release_and_void.undo_action(action=bulk_action, by=researcher)
