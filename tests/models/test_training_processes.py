"""Several processes share the updates of one training and end where one alone ends."""

import os
import subprocess
import sys

import pytest

from epitome.systems.protocol import SystemFault
from epitome.training import processes
from epitome.training.config import parse_training
from tests.guards.checkout import ROOT
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = [pytest.mark.models, pytest.mark.slow]
TRAIN = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from epitome.training.config import parse_training
from epitome.training.run import run_training

folder = Path(sys.argv[1])
text = (folder / "tiny.toml").read_text()
run_training(parse_training(text, "tiny.toml", folder), folder / sys.argv[2])
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    tiny.write(folder / "train.json", 48, 1)
    tiny.write(folder / "dev.json", 4, 2)
    text = training_text(
        "hp+sp", steps=6, evaluate_every=3, batch_size=4, accumulation=2, learning_rate=1e-3, selection='"loss"'
    )
    (folder / "tiny.toml").write_text(text)
    (folder / "train.py").write_text(TRAIN)
    return folder


def test_two_processes_train_what_one_trains(room):
    from safetensors.torch import load_file

    from epitome.training.run import run_training

    # On a busy machine a process may find the other one too late and abort: the launcher starts both once more.
    restarts = ["--max-restarts", "2"]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *restarts]
    command = [*launcher, str(room / "train.py"), str(room), "two"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    completed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr[-2000:]
    first = run_training(parse_training((room / "tiny.toml").read_text(), "tiny.toml", room), room / "one")
    second = run_training(parse_training((room / "tiny.toml").read_text(), "tiny.toml", room), room / "two")
    assert (first.about["processes"], second.about["processes"]) == (1, 2)
    assert second.about["steps"] == 6
    assert second.best["step"] == first.best["step"]
    assert second.best["loss"] == pytest.approx(first.best["loss"], abs=1e-4)
    for file in (room / "one/weights").glob("*.safetensors"):
        other = load_file(room / "two/weights" / file.name)
        assert all(value.allclose(other[name], atol=1e-4) for name, value in load_file(file).items())


def test_an_update_that_cannot_be_shared_is_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert processes.share_accumulation(4) == 2
    with pytest.raises(SystemFault, match="accumulation = 3 cannot be shared by 2 processes"):
        processes.share_accumulation(3)
