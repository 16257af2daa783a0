"""Workers that die in the middle of a job of any kind, in small; benchmarks/killing_jobs.py does it in large.

Each run makes databases of its own, so these tests are not marked for a second engine.
"""

import os
from functools import partial

import pytest

from annotation.jobs import HANDLERS
from benchmarks.databases import engines
from benchmarks.job_scenarios import WITHOUT_SCENARIO, list_scenarios

FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
FAULTS = ("differing", "orphans", "two_owners", "leased")


@pytest.fixture
def killed(benchmarked):
    return partial(benchmarked, "benchmarks.killing_jobs")


def test_every_kind_of_job_has_a_scenario():
    tried = {scenario.job_kind for scenario in list_scenarios()}
    assert {handler.kind for handler in HANDLERS} == tried | WITHOUT_SCENARIO.keys(), (
        "make its scenario in benchmarks/job_scenarios.py"
    )
    assert not tried & WITHOUT_SCENARIO.keys()


@pytest.mark.parametrize("engine", engines() if FULL else ["sqlite"])
def test_a_killed_job_ends_as_an_undisturbed_one(engine, killed):
    names = [scenario.name for scenario in list_scenarios()] if FULL else ["import", "sample", "prolific_bonus"]
    result, status = killed(engine, "--quick", "--points", "3", "--only", *names)
    assert result["jobs"] == len(names) and result["tried"] >= 2 * len(names)
    assert {name: result[name] for name in FAULTS if result[name]} == {} and status == 0


@pytest.mark.skipif(not FULL, reason="planted faults are tried in the full suite (EPITOME_TEST_FULL)")
@pytest.mark.parametrize(
    ("plant", "found_as"), [("twice", "two_owners"), ("lost", "differing"), ("orphan", "differing")]
)
def test_a_planted_fault_is_found_out(plant, found_as, killed):
    result, status = killed("sqlite", "--quick", "--points", "6", "--plant", plant, "--only", "import", "sample")
    assert result[found_as] > 0 and status == 1
