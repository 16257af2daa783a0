"""What staff see at a glance, and lists that cost the same at any size."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import (
    Annotation,
    Assignment,
    Claim,
    Group,
    Job,
    Membership,
    Sample,
    Slot,
    StoredCounts,
)
from annotation.services.staff import counts_cache, dashboard
from annotation.services.staff.pipeline_counts import Cell
from annotation.services.tasks import assignments
from annotation.views.staff.coverage import build_coverage_table
from tests.jobs.heartbeats import run_worker
from tests.staff.conftest import make_staff

pytestmark = pytest.mark.django_db


def rows_of(staff) -> dict[str, dashboard.PersonRow]:
    return {
        row.user.username: row
        for row in dashboard.list_people(staff.project, counts_cache.count_project(staff.project))
    }


def alerts_of(staff) -> dashboard.Alerts:
    counted = counts_cache.count_project(staff.project)
    return dashboard.find_alerts(staff.project, counted, dashboard.list_people(staff.project, counted))


def test_the_table_of_annotators(staff):
    written = staff.write(staff.one, 3)
    staff.skip(staff.one)
    Assignment.objects.filter(pk=written[0].pk).update(state="accepted")
    Assignment.objects.filter(pk=written[1].pk).update(state="returned")
    for task, seconds in zip(written, (120, 600, 240), strict=True):
        Annotation.objects.filter(assignment=task).update(timings={"active_seconds": seconds, "writing_seconds": 9000})
    Group.objects.filter(pk=written[0].group_id).update(
        chosen_by=staff.one, decisions=[{"action": action} for action in ("picked", "edited", "own", "rejected")]
    )

    row = rows_of(staff)["annotator1"]

    assert (row.done, row.skip_rate, row.accepted, row.judged) == (3, 0.25, 1, 2)
    work = row.work
    assert (work.pace, work.active, work.pace_n, work.picked, work.own) == (4.0, True, 3, 2, 1)
    assert rows_of(staff)["annotator2"].skip_rate is None
    page = staff.client.get(staff.url()).content.decode()
    assert "4 min" in page and "wall</" not in page and "1 of 2" in page


def test_wall_minutes_are_called_so(staff):
    (task,) = staff.write(staff.one)
    Annotation.objects.filter(assignment=task).update(timings={"writing_seconds": 420})
    assert "7 min wall" in staff.client.get(staff.url()).content.decode()


def test_a_project_without_annotators_is_told_once_and_counts_only_open_choices(staff):
    Membership.objects.filter(project=staff.project, role="annotator").delete()
    groups = Group.objects.filter(project=staff.project)
    groups.update(asks=["topic"], frozen_at=None)
    Group.objects.filter(pk=groups.order_by("pk")[0].pk).update(asks=[], frozen_at=timezone.now())
    page = staff.client.get(staff.url()).content.decode()
    assert "cannot be completed" not in page
    assert f"0 of {groups.count() - 1} topics chosen" in page


def test_a_quiet_project_has_no_alerts(staff):
    staff.write(staff.one, 2)
    assert not alerts_of(staff)


def test_jobs_that_wait_with_no_worker_in_sight(staff):
    Job.objects.create(kind="export", project=staff.project)
    lost = timezone.now() - timedelta(seconds=1)
    Job.objects.create(kind="train", queue="gpu", project=staff.project, state="running", lease_until=lost)
    assert alerts_of(staff).queued == 2
    assert "No worker is running" in staff.client.get(staff.url()).content.decode()

    run_worker("default", "text")
    assert (alerts_of(staff).queued, alerts_of(staff).unserved) == (1, ["gpu"])
    assert "No worker for the queue gpu is running" in staff.client.get(staff.url()).content.decode()
    run_worker("gpu")
    assert not alerts_of(staff).queued  # they wait for their turn


def test_leases_nobody_took_back(staff):
    task = staff.claim(staff.one)
    for minutes, stuck in ((1, 0), (6, 1)):
        Claim.objects.filter(pk=task.claim_id).update(lease_until=timezone.now() - timedelta(minutes=minutes))
        assert alerts_of(staff).stuck == stuck


def test_who_skips_much(staff):
    row = dashboard.PersonRow(staff.one)
    row.states.update(submitted=18, skipped=1)
    assert not row.skips_much  # too few to tell
    row.states.update(submitted=1)
    assert not row.skips_much  # 1 of 20 is 5 %, not above it
    row.states.update(skipped=1)
    assert row.skips_much and row.skip_rate == pytest.approx(2 / 21)


def test_combinations_stand_in_the_order_of_the_schema(staff):
    lengths = {"l": "long", "n": "normal", "s": "short"}
    drawn = [
        (a + b, {"length": lengths[a], "specificity": c}) for a in "lns" for b, c in (("h", "high"), ("n", "normal"))
    ]
    cells = [Cell(code, values, 1, 1, 0) for code, values in drawn]
    table = build_coverage_table(staff.project, cells)
    codes = [[square.cell.combination for square in line.squares if square.cell] for line in table.lines]
    assert codes == [["sn", "sh"], ["nn", "nh"], ["ln", "lh"]]
    assert build_coverage_table(staff.project, []) is None


def test_combinations_far_behind():
    cells = [Cell("a", {}, 20, 20, 14), Cell("b", {}, 20, 20, 10), Cell("c", {}, 20, 20, 5)]
    assert [cell.combination for cell in dashboard.find_uneven_cells(cells)] == ["c"]  # fair is 29/3, and 5 < .6 of it
    assert dashboard.find_uneven_cells([Cell("a", {}, 20, 20, 8), Cell("b", {}, 20, 20, 0)]) == []  # too early to tell


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_samples_nobody_left_can_fill_are_counted_as_they_are_listed(overlap):
    staff = make_staff(overlap=overlap)
    staff.skip(staff.one, 2), staff.skip(staff.two, 1)
    staff.write(staff.two, 1)

    listed = assignments.list_unfillable(staff.project, limit=10**6)

    assert counts_cache.count_project(staff.project).unfillable == len([row for row in listed if row.sample])
    assert listed or overlap == 1


def test_a_large_project_is_counted_once_until_something_is_written(staff, monkeypatch):
    monkeypatch.setattr(counts_cache, "LARGE", 5)
    first = counts_cache.counts_of(staff.project)
    Slot.objects.filter(project=staff.project).update(state="filled")  # behind everybody's back: no event
    assert counts_cache.counts_of(staff.project).pipeline == first.pipeline
    StoredCounts.objects.update(at=timezone.now() - timedelta(hours=1))
    assert counts_cache.counts_of(staff.project) == first.__class__(
        **{**as_dict(first), "at": StoredCounts.objects.get().at}
    )
    Slot.objects.filter(project=staff.project).update(state="open")

    staff.write(staff.one)
    assert counts_cache.counts_of(staff.project).pipeline.filled == 1  # stale by an event and an hour
    staff.write(staff.one)
    assert counts_cache.refresh_counts() == 1 and counts_cache.refresh_counts() == 0
    assert counts_cache.counts_of(staff.project).pipeline.filled == 2


def as_dict(found: counts_cache.Counts) -> dict:
    return {name: getattr(found, name) for name in ("pipeline", "coverage", "states", "unfillable", "by_day", "at")}


def queries(staff, path: str) -> int:
    staff.client.get(staff.url(path))
    with CaptureQueriesContext(connection) as captured:
        assert staff.client.get(staff.url(path)).status_code == 200
    return len(captured)


@pytest.mark.parametrize("path", ["", "progress/", "annotations/", "skips/", "steering/", "ledger/"])
def test_a_page_asks_as_much_for_many_as_for_few(staff, path):
    staff.write(staff.one, 2), staff.skip(staff.one)
    few = queries(staff, path)
    staff.write(staff.one, 6), staff.write(staff.two, 1), staff.skip(staff.two)
    assert queries(staff, path) == few


def test_the_list_is_filtered_and_sorted_by_what_is_allowed(staff):
    first, second = staff.write(staff.one, 2)
    (third,) = staff.write(staff.two)
    Assignment.objects.filter(pk=second.pk).update(state="accepted")
    Sample.objects.filter(pk=third.sample_id).update(combination="lfh")
    Annotation.objects.filter(assignment=first).update(created_at="2026-03-04T12:00:00Z")

    def listed(query: str) -> list[int]:
        return [row.assignment_id for row in staff.client.get(staff.url("annotations/" + query)).context["rows"]]

    assert listed("") == [third.pk, second.pk, first.pk]
    assert listed("?sort=submitted") == [first.pk, second.pk, third.pk]
    assert listed("?state=accepted") == [second.pk]
    assert listed("?person=annotator2") == listed("?combination=lfh") == [third.pk]
    assert listed("?week=2026-W10") == [first.pk]
    assert listed("?sort=-person") == [third.pk, second.pk, first.pk]
    for wrong in ("?sort=payload", "?state=claimed", "?week=2026", "?page=0"):
        assert staff.client.get(staff.url("annotations/" + wrong)).status_code == 400


def test_the_steering_page_shows_first_then_acts_then_undoes(staff):
    (task,) = staff.write(staff.one)
    fields = {"kind": "void", "person": "annotator1"}
    text = staff.client.post(staff.url("steering/"), {**fields, "do": "preview"}).content.decode()
    task.refresh_from_db()
    assert "Affects 1 task" in text and task.state == "submitted"

    sent = {**fields, "do": "act", "expect": "1", "about": "void - - - - - annotator1"}
    assert 'name="about" value="void - - - - - annotator1"' in text
    other = staff.client.post(staff.url("steering/"), {**sent, "kind": "release"})  # not what was shown
    assert other.status_code == 422 and "Preview the change first" in other.content.decode()

    staff.client.post(staff.url("steering/"), sent)
    task.refresh_from_db()
    assert task.state == "void"
    action = staff.project.bulk_actions.get()
    staff.client.post(staff.url("steering/"), {"do": "undo", "action": action.public_id})
    task.refresh_from_db()
    assert task.state == "submitted"

    assert staff.client.post(staff.url("steering/"), {**sent, "expect": "9"}).status_code == 422
    wrong = staff.client.post(staff.url("steering/"), {**fields, "person": "nobody", "do": "preview"})
    assert wrong.status_code == 422 and "no member with that name" in wrong.content.decode()
    staff.client.post(staff.url("steering/"), {"do": "freeze"})
    assert "Assignment is paused" in staff.client.get(staff.url()).content.decode()
