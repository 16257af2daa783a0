"""The pages of trainings, with and without the libraries."""

import pytest

from modelbridge.models import TrainingRun


def test_without_the_libraries_the_page_says_what_to_install(client, project, monkeypatch):
    monkeypatch.setattr("modelbridge.views.training.trainings.missing_libraries", lambda: "torch, transformers")

    text = client.get("/p/runs/trainings/?from=tiny-hp").content.decode()

    assert "Training needs torch, transformers" in text and "Install with:" in text
    assert "method = &quot;hp&quot;" in text


def test_a_training_is_started_from_the_page(client, project, monkeypatch):
    project.documents.update(split="train")
    monkeypatch.setattr("modelbridge.services.training.training.missing_libraries", lambda: "")

    answer = client.post("/p/runs/trainings/", {"toml": "tiny-hp"}, follow=True)

    assert TrainingRun.objects.get().key == "tiny-hp"
    assert "Tiny model, hard prompt" in answer.content.decode()


@pytest.mark.parametrize(("do", "state"), [("cancel", "cancelled"), ("resume", "running")])
def test_a_training_is_steered_on_its_page(client, project, do, state):
    training = TrainingRun.objects.create(project=project, key="hp", name="HP", state="running")

    client.post(f"/p/runs/trainings/{training.public_id}/", {"do": do}, follow=True)

    assert TrainingRun.objects.get().state == state


def test_loss_and_what_was_measured_on_dev_are_shown(client, project):
    training = TrainingRun.objects.create(project=project, key="hp", name="HP", state="running", step=20, steps=60)
    for step in (5, 10, 20):
        training.metrics.create(step=step, split="train", values={"loss": 9.5 / step})
    training.metrics.create(step=20, split="dev", values={"criterion": 0.8125})

    text = client.get(f"/p/runs/trainings/{training.public_id}/").content.decode()
    state = client.get(f"/p/runs/trainings/{training.public_id}/state/").json()

    assert "<polyline" in text and "1.9 → 0.475" in text
    assert "criterion" in text and "0.8125" in text
    assert (state["done"], state["total"], state["note"]) == (20, 60, "loss 0.475")
