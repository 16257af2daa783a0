"""Comparing overlap on the page and by the API."""

import pytest
from django.test import Client

from annotation.models import OverlapMark
from tests.inspection.factories import save_inspection
from tests.overlap.factories import newest_annotation, written_by
from tests.tasks.conftest import Caller

pytestmark = pytest.mark.django_db


def test_a_reviewer_compares_marks_and_undoes_on_the_page():
    project, sample, attempts, (reviewer,) = written_by(2)
    client = Client()
    client.force_login(reviewer)
    listed = f"/p/{project.slug}/overlap/"
    assert f"#{sample.position}" in client.get(f"{listed}?state=waiting").content.decode()
    address = f"{listed}{sample.public_id}/"
    text = client.get(address).content.decode()
    assert "Title 0" in text and "Title 1" in text and attempts[0].annotator.username not in text
    client.post(address, {"do": "one", "annotation": str(newest_annotation(attempts[1]).public_id), "note": "Clearer."})
    assert "Clearer." in client.get(address).content.decode()
    assert f"#{sample.position}" not in client.get(f"{listed}?state=waiting").content.decode()
    client.post(address, {"do": "undo", "mark": str(OverlapMark.objects.get().public_id)})
    assert OverlapMark.objects.get().undone_by == reviewer


def test_inspection_verdicts_stand_beside_the_texts():
    project, sample, attempts, (first, second) = written_by(2, reviewers=2)
    save_inspection(newest_annotation(attempts[0]), first, verdict="accept")
    client = Client()
    client.force_login(second)
    text = client.get(f"/p/{project.slug}/overlap/{sample.public_id}/").content.decode()
    assert text.count("Not reviewed.") == 1 and "Inspected: accept" in " ".join(text.split())


def test_marking_by_the_api():
    _project, sample, attempts, (first, other_second) = written_by(2, reviewers=2)
    path = f"samples/{sample.public_id}/overlap/"
    chosen = str(newest_annotation(attempts[0]).public_id)
    marked = Caller(first)("POST", path, {"choice": "one", "annotation": chosen})
    assert marked.status_code == 201
    assert {row["annotation"]: row["marked"] for row in marked.data_out["answers"]}[chosen] is True
    second = Caller(other_second)
    assert second("POST", path, {"choice": "all"}).data_out["code"] == "marked"
    assert second("DELETE", path).data_out["mark"] is None
    assert second("GET", "projects/news/overlap/?state=waiting").data_out["count"] == 1
