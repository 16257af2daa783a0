"""Many raters at once, on connections of their own: no rating twice, none missing."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.db.models import Count

from evaluation.models import ItemAssignment, Judgement, RatingSlot
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.rounds import round_access
from tests.rounds.factories import answers_for, launch_new_round, project_with_gold, raters_of

RATERS, ITEMS, PER_ITEM = 8, 40, 3


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_raters_who_race_fill_every_place_once():
    project = project_with_gold(documents=ITEMS)
    raters = raters_of(project, RATERS)
    made = launch_new_round(project, n=ITEMS, n_raters=PER_ITEM)
    gate = threading.Barrier(RATERS)

    def work(rater) -> int:
        done = 0
        try:
            gate.wait(30)
            while True:
                found = item_claims.claim_next(round_=made, rater=rater)
                if found.assignment is None:
                    if found.reason != "leased":
                        return done
                    continue
                view = round_access.own_item_assignment(rater, found.assignment.public_id)
                rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True)
                done += 1
        finally:
            connections.close_all()

    connections.close_all()  # this thread's own, which one of the raters may need where connections are pooled
    with ThreadPoolExecutor(RATERS) as pool:
        counts = list(pool.map(work, raters))

    done = ItemAssignment.objects.filter(state="done")
    assert sum(counts) == done.count() == ITEMS * PER_ITEM == RatingSlot.objects.filter(state="filled").count()
    assert set(done.values("item").annotate(n=Count("pk")).values_list("n", flat=True)) == {PER_ITEM}
    assert done.values("item", "rater").distinct().count() == ITEMS * PER_ITEM
    asked = sum(len(view.item.questions) for view in done.select_related("item"))
    assert Judgement.objects.count() == asked and min(counts) > 0
