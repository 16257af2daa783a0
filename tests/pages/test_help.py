"""The help: every chapter as a page, links between chapters, search, and a way to it from every page."""

import re

import pytest
from django.urls import reverse

import epitome.site.urls  # noqa: F401 - the pages register their chapters and tabs
from annotation.models import Role
from annotation.views.help.chapters import CHAPTERS, PAGE_CHAPTERS, find_passages, load_chapters
from tests.conftest import ROOT
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db
NAMES = {place.name for place in CHAPTERS}


def test_every_file_of_the_docs_is_a_chapter():
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} == NAMES == set(load_chapters())


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_chapter_shows_its_text_and_its_links_lead_somewhere(client, name):
    page = client.get(reverse("help-chapter", args=[name])).content.decode()
    assert f"<h1>{load_chapters()[name].title.replace('&', '&amp;')}</h1>" in page
    for path in re.findall(r'href="(/help/[^"#]*)', page):
        assert client.get(path).status_code == 200, path
    assert not re.search(r'href="[^"]*\.md', page)


def test_an_unknown_chapter_is_not_found(client):
    assert client.get("/help/nothing/").status_code == 404
    assert client.get("/help/../settings/").status_code == 404


def test_search_finds_passages_with_all_words_whatever_their_case(client):
    hits = find_passages("COMPLETION code")
    assert hits[0].chapter.name == "annotator"
    assert "completion code" in hits[0].snippet
    page = client.get(reverse("help"), {"q": "completion code"}).content.decode()
    assert "For annotators" in page
    assert "No passage" in client.get(reverse("help"), {"q": "xylophone quartet"}).content.decode()
    assert find_passages("  ") == []


def test_what_is_searched_for_is_shown_as_text(client):
    page = client.get(reverse("help"), {"q": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page


def test_pages_lead_to_their_chapter(client):
    project = make_project()
    (admin,) = make_people(1, project, Role.ADMIN)
    assert f'href="{reverse("help")}"' in client.get(reverse("sign-in")).content.decode()
    client.force_login(admin)
    for page, chapter in (("export", "export-format"), ("inspection", "reviewer"), ("members", "admin")):
        text = client.get(reverse(page, args=[project.slug])).content.decode()
        assert f'href="{reverse("help-chapter", args=[chapter])}"' in text


def test_pages_are_mapped_to_chapters_that_exist():
    assert {page_chapter.chapter for page_chapter in PAGE_CHAPTERS} <= NAMES
