"""A project whose annotator has not read the guideline yet."""

import pytest

from annotation.models import GuidelineReading, Role
from annotation.services.guidelines import gate
from annotation.services.people import projects
from tests.tasks.factories import make_people, make_project


def sign(project, user, number=None, *, consent=True):
    number = number or project.guideline_versions.order_by("-number")[0].number
    hash_ = gate.hash_of(gate.statement_text(project))
    return gate.confirm_guideline(
        project=project, user=user, number=number, statement_hash=hash_, allows_record=consent
    )


def next_version(project, change="rule", text=None, note="Titles are shorter now."):
    text = text or f"# Guideline\n\nText {project.guideline_versions.count() + 1}.\n"
    return projects.new_guideline_version(project=project, text=text, change=change, note=note, by=None)


@pytest.fixture
def project(db):
    return make_project("news", documents=2, groups=2, size=2, frozen=True)


@pytest.fixture
def new_one(project):
    """An annotator before the gate."""
    (person,) = make_people(1, project)
    GuidelineReading.objects.all().delete()
    return person


@pytest.fixture
def writer(project):
    """An annotator who has passed it."""
    return make_people(1, project, start=50)[0]


@pytest.fixture
def reviewer(project):
    return make_people(1, project, Role.REVIEWER)[0]


@pytest.fixture
def researcher(project):
    return make_people(1, project, Role.RESEARCHER)[0]
