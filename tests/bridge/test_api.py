"""The calls on systems and runs: what the pages do, by scripts; raters and annotators see none of it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Role
from modelbridge.models import Run, SystemOutput
from tests.bridge.conftest import fake_toml, write_into_source
from tests.tasks.factories import make_people, make_tokens

pytestmark = pytest.mark.django_db(transaction=True)
CONFIG = fake_toml()


@pytest.fixture
def call(project, client):
    """Calls by the token of a researcher, or of somebody with another role."""
    tokens = {}

    def call(method, path, body=None, *, data=None, role=Role.RESEARCHER):
        if role not in tokens:
            [tokens[role]] = make_tokens(make_people(1, project, role))
        headers = {"Authorization": f"Token {tokens[role]}"}
        url = path if path.startswith("http") else f"/api/v1/{path}"
        if data is not None:
            answer = client.post(url, data, headers=headers)
        else:
            raw = b"" if body is None else json.dumps(body).encode()
            answer = client.generic(method, url, raw, "application/json", headers=headers)
        answer.json_body = answer.json() if "json" in answer["Content-Type"] and not answer.streaming else None
        return answer

    return call


def test_a_system_is_registered_run_followed_and_read(project, call, work_off):
    assert call("POST", "projects/news/systems/", {"toml": CONFIG}).json_body["number"] == 1
    assert call("POST", "projects/news/systems/", {"toml": CONFIG.replace("Echo", "New")}).json_body["number"] == 2
    [system] = call("GET", "projects/news/systems/").json_body["results"]
    assert (system["key"], system["name"], [revision["number"] for revision in system["revisions"]]) == (
        "echo",
        "New",
        [2, 1],
    )
    detail = call("GET", f"systems/{system['id']}/").json_body
    assert detail["revisions"][1]["config"] == CONFIG

    started = call("POST", "projects/news/runs/", {"system": "echo", "revision": 1, "seed": 5, "label": "first"})
    assert (started.status_code, started["Location"]) == (202, started.json_body["status_url"])
    assert started.json_body["progress"]["waiting"] == started.json_body["n_samples"] == 12
    work_off(Run.objects.get())
    json_body = call("GET", started.json_body["status_url"]).json_body
    assert (json_body["state"], json_body["progress"]["done"], json_body["revision"]) == ("done", 12, 1)

    page = call("GET", f"runs/{json_body['id']}/outputs/?state=done&page_size=5").json_body
    assert page["count"] == 12 and page["results"][0]["text"].startswith("echo ") and page["results"][0]["versions"]
    lines = b"".join(call("GET", f"runs/{json_body['id']}/export/").streaming_content).decode().splitlines()
    assert [json.loads(line)["sample_id"] for line in lines][:2] == ["doc-0#0", "doc-0#1"]
    [output] = call("GET", f"samples/{page['results'][0]['sample']}/outputs/").json_body
    assert output["system"] == "echo" and output["metrics"] == {}


def test_a_shipped_system_is_registered_when_it_is_run(call):
    assert call("POST", "projects/news/runs/", {"system": "lead"}).json_body["system"] == "lead"
    assert call("POST", "projects/news/runs/", {"system": "led"}).status_code == 404


def test_a_run_is_cancelled_and_resumed(call):
    run = call("POST", "projects/news/runs/", {"system": "lead"}).json_body["id"]
    assert call("POST", f"runs/{run}/cancel/").json_body["state"] == "cancelled"
    assert call("POST", f"runs/{run}/cancel/").status_code == 409
    assert call("POST", f"runs/{run}/resume/").json_body["state"] == "queued"
    assert call("POST", f"runs/{run}/resume/").status_code == 409


def test_the_reasons_of_failed_samples_are_told(project, call, work_off):
    write_into_source(project, 0, "[raise]")
    call("POST", "projects/news/systems/", {"toml": CONFIG})
    run = call("POST", "projects/news/runs/", {"system": "echo"}).json_body["id"]
    work_off(Run.objects.get())
    progress = call("GET", f"runs/{run}/").json_body["progress"]
    assert progress["errors"] == [{"error": "this source cannot be summarized", "n": 2}] and progress["failed"] == 2


def test_predictions_are_uploaded_whole_or_refused_by_line(call):
    def send(text):
        return call(
            "POST", "projects/news/runs/upload/", data={"file": SimpleUploadedFile("p.jsonl", text), "system": "fas"}
        )

    refused = send(b'{"position": 0, "prediction": "x"}\n{"position": 0, "prediction": "y"}\n{"prediction": 3}\n')
    assert refused.status_code == 422 and [fault["line"] for fault in refused.json_body["faults"]] == [2, 3]
    assert not SystemOutput.objects.exists()
    stored = send(b'{"position": 0, "prediction": "x"}\n')
    assert (stored.status_code, stored.json_body["state"], stored.json_body["kind"]) == (201, "done", "upload")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"toml": '[system]\nkey = "a"\nkind = "led"\n'}, "toml"),
        ({"toml": CONFIG, "shipped": "lead"}, "toml"),
        ({"toml": CONFIG, "kind": "lead"}, "kind"),
        ({}, "toml"),
    ],
)
def test_a_refused_configuration_names_the_field(call, body, field):
    answer = call("POST", "projects/news/systems/", body)
    assert answer.status_code == 422 and answer.json_body["errors"][0]["field"] == field


def test_a_system_for_tests_is_no_system_for_people(call, settings):
    settings.EPITOME_FAKE_SYSTEMS = False
    assert "tests only" in call("POST", "projects/news/systems/", {"toml": CONFIG}).json_body["detail"]


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.RATER, Role.REVIEWER])
def test_raters_annotators_and_reviewers_see_nothing_of_it(call, role):
    run = call("POST", "projects/news/runs/", {"system": "lead"}).json_body["id"]
    sample = SystemOutput.objects.select_related("sample").first().sample.public_id
    for path in ("projects/news/systems/", "projects/news/runs/", f"runs/{run}/", f"runs/{run}/outputs/",
                 f"runs/{run}/export/", f"samples/{sample}/outputs/"):  # fmt: skip
        assert call("GET", path, role=role).status_code == 404
