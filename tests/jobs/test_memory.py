"""When a worker gives memory back: idle for long enough, grown by more than is spared, and nothing under way."""

import pytest

from annotation.jobs.memory import MemoryWatch, resident_megabytes


class Worker:
    """A watch whose clock and memory the test sets."""

    def __init__(self, idle=60, spare=50):
        self.now, self.megabytes = 0.0, 100.0
        self.watch = MemoryWatch(idle, spare, measure=lambda: self.megabytes, clock=lambda: self.now)

    def do_a_job(self, seconds=5, megabytes=300.0):
        self.watch.job_begins()
        self.now += seconds
        self.megabytes = megabytes
        self.watch.job_ends()


def test_a_worker_that_did_nothing_stays():
    worker = Worker()
    worker.now, worker.megabytes = 10_000, 900
    assert not worker.watch.is_due()


@pytest.mark.parametrize(("idle", "megabytes", "due"), [(59, 300, False), (60, 300, True), (600, 149, False)])
def test_it_is_due_when_idle_and_grown(idle, megabytes, due):
    worker = Worker()
    worker.do_a_job(megabytes=megabytes)
    worker.now += idle
    assert worker.watch.is_due() is due


def test_a_job_under_way_keeps_it():
    worker = Worker()
    worker.do_a_job()
    worker.now += 600
    worker.watch.job_begins()
    assert not worker.watch.is_due()


def test_it_can_be_switched_off():
    worker = Worker(idle=0)
    worker.do_a_job()
    worker.now += 600
    assert not worker.watch.is_due()


def test_memory_is_that_of_this_process():
    assert resident_megabytes() > 20
