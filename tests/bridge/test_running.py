"""A run gives every sample its own output once; what a system does wrong stays with the sample it did it to."""

import pytest

from modelbridge.models import SystemOutput
from tests.bridge.conftest import mark, states, swapped

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


def test_every_sample_gets_its_own_output_with_all_it_takes_to_repeat_it(start, echo, work_off):
    run = work_off(start(echo))

    assert (run.state, states(run)) == ("done", {"done": 12})
    assert swapped(run) == []
    for row in SystemOutput.objects.filter(run=run):
        assert row.told and row.versions["epitome"] and row.weights == "none" and row.attempts == 1
        assert row.seed is not None and row.finished_at and row.seconds >= 0


def test_a_source_that_crashes_the_system_fails_alone(project, start, echo, work_off):
    mark(project, 2, "[crash]")
    run = work_off(start(echo))

    failed = SystemOutput.objects.filter(run=run, state="failed")
    assert states(run) == {"done": 10, "failed": 2} and run.state == "done"
    assert swapped(run) == []
    assert {(row.attempts, row.error) for row in failed} == {(3, "The system's process crashed (SIGSEGV).")}
