"""My work, the task page and the guideline, as the server sends them."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Assignment, AuditEvent, Group, GuidelineReading, Membership, Role, Sample
from annotation.services.tasks import (
    assignments,
    choose,
    leases,
    revisions,
    skip,
)
from annotation.services.tasks import (
    claim as task_claim,
)
from annotation.services.tasks import (
    submit as task_submit,
)
from tests.browser import world
from tests.tasks.factories import payload

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return world.news()


@pytest.fixture
def user(project, client):
    annotator = world.make_annotator(project)
    client.force_login(annotator)
    return annotator


def claim(project, user):
    return task_claim.claim_next(project=project, annotator=user).assignment


def task_url(assignment):
    return reverse("task", args=[assignment.public_id])


def submit(assignment, key="k", **changed):
    return task_submit.submit_task(assignment=assignment, payload=payload(**changed), idempotency_key=key)


# The task page


def test_nothing_the_sampler_drew_is_in_the_page_before_topics_are_chosen(client, project, user):
    Sample.objects.update(values={"length": "long", "extractiveness": "full", "specificity": "high"})
    assignment = claim(project, user)
    page = client.get(task_url(assignment)).content.decode()
    data = json.loads(re.search(r'<script id="task-data" type="application/json">(.*?)</script>', page, re.S)[1])
    assert {a["key"]: a["value"] for a in data["attributes"]} == {
        "length": None,
        "extractiveness": None,
        "specificity": None,
        "topic": None,
    }
    assert re.findall(r'data-chip="(\w+)"', page) == ["topic"]
    choose.save_choice(assignment=assignment, chosen={"topic": [{"text": "fares", "candidate": "fares"}]})
    page = client.get(task_url(assignment)).content.decode()
    assert re.findall(r'data-chip="(\w+)"', page) == ["length", "extractiveness", "specificity", "topic"]


def test_somebody_elses_task_does_not_exist(client, project, user):
    other = world.make_annotator(project, "annotator2")
    assignment = claim(project, other)
    assert client.get(task_url(assignment)).status_code == 404
    client.logout()
    assert client.get(task_url(assignment)).status_code == 302


def test_who_is_no_annotator_any_more_sees_no_task(client, project, user):
    assignment = claim(project, user)
    Membership.objects.filter(user=user).delete()
    assert client.get(task_url(assignment)).status_code == 404


def test_the_page_carries_no_inline_script_or_style(client, project, user):
    page = client.get(task_url(claim(project, user))).content.decode()
    assert " style=" not in page and not re.search(r"\son\w+=", page)
    assert not re.findall(r"<script(?![^>]*(src=|application/json))", page)


def test_a_sixth_attribute_is_a_chip_like_the_others(client, user):
    from tests.tasks.factories import make_project

    other_project = make_project("sixth", documents=1, groups=1, frozen=True)
    version = other_project.schema_versions.get()
    extra = '\n[[attribute]]\nkey = "formality"\nlabel = "Formality"\ncode = "For"\nkind = "ordinal"\n'
    extra += 'values = ["plain", "formal"]\nfilled_by = "sampler"\nmeasure = ""\nguide = "How formal it sounds."\n'
    extra += 'question = "Is it as formal as asked?"\n'
    type(version).objects.filter(pk=version.pk).update(text=version.text + extra, content_hash="sixth")
    for sample in Sample.objects.filter(project=other_project):
        Sample.objects.filter(pk=sample.pk).update(values={**sample.values, "formality": "formal"})
    page = client.get(task_url(claim(other_project, world.make_annotator(other_project)))).content.decode()
    assert 'data-chip="formality"' in page and "How formal it sounds." in page


def test_a_closed_task_shows_what_was_handed_in(client, project, user):
    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at="2026-01-01T00:00:00Z")
    assignment = claim(project, user)
    submit(assignment, title="A closed title")
    page = client.get(task_url(assignment)).content.decode()
    assert "A closed title" in page and "The ferry left late." in page and "data-submit" not in page


def test_a_task_whose_time_ran_out_can_still_be_finished(client, project, user):
    assignment = claim(project, user)
    leases.expire_leases(now=assignment.claim.lease_until.replace(year=2100))
    page = client.get(task_url(assignment)).content.decode()
    assert "Your time for this task has expired" in page and "data-submit" in page


# My work


def test_my_work_offers_the_next_task_and_claims_it(client, project, user):
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert page.count('data-action="next-task"') == 1
    answer = client.post(reverse("next-task", args=[project.slug]))
    assignment = user.assignments.order_by("pk").first()
    assert answer.status_code == 302 and answer.url == task_url(assignment)
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert "2 tasks of this source are assigned to you" in page


def test_a_visit_alone_claims_nothing(client, project, user):
    assert client.get(reverse("next-task", args=[project.slug])).status_code == 405
    client.get(reverse("work", args=[project.slug]))
    assert not user.assignments.exists()


def test_when_nothing_is_left_the_reason_is_said(client, project, user):
    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at="2026-01-01T00:00:00Z")
    claim(project, world.make_annotator(project, "annotator2"))
    answer = client.post(reverse("next-task", args=[project.slug]), follow=True)
    assert "No task available right now" in answer.content.decode()
    for assignment in list(project.assignments.all()):
        submit(assignment)
    answer = client.post(reverse("next-task", args=[project.slug]), follow=True)
    assert "Everything is written" in answer.content.decode()


def test_finished_work_and_skips_are_counted_and_listed(client, project, user):
    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at="2026-01-01T00:00:00Z")
    first = claim(project, user)
    submit(first, title="My first title")
    skip.skip_task(assignment=claim(project, user), reason="other", note="no")
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert "My first title" in page and "skipped" in page
    assert re.findall(r"<dd>\s*(\d+)\s*</dd>", page) == ["1", "0", "1"]


def test_two_tasks_of_one_source_are_told_apart(client, project, user):
    Sample.objects.filter(position=0).update(values={"length": "long", "extractiveness": "full", "specificity": "high"})
    claim(project, user)
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert "Length:" not in page, "nothing is told before the topics are chosen"
    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at="2026-01-01T00:00:00Z")
    for n, task in enumerate(user.assignments.order_by("pk")):
        submit(work_of(user, task), f"k{n}", title=f"Title {n}")
        revisions.take_back(assignment=work_of(user, task))
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    revised = page.split('id="returned"')[1].split("</ul>")[0]
    assert re.findall(r'<h3 dir="auto">([^<]+)</h3>', revised) == ["Title 0", "Title 1"]
    assert len(set(re.findall(r"Length: \w+", revised))) == 2 and revised.count("Topic: fares") == 2


def work_of(user, task):
    return assignments.get_own_assignment(user, task.public_id)


def test_the_finished_list_comes_in_pages_with_few_queries(client, user, django_assert_max_num_queries):
    from tests.tasks.factories import make_project

    other_project = make_project("many", documents=25, groups=1, size=1, frozen=True)
    world.make_annotator(other_project)
    for _ in range(25):
        submit(claim(other_project, user))
    with django_assert_max_num_queries(9):
        page = client.get(reverse("work", args=[other_project.slug])).content.decode()
    assert page.count('class="work-item"') == 20 and "Newest</a>" not in page
    newest = [row.public_id for row in user.assignments.filter(project=other_project).order_by("-pk")]
    assert re.findall(r"/tasks/([0-9a-f-]{36})/", page) == [str(pk) for pk in newest[:20]]
    older = re.search(r'href="(\?before=[^"]+)"', page)[1]
    page = client.get(reverse("work", args=[other_project.slug]) + older).content.decode()
    assert re.findall(r"/tasks/([0-9a-f-]{36})/", page) == [str(pk) for pk in newest[20:]]
    assert "Newest</a>" in page and 'rel="next"' not in page


@pytest.mark.parametrize("before", ["nothing", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_place_in_the_finished_list_breaks_nothing(client, project, user, before):
    assert client.get(reverse("work", args=[project.slug]), {"before": before}).status_code == 200


def test_the_finished_list_goes_on_from_own_tasks_only(client, user):
    from tests.tasks.factories import make_project

    other_project = make_project("shared", documents=2, groups=1, size=1, overlap=2, frozen=True)
    world.make_annotator(other_project)
    submit(claim(other_project, user), title="Mine")
    theirs = claim(other_project, world.make_annotator(other_project, "other"))
    page = client.get(reverse("work", args=[other_project.slug]), {"before": theirs.public_id}).content.decode()
    assert "Mine" not in page


def test_counts_of_many_tasks_come_from_the_stored_ones_with_their_time(client, project, user, monkeypatch):
    from annotation.models import StoredCounts
    from annotation.services.tasks import own_work

    Group.objects.update(chosen={"topic": ["fares"]}, frozen_at="2026-01-01T00:00:00Z")
    for n in range(2):
        submit(claim(project, user), f"k{n}")
    monkeypatch.setattr(own_work, "COUNTED", 1)
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert "the rest is not counted yet" in page
    states = [[user.pk, "submitted", 70_000], [user.pk, "accepted", 80_000], [user.pk + 1, "submitted", 5]]
    StoredCounts.objects.create(project=project, counts={"states": states}, at="2026-11-01T14:03:00Z")
    page = client.get(reverse("work", args=[project.slug])).content.decode()
    assert re.findall(r"<dd>\s*(\d[^<]*?)\s*</dd>", page) == ["150\u202f000", "80\u202f000", "0"]
    assert re.search(r"Counted\s+<span class=\"nowrap\">1 November", page) and "not counted yet" not in page


def test_only_annotators_have_work(client, project):
    reviewer = User.objects.create(username="reviewer")
    Membership.objects.create(user=reviewer, project=project, role=Role.REVIEWER)
    client.force_login(reviewer)
    assert client.get(reverse("work", args=[project.slug])).status_code == 404
    assert client.post(reverse("next-task", args=[project.slug])).status_code == 404


# The guideline


def test_reading_the_guideline_is_recorded(client, project, user):
    GuidelineReading.objects.all().delete()
    url = reverse("guideline", args=[project.slug])
    gate = reverse("gate", args=[project.slug])
    assert gate in client.get(url).content.decode()
    assert "I have read this version" in client.get(gate).content.decode()
    answer = client.post(gate, {"version": 1, "read": "on", "sign": "on", "consent": "yes"})
    task = Assignment.objects.filter(annotator=user).earliest("pk")
    assert answer.url == reverse("task", args=[task.public_id]), "the first task, as the page promised"
    again = client.post(gate, {"version": 1, "read": "on", "sign": "on", "consent": "no"})
    assert again.url == reverse("work", args=[project.slug]), "who only changes the consent wants no task"
    event = AuditEvent.objects.get(verb="guideline.read")
    assert (event.actor, event.target) == (user, "guideline:1")
    assert "status ok" in client.get(url).content.decode()
