"""One annotator with one task, calling the API under a clock that the test moves."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.tasks.conftest import Caller
from tests.tasks.factories import make_people, make_project


class Clock:
    def __init__(self, monkeypatch):
        self.at = timezone.now()
        monkeypatch.setattr("django.utils.timezone.now", lambda: self.at)

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class Writer(Caller):
    """Works on one task of a unit of two."""

    def __init__(self, person):
        super().__init__(person)
        self.task = self.claim().data_out["id"]
        self.revision = 0

    def beat(self, step, *, task=None, **more):
        answer = self("POST", f"assignments/{task or self.task}/heartbeat/", {"step": step, **more})
        assert answer.status_code == 200, answer.content
        return answer

    def draft(self, summary="Text.", status=200, **more):
        body = {"revision": self.revision, "payload": {"summary": summary}, **more}
        answer = self("PUT", f"assignments/{self.task}/draft/", body)
        assert answer.status_code == status, answer.content
        if status == 200:
            self.revision = answer.data_out["revision"]
        return answer


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def writer(db, clock):
    project = make_project(documents=1, groups=1, size=2, frozen=True)
    return Writer(*make_people(1, project))
