"""Nobody gets a task before the guideline in force was read and signed; what is held already can be finished."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, AuditEvent, Claim, GuidelineReading, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.guidelines import gate
from annotation.services.people import projects
from annotation.services.tasks import leases, submit
from annotation.services.tasks.claim import claim_next
from tests.gate.conftest import next_version, sign
from tests.tasks.factories import make_people, make_project, payload

pytestmark = pytest.mark.django_db


@pytest.mark.db_engine
def test_nothing_is_claimed_before_the_guideline_is_signed(project, new_one):
    refused = claim_next(project=project, annotator=new_one)
    assert (refused.assignment, refused.reason) == (None, "gate")
    assert not Claim.objects.exists() and not Slot.objects.exclude(state="open").exists()

    sign(project, new_one)

    next_ = claim_next(project=project, annotator=new_one)
    assert next_.fresh and next_.assignment.guideline_version.number == 1


def test_another_persons_and_another_projects_signature_open_nothing(project, new_one, writer):
    sign(make_project("other", documents=1), new_one)
    sign(project, writer)
    assert claim_next(project=project, annotator=new_one).reason == "gate"


@pytest.mark.db_engine
def test_a_change_of_rules_asks_before_the_next_claim_and_lets_the_held_task_be_finished(project, writer):
    assignment = claim_next(project=project, annotator=writer).assignment
    next_version(project, "rule")

    assert claim_next(project=project, annotator=writer).assignment == assignment
    unit = Assignment.objects.filter(claim=assignment.claim_id)
    for item in unit:
        submit.submit_task(assignment=item, payload=payload(), idempotency_key=f"k{item.pk}")
    assert set(Annotation.objects.values_list("guideline_version__number", flat=True)) == {1}
    assert claim_next(project=project, annotator=writer).reason == "gate"

    sign(project, writer, 2)
    assert claim_next(project=project, annotator=writer).assignment.guideline_version.number == 2


def test_a_change_of_wording_asks_and_keeps_nobody_waiting(project, writer):
    next_version(project, "wording")
    other_gate = gate.gate_for(project, writer)
    assert other_gate.asks and not other_gate.must
    # What was confirmed is what the work is written under.
    assert claim_next(project=project, annotator=writer).assignment.guideline_version.number == 1


def test_who_is_new_confirms_the_newest_even_if_only_its_wording_changed(project, new_one):
    next_version(project, "wording")
    assert claim_next(project=project, annotator=new_one).reason == "gate"
    with pytest.raises(Conflict) as refused:
        sign(project, new_one, 1)
    assert (refused.value.code, refused.value.extra) == ("stale", {"version": 2})
    sign(project, new_one, 2)
    assert claim_next(project=project, annotator=new_one).assignment.guideline_version.number == 2


def test_rules_before_a_change_of_wording_still_ask(project, writer):
    next_version(project, "rule")
    next_version(project, "wording")
    assert claim_next(project=project, annotator=writer).reason == "gate"


def test_a_task_that_ran_out_is_taken_up_under_the_rules_of_now(project, writer):
    assignment = claim_next(project=project, annotator=writer).assignment
    leases.release_task(assignment=assignment, whole_unit=True)
    Slot.objects.exclude(pk__in=Assignment.objects.values("slot")).update(state="filled")
    next_version(project, "rule")
    assert claim_next(project=project, annotator=writer).reason == "gate"
    sign(project, writer)
    again = claim_next(project=project, annotator=writer).assignment
    assert again == assignment and again.guideline_version.number == 2


def test_a_returned_task_is_revised_under_the_rules_of_now(project, writer):
    task = claim_next(project=project, annotator=writer).assignment
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="first")
    Assignment.objects.filter(pk=task.pk).update(state="returned")
    next_version(project, "rule")
    task = Assignment.objects.get(pk=task.pk)
    with pytest.raises(gate.Closed) as refused:
        submit.submit_task(assignment=task, payload=payload(summary="Better."), idempotency_key="second")
    assert refused.value.extra["link"] == "/p/news/gate/"
    sign(project, writer)
    submit.submit_task(assignment=task, payload=payload(summary="Better."), idempotency_key="second")
    annotations = Annotation.objects.order_by("revision").values_list("revision", "guideline_version__number")
    assert list(annotations) == [(1, 1), (2, 2)]


def test_signing_is_recorded_once_with_statement_and_consent(project, new_one):
    sign(project, new_one, consent=False)
    sign(project, new_one, consent=True)
    row = GuidelineReading.objects.get()
    assert (row.user, row.version.number, row.consent) == (new_one, 1, False)
    assert row.statement_hash == gate.hash_of(gate.statement_text(project)) and len(row.statement_hash) == 64
    assert AuditEvent.objects.filter(verb="guideline.read", actor=new_one).count() == 1
    assert gate.allows_record(project, new_one) is False
    with pytest.raises(IntegrityError), transaction.atomic():
        GuidelineReading.objects.create(
            project=project,
            user=new_one,
            version=row.version,
            statement_hash="",
            consent=True,
            confirmed_at=row.confirmed_at,
        )


def test_another_statement_is_refused(project, new_one):
    with pytest.raises(BadInput) as refused:
        gate.confirm_guideline(project=project, user=new_one, number=1, statement_hash="0" * 64, allows_record=True)
    assert refused.value.field == "statement" and not GuidelineReading.objects.exists()


def test_the_look_at_the_gate_costs_no_query_of_its_own(project, writer, new_one):
    sign(project, writer)
    with CaptureQueriesContext(
        connection,
    ) as refused:
        claim_next(project=project, annotator=new_one)
    assert len(refused) == 1  # the look at what the person holds
    with CaptureQueriesContext(connection) as claimed:
        claim_next(project=project, annotator=writer)
    statements = [row["sql"] for row in claimed if not row["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN"))]
    assert not any(sql.startswith('SELECT "annotation_guidelinereading"') for sql in statements)  # inside others only
    assert len(statements) <= 9


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_many_signing_at_once_one_row_stays():
    project = make_project("news", documents=1)
    (person,) = make_people(1, project)
    GuidelineReading.objects.all().delete()
    start, failed = threading.Barrier(6), []

    def go():
        try:
            start.wait()
            sign(project, person, 1)
        except Exception as error:  # noqa: BLE001
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and GuidelineReading.objects.count() == 1


def test_the_statement_is_about_what_the_projects_people_write(project):
    assert "every summary" in gate.statement_text(project)
    tuples = projects.create_project(slug="tesa", kind="aggregation", schema="tesa")
    assert "summary" not in gate.statement_text(tuples) and "every answer" in gate.statement_text(tuples)
