"""Pages of an aggregation project call finished tasks by the word of their kind."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import NoReverseMatch, reverse
from django.utils.html import strip_tags

from annotation.kinds import project_kinds
from annotation.models import Membership, Role
from annotation.services.core.kind_words import name_finished
from tests.aggregations.factories import make_instances
from tests.pages.access_table import PAGES
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
ABOUT_OTHER_THINGS = {
    "construction", "construction-pairs", "contrastives", "contrastives-import", "contrastive-report",  # of summaries
    "import", "sampling", "systems", "system-new", "trainings", "runs", "run-upload", "tables", "compare", "cases",
    "round-new", "rounds", "round-templates", "round-template", "round-template-new", "judge-check", "search", "export",
    "guideline", "project-guideline", "gate",  # the guideline's own words
}  # fmt: skip
"""Pages that speak of summaries because they are about systems that write them, or about files and rounds."""


def open_pages(client, project, names):
    for name in names:
        method, other_name, _who = PAGES[name]
        if method != "get" or other_name != "project" or name in ABOUT_OTHER_THINGS:
            continue
        try:
            answer = client.get(reverse(name, args=[project.slug]))
        except NoReverseMatch:
            continue
        if answer.status_code == 200 and "text/html" in answer["Content-Type"]:
            page = re.sub(r"<(script|style)\b.*?</\1>", "", answer.content.decode(), flags=re.S)
            yield name, strip_tags(page)


def test_each_kind_has_a_word_for_one_and_for_several():
    words = {key: (name_finished(key), name_finished(key, 2)) for key in project_kinds()}
    assert words["summary"] == ("summary", "summaries")
    assert words["aggregation"] == ("annotation", "annotations")
    assert all(first and several and first != several for first, several in words.values())


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ANNOTATOR])
def test_no_page_of_the_project_speaks_of_summaries(client, tmp_path, role):
    project = make_instances(tmp_path)
    (person,) = make_people(1, project, role)
    if role == Role.ADMIN:
        Membership.objects.get_or_create(user=person, project=project, role=Role.RESEARCHER)
    client.force_login(person)
    by_key = {
        name: re.findall(r"[^.\n]*\bsummar(?:y|ies)\b[^.\n]*", text, re.I)
        for name, text in open_pages(client, project, PAGES)
    }
    spoken = [(name, lines) for name, lines in by_key.items() if lines]
    assert by_key and spoken == [], str(spoken)


def test_tabs_and_columns_of_summaries_are_not_offered(client, tmp_path):
    project = make_instances(tmp_path)
    client.force_login(User.objects.create_superuser("admin"))
    page = client.get(f"/p/{project.slug}/samples/").content.decode()
    assert "Entities" in page and "Contrastives" not in page
    assert "person-2" in page and "Topics and speakers" not in page and ">Requested" not in page
