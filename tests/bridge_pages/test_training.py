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


def test_weights_and_objective_of_a_search_are_drawn_with_their_numbers(client, project):
    training = TrainingRun.objects.create(project=project, key="hub", name="Hub", method="lorahub", state="running")
    page = f"/p/runs/trainings/{training.public_id}/"
    assert "Weights of the adapters" not in client.get(page).content.decode()
    for step, weight in ((1, 0.0), (2, 1.25), (3, -0.5)):
        values = {"loss": 3 - weight, "objective": 3.01 - weight, "weight_length": weight, "weight_focus": -weight}
        training.metrics.create(step=step, split="train", values=values)

    text = client.get(page).content.decode()

    assert "length: 1.250; focus: −1.250" in text  # what the drawing says to those who do not see it
    assert "number 2: every adapter" in text and "3.01 → 3.51" in text
    assert 'id="t-weights"' in text and 'id="t-objective"' in text and "1.7600" in text
    assert "Loss on the training set" not in text


def test_attention_to_adapters_is_drawn_by_layer_and_by_requested_value(client, project):
    rows = {"n": 2, "encoder": [[0.25, 0.75], [0.5, 0.5]], "decoder": [[0.9, 0.1]]}
    high = {"n": 1, "encoder": [[0.1, 0.9], [0.4, 0.6]], "decoder": [[0.7, 0.3]]}
    attention = {"adapters": ["length", "focus"], "all": rows, "by_value": {"length=long": high, "topic": rows}}
    training = TrainingRun.objects.create(
        project=project, key="fused", name="Fused", method="adapter-fusion", state="failed", error="x",
        result={"attention": attention},
    )  # fmt: skip

    text = client.get(f"/p/runs/trainings/{training.public_id}/").content.decode()

    assert "1, Len: .25; 1, focus: .75; 2, Len: .50" in text
    assert "Len long, Len: .40; Len long, focus: .60" in text  # the mean of three layers
    assert "Attention where Length = long was requested" in text and "Attention where Topic was requested" in text
    ids = [word.partition('"')[0] for word in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    for key in ("attention", "attention-values", "attention-value-0", "attention-value-1"):
        assert f'id="t-{key}"' in text


def test_a_run_shows_the_attention_of_its_outputs(client, project, predicted):
    run = predicted(lambda sample: "The council met.")
    page = f"/p/runs/runs/{run.public_id}/"
    assert "Attention to the adapters" not in client.get(page).content.decode()
    type(run.revision).objects.filter(pk=run.revision_id).update(kind="adapter-fusion")
    for number, output in enumerate(run.outputs.order_by("position")):
        share = 0.25 if number % 2 else 0.75
        attention = {"adapters": ["length", "focus"], "encoder": [[share, 1 - share]], "decoder": [[0.5, 0.5]]}
        output.told, output.scores = {"length": "long" if number % 2 else "short"}, {"fusion": attention}
        output.save()

    text = client.get(page).content.decode()

    assert f"over the tokens of {run.outputs.count()} outputs" in text
    assert "Len long, Len: .38; Len long, focus: .62; Len short, Len: .62; Len short, focus: .38" in text


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
