"""Reviewers call the writers of a week by letters: the same on the week's list and on each summary."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Role
from annotation.services.inspection import queue
from annotation.services.inspection.weekly_sample import week_of
from tests.inspection.factories import make_small_project, submit_summaries
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def test_letters_go_on_after_z():
    assert [queue.format_letter(n) for n in (0, 1, 25, 26, 51, 52, 701, 702)] == [
        *("A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"),
    ]


def test_a_writer_has_one_letter_in_a_week_and_strangers_have_none():
    project, (first,), _reviewers = make_small_project()
    (second,) = make_people(1, project, Role.ANNOTATOR, start=40)
    annotations = [*submit_summaries(project, first, 1), *submit_summaries(project, second, 1)]
    week = week_of(annotations[0].created_at, project)
    letters = {row.annotator: row.letter for row in queue.list_progress(project, week)}
    assert sorted(letters.values()) == ["A", "B"]
    assert all(queue.find_letter(project, week, person) == letter for person, letter in letters.items())
    assert queue.find_letter(project, week, 10**6) == ""


def test_the_page_of_a_summary_names_its_writer_by_the_letter():
    project, (annotator,), (reviewer, _other) = make_small_project()
    (annotation,) = submit_summaries(project, annotator, 1)
    client = Client()
    client.force_login(reviewer)
    page = client.get(reverse("inspect", args=[project.slug, annotation.public_id])).content.decode()
    assert "Writer A" in page
    assert annotator.username not in page
