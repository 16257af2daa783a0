"""Projects to measure, and a tagger that needs no weights."""

from unittest.mock import patch

import pytest

from annotation.jobs import run_job
from annotation.services.scores import score_jobs


class FakeTagger:
    """Tags by looks: numerals CD, words in -ing VBG, all else NN. Counts what it was asked."""

    id = "fake@1"

    def __init__(self):
        self.texts = 0

    def tag(self, batch):
        self.texts += len(batch)
        return [["CD" if w.isdigit() else "VBG" if w.endswith("ing") else "NN" for w in words] for words in batch]


@pytest.fixture
def fake_tagger(monkeypatch):
    """The settings name this tagger: no test here needs the shipped weights unless it says so."""
    tagger = FakeTagger()
    monkeypatch.setattr("annotation.services.scores.score_queries.installed_id", lambda _name: tagger.id)
    monkeypatch.setattr("annotation.services.scores.measure_batches.settings_tagger", lambda: tagger)
    monkeypatch.setattr("annotation.services.tasks.live_meters.settings_tagger", lambda: tagger)
    return tagger


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """What a sweeper of this process found complete in another test's database is forgotten."""
    score_jobs.complete_marks.clear()


@pytest.fixture
def work_off():
    """Do a job here and now, without the look at the connection that a test's transaction would not survive."""

    def work(job, queues=()):
        with patch("annotation.jobs.running.close_old_connections"):
            run_job(job.pk, queues)
        job.refresh_from_db()
        return job

    return work
