"""Many raters at once, on connections of their own: no rating twice, none missing."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import connections
from django.db.models import Count

from annotation.models import Role
from evaluation.models import ItemAssignment, Judgement, RaterReading, RatingSlot
from evaluation.services.monitoring import extra_ratings
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.rounds import round_access
from tests.rounds.disagreeing import disagreeing, request_more
from tests.rounds.factories import answers_for, launch_new_round, project_with_gold, raters_of
from tests.tasks.factories import make_people

RATERS, ITEMS, PER_ITEM = 8, 40, 3


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_raters_who_race_fill_every_place_once():
    project = project_with_gold(documents=ITEMS)
    raters = raters_of(project, RATERS)
    round_ = launch_new_round(project, n=ITEMS, n_raters=PER_ITEM)
    gate = threading.Barrier(RATERS)

    def work(rater) -> int:
        number = 0
        try:
            gate.wait(30)
            while True:
                next_ = item_claims.claim_next(round_=round_, rater=rater)
                if next_.assignment is None:
                    if next_.reason != "leased":
                        return number
                    continue
                view = round_access.own_item_assignment(rater, next_.assignment.public_id)
                rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True)
                number += 1
        finally:
            connections.close_all()

    connections.close_all()  # this thread's own, which one of the raters may need where connections are pooled
    with ThreadPoolExecutor(RATERS) as pool:
        counts = list(pool.map(work, raters))

    item_assignments = ItemAssignment.objects.filter(state="done")
    assert (
        sum(counts) == item_assignments.count() == ITEMS * PER_ITEM == RatingSlot.objects.filter(state="filled").count()
    )
    assert set(item_assignments.values("item").annotate(n=Count("pk")).values_list("n", flat=True)) == {PER_ITEM}
    assert item_assignments.values("item", "rater").distinct().count() == ITEMS * PER_ITEM
    total = sum(len(view.item.questions) for view in item_assignments.select_related("item"))
    assert Judgement.objects.count() == total and min(counts) > 0


def at_once(work, arguments) -> list:
    """The results of calls that start together, each in a thread with a connection of its own."""
    gate = threading.Barrier(len(arguments))

    def start(argument):
        try:
            gate.wait(30)
            return work(argument)
        finally:
            connections.close_all()

    connections.close_all()
    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(start, arguments))


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_requests_that_race_keep_the_cap_and_one_additional_slot_per_item(monkeypatch):
    outcome, _raters = disagreeing(most=4)
    both_count, build = threading.Barrier(2), extra_ratings._build_slot

    def build_when_both_have_counted(round_, item):
        with suppress(threading.BrokenBarrierError):  # the other waits for the lock
            both_count.wait(0.5)
        return build(round_, item)

    monkeypatch.setattr(extra_ratings, "_build_slot", build_when_both_have_counted)
    results = at_once(lambda _place: extra_ratings.request_extra_ratings(round_=outcome, by=None), range(2))
    assert sorted(result.requested for result in results) == [0, 4]
    extra = RatingSlot.objects.filter(round=outcome, extra=True)
    assert extra.count() == extra.values("item").distinct().count() == 4


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_of_raters_who_race_for_one_additional_slot_one_gets_it():
    outcome, raters = disagreeing(most=1, n=1)
    late = make_people(3, outcome.project, Role.RATER, start=50)
    for person in late:
        outcome.raters.create(rater=person, lane=1, joined_at=outcome.launched_at)
        RaterReading.objects.create(round=outcome, rater=person, instructions_hash="", read_at=outcome.launched_at)
    assert request_more(outcome) == (2, 1)
    answer = at_once(lambda rater: item_claims.claim_next(round_=outcome, rater=rater), [raters[2], *late])
    assert sorted(result.reason for result in answer if result.assignment is None) == ["leased"] * 3
    (input_value,) = [result.assignment for result in answer if result.assignment is not None]
    assert input_value.slot_id == RatingSlot.objects.get(extra=True).pk
    assert ItemAssignment.objects.filter(slot__extra=True).count() == 1
