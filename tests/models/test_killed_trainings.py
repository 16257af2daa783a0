"""Trainings that are killed at points drawn at random end bit by bit as if nothing had happened."""

import json
import subprocess
import sys

import pytest

from tests.guards.checkout import ROOT

pytestmark = [pytest.mark.models, pytest.mark.slow]


def kill_trainings(*words):
    command = [sys.executable, "-m", "benchmarks.killing_trainings", *words]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert completed.stdout, completed.stderr[-2000:]
    return completed.returncode, json.loads(completed.stdout)


def test_weights_losses_and_dev_curve_are_those_of_an_undisturbed_training():
    status, line = kill_trainings("--kills", "8", "--seed", "3")
    assert (status, line["kills"], line["differing"]) == (0, 8, 0)
    assert sum(line["hits"].values()) == 8


def test_metrics_of_lost_updates_that_stay_are_found():
    status, line = kill_trainings("--kills", "8", "--seed", "3", "--plant", "uncut")
    assert status == 1
    assert "killed-0: metrics" in line["first_differing"]
