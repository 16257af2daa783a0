"""Which weights a training keeps: by CER and ROUGE of generated dev summaries, or by the loss of the references."""

import json

import pytest

from epitome.training.config import parse_training
from epitome.training.data import DEV, read_examples
from epitome.training.methods import IGNORED, build_features, make_trainee
from epitome.training.run import run_training
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selection")
    tiny.write(folder / "train.json", 60, 1)
    tiny.write(folder / "dev.json", 7, 2)
    return folder


def learn(room, name, method="hp", *, shown_samples=3, **optimisation):
    text = training_text(method, steps=12, evaluate_every=4, batch_size=4, learning_rate=1e-2, **optimisation)
    text = text.replace("[data]\n", f"[data]\nshown_samples = {shown_samples}\n")
    config = parse_training(text, "tiny.toml", room)
    return config, run_training(config, room / name)


def dev_rows(result):
    lines = (result.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == DEV]


def loss_of(config, folder):
    """Nats per token of the dev summaries, one sample at a time."""
    import torch

    trainee = make_trainee(config, folder)
    trainee.model.train(False)
    _, dev = read_examples(config.data, config.schema)
    nats = tokens = 0.0
    for row in build_features(trainee, dev):
        labels = torch.tensor([row["labels"]])
        with torch.no_grad():
            logits = trainee.model(input_ids=torch.tensor([row["input_ids"]]), labels=labels).logits
        nats += float(torch.nn.functional.cross_entropy(logits[0], labels[0], reduction="sum", ignore_index=IGNORED))
        tokens += labels.numel()
    return nats / tokens


def test_by_loss_the_weights_with_the_least_loss_on_dev_are_kept_and_nothing_is_generated(room, monkeypatch):
    monkeypatch.setattr("epitome.training.trainer.system_in_training", None)
    config, result = learn(room, "loss", shown_samples=0, selection='"loss"')
    rows = dev_rows(result)
    assert [row["step"] for row in rows] == [4, 8, 12]
    assert all(set(row) == {"step", "split", "selection", "loss"} for row in rows)
    assert result.best["selection"] == result.best["loss"] == min(row["loss"] for row in rows)
    assert result.best["loss"] == pytest.approx(loss_of(config, result.folder / "weights"), rel=1e-4)


def test_by_loss_prefixes_count(room):
    _, result = learn(room, "prefixes", "hp+sp", selection='"loss"', prefix_learning_rate=3e-2)
    losses = [row["loss"] for row in dev_rows(result)]
    assert result.best["loss"] == min(losses) < losses[0]
    # the weights without their prefixes are another model
    plain = parse_training(training_text("hp", steps=12), "tiny.toml", room)
    assert result.best["loss"] != pytest.approx(loss_of(plain, result.folder / "weights"), rel=1e-3)


def test_by_cer_and_rouge_the_selection_is_their_mean(room):
    _, result = learn(room, "cer-rouge")
    for row in dev_rows(result):
        cers = [value for name, value in row.items() if name.startswith("cer_")]
        rouges = [row[f"rouge_{name}"] for name in ("r1", "r2", "rl")]
        assert "loss" not in row
        assert row["selection"] == pytest.approx((sum(cers) + 1 - sum(rouges) / 3) / (len(cers) + 1))
