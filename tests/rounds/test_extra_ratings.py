"""One more rating where the raters of an item disagree: who gets it, how many there are, and what staff see."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.models import AuditEvent, Role
from annotation.services.core.errors import Conflict
from evaluation.models import Item, RatingSlot, Round
from evaluation.services.monitoring import extra_ratings, round_control, round_progress, round_spending
from evaluation.services.rating import item_claims
from tests.rounds.disagreeing import disagreeing, rate_one, request_more
from tests.rounds.factories import claim, launch_new_round, member, project_with_gold, rate_all, raters_of
from tests.rounds.finished import answer_at_once
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def extra_slots(made: Round):
    return RatingSlot.objects.filter(round=made, extra=True)


def test_a_disagreement_gets_exactly_one_rating_more_by_whoever_has_not_rated_the_item():
    result, raters = disagreeing()
    assert request_more(result) == (6, 6) and request_more(result) == (0, 0)
    assert set(extra_slots(result).values_list("number", "state")) == {(3, "open")} and extra_slots(result).count() == 6
    assert claim(result, raters[0]) is None and claim(result, raters[1]) is None
    assert len(rate_all(result, raters[2])) == 6
    assert set(extra_slots(result).values_list("state", flat=True)) == {"filled"} and request_more(result) == (0, 0)
    assert AuditEvent.objects.get(verb="round.extra").detail == {"items": 6}


def test_items_that_raters_agree_on_or_have_not_finished_foils_and_repeats_get_none():
    result, raters = disagreeing(second="yes", more="[quality]\nother_source = 2\nrepeats = 2")
    assert request_more(result) == (0, 0)
    result, raters = disagreeing(slug="second", more="[quality]\nother_source = 2\nrepeats = 2", rated=1)
    assert request_more(result) == (0, 0)
    rate_all(result, raters[1], "no")
    assert request_more(result) == (6, 6)
    assert set(Item.objects.filter(slots__in=extra_slots(result)).values_list("kind", flat=True)) == {"real"}


def test_sides_of_a_page_are_no_disagreement_and_texts_of_an_additional_rating_stand_on_either_side():
    result, raters = disagreeing(template="pairwise-preference", n=12, rated=0)
    for rater in raters[:2]:
        while (view := claim(result, rater)) is not None:
            # Both prefer the item's first text, wherever it stands.
            rate_one(view, "a" if view.left == 1 else "b")
    assert request_more(result) == (0, 0)
    other, raters = disagreeing(slug="second", template="pairwise-preference", n=12, rated=0)
    for rater in raters[:2]:
        rate_all(other, rater, "a")
    assert request_more(other) == (12, 12)
    assert set(extra_slots(other).values_list("left", flat=True)) == {1, 2}


def test_the_cap_takes_the_most_even_votes_first():
    project = project_with_gold()
    raters = raters_of(project, 5)
    round_ = launch_new_round(project, n=4, n_raters=4, head="extra_ratings = 1")
    round_.raters.filter(rater=raters[4]).update(left_at=round_.launched_at)
    even = Item.objects.filter(round=round_).order_by("-public_id")[2]

    def answer_of(item, _question, rater):
        return "no" if rater == raters[0] or (item == even and rater == raters[1]) else "yes"

    answer_at_once(round_, answer_of)
    round_.raters.update(left_at=None)
    assert request_more(round_) == (4, 1) and request_more(round_) == (3, 0)
    assert extra_slots(round_).get().item == even


def test_a_second_additional_slot_of_an_item_is_refused_by_the_database():
    result, _raters = disagreeing()
    request_more(result)
    slot = extra_slots(result).first()
    with pytest.raises(IntegrityError, match=r"rating_slot_extra_once|item_id"), transaction.atomic():
        RatingSlot.objects.create(
            round=result, item=slot.item, document_id=slot.document_id, number=9, place=0, extra=True
        )


def test_a_round_that_does_not_ask_for_it_or_is_closed_requests_none():
    result, _raters = disagreeing(most=0)
    with pytest.raises(Conflict, match="requests no additional ratings"):
        request_more(result)
    assert extra_ratings.request_for_open_rounds() == 0
    result, _raters = disagreeing(slug="second")
    round_control.apply_action(round_=result, action="close", by=None)
    with pytest.raises(Conflict, match="while a round is running"):
        request_more(result)
    assert extra_ratings.request_for_open_rounds() == 0 and not RatingSlot.objects.filter(extra=True).exists()


def test_open_rounds_are_looked_at_by_themselves():
    result, raters = disagreeing()
    assert extra_ratings.request_for_open_rounds() == 6 and extra_ratings.request_for_open_rounds() == 0
    assert len(rate_all(result, raters[2])) == 6


def test_none_is_requested_where_nobody_else_could_rate_the_item():
    result, raters = disagreeing()
    round_control.replace_rater(round_=result, leaves=raters[2], joins=None, keep=True, by=None)
    assert request_more(result) == (0, 0)


def test_a_rater_of_a_lane_of_their_own_gets_it_after_others_have_left():
    result, raters = disagreeing(rated=1)
    for answer, rater in (("no", raters[1]), ("no", raters[1]), ("no", raters[1])):
        rate_one(claim(result, rater), answer)
    rate_all(result, raters[2], "no")
    round_control.replace_rater(round_=result, leaves=raters[1], joins=None, keep=True, by=None)
    assert request_more(result) == (3, 3)
    assert len(rate_all(result, raters[2])) == 3 and claim(result, raters[0]) is None


def test_an_additional_rating_of_somebody_who_is_replaced_is_asked_again():
    result, raters = disagreeing(n=1)
    request_more(result)
    rate_one(claim(result, raters[2]), "yes")
    assert extra_slots(result).filter(state="open").count() == 1
    (fourth,) = make_people(1, result.project, Role.RATER, start=9)
    round_control.replace_rater(round_=result, leaves=raters[2], joins=fourth, keep=False, by=None)
    assert extra_slots(result).filter(state="open").count() == 2 and request_more(result) == (0, 0)


def test_nobody_is_told_that_all_is_rated_while_more_may_be_requested():
    result, raters = disagreeing()
    assert item_claims.claim_next(round_=result, rater=raters[2]).reason == "all_yours"


def test_progress_and_pay_count_it():
    result, raters = disagreeing(more='[pay]\namount = 2.0\ncurrency = "USD"')
    assert round_progress.count_places(result).open == 0
    request_more(result)
    assert round_progress.count_places(result).open == 6
    rate_all(result, raters[2])
    assert round_spending.count_spending(result).amount == 2.0 * 18
    assert extra_ratings.count_extra_ratings(result) == (extra_ratings.ExtraRatings(6, 6, 20))


@pytest.fixture
def staff_page():
    result, raters = disagreeing(most=4)
    client = Client()
    client.force_login(member(result.project, "researcher", Role.RESEARCHER))
    return result, raters, client, f"/p/{result.project.slug}/rounds/{result.public_id}/"


def shown(answer) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_the_rounds_page_has_the_button_and_says_what_was_requested(staff_page):
    result, raters, client, url = staff_page
    page = shown(client.get(url))
    assert "Additional ratings where raters disagree" in page and "Requested 0 of at most 4" in page
    assert "One more rating requested for 4 items." in shown(client.post(url, {"do": "extra"}, follow=True))
    rate_all(result, raters[2])
    again = shown(client.post(url, {"do": "extra"}, follow=True))
    assert "Requested 4 of at most 4 Rated 4" in again and "as many additional ratings as its design allows" in again
    round_control.apply_action(round_=result, action="close", by=None)
    assert "Check and request now" not in shown(client.get(url))


def test_the_call_requests_and_says_what_it_did(staff_page):
    result, _raters, client, _url = staff_page
    call = f"/api/v1/rounds/{result.public_id}/extra-ratings/"
    assert client.post(call).json() == {"disagreeing": 6, "requested": 4}
    assert client.post(call).json() == {"disagreeing": 2, "requested": 0} and extra_slots(result).count() == 4


def test_raters_cannot_request_more(staff_page):
    result, raters, _client, url = staff_page
    client = Client()
    client.force_login(raters[2])
    assert client.post(url, {"do": "extra"}).status_code == 404 and not extra_slots(result).exists()
