"""A project with one person per role, and clients that are signed in as each."""

from dataclasses import dataclass, field

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Job, JobState, Membership, Project, Role
from annotation.services.people.projects import create_project
from tests.pages.access_table import addresses  # noqa: F401  a fixture
from tests.tasks.factories import make_project, pass_gate

PASSWORD = "a-long-password"


@dataclass
class World:
    project: Project
    people: dict[str, User]
    clients: dict[str, Client] = field(default_factory=dict)

    def as_(self, name: str) -> Client:
        """A client signed in as a person; "anonymous" is nobody."""
        if name not in self.clients:
            self.clients[name] = Client(raise_request_exception=False)
            if name != "anonymous":
                self.clients[name].force_login(self.people[name])
        return self.clients[name]


def person(name: str, **flags) -> User:
    user = User(username=name, **flags)
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def world(db) -> World:
    """Two sources with samples in "news"; one person per role; an outsider who is admin elsewhere; a site admin."""
    project = make_project("news")
    people = {role.value: person(role.value) for role in Role}
    for role, user in people.items():
        Membership.objects.create(project=project, user=user, role=role)
    people["outsider"] = person("outsider")
    people["site"] = person("site", is_superuser=True)
    people["idle"] = person("idle")
    pass_gate(project, people["annotator"], people["site"])
    create_project(slug="elsewhere", schema="macsum-doc", created_by=people["outsider"])
    return World(project, people)


@pytest.fixture
def job(world) -> Job:
    return Job.objects.create(
        kind="import",
        project=world.project,
        requested_by=world.people["admin"],
        arguments={"file_name": "sources.jsonl"},
        state=JobState.FAILED,
        error="sources.jsonl, line 3: text is missing",
        attempts=1,
        result={"read": 5, "stored": 0, "rejected": 5, "found": 1},
        faults=[
            {"line": 3, "column": 7, "field": "text", "value": "null", "message": "is missing", "place": "line 3"},
        ],
    )
