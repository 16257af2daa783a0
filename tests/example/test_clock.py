"""The example's clock: made up for the thread that uses it, and for nobody else."""

from datetime import timedelta
from threading import Thread

import pytest
from django.utils import timezone

from evaluation.services.example.clock import first_monday, work_in_the_past


def test_the_past_is_seen_by_its_thread_only_and_ends() -> None:
    seen = []
    with work_in_the_past() as clock:
        clock.set(week=1, day=2, hour=9)
        clock.advance(30)
        assert timezone.now() == first_monday() + timedelta(days=9, hours=9, minutes=30)
        other = Thread(target=lambda: seen.append(timezone.now()))
        other.start()
        other.join()

    assert timezone.now() - seen[0] < timedelta(minutes=5)
    assert timezone.now() > first_monday() + timedelta(days=27)


def test_an_error_ends_the_past_too() -> None:
    with pytest.raises(RuntimeError), work_in_the_past():
        raise RuntimeError
    assert timezone.now() > first_monday() + timedelta(days=27)
