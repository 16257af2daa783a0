"""A control attribute is data: one TOML file adds a sixth, and it is sampled, shown, served and exported."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Membership, Role, Sample
from annotation.services.exports import exporting
from annotation.services.exports.export_plan import ExportOptions
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.sources import importing
from epitome.formats.options import ImportOptions
from epitome.schema import preset_text
from tests.schema.factories import FORMALITY
from tests.tasks.factories import pass_gate


@pytest.fixture
def project(db, tmp_path):
    other_project = projects.create_project(slug="sixth", schema_text=preset_text("macsum-doc") + FORMALITY)
    file = tmp_path / "sources.jsonl"
    rows = [{"id": f"d{i}", "text": "The council met. It voted on the budget. " * 100} for i in range(40)]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    importing.import_file(project=other_project, path=file, file_name=file.name, options=ImportOptions(), by=None)
    sample_draw.sample_attributes(project=other_project, options=sample_draw.default_options(other_project, seed=3))
    user = User.objects.create_user("annotator1")
    Membership.objects.create(project=other_project, user=user, role=Role.ANNOTATOR)
    pass_gate(other_project, user)
    return other_project


def test_it_is_sampled_with_the_others(project):
    samples = Sample.objects.filter(project=project)

    assert {sample.values["formality"] for sample in samples} == {"plain", "formal"}
    assert all(len(sample.combination) == 4 for sample in samples)


def test_it_is_served_shown_submitted_and_exported(project):
    client = Client()
    client.force_login(User.objects.get(username="annotator1"))
    task = client.post("/api/v1/projects/sixth/assignments/claim/").json()
    served = {attribute["key"]: attribute for attribute in task["attributes"]}
    value = served["formality"]["value"]
    assert value in ("plain", "formal")
    assert served["formality"]["guide"] == "How formal the wording is."

    page = client.get(task["page"]).content.decode()
    assert "Formality" in page
    assert {"plain": "As you would tell a colleague.", "formal": "As in a report."}[value] in page

    payload = {
        "summary": "The council voted.",
        "title": "A vote",
        "relevant_segments": [1],
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
    }
    sent = client.post(
        f"/api/v1/assignments/{task['id']}/submit/",
        json.dumps({"payload": payload}),
        content_type="application/json",
        headers={"Idempotency-Key": "k1"},
    )
    assert sent.status_code == 201, sent.content
    exported = b"".join(exporting.export_lines(project=project, options=ExportOptions()))
    lines = [json.loads(line) for line in exported.split(b"\n") if line]
    (written,) = [line for line in lines if line["task"] == "summary" and line["text"]]
    assert written["attributes"]["formality"] == value
