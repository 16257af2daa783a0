"""Rules of a round pause a rater: no more items until staff resume them, the answers stay, staff see why."""

import pytest
from django.urls import reverse

from annotation.models import Annotation, AuditEvent, Role
from annotation.services.core.errors import BadInput
from evaluation.models import ItemAssignment, ItemAssignmentState, Judgement, RatingSlot, RoundRater
from evaluation.services.monitoring import round_progress
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims, rater_pauses
from tests.people.conftest import signed_in
from tests.rounds.factories import (
    answers_for,
    claim,
    config,
    launch_new_round,
    project_with_gold,
    rate_all,
    raters_of,
)
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


class Rating:
    """A round with pause rules and two raters."""

    def __init__(self, rules: str = "", quality: str = ""):
        self.project = project_with_gold(documents=14, topics=2)
        Annotation.objects.update(payload={"summary": "Nothing of the kind.", "relevant_segments": []})
        self.raters = raters_of(self.project)
        (self.admin,) = make_people(1, self.project, Role.ADMIN)
        more = f"[quality]\n{quality}\n[pausing]\n{rules}" if quality else f"[pausing]\n{rules}"
        self.round = launch_new_round(self.project, text=config(n=12, more=more))

    def rate(self, *answers: str, seconds: float = 60, rater: int = 0) -> None:
        for answer in answers:
            assignment = claim(self.round, self.raters[rater])
            ItemAssignment.objects.filter(pk=assignment.pk).update(active_seconds=seconds)
            rating_answers.save_answers(assignment=assignment, payload=answers_for(assignment, answer), finish=True)

    def reason(self, rater: int = 0) -> str:
        row = RoundRater.objects.get(round=self.round, rater=self.raters[rater])
        assert bool(row.pause_reason) == (row.paused_at is not None)
        return rater_pauses.describe_reason(row.pause_reason)

    def refusal(self, rater: int = 0) -> str:
        return item_claims.claim_next(round_=self.round, rater=self.raters[rater]).reason


def test_without_a_rule_nobody_is_paused():
    world = Rating()
    world.rate(*["yes"] * 6, seconds=0)
    assert world.reason() == "" and not AuditEvent.objects.filter(verb="member.pause").exists()


def test_the_same_answers_in_a_row_pause_and_another_one_between_does_not():
    world = Rating("same_answers = 3")
    world.rate("yes", "yes", "no", "yes", "yes")
    assert world.reason() == ""
    world.rate("yes")
    assert world.reason() == "Rule: the same answers to 3 items in a row."
    assert world.refusal() == "rater_paused" and world.refusal(rater=1) == ""
    event = AuditEvent.objects.get(verb="member.pause")
    assert event.actor is None and event.target == f"user:{world.raters[0].pk}"
    assert event.detail == {"origin": "rule", "rule": "same", "n": 3, "round": str(world.round.public_id)}
    assert Judgement.objects.filter(rater=world.raters[0]).count() == 18  # they stay


def test_items_rated_too_quickly_pause_once_there_are_enough():
    world = Rating("seconds = 5\nwindow = 3")
    world.rate("yes", "no", seconds=1)
    assert world.reason() == ""
    world.rate("yes", seconds=1)
    assert world.reason() == "Rule: median of 1.0 s of active time in the last 3 items, less than 5.0 s."


def test_wrong_answers_to_foils_pause():
    world = Rating("foils_wrong = 2", quality="other_source = 2")
    foils = [row for row in rate_all(world.round, world.raters[0], "yes") if row.item.kind == "other-source"]
    assert len(foils) == 2 and world.refusal() == "rater_paused"
    assert world.reason() == "Rule: 2 wrong answers to foils."
    rate_all(world.round, world.raters[1], "no")
    assert world.reason(rater=1) == ""


def test_the_item_that_a_paused_rater_holds_goes_to_others():
    world = Rating("same_answers = 2")
    world.rate("yes")
    late = claim(world.round, world.raters[0])
    item_claims.end_claim(late, ItemAssignmentState.EXPIRED)
    slots = RatingSlot.objects.filter(item=late.item_id)
    slots.update(state="taken")  # by others, for as long as the next item is claimed
    result = claim(world.round, world.raters[0])
    slots.update(state="open")
    assert result.pk != late.pk
    rating_answers.save_answers(assignment=late, payload=answers_for(late, "yes"), finish=True)
    assert world.reason()
    result.refresh_from_db()
    assert (result.state, result.slot.state) == ("released", "open")


def test_the_rater_reads_the_words_of_a_pause_and_no_reason():
    world = Rating("same_answers = 2")
    world.rate("yes", "yes")
    client = signed_in(world.raters[0])
    answer = client.post(reverse("next-item", args=[world.round.public_id]), follow=True)
    page = answer.content.decode()
    assert "New items are paused for you until the team resumes them. Your answers are kept." in page
    assert "Rule" not in page and 'data-action="next-item"' not in page
    refused = client.post(reverse("api-item-claim", args=[world.round.public_id]))
    assert (refused.status_code, refused["X-Reason"]) == (204, "rater_paused")


def test_staff_see_the_reason_and_resume_and_the_count_starts_anew():
    world = Rating("same_answers = 2")
    world.rate("yes", "yes")
    client, address = signed_in(world.admin), reverse("round", args=[world.project.slug, world.round.public_id])
    assert "Rule: the same answers to 2 items in a row." in client.get(address).content.decode()
    paused_raters = client.get(f"/api/v1/rounds/{world.round.public_id}/").json()["paused_raters"]
    assert [(row["rater"], row["rule"]) for row in paused_raters] == [
        (world.raters[0].username, {"rule": "same", "n": 2})
    ]
    form = {"do": "resume-rater", "rater": world.raters[0].username}
    page = client.post(address, form, follow=True).content.decode()
    assert "Rater resumed." in page and "Rule:" not in page
    assert AuditEvent.objects.get(verb="member.resume").actor == world.admin
    world.rate("yes")
    assert world.reason() == ""
    world.rate("yes")
    assert world.reason()
    answer = client.post(
        f"/api/v1/rounds/{world.round.public_id}/raters/resume/",
        {"rater": world.raters[0].username},
        content_type="application/json",
    )
    assert answer.status_code == 204 and world.reason() == ""
    with pytest.raises(BadInput, match="not paused"):
        rater_pauses.resume_rater(round_=world.round, rater=world.raters[0], by=world.admin)


def test_figures_of_other_raters_name_no_pause():
    world = Rating("same_answers = 2")
    world.rate("yes", "yes")
    rows = round_progress.build_progress(world.round).raters
    assert [row.paused for row in rows] == [True, False]
