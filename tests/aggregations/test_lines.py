"""Aggregations in exports, restores, pilots and the API."""

import json

import pytest

from annotation.models import AggregationInstance, EntityBackground, Role
from annotation.services.exports import exporting
from annotation.services.pilot import setup as pilot_setup
from annotation.services.sources.import_types import ImportRefused
from annotation.services.tasks import claim, submit, task_payload
from tests.aggregations.factories import make_instances
from tests.export import factories as make
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def answer_all(project, writer):
    """Answer every task of a person; the last one cannot be aggregated."""
    while (task := claim.claim_next(project=project, annotator=writer).assignment) is not None:
        fields = {"answers": ["The two towns.", "north / south"], "cannot": False}
        submit.submit_task(assignment=task, payload=fields, idempotency_key=f"k{task.pk}")


def aggregation_lines(project):
    lines = [json.loads(line) for line in b"".join(exporting.export_lines(project=project)).splitlines()]
    return [line for line in lines if line["task"] == "aggregation"]


def test_a_line_has_entities_context_and_answers_raw_and_normalized(tmp_path):
    project = make_instances(tmp_path)
    project.documents.update(may_release_text=True)
    answer_all(project, make_people(1, project)[0])
    lines = aggregation_lines(project)
    assert len(lines) == 5
    line = next(line for line in lines if line["entity_type"] == "person" and line["context"]["first"] == 2)
    assert (line["answers"], line["normalized"]) == (["The two towns.", "north / south"], ["towns", "north / south"])
    assert (line["conforming"], line["cannot"], line["text"]) == ([True, False], False, "The two towns.\nnorth / south")
    assert line["context"] == {
        "kind": "content",
        "first": 2,
        "last": 3,
        "text": "It would join Dunmere to Port Issel.\nLindqvist and Tallis had agreed on it in May.",
    }
    assert [entity["name"] for entity in line["entities"]] == ["Mara Lindqvist", "Oren Tallis"]
    assert line["entities"][1]["background"].startswith("Oren Tallis is")
    abstract = next(line for line in lines if line["context"]["kind"] == "abstract")
    assert abstract["context"]["text"].startswith("Lindqvist wants a bridge")


def test_where_the_text_may_not_be_released_the_context_has_none(tmp_path):
    project = make_instances(tmp_path)
    project.documents.update(may_release_text=False)
    answer_all(project, make_people(1, project)[0])
    lines = aggregation_lines(project)
    assert {line["context"]["text"] for line in lines} == {None}
    assert "Lindqvist wants" not in json.dumps(lines)


@pytest.mark.parametrize("released", [True, False])
def test_an_export_comes_back_with_its_instances_byte_for_byte(tmp_path, released, django_user_model):
    project = make_instances(tmp_path, slug="news")
    project.documents.update(may_release_text=released)
    answer_all(project, make.make_person(project, "annotator1", django_user_model))
    first = make.export(project, tmp_path, "first.jsonl")
    aggregation_instances_before = list(
        AggregationInstance.objects.order_by("key").values_list("key", "entities", "first_segment")
    )
    make.delete_all_rows()
    restored = make.restore_project(tmp_path, first)
    assert make.export(restored, tmp_path, "second.jsonl").read_bytes() == first.read_bytes()
    assert (
        list(AggregationInstance.objects.order_by("key").values_list("key", "entities", "first_segment"))
        == aggregation_instances_before
    )
    assert EntityBackground.objects.get(name="Dunmere").instances.count() == 2
    assert EntityBackground.objects.get(name="Corvin Shipping").state == "missing"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"entity_type": "date"}, "entity_type"),
        ({"entities": []}, "entities"),
        ({"context": {"kind": "content", "first": 3, "last": 1}}, "context.last"),
        ({"answers": ["a", "b", "c"]}, "answers"),
        ({"text": "another"}, "text"),
        ({"instance": ""}, "instance"),
    ],
)
def test_a_changed_line_is_refused_by_its_field(tmp_path, change, place, django_user_model):
    project = make_instances(tmp_path, slug="news", n=1)
    answer_all(project, make.make_person(project, "annotator1", django_user_model))
    path = make.export(project, tmp_path)
    rows = [{**row, **change} if row["task"] == "aggregation" else row for row in make.read_lines(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    make.delete_all_rows()
    with pytest.raises(ImportRefused) as refused:
        make.restore_project(tmp_path, path)
    assert place in str(refused.value.report.faults[0])


def test_a_pilot_copies_the_instance_and_takes_it_away_again(tmp_path):
    project = make_instances(tmp_path, n=2)
    admin = make_people(1, project, Role.ADMIN)[0]
    sample = project.samples.order_by("pk")[0]
    row = pilot_setup.add_sample(project=project, sample=sample, by=admin)
    copied = AggregationInstance.objects.exclude(project=project).get()
    assert copied.entities == sample.instance.entities
    pilot_setup.remove_sample(row=row, by=admin)
    assert not AggregationInstance.objects.exclude(project=project).exists()


def test_the_api_gives_the_instance_with_the_task(tmp_path):
    project = make_instances(tmp_path)
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    subject = task_payload.describe_task(task)["subject"]
    assert [entity["name"] for entity in subject["entities"]] == ["Dunmere", "Port Issel"]
    assert subject["context"] == {"kind": "content", "first": 1, "last": 2}
    assert (subject["entity_type"], subject["abstract"]) == ("location", "")
