"""Home: the next thing for people who write and rate, cards for those who run a project."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, AuditVerb, Job, JobState, Membership, Role, StoredCounts
from annotation.services.core import audit
from annotation.services.tasks import claim, questions, revisions
from tests.inspection.factories import make_small_project, save_inspection, submit_summaries
from tests.rounds.factories import launch_new_round, project_with_gold, raters_of
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def home_of(person) -> str:
    client = Client()
    client.force_login(person)
    answer = client.get("/")
    assert answer.status_code == 200
    return " ".join(re.sub(r"\s+", " ", answer.content.decode()).split())


def hero_of(page: str) -> str:
    return (
        page.split('<section class="hero"', 1)[1].split("</section>", 1)[0] if '<section class="hero"' in page else ""
    )


def card_of(page: str, name: str) -> str:
    cards = page.split('<li class="card project-card">')[1:]
    return next(card.split('</li> <li class="card')[0] for card in cards if name in card)


@pytest.fixture
def small():
    """(project, writer, reviewer) with two samples to write."""
    project, (writer,), (reviewer,) = make_small_project(reviewers=1)
    return project, writer, reviewer


def test_the_next_thing_is_a_task_then_the_open_one_then_what_came_back(small):
    project, writer, reviewer = small
    assert "Your next summary" in hero_of(home_of(writer)) and 'action="/p/news/next/"' in hero_of(home_of(writer))
    (annotation,) = submit_summaries(project, writer)
    claim.claim_next(project=project, annotator=writer)
    assert "Continue writing" in hero_of(home_of(writer)) and "Not started" in hero_of(home_of(writer))

    save_inspection(annotation, reviewer, verdict="revise", comment="Leave the <mast> out.")

    hero = hero_of(home_of(writer))
    assert "Leave the &lt;mast&gt; out." in hero and "returned by a reviewer" in hero
    assert f"/tasks/{annotation.assignment.public_id}/" in hero and "Continue writing" not in hero


def test_what_the_writer_took_back_is_not_pressed_on_them(small):
    project, writer, _reviewer = small
    (annotation,) = submit_summaries(project, writer)
    revisions.take_back(assignment=annotation.assignment)
    hero = hero_of(home_of(writer))
    assert "Continue writing" in hero and "returned" not in hero


def test_a_new_answer_is_told_until_it_is_put_away(small):
    project, writer, reviewer = small
    task = claim.claim_next(project=project, annotator=writer).assignment
    result = questions.ask_question(assignment=task, text="May I?")
    questions.answer_question(question=result, by=reviewer, text="Yes.", kind="private")
    assert "1 new answer" in home_of(writer)
    result.refresh_from_db()
    questions.mark_answer_seen(question=result)
    assert "1 new answer" not in home_of(writer)


def test_a_rater_is_led_to_the_rounds():
    project = project_with_gold()
    (rater, _other) = raters_of(project)
    assert "Nothing waits for you now" in home_of(rater)
    launch_new_round(project, read=False)
    hero = hero_of(home_of(rater))
    assert "Rate summaries" in hero and "1 round open to you" in hero and "/p/news/rating/" in hero


def test_the_card_counts_and_says_what_waits_and_what_happened(small):
    project, writer, reviewer = small
    (annotation,) = submit_summaries(project, writer)
    page = home_of(reviewer)
    card = card_of(page, project.name)

    assert "You are reviewer." in card and "<b>1</b> of 4" in card
    assert "none drawn yet" in card and "no round yet" in card and "Nothing waits for you." in card
    assert f"{writer.username}</span> submitted a summary" in card

    save_inspection(annotation, reviewer, verdict="revise")
    task = claim.claim_next(project=project, annotator=writer).assignment
    questions.ask_question(assignment=task, text="May I?")
    Job.objects.create(project=project, kind="import", state=JobState.FAILED, finished_at=timezone.now())
    assert "1 question to answer" in card_of(home_of(reviewer), project.name)
    assert "job failed" not in home_of(reviewer), "reviewers see no jobs"
    (admin,) = make_people(1, project, Role.ADMIN, start=60)
    assert "1 job failed" in card_of(home_of(admin), project.name)


def test_own_work_comes_first_for_somebody_with_both_roles(small):
    project, writer, _reviewer = small
    Membership.objects.create(project=project, user=writer, role=Role.ADMIN)
    page = home_of(writer)
    assert page.index('class="hero"') < page.index('class="projects"')
    assert "project-card" not in home_of(make_people(1, project, start=80)[0])


def test_an_empty_project_says_what_to_do_first():
    from annotation.services.people.projects import create_project

    (admin,) = make_people(1, project_with_gold("other"), Role.ADMIN, start=60)
    create_project(slug="fresh", schema="macsum-doc", created_by=admin)
    assert "/p/fresh/sources/import/" in home_of(admin) or "Next: import sources" in card_of(home_of(admin), "fresh")


def test_counts_of_a_large_project_are_the_kept_ones(small, django_assert_max_num_queries):
    project, _writer, reviewer = small
    pipeline = {"pipeline": {"filled": 61_000, "slots": 200_000}, "inspection": [50, 40]}
    stored = StoredCounts.objects.create(project=project, counts=pipeline, at=timezone.now())
    assert "<b>61 000</b> of 200 000" in home_of(reviewer) and "Counted" not in home_of(reviewer)
    StoredCounts.objects.filter(pk=stored.pk).update(at=timezone.now() - timedelta(days=1))
    assert "Counted" in home_of(reviewer)


def test_the_newest_event_of_each_project_is_told(small):
    project, _writer, reviewer = small
    audit.record_event(project=project, actor=reviewer, verb=AuditVerb.SAMPLE_DRAW, target="project:x")
    assert "drew samples" in card_of(home_of(reviewer), project.name)
    assert Annotation.objects.count() == 0
