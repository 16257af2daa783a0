"""Requests at the same moment, on connections of their own: one try, one suggested text per task."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from annotation.models import Assignment, PracticePass, PracticeTry, Project, Suggestion
from annotation.services.core.errors import Conflict
from annotation.services.people import projects
from annotation.services.tasks import claim
from tests.practice.factories import BAD, load_items, try_item, with_practice
from tests.rounds.factories import make_run
from tests.tasks.factories import make_people, make_project

pytestmark = [pytest.mark.db_engine, pytest.mark.django_db(transaction=True)]
AT_ONCE, ROUNDS = 2, 5


def run_at_once(work: Callable[[int], Any]) -> list[Any]:
    """What each of two threads returned; a Conflict counts as its answer."""
    gate = threading.Barrier(AT_ONCE)

    def start(number: int) -> Any:
        try:
            gate.wait(30)
            return work(number)
        except Conflict as refusal:
            return refusal.code
        finally:
            connections.close_all()

    connections.close_all()  # this thread's own, which one of the others may need where connections are pooled
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(start, range(AT_ONCE)))


def test_a_try_sent_twice_at_once_is_stored_once():
    project, people, _admin = with_practice(annotators=ROUNDS, n_items=1)
    (item,) = load_items(project)
    for person in people:
        answers = run_at_once(lambda _number, person=person: try_item(item, person, BAD).attempt)
        assert sorted(map(str, answers)) == ["1", "stale"]
        assert list(PracticeTry.objects.filter(user=person).values_list("attempt", flat=True)) == [1]


def test_the_try_that_passes_sent_twice_at_once_passes_once():
    project, people, _admin = with_practice(annotators=ROUNDS, n_items=1)
    (item,) = load_items(project)
    for person in people:
        answers = run_at_once(lambda _number, person=person: try_item(item, person).attempt)
        assert sorted(map(str, answers)) == ["1", "finished"]
        assert PracticeTry.objects.filter(user=person).count() == 1
        assert PracticePass.objects.filter(project=project, user=person).count() == 1


def test_claims_at_once_store_one_suggested_text_per_task():
    project = make_project(documents=ROUNDS, groups=1, size=2, frozen=True, claim_unit="sample")
    run = make_run(project, "lead", text="The ferry left late.")
    projects.change_settings(project=project, by=None, assistance="suggested", suggestions_from=f"run:{run.public_id}")
    for person in make_people(ROUNDS, project):
        at_once = run_at_once(
            lambda _number, person=person: (
                claim.claim_next(project=Project.objects.get(pk=project.pk), annotator=person).assignment
            )
        )
        assert at_once[0].pk == at_once[1].pk
        (task,) = Assignment.objects.filter(annotator=person)
        assert Suggestion.objects.get(assignment__annotator=person).assignment_id == task.pk == at_once[0].pk
