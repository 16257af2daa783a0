"""The example of entity aggregation: a few instances that three people answered, and a task that is left."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import AggregationInstance, Annotation, Assignment, EntityBackground, Project
from annotation.services import example
from evaluation.services.example import aggregating, finished, removing

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    example.ensure_people()
    finished.ensure_writers()
    assert not aggregating.is_written()
    aggregating.write_aggregations()
    assert aggregating.is_written()
    return Project.objects.get(slug=aggregating.SLUG)


def test_three_answered_the_first_articles_and_one_task_is_open(project):
    assert AggregationInstance.objects.count() == aggregating.OPTIONS.n
    assert project.overlap == 3
    answered = Annotation.objects.values_list("sample", flat=True).distinct()
    assert Annotation.objects.count() == 3 * len(answered) >= 15
    assert Assignment.objects.filter(annotator__username="annotator1", state="claimed").exists()
    assert {row["cannot"] for row in Annotation.objects.values_list("payload", flat=True)} == {True, False}
    assert [row.name for row in EntityBackground.objects.all().to_do()] == ["Bente Aske"]
    names = {", ".join(e["name"] for e in row.entities) for row in AggregationInstance.objects.all()}
    planned = {tuple_ for rows in aggregating.read_answers().values() for tuple_ in rows}
    assert planned & names

    aggregating.write_aggregations()  # once more adds nothing
    assert Annotation.objects.count() == 3 * len(answered)
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    for page in ("", "samples/", "entities/", "annotations/", "statistics/", "inspection/", "overlap/", "export/"):
        assert client.get(f"/p/{aggregating.SLUG}/{page}").status_code == 200, page
    annotation = Annotation.objects.order_by("pk")[0]
    page = client.get(f"/p/{aggregating.SLUG}/inspection/{annotation.public_id}/").content.decode()
    assert annotation.payload["answers"][0] in page


def test_it_can_be_removed_for_a_reset(project):
    removing.remove_project(project)
    assert not AggregationInstance.objects.exists() and not EntityBackground.objects.exists()
