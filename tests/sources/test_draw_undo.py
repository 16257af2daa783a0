"""A draw is undone while nobody has begun it, and refused with the reason afterwards; a claim at the same time either
wins or gets nothing."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction

from annotation.models import Assignment, AuditEvent, Draw, Group, PilotSample, Project, Sample, Slot
from annotation.services.core.errors import Conflict
from annotation.services.sampling import draw as sample_draw
from annotation.services.sampling import draw_undo
from annotation.services.tasks import assignments, claim, leases
from evaluation.models import Item, Round, RoundText
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from tests.tasks.factories import make_people, make_project


def drawn_project(slug="news", documents=4, **settings):
    project = make_project(slug, documents=documents, groups=0, n_words=540, **settings)
    sample_draw.sample_attributes(project=project, options=sample_draw.default_options(project, seed=5))
    return project


def undo(project):
    return draw_undo.undo_draw(draw=Draw.objects.filter(project=project).order_by("-id")[0], by=None)


def rows_of(project):
    return [model.objects.filter(project=project).count() for model in (Sample, Group, Slot)]


@pytest.mark.db_engine
@pytest.mark.django_db
@pytest.mark.parametrize("phases", Project.Phases.values)
def test_an_undone_draw_leaves_nothing_and_can_be_drawn_again(phases):
    project = drawn_project(phases=phases)
    samples_before = list(
        Sample.objects.order_by("document", "position").values_list("document", "position", "combination")
    )
    n_samples, n_groups, n_slots = rows_of(project)
    assert undo(project) == (n_samples, n_groups, n_slots) and n_samples > 0
    assert rows_of(project) == [0, 0, 0]
    event = AuditEvent.objects.get(verb="sample.undo_draw")
    assert (event.project, event.detail["samples"]) == (project, n_samples)
    with pytest.raises(Conflict, match="undone already"):
        undo(project)
    project.refresh_from_db()
    assert project.sampler == {}
    sample_draw.sample_attributes(project=project, options=sample_draw.default_options(project, seed=5))
    again = list(Sample.objects.order_by("document", "position").values_list("document", "position", "combination"))
    assert again == samples_before


@pytest.mark.django_db
def test_only_the_samples_of_that_draw_are_deleted():
    project = drawn_project()
    first = set(Sample.objects.values_list("pk", flat=True))
    options = sample_draw.default_options(project, seed=6)
    sample_draw.sample_attributes(project=project, options=options, add=True)
    undo(project)
    assert set(Sample.objects.values_list("pk", flat=True)) == first
    project.refresh_from_db()
    assert project.sampler["seed"] == 5


@pytest.mark.django_db
@pytest.mark.parametrize("released", [False, True])
def test_a_draw_with_an_assigned_or_released_task_stays(released):
    project = drawn_project()
    (writer,) = make_people(1, project)
    task = claim.claim_next(project=project, annotator=writer).assignment
    if released:
        leases.release_task(assignment=assignments.get_own_assignment(writer, task.public_id), whole_unit=True)
    rows_before = rows_of(project)
    with pytest.raises(Conflict, match="assigned already"):
        undo(project)
    assert rows_of(project) == rows_before and not Draw.objects.exclude(undone_at=None).exists()


@pytest.mark.django_db
def test_a_draw_that_a_run_a_round_or_a_pilot_uses_stays():
    project = drawn_project()
    sample = Sample.objects.filter(project=project)[0]
    pilot = Project.objects.create(slug="pilot", name="Pilot", domain="document", preset="macsum-doc", pilot_of=project)
    copy = Sample.objects.exclude(pk=sample.pk)[0]
    in_pilot = PilotSample.objects.create(pilot=pilot, sample=copy, origin=sample, added_at=pilot.created_at)
    with pytest.raises(Conflict, match="in a pilot"):
        undo(project)
    in_pilot.delete()
    round_ = Round.objects.create(project=project, number=1, name="First round", config={}, seed=1, raters_per_item=1)
    text = RoundText.objects.create(round=round_, content_hash="0", text="x")
    values = {"number": 0, "domain": "x", "request": {}, "targets": [], "questions": []}
    item = Item.objects.create(round=round_, document=sample.document, sample=sample, first=text, **values)
    with pytest.raises(Conflict, match="are rated in the round First round"):
        undo(project)
    item.delete()
    revision = systems.register_shipped(project=project, key="lead", by=None)
    Sample.objects.filter(project=project).update(state="active")
    Group.objects.filter(project=project).update(frozen_at="2026-01-01T00:00:00Z")
    runs.start_run(project=project, revision=revision, by=None, queue_it=False)
    with pytest.raises(Conflict, match=r"run .* is over samples"):
        undo(project)


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("unit", Project.ClaimUnit.values)
@pytest.mark.parametrize("attempt", range(3))
def test_a_claim_and_an_undo_at_once_exclude_each_other(unit, attempt):
    project = drawn_project(documents=3, claim_unit=unit)
    writers = make_people(3, project)
    draw = Draw.objects.get(project=project)
    gate = threading.Barrier(len(writers) + 1)

    def work(who):
        try:
            gate.wait(30)
            if who is not None:
                return claim.claim_next(project=project, annotator=who).assignment is not None
            try:
                draw_undo.undo_draw(draw=draw, by=None)
            except Conflict as refused:
                return refused.code
            return "undone"
        finally:
            connections.close_all()

    connections.close_all()
    with ThreadPoolExecutor(len(writers) + 1) as pool:
        outcome, *claimed = pool.map(work, [None, *writers])
    if outcome == "undone":
        assert claimed == [False] * 3 and rows_of(project) == [0, 0, 0]
        assert not Assignment.objects.exists()
    else:
        assert outcome == "drawinuse" and any(claimed)
        assert rows_of(project)[0] == draw.samples_stored


def wait_until_somebody_waits():
    """Until a connection waits for a lock that another one holds."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(50_000):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees what it saw first
            cursor.execute(waiting)
            if cursor.fetchone()[0]:
                return
    raise AssertionError("the undo did not wait for the claim")


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("unit", Project.ClaimUnit.values)
def test_an_undo_waits_for_a_claim_under_way_and_then_sees_its_task(unit):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    project = drawn_project(documents=2, claim_unit=unit)
    (writer,) = make_people(1, project)
    draw = Draw.objects.get(project=project)
    outcome = []

    def undo_meanwhile():
        try:
            draw_undo.undo_draw(draw=draw, by=None)
        except Conflict as refused:
            outcome.append(refused.code)
        finally:
            connections.close_all()

    thread = threading.Thread(target=undo_meanwhile)
    with transaction.atomic():
        assert claim.claim_next(project=project, annotator=writer).assignment is not None
        thread.start()
        wait_until_somebody_waits()
    thread.join(60)
    assert outcome == ["drawinuse"], "refused for the task that it saw, not by a broken reference"
    assert rows_of(project)[0] == draw.samples_stored
