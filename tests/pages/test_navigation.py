"""The main navigation: six sections for staff, by role, and the tabs of the open one."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

import epitome.site.urls  # noqa: F401 - the pages register their chapters and tabs
from annotation.models import Project, Role
from annotation.views.core.sections import JOBS, SECTIONS, SETTINGS
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db


def read_links(page: str, label: str) -> list[tuple[str, bool]]:
    """(words, whether it is the open one) of the links in the navigation of this name."""
    (piece,) = re.findall(rf'<nav class="[a-z-]+" aria-label="{label}">(.*?)</nav>', page, re.DOTALL)
    links = re.findall(r"<a\s([^>]*)>(.*?)</a>", piece, re.DOTALL)
    return [(words.strip(), "aria-current" in attributes) for attributes, words in links]


@pytest.fixture
def open_as():
    """Sign a new person with these roles in and return the page's text."""
    project = make_project()

    def open_page(name: str, *roles: Role) -> str:
        (person,) = make_people(1, project, roles[0], start=len(roles) * 10)
        for role in roles[1:]:
            person.memberships.create(project=project, role=role)
        client = Client()
        client.force_login(person)
        return client.get(reverse(name, args=[project.slug])).content.decode()

    return open_page


def test_an_admin_sees_six_sections_and_the_tabs_of_the_open_one(open_as):
    page = open_as("members", Role.ADMIN)
    sections = read_links(page, "Main")
    assert [words for words, _open in sections] == ["Overview", "Data", "People", "Quality", "Results", "Publish"]
    assert [words for words, is_open in sections if is_open] == ["People"]
    tabs = read_links(page, "People")
    assert tabs[0] == ("Members", True)
    assert ("Questions", False) in tabs
    assert 'aria-label="Jobs"' in page
    assert 'aria-label="Settings of the project"' in page


def test_a_reviewer_sees_only_what_he_may_open(open_as):
    page = open_as("questions", Role.REVIEWER)
    assert [words for words, _open in read_links(page, "Main")] == ["Overview", "Data", "People", "Quality", "Results"]
    assert [words for words, _open in read_links(page, "People")] == ["Questions", "Notes", "Practice", "Pilot"]
    assert 'aria-label="Jobs"' not in page
    assert 'aria-label="Settings of the project"' not in page


def test_annotators_see_their_own_pages_and_staff_find_their_tasks_beside_the_sections(open_as):
    page = open_as("work", Role.ANNOTATOR)
    assert read_links(page, "Main") == [("My work", True), ("Guideline", False)]
    page = open_as("project", Role.ADMIN, Role.ANNOTATOR)
    (menu,) = re.findall(r'<div class="menu-body">(.*?)</div>', page, re.DOTALL)
    assert "Guideline" in menu and "My work" not in menu
    assert [words for words, _open in read_links(page, "Main")][-2:] == ["Publish", "My work"]
    page = open_as("project", Role.RESEARCHER, Role.RATER, Role.REVIEWER)
    assert read_links(page, "Main")[-1] == ("My rounds", False)


def test_a_site_admin_has_tasks_only_where_they_were_given_the_role(open_as):
    page = open_as("project", Role.ADMIN)
    site_admin = User.objects.create_superuser("root")
    client = Client()
    client.force_login(site_admin)
    page = client.get("/p/news/").content.decode()
    assert "My work" not in [words for words, _open in read_links(page, "Main")]
    site_admin.memberships.create(project=Project.objects.get(slug="news"), role=Role.ANNOTATOR)
    page = client.get("/p/news/").content.decode()
    assert read_links(page, "Main")[-1] == ("My work", False)
    home = client.get("/").content.decode()
    assert "Where you write and rate" in home and "You are annotator, site admin." in home


def test_every_page_of_a_section_stands_in_one_section_only():
    names = [name for section in (*SECTIONS, SETTINGS, JOBS) for tab in section.tabs for name in (tab.name, *tab.below)]
    assert len(names) == len(set(names))
