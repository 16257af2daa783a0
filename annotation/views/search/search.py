"""The search behind Ctrl+K: pages, chapters of the help and rows of a project, as JSON for palette.js."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services.core import access
from annotation.views.core.decorators import current_user, enter_project, signed_in
from annotation.views.core.navigation import Page
from annotation.views.help.chapters import load_chapters
from annotation.views.search.kinds import HITS_PER_KIND, KINDS, Asker, Hit, register_kind

LONGEST_QUERY = 100
PAGES_SHOWN = 8
LETTERS_FOR_TEXTS = 4


@signed_in()
def search(request: HttpRequest) -> JsonResponse:
    """?q= what is looked for, ?project= the slug of the project that the page is in. Without a text, the pages."""
    text = " ".join(request.GET.get("q", "").replace("\0", " ").split())[:LONGEST_QUERY]
    user, page = current_user(request), Page(request)
    project = None
    if slug := request.GET.get("project", ""):
        project = access.project_for(user, slug)
        enter_project(request, project)
    asker = Asker(user, project, page.roles, text)
    groups = [_build_group(_("Pages"), _list_pages(page, asker))]
    if text:
        kinds = sorted(KINDS, key=lambda kind: kind.order)
        groups += [_build_group(str(kind.label), kind.find(asker)) for kind in kinds]
    return JsonResponse({"groups": [group for group in groups if group["hits"]]})


def _build_group(label: str, hits: Iterable[Hit]) -> dict[str, Any]:
    return {"label": label, "hits": [hit._asdict() for hit in hits]}


def _list_pages(page: Page, asker: Asker) -> list[Hit]:
    """Pages of the navigation that fit the text; those whose own name fits come first."""
    pages = [Hit(item.label, section, item.url) for section, item in page.every_page]
    fitting = [hit for hit in pages if asker.fits(hit.title, hit.where)]
    return sorted(fitting, key=lambda hit: not asker.fits(hit.title))[:PAGES_SHOWN]


@register_kind("help", gettext_lazy("Help"), order=9)
def find_chapters(asker: Asker) -> list[Hit]:
    """Chapters whose title has the words, then those whose text has them; a few letters are in nearly every text."""
    in_text = len(asker.text) >= LETTERS_FOR_TEXTS
    chapters = [
        chapter for chapter in load_chapters().values() if asker.fits(chapter.title, chapter.text if in_text else "")
    ]
    chapters.sort(key=lambda chapter: not asker.fits(chapter.title))
    return [
        Hit(chapter.title, _("Help"), reverse("help-chapter", args=[chapter.name]))
        for chapter in chapters[:HITS_PER_KIND]
    ]
