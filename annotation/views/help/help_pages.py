"""The help: all chapters with search, and one chapter."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.services.core.errors import NotFound
from annotation.views.core.markdown import render_markdown
from annotation.views.help.chapters import GROUPS, find_passages, list_names, load_chapters

LONGEST_QUERY = 100


@require_safe
def help_index(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    chapters = load_chapters()
    groups = [
        (label, [chapters[name] for name in list_names(group) if name in chapters]) for group, label in GROUPS.items()
    ]
    context = {"query": query, "hits": find_passages(query), "groups": groups}
    return render(request, "annotation/help/index.html", context)


@require_safe
def help_chapter(request: HttpRequest, name: str) -> HttpResponse:
    chapter = load_chapters().get(name)
    if chapter is None:
        raise NotFound(_("There is no such chapter."))
    context = {"chapter": chapter, "rendered": render_markdown(chapter.text)}
    return render(request, "annotation/help/chapter.html", context)
