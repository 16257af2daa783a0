"""Badges: each appears when something waits, with words, and is gone when it is done; only for people it concerns."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Assignment, AssignmentState, Group, Job, JobState, Question
from annotation.services.staff import header_counts
from annotation.services.tasks import assignments, claim, questions, submit
from annotation.views.core.badges import build_badge
from tests.inspection.factories import save_inspection
from tests.rounds.factories import launch_new_round, project_with_gold, raters_of
from tests.tasks.factories import payload


def read_badges(page: str) -> dict[str, str]:
    """Entry of a navigation -> the words of its badge."""
    text = r'<span class="badge" aria-hidden="true">[^<]+</span>'
    pattern = rf'>\s*([\w ]+){text}<span class="visually-hidden"> \(([^<]+)\)<'
    return {label.strip(): words for label, words in re.findall(pattern, page)}


def badges_of(client, address: str) -> dict[str, str]:
    answer = client.get(address)
    assert answer.status_code == 200
    return read_badges(answer.content.decode())


@pytest.fixture
def task(world):
    Group.objects.update(chosen={"topic": ["topic 1"]}, frozen_at=timezone.now())
    return claim.claim_next(project=world.project, annotator=world.people["annotator"]).assignment


def hand_in(task, key="k"):
    task = assignments.get_own_assignment(task.annotator, task.public_id)
    submit.submit_task(assignment=task, payload=payload(), idempotency_key=key)


def newest(task) -> Annotation:
    return Annotation.objects.filter(assignment=task).latest("revision")


def test_a_question_waits_for_staff_until_it_is_answered_and_then_its_answer_for_the_asker(world, task):
    result = questions.ask_question(assignment=task, text="May I?")
    for who in ("reviewer", "admin"):
        assert badges_of(world.as_(who), "/p/news/") == {"People": "1 question waits"}
    tabs = badges_of(world.as_("admin"), "/p/news/members/")
    assert tabs == {"People": "1 question waits", "Questions": "1 question waits"}
    assert badges_of(world.as_("annotator"), "/p/news/work/") == {}

    questions.answer_question(question=result, by=world.people["admin"], text="Yes.", kind="private")

    assert badges_of(world.as_("admin"), "/p/news/") == {}
    assert badges_of(world.as_("annotator"), "/p/news/work/") == {"My work": "1 new answer"}
    questions.mark_answer_seen(question=Question.objects.get())
    assert badges_of(world.as_("annotator"), "/p/news/work/") == {}


def test_returned_work_waits_for_its_writer_and_the_revision_for_the_reviewers(world, task):
    hand_in(task)
    save_inspection(newest(task), world.people["reviewer"], verdict="revise")
    assert badges_of(world.as_("annotator"), "/p/news/work/") == {"My work": "1 task to revise"}
    assert badges_of(world.as_("reviewer"), "/p/news/") == {}

    hand_in(task, "again")

    assert badges_of(world.as_("annotator"), "/p/news/work/") == {}
    expected = "1 revised task waits for inspection"
    assert badges_of(world.as_("reviewer"), "/p/news/inspection/") == {"Quality": expected, "Inspection": expected}
    save_inspection(newest(task), world.people["reviewer"], verdict="accept")
    assert badges_of(world.as_("reviewer"), "/p/news/") == {}


@pytest.mark.django_db
def test_an_open_round_waits_for_its_raters(client):
    project = project_with_gold()
    (rater, _other) = raters_of(project)
    client.force_login(rater)
    address = reverse("rating", args=[project.slug])
    assert badges_of(client, address) == {}
    round_ = launch_new_round(project, read=False)
    assert badges_of(client, address) == {"My rounds": "1 round open to you"}
    type(round_).objects.filter(pk=round_.pk).update(state="closed", closed_at=timezone.now())
    assert badges_of(client, address) == {}


def test_a_high_number_is_cut_and_said_in_full():
    badge = build_badge("questions", 120)
    assert badge is not None and (badge.shown, badge.label) == ("99+", "120 questions wait")
    assert build_badge("questions", 0) is None


def test_people_at_work_are_left_alone(world, task):
    Assignment.objects.exclude(pk=task.pk).update(state=AssignmentState.RETURNED)
    assert badges_of(world.as_("annotator"), reverse("task", args=[task.public_id])) == {}


def bell_of(client, address: str = "/") -> str | None:
    """The name of the bell; None without one."""
    page = client.get(address).content.decode()
    summary = re.search(r'<summary class="icon-button has-badge"\s+aria-label="([^"]*)"', page)
    return summary[1] if summary else None


def add_job(world, state: str, **options) -> Job:
    finished = None if state in JobState.UNDER_WAY else timezone.now()
    values = {"kind": "import", "project": world.project, "state": state, "finished_at": finished, **options}
    return Job.objects.create(**values)


def test_the_bell_counts_jobs_in_progress_and_failures_until_they_were_looked_at(world):
    admin = world.as_("admin")
    assert bell_of(admin) == bell_of(admin, "/p/news/") == "Jobs"
    add_job(world, JobState.RUNNING)
    add_job(world, JobState.RUNNING, kind="score")  # nobody started it
    add_job(world, JobState.DONE)
    add_job(world, JobState.FAILED, finished_at=timezone.now() - timedelta(days=30))
    assert bell_of(admin) == "Jobs: 1 in progress"
    add_job(world, JobState.FAILED, error="line 3: text is missing")
    assert bell_of(admin) == "Jobs: 1 in progress, 1 failed"

    answer = admin.post(reverse("jobs-seen"), {"next": "/p/news/"})

    assert answer.headers["Location"] == "/p/news/"
    assert bell_of(admin) == "Jobs: 1 in progress"
    assert bell_of(world.as_("researcher")) == "Jobs: 1 in progress, 1 failed", "looking is everybody's own"
    add_job(world, JobState.DEAD)
    assert bell_of(admin) == "Jobs: 1 in progress, 1 failed"


def test_the_bell_is_for_people_who_may_see_jobs(world):
    add_job(world, JobState.FAILED)
    for who in ("annotator", "rater", "reviewer", "idle"):
        assert bell_of(world.as_(who)) is None, who
    assert bell_of(world.as_("outsider")) == "Jobs", "jobs of other projects are not counted"
    assert bell_of(world.as_("site")) == "Jobs: 1 failed"


def test_the_menu_lists_the_latest_jobs_with_progress_and_reasons(world):
    add_job(world, JobState.FAILED, error="line 3: <text> is missing")
    add_job(world, JobState.RUNNING, progress_done=30, progress_total=120)
    add_job(world, JobState.DONE, kind="score")
    page = world.as_("admin").get(reverse("jobs-latest")).content.decode()
    assert "line 3: &lt;text&gt; is missing" in page
    assert "30 of 120" in page and "data-under-way" in page and 'max="120"' in page
    assert page.count("<li>") == 2
    assert "Import sources" not in world.as_("outsider").get(reverse("jobs-latest")).content.decode()


def test_looking_again_moves_the_time_on(world):
    for _ in range(2):
        header_counts.mark_jobs_seen(world.people["admin"])
    assert world.people["admin"].jobs_seen.at <= timezone.now()


def test_a_page_asks_once_for_its_badges(world, django_assert_num_queries):
    with django_assert_num_queries(1):
        header_counts.count_header(world.people["admin"], world.project)
