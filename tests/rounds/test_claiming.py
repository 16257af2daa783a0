"""The next item: exactly N times each, one at a time, never to somebody with a hand in the source."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import AuditEvent, Membership, Role
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.tasks import claim as task_claim
from evaluation.models import ItemAssignment, ItemAssignmentState, RatingSlot, RoundRater, SourceClearance
from evaluation.services.monitoring import round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.rating.stored_answers import stored_payload
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds import rater_eligibility, round_access
from tests.rounds.factories import (
    answers_for,
    claim,
    config,
    launch_new_round,
    member,
    project_with_gold,
    rate_all,
    raters_of,
)
from tests.tasks.factories import pass_gate

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def test_every_item_is_rated_exactly_as_often_as_asked(rated):
    views = [view for rater in rated.raters for view in rate_all(rated.round, rater)]

    assert len(views) == 24 == RatingSlot.objects.filter(state="filled").count()
    assert len({(view.item_id, view.rater_id) for view in views}) == 24
    assert item_claims.claim_next(round_=rated.round, rater=rated.raters[0]).reason == "done"


def test_more_raters_than_ratings_share_the_items(db):
    project = project_with_gold()
    raters = raters_of(project, 3)
    round_ = launch_new_round(project, n=10)
    while sum(claim_and_rate(round_, rater) for rater in raters):
        pass
    assert RatingSlot.objects.filter(state="filled").count() == 20
    assert ItemAssignment.objects.filter(state="done").values("item", "rater").distinct().count() == 20


def claim_and_rate(round_, rater) -> bool:
    view = claim(round_, rater)
    if view is None:
        return False
    rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True)
    return True


def test_a_rater_holds_one_item_and_gets_it_again(rated):
    first = item_claims.claim_next(round_=rated.round, rater=rated.raters[0])
    again = item_claims.claim_next(round_=rated.round, rater=rated.raters[0])
    assert first.fresh and not again.fresh and first.assignment.pk == again.assignment.pk


def test_the_order_of_a_rater_is_that_of_the_lane_with_sources_apart(rated):
    for rater in rated.raters:
        views = rate_all(rated.round, rater)
        lane = RoundRater.objects.get(rater=rater).lane
        planned = RatingSlot.objects.filter(number=lane).order_by("place").values_list("item_id", flat=True)
        assert [view.item_id for view in views] == list(planned)
        last: dict[int, int] = {}
        for place, view in enumerate(views):
            assert place - last.get(view.document_id, -99) >= rated.round.apart
            last[view.document_id] = place


def test_an_item_that_ran_out_comes_back_with_its_answers(rated):
    rater, other = rated.raters
    view = claim(rated.round, rater)
    rating_answers.save_answers(assignment=view, payload={"answers": {"specificity": "no"}})
    assert item_claims.expire_claims(timezone.now() + timedelta(hours=2)) == 1
    assert RatingSlot.objects.get(pk=view.slot_id).state == "open"

    back = claim(rated.round, rater)

    assert back.public_id == view.public_id
    assert stored_payload(back)["answers"] == {"specificity": {"answer": "no", "unsure": False}}
    assert AuditEvent.objects.filter(verb="item.expire").count() == 1 and claim(rated.round, other) is not None


def test_what_comes_too_late_is_kept_as_surplus(db):
    project = project_with_gold()
    first, second = raters_of(project)
    round_ = launch_new_round(project, n_raters=1, n=1)
    late = claim(round_, first)
    item_claims.expire_claims(timezone.now() + timedelta(hours=2))
    rating_answers.save_answers(assignment=claim(round_, second), payload=answers_for(late), finish=True)

    assert (
        rating_answers.save_answers(assignment=late, payload=answers_for(late), finish=True).state
        == ItemAssignmentState.SURPLUS
    )
    assert RatingSlot.objects.filter(state="filled").count() == 1


def test_nobody_rates_a_source_they_wrote_on(db):
    project = project_with_gold(documents=4)
    writer, *others = raters_of(project, 3)
    Membership.objects.create(user=writer, project=project, role=Role.ANNOTATOR)
    pass_gate(project, writer)
    wrote = task_claim.claim_next(project=project, annotator=writer).assignment.group.document_id
    round_ = launch_new_round(project, n=4)
    mine = rate_all(round_, writer)
    assert mine and wrote not in {view.document_id for view in mine}
    for rater in others:
        rate_all(round_, rater)
    assert RatingSlot.objects.exclude(state="filled").count() == 0


def test_an_exception_is_audited_and_lets_the_rater_in(db):
    project = project_with_gold(documents=1)
    (rater,) = raters_of(project, 1)
    Membership.objects.create(user=rater, project=project, role=Role.ANNOTATOR)
    round_ = launch_new_round(project, n_raters=1, n=1)
    pass_gate(project, rater)
    task_claim.claim_next(project=project, annotator=rater)
    assert item_claims.claim_next(round_=round_, rater=rater).reason == "all_yours"

    by = member(project, "admin", Role.ADMIN)
    rater_eligibility.clear_source(round_=round_, rater=rater, document=project.documents.get(), reason="agreed", by=by)

    assert claim(round_, rater) is not None
    event = AuditEvent.objects.get(verb="round.clear")
    assert event.actor == by and event.detail["rater"] == rater.pk and SourceClearance.objects.count() == 1


def test_an_exception_for_somebody_of_another_project_is_refused_like_one_for_nobody(db, client):
    project, other = project_with_gold(documents=1), project_with_gold("other", documents=1)
    (rater,) = raters_of(project, 1)
    round_ = launch_new_round(project, n_raters=1, n=1)
    member(other, "stranger", Role.RATER)
    client.force_login(member(project, "admin", Role.ADMIN))
    body = {"source": str(project.documents.get().public_id), "reason": "agreed"}

    def clear(name):
        answer = client.post(
            f"/api/v1/rounds/{round_.public_id}/clearances/", {**body, "rater": name}, "application/json"
        )
        return answer.status_code, answer.content.decode().replace(name, "NAME")

    assert clear("stranger") == clear("nobody")
    assert clear("nobody")[0] == 422
    assert SourceClearance.objects.count() == 0
    assert clear(rater.username)[0] == 204


def test_too_few_untouched_raters_stop_the_launch(db):
    project = project_with_gold(documents=1)
    writer, _other = raters_of(project)
    Membership.objects.create(user=writer, project=project, role=Role.ANNOTATOR)
    pass_gate(project, writer)
    task_claim.claim_next(project=project, annotator=writer)
    draft = round_launch.make_draft(project=project, text=config(n=1), by=None)
    with pytest.raises(BadInput, match="Too few raters without a conflict of interest for these sources: news-0"):
        round_launch.launch_round(round_=draft, by=None)


def test_staff_and_outsiders_cannot_rate(rated):
    reviewer = member(rated.project, "reviewer", Role.REVIEWER)
    outsider = User.objects.create(username="outsider")
    for user in (reviewer, outsider):
        with pytest.raises(NotFound):
            round_access.own_round(user, rated.round.public_id)
    text = config(name="Named", head='raters = ["reviewer", "rater1"]')
    draft = round_launch.make_draft(project=rated.project, text=text, by=None)
    with pytest.raises(BadInput, match="reviewer cannot rate here"):
        round_launch.launch_round(round_=draft, by=None)


def test_a_rater_who_becomes_staff_is_out_on_the_next_request(rated):
    rater = rated.raters[0]
    view = claim(rated.round, rater)
    Membership.objects.create(user=rater, project=rated.project, role=Role.RESEARCHER)
    with pytest.raises(NotFound):
        round_access.own_item_assignment(rater, view.public_id)


def test_another_raters_item_is_not_there(rated):
    view = claim(rated.round, rated.raters[0])
    with pytest.raises(NotFound):
        round_access.own_item_assignment(rated.raters[1], view.public_id)
    with pytest.raises(NotFound):
        round_access.own_item_assignment(rated.raters[0], view.item.public_id)  # the shared id opens nothing


def test_a_repeat_goes_to_whoever_rated_the_item_before(db):
    project = project_with_gold(documents=14)
    raters = raters_of(project)
    round_ = launch_new_round(project, n=12, more="[quality]\nrepeats = 2")
    for rater in raters:
        views = rate_all(round_, rater)
        places = {view.item_id: place for place, view in enumerate(views)}
        again = [view for view in views if view.item.repeats_id]
        assert len(views) == 14 and len(again) == 2
        assert all(places[view.item_id] - places[view.item.repeats_id] >= 10 for view in again)


def test_a_paused_round_gives_nothing_new_and_takes_what_is_held(rated):
    rater, other = rated.raters
    view = claim(rated.round, rater)
    round_control.apply_action(round_=rated.round, action="pause", by=None)
    assert item_claims.claim_next(round_=rated.round, rater=other).reason == "paused"
    assert (
        rating_answers.save_answers(assignment=view, payload=answers_for(view), finish=True).state
        == ItemAssignmentState.DONE
    )
    round_control.apply_action(round_=rated.round, action="resume", by=None)
    assert claim(rated.round, other) is not None


def test_a_closed_round_takes_no_answers_until_it_is_reopened(rated):
    view = claim(rated.round, rated.raters[0])
    round_control.apply_action(round_=rated.round, action="close", by=None)
    with pytest.raises(Conflict, match="closed"):
        rating_answers.save_answers(assignment=view, payload=answers_for(view))
    assert item_claims.claim_next(round_=rated.round, rater=rated.raters[0]).reason == "closed"
    round_control.apply_action(round_=rated.round, action="reopen", by=None)
    assert claim(rated.round, rated.raters[0]).public_id == view.public_id


def test_unblinding_closes_for_good_and_is_audited(rated):
    by = member(rated.project, "researcher", Role.RESEARCHER)
    round_control.apply_action(round_=rated.round, action="unblind", by=by)
    assert AuditEvent.objects.get(verb="round.unblind").actor == by and round_control.allowed_actions(rated.round) == []
    with pytest.raises(Conflict):
        round_control.apply_action(round_=rated.round, action="reopen", by=by)


@pytest.mark.parametrize("keep", [True, False])
def test_a_replaced_raters_place_is_taken_in_the_same_order(rated, keep):
    leaves, stays = rated.raters
    for _turn in range(3):
        claim_and_rate(rated.round, leaves)
    joins = member(rated.project, "rater9", Role.RATER)

    row = round_control.replace_rater(round_=rated.round, leaves=leaves, joins=joins, keep=keep, by=None)

    with pytest.raises(NotFound):
        round_access.own_round(leaves, rated.round.public_id)
    from evaluation.services.rounds import instructions as round_instructions

    result = round_instructions.instructions_hash(rated.round)
    round_instructions.confirm_instructions(round_=rated.round, rater=joins, shown_hash=result)
    assert row.lane == RoundRater.objects.get(rater=leaves).lane
    assert len(rate_all(rated.round, joins)) == (9 if keep else 12)
    rate_all(rated.round, stays)
    assert RatingSlot.objects.exclude(state="filled").count() == 0


def test_the_database_itself_refuses_a_hand_in_the_source(db):
    """Whatever a query forgets: the insert fails, unless the exception was noted."""
    project = project_with_gold(documents=1)
    (rater,) = raters_of(project, 1)
    round_ = launch_new_round(project, n_raters=1, n=1)
    slot = RatingSlot.objects.get()
    Membership.objects.create(user=rater, project=project, role=Role.ANNOTATOR)
    pass_gate(project, rater)
    task_claim.claim_next(project=project, annotator=rater)
    with pytest.raises(IntegrityError, match="item_view_no_hand_in_source"), transaction.atomic():
        item_claims.open_assignment(round_, rater.pk, slot, 1)
    by = member(project, "admin", Role.ADMIN)
    rater_eligibility.clear_source(round_=round_, rater=rater, document=project.documents.get(), reason="agreed", by=by)
    item_claims.open_assignment(round_, rater.pk, slot, 1)


def test_an_answer_brings_the_next_item_in_few_statements(rated, client, django_assert_max_num_queries):
    rater = rated.raters[0]
    client.force_login(rater)

    def answer(item, **told):
        by_key = {question["key"]: {"answer": question["options"][0]["value"]} for question in item["questions"]}
        body = {"payload": {"answers": by_key}, "done": True, **told}
        return client.post(f"/api/v1/items/{item['id']}/judgements/", body, content_type="application/json")

    item = client.post(f"/api/v1/rounds/{rated.round.public_id}/items/claim/").json()
    item = answer(item, next="item").json()["next"]
    with django_assert_max_num_queries(16):  # 2 of them for the session, 4 begin or end a transaction
        data = answer(item, next="item").json()
    again = answer(item, next="item").json()["next"]  # the answer got lost on its way
    assert data["next"]["id"] == again["id"] != item["id"] and data["next"]["progress"]["done"] == 2
    assert data["next"] == client.get(f"/api/v1/items/{again['id']}/").json()
    assert answer(data["next"], next="page").json()["next"].keys() == {"page"}
    assert answer(item, next="item", done=False).status_code == 422
    round_control.apply_action(round_=rated.round, action="pause", by=None)
    payload = client.post(f"/api/v1/rounds/{rated.round.public_id}/items/claim/").json()
    assert answer(payload, next="item").json()["reason"] == "paused"
