"""A question parks its task and blocks nothing; its answer reaches the one who asked, or everybody."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Claim, Question, Ruling
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import leases, questions, submit
from annotation.services.tasks.claim import claim_next
from tests.gate.conftest import next_version, sign
from tests.tasks.factories import make_people, payload

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(project, writer):
    return claim_next(project=project, annotator=writer).assignment


def lease_of(task):
    return Claim.objects.get(pk=Assignment.objects.get(pk=task.pk).claim_id).lease_until - timezone.now()


@pytest.mark.db_engine
def test_a_question_keeps_the_task_for_a_week_and_lets_another_be_taken(project, writer, task):
    result = questions.ask_question(assignment=task, text="Does the title count?\r\nReally?")
    assert result.text == "Does the title count?\nReally?"
    assert timedelta(days=6, hours=23) < lease_of(task) <= timedelta(days=7, minutes=1)

    other = claim_next(project=project, annotator=writer)
    assert other.fresh and other.assignment.claim_id != task.claim_id
    assert claim_next(project=project, annotator=writer).assignment == other.assignment
    assert Claim.objects.filter(annotator=writer, closed_at=None).count() == 2

    # Nobody else gets the parked one; a look at it does not shorten its lease.
    assert leases.heartbeat(assignment=Assignment.objects.get(pk=task.pk)) > timezone.now() + timedelta(days=6)
    (second,) = make_people(1, project, start=90)
    while (assignment := claim_next(project=project, annotator=second).assignment) is not None:
        assert assignment.sample_id not in Assignment.objects.filter(claim=task.claim_id).values_list(
            "sample", flat=True
        )
        submit.submit_task(assignment=assignment, payload=payload(), idempotency_key=str(assignment.pk))


@pytest.mark.db_engine
def test_a_parked_task_is_finished_while_another_is_held(project, writer, task):
    questions.ask_question(assignment=task, text="?")
    other = claim_next(project=project, annotator=writer).assignment
    for first in Assignment.objects.filter(claim=task.claim_id):
        submit.submit_task(assignment=first, payload=payload(), idempotency_key=f"k{first.pk}")
    assert Claim.objects.get(pk=task.claim_id).closed_at is not None
    assert claim_next(project=project, annotator=writer).assignment == other


def test_after_the_week_the_task_goes_back(project, writer, task):
    questions.ask_question(assignment=task, text="?")
    leases.expire_leases(timezone.now() + timedelta(days=8))
    task.refresh_from_db()
    assert task.state == "expired" and Question.objects.get().assignment == task


def test_no_more_than_five_are_put_aside(project, writer):
    Claim.objects.all().delete()
    project.claim_unit = "sample"
    project.save()
    for n in range(questions.MAX_PARKED):
        assignment = claim_next(project=project, annotator=writer).assignment
        questions.ask_question(assignment=assignment, text=f"Question {n}")
    assignment = claim_next(project=project, annotator=writer).assignment
    with pytest.raises(Conflict) as refused:
        questions.ask_question(assignment=assignment, text="One more")
    assert refused.value.code == "parked" and Question.objects.count() == 5
    questions.ask_question(assignment=Question.objects.first().assignment, text="About a parked one")
    assert Question.objects.count() == 6


def test_the_same_question_twice_is_one_and_an_empty_one_is_none(task):
    assert questions.ask_question(assignment=task, text="?") == questions.ask_question(assignment=task, text="?")
    for text in ("", "  \u200b\n", "a\0b", "x" * 4001):
        with pytest.raises(BadInput) as refused:
            questions.ask_question(assignment=task, text=text)
        assert refused.value.field == "text"


def test_of_a_closed_task_nothing_is_asked(task):
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")
    task.refresh_from_db()
    with pytest.raises(Conflict):
        questions.ask_question(assignment=task, text="?")


def test_a_private_answer_makes_no_ruling_and_a_ruling_names_version_and_wording(project, task, reviewer):
    result = questions.ask_question(assignment=task, text="My private doubts about Mr X?")
    outcome = questions.answer_question(question=result, by=reviewer, text="Yes.", kind="private")
    assert (outcome.answer, outcome.answered_by, outcome.kind) == ("Yes.", reviewer, "private")
    assert not Ruling.objects.exists()
    with pytest.raises(Conflict) as refused:
        questions.answer_question(question=result, by=reviewer, text="No.", kind="ruling")
    assert refused.value.code == "answered" and Question.objects.get().answer == "Yes."

    next_version(project, "wording")
    second = questions.ask_question(assignment=task, text="And mine about Mr Y?")
    questions.answer_question(question=second, by=reviewer, text="Names stay.", kind="ruling", wording="Do names stay?")
    row = Ruling.objects.get()
    assert (row.question, row.answer, row.guideline_version.number) == ("Do names stay?", "Names stay.", 2)
    assert AuditEvent.objects.filter(verb="question.answer").count() == 2
    assert "doubts" not in str(list(AuditEvent.objects.values_list("detail", "target")))


def test_an_answer_gives_the_task_another_week(task, reviewer):
    result = questions.ask_question(assignment=task, text="?")
    Claim.objects.update(lease_until=timezone.now() + timedelta(hours=1))
    questions.answer_question(question=result, by=reviewer, text="Yes.", kind="private")
    assert lease_of(task) > timedelta(days=6)


# Pages and calls


def test_from_the_task_to_the_answer_through_the_pages(client, project, writer, task, reviewer):
    client.force_login(writer)
    assert f"/tasks/{task.public_id}/ask/" in client.get(f"/tasks/{task.public_id}/").content.decode()
    assert client.post(f"/tasks/{task.public_id}/ask/", {"text": "<b>Names?</b>"}).url == "/p/news/work/"
    work = client.get("/p/news/work/").content.decode()
    assert "&lt;b&gt;Names?" in work and "waiting for an answer" in work and "Waiting for an answer" in work

    client.force_login(reviewer)
    assert "&lt;b&gt;Names?" in client.get("/p/news/questions/").content.decode()
    question = Question.objects.get()
    address = f"/p/news/questions/{question.public_id}/"
    assert client.post(address, {"answer": " ", "kind": "ruling"}).status_code == 422
    client.post(address, {"answer": "They stay.", "kind": "ruling", "question": "Do names stay?"})
    assert "No open questions" in client.get("/p/news/questions/").content.decode()
    assert "They stay." in client.get("/p/news/questions/?state=answered").content.decode()

    client.force_login(writer)
    work = client.get("/p/news/work/").content.decode()
    assert "They stay." in work and "answered for everyone" in work
    client.post(f"/questions/{question.public_id}/seen/")
    assert "They stay." not in client.get("/p/news/work/").content.decode()
    (other,) = make_people(1, project, start=80)
    client.force_login(other)
    guideline = client.get("/p/news/guideline/").content.decode()
    assert "Do names stay?" in guideline and "They stay." in guideline and "Names?</b>" not in guideline
    assert client.post(f"/questions/{question.public_id}/seen/").status_code == 404


def test_reviewers_see_pseudonyms_and_researchers_names(client, task, writer, reviewer, researcher):
    questions.ask_question(assignment=task, text="?")
    client.force_login(reviewer)
    assert writer.username not in client.get("/p/news/questions/").content.decode()
    client.force_login(researcher)
    assert writer.username in client.get("/p/news/questions/").content.decode()


def test_the_page_of_many_questions_costs_as_many_queries_as_of_one(
    client, task, reviewer, django_assert_max_num_queries
):
    now = timezone.now()
    for n in range(30):
        Question.objects.create(project=task.project, assignment=task, asker=task.annotator, text=str(n), asked_at=now)
    client.force_login(reviewer)
    with django_assert_max_num_queries(9):  # one of them is kept until something is written
        client.get("/p/news/questions/")
    with django_assert_max_num_queries(8):
        client.get("/p/news/questions/")


def test_the_gate_page_shows_what_changed_and_opens_the_way(client, project, writer):
    next_version(project, "rule", text="# Guideline\n\n**Example 1.** <script>alert(1)</script>\n", note="One example.")
    client.force_login(writer)
    assert client.post("/p/news/next/").url == "/p/news/gate/"
    page = client.get("/p/news/gate/").content.decode()
    assert "The rules have changed" in page and "One example." in page and "its worked example." in page
    assert "<ins>" in page and "<script>alert" not in page and 'id="example-1"' in page
    assert "read and confirm them before your next task" in client.get("/p/news/work/").content.decode()
    for missing in ("read", "sign", "consent"):
        fields = {"version": 2, "read": "on", "sign": "on", "consent": "no"}
        del fields[missing]
        assert client.post("/p/news/gate/", fields).status_code == 422
    assert client.post("/p/news/next/").url == "/p/news/gate/"
    old = client.post("/p/news/gate/", {"version": 1, "read": "on", "sign": "on", "consent": "no"}, follow=True)
    assert "Version 2 was published while you were reading" in old.content.decode()
    assert client.post("/p/news/gate/", {"version": 2, "read": "on", "sign": "on", "consent": "no"}).status_code == 302
    assert "/tasks/" in client.post("/p/news/next/").url


def test_a_wording_change_is_a_notice_only(client, project, writer):
    next_version(project, "wording")
    client.force_login(writer)
    assert "The wording of the guideline has changed" in client.get("/p/news/work/").content.decode()
    assert "/tasks/" in client.post("/p/news/next/").url
    sign(project, writer)
    assert "has changed" not in client.get("/p/news/work/").content.decode()
