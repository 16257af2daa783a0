"""Topics and speakers of a group: the first choice stands, and what was done with the candidates is kept."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Annotation, Assignment, AuditEvent, Group, Slot
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import assignments, claim, leases, skip, submit, task_payload
from annotation.services.tasks import choose as choose_step
from tests.tasks.factories import make_people, make_project, turns

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def entry(text, candidate=None):
    return {"text": text, "candidate": candidate}


def claimed(project, person):
    return claim.claim_next(project=project, annotator=person).assignment


@pytest.fixture
def task():
    project = make_project(documents=1, overlap=2)
    return claimed(project, make_people(1, project)[0])


def choose(task, *entries, **more):
    return choose_step.save_choice(assignment=task, chosen={"topic": list(entries), **more})


def test_the_choice_is_frozen_with_who_made_it(task):
    group = choose(task, entry("topic 2", "topic 2"), entry("the late ferry"))
    assert group.chosen == {"topic": ["topic 2", "the late ferry"]}
    assert group.chosen_by_id == task.annotator_id
    assert group.frozen_at is not None
    assert AuditEvent.objects.filter(verb="group.choose").count() == 1


def test_what_became_of_each_candidate_is_kept_with_rank_and_place(task):
    places = [row["text"] for row in task_payload.describe_task(task)["candidates"]["topic"]]
    group = choose(task, entry("topic 5", "topic 5"), entry("topic seven", "topic 7"), entry("  my own "))
    rows = {(row["text"], row["candidate"]): row for row in group.decisions}
    assert rows["topic 5", "topic 5"]["action"] == "picked"
    assert rows["topic seven", "topic 7"]["action"] == "edited"
    other_row = rows["my own", None]
    assert (other_row["action"], other_row["rank"], other_row["shown"]) == ("own", None, None)
    assert [row["action"] for row in group.decisions].count("rejected") == 18
    for row in group.decisions:
        if row["candidate"]:
            assert row["rank"] == int(row["candidate"].split()[1])
            assert row["shown"] == places.index(row["candidate"]) + 1


def test_a_typed_candidate_counts_as_picked(task):
    assert choose(task, entry(" topic 4 ")).decisions[0]["action"] == "picked"


def test_the_same_choice_again_is_fine_in_any_order(task):
    first = choose(task, entry("a"), entry("b"))
    again = choose(assignments.get_own_assignment(task.annotator, task.public_id), entry("b"), entry("a"))
    assert (again.chosen, again.frozen_at) == (first.chosen, first.frozen_at)


def test_another_choice_after_the_first_is_refused_and_told_what_stands(task):
    other_page = assignments.get_own_assignment(task.annotator, task.public_id)
    choose(task, entry("mine"))
    for late in (other_page, assignments.get_own_assignment(task.annotator, task.public_id)):
        with pytest.raises(Conflict) as refused:
            choose(late, entry("theirs"))
        assert refused.value.code == "frozen"
        assert refused.value.extra["frozen"] == {"topic": ["mine"]}
    assert Group.objects.get(pk=task.group_id).chosen == {"topic": ["mine"]}


def test_nobody_else_gets_tasks_of_a_group_before_its_topics_are_chosen():
    project = make_project(documents=1, groups=1, overlap=2)
    first, other = make_people(2, project)
    task = claimed(project, first)
    waiting = claim.claim_next(project=project, annotator=other)
    assert (waiting.assignment, waiting.reason) == (None, "leased")
    choose(task, entry("mine"))
    assert claimed(project, other).group_id == task.group_id


@pytest.mark.parametrize("end", ["released", "skipped", "expired"])
def test_a_group_is_free_again_when_its_holder_leaves_without_a_choice(task, end):
    (other,) = make_people(1, task.project, start=2)
    if end == "released":
        leases.release_task(assignment=task, whole_unit=True)
    elif end == "skipped":
        for attempt in Assignment.objects.filter(claim=task.claim_id):
            skip.skip_task(assignment=attempt, reason="other", note="")
    else:
        leases.expire_leases(timezone.now() + timedelta(days=1))
    assert claimed(task.project, other).group_id == task.group_id


@pytest.mark.parametrize("claim_unit", ["sample", "group", "source"])
def test_one_person_holds_all_of_a_unit_whose_topics_are_open(claim_unit):
    project = make_project(documents=2, groups=2, overlap=2, claim_unit=claim_unit)
    people = make_people(2, project)
    holders = {}
    for person in people:
        first = claimed(project, person)
        for attempt in Assignment.objects.filter(claim=first.claim_id):
            holders.setdefault(attempt.group_id, set()).add(person)
    assert all(len(held_by) == 1 for held_by in holders.values())
    per_claim = {"sample": 1, "group": 2, "source": 4}[claim_unit]
    assert Assignment.objects.count() == 2 * per_claim


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"topic": [entry("a"), entry(" A ")]}, "chosen.topic"),
        ({"topic": [entry(f"t{n}") for n in range(40)]}, "chosen.topic"),
        ({"topic": [entry("   ")]}, "chosen.topic[0].text"),
        ({"topic": [entry("\u200b")]}, "chosen.topic[0].text"),
        ({"topic": [entry("x" * 101)]}, "chosen.topic[0].text"),
        ({"topic": [entry("a\x00b")]}, "chosen.topic[0].text"),
        ({"topic": [entry("a\ud83d")]}, "chosen.topic[0].text"),
        ({"topic": [entry("a", "no candidate")]}, "chosen.topic[0].candidate"),
        ({"topic": [{"text": "a", "rank": 1}]}, "rank"),
        ({"topic": [{"candidate": "topic 1"}]}, "chosen.topic[0].text"),
        ({"topic": "a"}, "chosen.topic"),
        ({"topic": [entry("a")], "speaker": [entry("Ann")]}, "chosen.speaker"),
        ([], "chosen"),
    ],
)
def test_what_cannot_be_chosen_is_refused_by_its_place(task, chosen, field):
    with pytest.raises(BadInput) as refused:
        choose_step.save_choice(assignment=task, chosen=chosen)
    assert refused.value.field == field
    assert Group.objects.get(pk=task.group_id).frozen_at is None


@pytest.mark.parametrize("chosen", [{}, {"topic": []}])
def test_too_few_are_refused(task, chosen):
    with pytest.raises(BadInput) as refused:
        choose_step.save_choice(assignment=task, chosen=chosen)
    assert refused.value.field == "chosen.topic"


@pytest.mark.parametrize("extracted", [True, False])
def test_speakers_are_those_of_the_source_as_written(extracted):
    project = make_project(documents=1, preset="macsum-dial", asks=("topic", "speaker"), segments=turns(4))
    task = claimed(project, make_people(1, project)[0])
    if not extracted:
        task.group.document.candidates.filter(kind="speaker").delete()
    for wrong in ("ann", "Dora"):
        with pytest.raises(BadInput) as refused:
            choose(task, entry("a"), speaker=[entry(wrong)])
        assert refused.value.field == "chosen.speaker[0].text"
    assert choose(task, entry("a"), speaker=[entry("Ann", "Ann")]).chosen == {"topic": ["a"], "speaker": ["Ann"]}


def test_choosing_extends_the_lease_only_while_the_task_is_held(task):
    skip.skip_task(assignment=task, reason="other")
    with pytest.raises(Conflict):
        choose(assignments.get_own_assignment(task.annotator, task.public_id), entry("a"))


def two_phases():
    project = make_project(documents=1, groups=1, size=2, phases="two", claim_unit="source")
    return claimed(project, make_people(1, project)[0])


def test_a_choosing_task_tells_no_request_and_ends_with_the_choice():
    task = two_phases()
    other_task = task_payload.describe_task(task)
    assert (other_task["kind"], other_task["sample"]) == ("choosing", None)
    assert [row["value"] for row in other_task["attributes"]] == [None] * len(other_task["attributes"])
    choose(task, entry("topic 1", "topic 1"))
    assert Assignment.objects.get(pk=task.pk).state == "submitted"
    assert set(Slot.objects.filter(sample=None).values_list("state", flat=True)) == {"filled"}
    assert set(Slot.objects.exclude(sample=None).values_list("state", flat=True)) == {"open"}
    stored = Annotation.objects.get()
    assert (stored.sample, stored.payload) == (None, {"chosen": {"topic": ["topic 1"]}})


def test_a_choosing_task_can_be_handed_in_like_any_other():
    task = two_phases()
    body = {"chosen": {"topic": [entry("topic 1", "topic 1")]}}
    first = submit.submit_task(assignment=task, payload=body, idempotency_key="k")
    again = submit.submit_task(
        assignment=assignments.get_own_assignment(task.annotator, task.public_id), payload=body, idempotency_key="k"
    )
    assert first == again
    assert Group.objects.get().chosen == {"topic": ["topic 1"]}


def test_slots_of_a_damaged_source_stay_parked_after_the_choice():
    task = two_phases()
    type(task.group.document).objects.update(damaged=True)
    choose(task, entry("topic 1"))
    assert set(Slot.objects.exclude(sample=None).values_list("state", flat=True)) == {"parked"}
