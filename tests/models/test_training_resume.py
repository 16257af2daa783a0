"""A training that is killed goes on and ends as if nothing had happened."""

import subprocess
import sys
from pathlib import Path

import pytest

from epitome.systems.protocol import SystemFault
from epitome.training import folders
from epitome.training.config import parse_training
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = pytest.mark.models
ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from epitome.training import folders
from epitome.training.config import parse_training
from epitome.training.run import run_training
from epitome.training.watching import NullWatch

class Killer(NullWatch):
    def progress(self, done, total):
        if where == "between" and done == 10:
            os.kill(os.getpid(), signal.SIGKILL)

folder, where = Path(sys.argv[1]), sys.argv[2]
whole = folders.mark_whole
if where == "saving":  # the second checkpoint is written, but not yet marked
    def mark_whole(path):
        if path.name == "checkpoint-8":
            os.kill(os.getpid(), signal.SIGKILL)
        whole(path)

    folders.mark_whole = mark_whole
text = (folder / "tiny.toml").read_text()
run_training(parse_training(text, "tiny.toml", folder), folder / sys.argv[3], Killer())
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resume")
    tiny.write(folder / "train.json", 60, 1)
    tiny.write(folder / "dev.json", 6, 2)
    text = training_text("hp+sp", steps=12, evaluate_every=4, batch_size=4, learning_rate=1e-3, log_every=2)
    (folder / "tiny.toml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def undisturbed(room):
    return go_on(room, "undisturbed")


def go_on(room, name, watch=None):
    from epitome.training.run import run_training

    return run_training(parse_training((room / "tiny.toml").read_text(), "tiny.toml", room), room / name, watch)


def kill(room, where):
    command = [sys.executable, "-c", KILLED, str(room), where, where]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert completed.returncode == -9, completed.stderr


@pytest.mark.parametrize(("where", "start"), [("between", 8), ("saving", 4)])
def test_a_killed_training_ends_with_the_same_weights(room, undisturbed, where, start):
    kill(room, where)
    assert not (room / where / folders.RESULT).exists()

    result = go_on(room, where)

    assert result.about["resumed_from"] == start
    assert result.about["weights_hash"] == undisturbed.about["weights_hash"]
    assert (room / where / "metrics.jsonl").read_text() == (room / "undisturbed/metrics.jsonl").read_text()


@pytest.mark.parametrize(
    "changes", [{"steps": 12, "schedule": '"constant"'}, {"steps": 60, "patience": 1, "learning_rate": 1e-9}]
)
def test_one_killed_after_its_last_checkpoint_adds_no_update(tmp_path, changes):
    from epitome.training.run import run_training

    tiny.write(tmp_path / "train.json", 60, 1)
    tiny.write(tmp_path / "dev.json", 6, 2)
    how = {"evaluate_every": 4, "batch_size": 4, "learning_rate": 1e-3, "log_every": 2, "selection": '"loss"'}
    text = training_text("hp", **{**how, **changes})
    config = parse_training(text, "tiny.toml", tmp_path)
    first = run_training(config, tmp_path / "tiny")
    metrics = (tmp_path / "tiny/metrics.jsonl").read_text()
    (tmp_path / "tiny" / folders.RESULT).unlink()

    again = run_training(config, tmp_path / "tiny")

    assert again.about["steps"] == first.about["steps"] < 60
    assert again.about["weights_hash"] == first.about["weights_hash"]
    assert again.best == first.best
    assert (tmp_path / "tiny/metrics.jsonl").read_text() == metrics


def test_a_training_that_is_done_is_not_done_again(room, undisturbed):
    class Watch:
        def __getattr__(self, name):
            raise AssertionError("it was trained again")

    assert go_on(room, "undisturbed", Watch()) == undisturbed


def test_a_folder_is_of_one_configuration(room, undisturbed):
    from epitome.training.run import run_training

    other = (room / "tiny.toml").read_text().replace("steps = 12", "steps = 13")

    with pytest.raises(SystemFault, match="another configuration"):
        run_training(parse_training(other, "tiny.toml", room), room / "undisturbed")


def test_weights_are_replaced_as_one(tmp_path):
    def save(folder):
        folder.mkdir()
        (folder / "model.safetensors").write_text("new")

    folders.replace_weights(tmp_path, save, {"step": 1})
    (tmp_path / "weights").rename(tmp_path / "weights.old")  # as a kill between the two renames leaves it
    (tmp_path / "weights.new").mkdir()

    folders.recover_weights(tmp_path)

    assert folders.best_of(tmp_path) == {"step": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]
