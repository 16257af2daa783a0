"""A project with two annotators and an admin, and what they do in it."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Assignment, Project, Role
from annotation.services.tasks import claim as task_claim
from annotation.services.tasks import skip, submit
from tests.tasks.factories import make_people, make_project, payload


@dataclass
class Staff:
    project: Project
    one: User
    two: User
    admin: User
    client: Client

    def claim(self, who: User) -> Assignment:
        task = task_claim.claim_next(project=self.project, annotator=who).assignment
        assert task is not None
        return task

    def write(self, who: User, n: int = 1) -> list[Assignment]:
        """n summaries handed in, one claim each."""
        items = []
        for _ in range(n):
            task = self.claim(who)
            submit.submit_task(assignment=task, payload=payload(), idempotency_key=f"k{task.pk}")
            items.append(task)
        return items

    def skip(self, who: User, n: int = 1, reason: str = "nothing_fits") -> list[Assignment]:
        items = []
        for _ in range(n):
            task = self.claim(who)
            skip.skip_task(assignment=task, reason=reason)
            items.append(task)
        return items

    def url(self, name: str = "") -> str:
        return f"/p/{self.project.slug}/{name}"


@pytest.fixture
def staff(db) -> Staff:
    return make_staff()


def make_staff(**options) -> Staff:
    project = make_project("news", **{"documents": 3, "frozen": True, "claim_unit": "sample", **options})
    first, second = make_people(2, project)
    (admin,) = make_people(1, project, Role.ADMIN)
    client = Client()
    client.force_login(admin)
    return Staff(project, first, second, admin, client)
