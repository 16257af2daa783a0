"""Practice comes before tasks: two tries for each item, a share to pass, and what the team can do about it."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, AuditEvent, GuidelineReading, PracticePass, PracticeTry, Project
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.guidelines import gate
from annotation.services.people import projects
from annotation.services.practice import decisions, feedback, items, progress
from annotation.services.tasks import claim
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from tests.pilot.test_apart import told
from tests.practice.factories import (
    BAD,
    REASON,
    VALUES,
    fail_item,
    load_items,
    pass_practice,
    store_item,
    try_item,
    with_practice,
)
from tests.tasks.factories import make_people

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def reason_of(project, person) -> str:
    return claim.claim_next(project=Project.objects.get(pk=project.pk), annotator=person).reason


def state_of(project, person) -> str:
    return str(progress.load_progress(Project.objects.get(pk=project.pk), person).state)


def verbs(project) -> list[str]:
    rows = AuditEvent.objects.filter(project=project, verb__startswith="practice.").order_by("pk")
    return list(rows.values_list("verb", flat=True))


def test_tasks_come_when_the_practice_is_passed():
    project, (person,), _admin = with_practice()
    assert (reason_of(project, person), state_of(project, person)) == ("in_practice", "not_begun")
    first, second = load_items(project)
    try_item(first, person)
    assert (reason_of(project, person), state_of(project, person)) == ("in_practice", "in_practice")
    try_item(second, person)
    assert (reason_of(project, person), state_of(project, person)) == ("", "passed")
    assert Assignment.objects.filter(annotator=person, state="claimed").exists()
    assert verbs(project)[-1] == "practice.pass"


def test_a_claim_costs_no_statement_more():
    counts = []
    for start, slug, on in ((1, "without", False), (2, "with", True)):
        project, (person,), _admin = with_practice(slug, on=on, start=start)
        if on:
            pass_practice(project, person)
        project = Project.objects.get(pk=project.pk)
        with CaptureQueriesContext(connection) as log:
            assert claim.claim_next(project=project, annotator=person).assignment is not None
        counts.append(len(log))
    assert counts[0] == counts[1]


def test_the_guideline_comes_before_the_practice():
    project, (person,), _admin = with_practice()
    GuidelineReading.objects.all().delete()
    assert reason_of(project, person) == "gate"
    with pytest.raises(gate.Closed):
        try_item(load_items(project)[0], person)


def test_without_practice_nothing_is_asked():
    project, (person,), _admin = with_practice(on=False)
    assert reason_of(project, person) == ""
    with pytest.raises(Conflict):
        try_item(load_items(project)[0], person)


def test_what_is_claimed_can_be_finished():
    project, (person,), admin = with_practice(on=False)
    task = claim.claim_next(project=project, annotator=person).assignment
    items.change_practice(project=project, by=admin, on=True)
    again = claim.claim_next(project=Project.objects.get(pk=project.pk), annotator=person)
    assert again.assignment.pk == task.pk


def test_each_item_has_two_tries_and_the_feedback_says_what_was_off():
    project, (person,), _admin = with_practice()
    first, _second = load_items(project)
    stored = try_item(first, person, BAD)
    assert feedback.describe_faults(first, stored.faults) == [
        "Topic: not right here: “topic 1”.",
        "Topic: 1 more is needed.",
        "Segments not needed: 3.",
        "1 more segment is needed.",
        "Length: 2 words are too short.",
    ]
    try_item(first, person, BAD, attempt=2)
    with pytest.raises(Conflict) as refused:
        try_item(first, person, attempt=2)
    assert refused.value.code == "finished"
    assert PracticeTry.objects.count() == 2


def test_a_form_that_is_sent_twice_costs_one_try():
    project, (person,), _admin = with_practice()
    first, _second = load_items(project)
    try_item(first, person, BAD)
    with pytest.raises(Conflict) as refused:
        try_item(first, person, BAD)
    assert refused.value.code == "stale"
    assert PracticeTry.objects.count() == 1


def test_the_share_of_items_decides():
    project, (first, second), admin = with_practice(n_items=10, annotators=2)
    rows = load_items(project)
    for person, n_failed in ((first, 3), (second, 4)):
        for item in rows[:n_failed]:
            fail_item(item, person)
        for item in rows[n_failed:]:
            try_item(item, person)
    assert (state_of(project, first), state_of(project, second)) == ("passed", "below")
    assert (reason_of(project, first), reason_of(project, second)) == ("", "in_practice")
    items.change_practice(project=project, by=admin, share=0.6)
    assert (state_of(project, second), reason_of(project, second)) == ("passed", "")


def test_the_team_lets_a_person_go_on():
    project, (person,), admin = with_practice()
    for item in load_items(project):
        fail_item(item, person)
    decisions.let_person_on(project=project, person=person, by=admin)
    assert (state_of(project, person), reason_of(project, person)) == ("let_on", "")
    with pytest.raises(Conflict):
        decisions.let_person_on(project=project, person=person, by=admin)
    assert verbs(project)[-1] == "practice.let_on"


def test_the_team_resets_the_practice():
    project, (person, other), admin = with_practice(annotators=2)
    pass_practice(project, person)
    pass_practice(project, other)
    decisions.reset_practice(project=project, person=person, by=admin)
    assert (state_of(project, person), reason_of(project, person)) == ("not_begun", "in_practice")
    assert state_of(project, other) == "passed"
    assert verbs(project)[-1] == "practice.reset"
    with pytest.raises(Conflict):
        decisions.reset_practice(project=project, person=person, by=admin)


def test_nobody_decides_about_themselves():
    project, (person,), _admin = with_practice()
    with pytest.raises(Conflict) as refused:
        decisions.let_person_on(project=project, person=person, by=person)
    assert refused.value.code == "own"


def test_a_changed_item_is_its_next_version_and_gives_no_try_back():
    project, (person,), admin = with_practice(n_items=1)
    (item,) = load_items(project)
    try_item(item, person, BAD)
    right = {"segments": {"needed": [2], "also": []}}
    newer = items.change_item(item=item, values=VALUES, right=right, reason="Another.", by=admin)
    assert (newer.number, newer.version) == (1, 2)
    with pytest.raises(Conflict):
        try_item(item, person, attempt=2)
    with pytest.raises(Conflict):
        items.change_item(item=item, values=VALUES, right=right, reason="Late.", by=admin)
    try_item(newer, person, {"segments": [2]}, attempt=2)
    assert state_of(project, person) == "passed"
    item.refresh_from_db()
    assert (item.reason, item.retired_at is not None) == (REASON, True)


def test_whoever_passes_without_a_removed_item_goes_on():
    project, (person,), admin = with_practice()
    first, second = load_items(project)
    fail_item(first, person)
    try_item(second, person)
    assert state_of(project, person) == "below"
    items.remove_item(item=first, by=admin)
    assert state_of(project, person) == "passed"
    with pytest.raises(Conflict) as refused:
        items.remove_item(item=second, by=admin)
    assert refused.value.code == "last"


def test_the_practice_needs_an_item_and_has_ten_at_most():
    project, _people, admin = with_practice(n_items=0, on=False)
    with pytest.raises(Conflict) as refused:
        items.change_practice(project=project, by=admin, on=True)
    assert refused.value.code == "noitems"
    for _number in range(items.MAX_ITEMS):
        store_item(project, admin)
    with pytest.raises(Conflict) as refused:
        store_item(project, admin)
    assert refused.value.code == "toomany"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"values": {}}, "values.length"),
        ({"values": {**VALUES, "length": "huge"}}, "values.length"),
        ({"reason": " "}, "reason"),
        ({"right": {}}, "right"),
    ],
)
def test_an_item_that_does_not_fit_is_refused_by_name(changed, field):
    project, _people, admin = with_practice(n_items=0, on=False)
    source = items.usable_sources(project)[0]
    fitting = {"values": VALUES, "right": {"length": {"low": 1, "high": 2}}, "reason": "Why."}
    with pytest.raises(BadInput) as refused:
        items.add_item(project=project, source=source, by=admin, **{**fitting, **changed})
    assert refused.value.field == field


def test_projects_without_summaries_have_no_practice(django_user_model):
    by = django_user_model.objects.create(username="maker")
    project = projects.create_project(slug="names", schema="tesa", kind="aggregation", created_by=by)
    assert not items.offers_practice(project)


def test_practice_answers_change_nothing_that_is_told_of_the_project():
    project, (first, second), admin = with_practice(annotators=2)
    state_before = told(project)
    pass_practice(project, first)
    for item in load_items(project):
        fail_item(item, second)
    decisions.let_person_on(project=project, person=second, by=admin)
    assert told(project) == state_before
    assert not Annotation.objects.exists()
    assert "The ferry left late" not in json.dumps(state_before, default=str)


def test_a_withdrawal_empties_the_answers():
    project, (person,), _admin = with_practice()
    pass_practice(project, person)
    holder, rows = TEXT_HOLDERS["practice_answers"], Project.objects.filter(pk=project.pk)
    assert holder.count(rows, person.pk) == 2
    holder.empty(rows, person.pk)
    assert holder.count(rows, person.pk) == 0
    assert PracticePass.objects.count() == 1


def test_staff_see_who_is_where():
    project, people, _admin = with_practice(annotators=3)
    make_people(1, project, start=9)
    pass_practice(project, people[0])
    try_item(load_items(project)[0], people[1], BAD)
    for item in load_items(project):
        fail_item(item, people[2])
    rows = decisions.list_annotators(project)
    assert [(row.standing.state, row.standing.n_finished, row.standing.n_passed) for row in rows] == [
        ("passed", 2, 2),
        ("in_practice", 0, 0),
        ("below", 2, 0),
        ("not_begun", 0, 0),
    ]
