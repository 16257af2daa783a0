"""The queue, the draw and the verdict, called by scripts."""

import pytest

from annotation.models import Annotation, Assignment, InspectionSample
from tests.inspection.factories import MONDAY, PARTS, WEEK, make_small_project, submit_summaries, verdict
from tests.tasks.conftest import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    project, (writer,), (first, second) = make_small_project(groups=1, size=2)
    submit_summaries(project, writer, 2, at=MONDAY)
    return Caller(writer), Caller(first), Caller(second), Annotation.objects.order_by("pk")[0]


def test_a_week_is_drawn_listed_and_inspected(scene):
    _writer, first, _second, _annotation = scene
    drawn = first("POST", "projects/news/inspections/", {"week": WEEK})
    assert (drawn.status_code, drawn.data_out) == (200, {"week": WEEK, "added": 2})
    rows = first("GET", f"projects/news/inspections/?week={WEEK}").data_out["results"]
    assert [(row["second"], row["inspected"], row["open"]) for row in rows] == [(False, False, True)] * 2
    path = f"annotations/{rows[0]['annotation']}/inspections/"
    data_out_before = first("GET", path).data_out
    assert ([piece["key"] for piece in data_out_before["parts"]], data_out_before["open"]) == (list(PARTS), True)
    fields = {**verdict(topic="revise", comment="Say it."), "comments": []}
    row = {"start": 4, "end": 9, "quote": "ferry", "comment": "Which?"}
    answer = first("POST", path, {**fields, "comments": [row]})
    assert (answer.status_code, answer.data_out["verdict"], answer.data_out["comments"]) == (201, "revise", [row])
    data_out_after = first("GET", path).data_out
    assert (data_out_after["open"], data_out_after["reason"], data_out_after["inspections"][0]["own"]) == (
        False,
        "inspected",
        True,
    )
    data_out = first("GET", "projects/news/inspections/?state=open").data_out
    assert data_out["count"] == 1


def test_a_verdict_of_another_is_hidden_while_ones_own_is_due(scene):
    writer, first, other_second, annotation = scene
    for second in (False, True):
        InspectionSample.objects.create(
            project=annotation.project,
            annotation=annotation,
            annotator=writer.person,
            week=WEEK,
            seed="s",
            second=second,
        )
    path = f"annotations/{annotation.public_id}/inspections/"
    first("POST", path, verdict("revise", "Unmistakable."))
    assert other_second("GET", path).data_out["inspections"] == []
    assert other_second("POST", path, verdict()).data_out["second"] is True
    assert len(other_second("GET", path).data_out["inspections"]) == 2


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"verdicts": {}}, "verdicts.length"),
        ({"comments": [{"start": 0, "end": 3, "quote": "the", "comment": "x"}]}, "comments[0].quote"),
        ({"verdicts": verdict("reject")["verdicts"]}, "comment"),
    ],
)
def test_what_is_wrong_is_named(scene, changed, field):
    _writer, first, _second, annotation = scene
    answer = first("POST", f"annotations/{annotation.public_id}/inspections/", {**verdict(), **changed})
    assert (answer.status_code, answer.data_out["errors"][0]["field"]) == (422, field)
    assert Assignment.objects.get(pk=annotation.assignment_id).state == "submitted"


def test_a_second_verdict_of_one_person_is_a_conflict(scene):
    _writer, first, second, annotation = scene
    path = f"annotations/{annotation.public_id}/inspections/"
    assert first("POST", path, verdict()).status_code == 201
    assert [person("POST", path, verdict("reject", "No.")).status_code for person in (first, second)] == [409, 409]
    assert Assignment.objects.get(pk=annotation.assignment_id).state == "accepted"


def test_the_list_costs_the_same_at_any_size(django_assert_max_num_queries):
    project, (writer,), (first, _second) = make_small_project(documents=30, groups=1, size=2)
    submit_summaries(project, writer, 60, at=MONDAY)
    caller = Caller(first)
    caller("POST", "projects/news/inspections/", {"week": WEEK})
    with django_assert_max_num_queries(5):
        assert caller("GET", "projects/news/inspections/").data_out["count"] == 7


@pytest.mark.parametrize("week", ["2026-W99", "x", "2026-W1O"])
def test_what_is_no_week_is_refused(scene, week):
    _writer, first, *_ = scene
    assert first("POST", "projects/news/inspections/", {"week": week}).status_code == 422
    assert first("GET", f"projects/news/inspections/?week={week}").status_code == 400
