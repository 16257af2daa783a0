"""The calls on trainings and grids: what their pages do, by scripts."""

import pytest

from annotation.models import Role
from modelbridge.models import TrainingRun
from modelbridge.services.training import training
from tests.api.world import Caller
from tests.tasks.factories import make_people, make_tokens


@pytest.fixture
def call(project, monkeypatch):
    """Calls by the token of a researcher. The libraries are needed only where a worker trains."""
    monkeypatch.setattr(training, "missing_libraries", lambda: "")
    project.documents.update(split="train")
    project.documents.filter(position=0).update(split="dev")
    return Caller(make_tokens(make_people(1, project, Role.RESEARCHER))[0])


def test_a_training_is_started_followed_cancelled_and_resumed(call):
    started = call("POST", "projects/runs/trainings/", {"shipped": "tiny-hp"})
    assert (started.status_code, started["Location"]) == (202, started.json_body["status_url"])
    assert started.json_body["state"] == "queued" and started.json_body["system"] is None
    assert started.json_body["config"] == TrainingRun.objects.get().config_toml

    run = TrainingRun.objects.get()
    run.metrics.create(step=10, split="dev", values={"selection": 0.8})
    run.texts.create(
        step=10, position=0, sample_id="doc-0#0", values={"length": "short"}, text="So far.", reference="R"
    )
    json_body = call("GET", started.json_body["status_url"]).json_body
    assert json_body["metrics"] == [{"step": 10, "split": "dev", "values": {"selection": 0.8}}]
    assert json_body["shown_samples"][0]["texts"] == [{"step": 10, "text": "So far."}]

    text = f"trainings/{json_body['id']}/"
    assert call("POST", "projects/runs/trainings/", {"shipped": "tiny-hp"}).status_code == 409
    assert call("POST", f"{text}cancel/").json_body["state"] == "cancelled"
    assert call("POST", f"{text}cancel/").status_code == 409
    assert call("POST", f"{text}resume/").json_body["state"] == "queued"
    [listed] = call("GET", "projects/runs/trainings/?state=queued").json_body["results"]
    assert listed["id"] == json_body["id"] and "config" not in listed


def test_a_grid_tells_its_curves_and_its_winner(call):
    body = {"shipped": "tiny-hp", "grid": ["learning_rate=1e-5,3e-5"]}
    started = call("POST", "projects/runs/training-groups/", body)
    assert started.status_code == 202 and started.json_body["winner"] is None
    for run, score in zip(TrainingRun.objects.order_by("pk"), (0.9, 0.7), strict=True):
        run.metrics.create(step=10, split="dev", values={"selection": score})

    json_body = call("GET", started.json_body["status_url"]).json_body
    assert [member["dev"] for member in json_body["members"]] == [
        [{"step": 10, "score": 0.9}],
        [{"step": 10, "score": 0.7}],
    ]
    assert json_body["winner"] == json_body["members"][1]["training"]["id"]
    assert json_body["members"][1]["training"]["group"] == json_body["id"]
    assert [row["id"] for row in call("GET", "projects/runs/training-groups/").json_body["results"]] == [
        json_body["id"]
    ]

    ended = call("POST", f"training-groups/{json_body['id']}/cancel/").json_body
    assert {member["training"]["state"] for member in ended["members"]} == {"cancelled"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "toml"),
        ({"toml": "x = 1", "shipped": "tiny-hp"}, "toml"),
        ({"shipped": "nobody"}, "shipped"),
        ({"toml": "[training]\nkey = 'mine'\nepochs = 'many'"}, "toml"),
    ],
)
def test_a_training_that_cannot_be_is_refused_by_the_field(call, body, field):
    answer = call("POST", "projects/runs/trainings/", body)
    assert answer.status_code == 422 and field in answer.content.decode()
    assert not TrainingRun.objects.exists()


def test_annotators_find_no_trainings(project):
    annotator = Caller(make_tokens(make_people(1, project, Role.ANNOTATOR))[0])
    assert annotator("GET", "projects/runs/trainings/").status_code == 404
