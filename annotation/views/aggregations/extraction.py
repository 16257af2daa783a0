"""The page that extracts instances: a dry run shows its figures, a job stores them."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import EntityType, Project
from annotation.services.aggregations.articles import NER
from annotation.services.aggregations.extraction import (
    ExtractionOptions,
    preview_extraction,
    start_extraction,
)
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.sampling import draw_undo
from annotation.views.aggregations.forms import ExtractionForm
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows

MOST_ARTICLES = {"metadata": 1000, NER: 40}
"""Articles that a dry run on a page reads; the command reads all."""
DRAWS_PER_PAGE = 10


class SizeRow(NamedTuple):
    """How many tuples have one number of entities."""

    size: str
    n: int


class LargeArticle(NamedTuple):
    """An article that gives much of a draw, and how many instances it gives."""

    article: str
    n: int


class TypeRow(NamedTuple):
    """Entities of one type, and their instances."""

    label: str
    n_entities: int
    n_in_sentences: int
    n_in_abstracts: int


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def extract_instances(request: HttpRequest, project: Project) -> HttpResponse:
    """do=dry renders a preview, do=extract starts the job."""
    form = ExtractionForm(request.POST or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        try:
            options = ExtractionOptions(**form.cleaned_data)
            if request.POST.get("do") == "extract":
                job = start_extraction(project=project, options=options, by=current_user(request))
                return redirect("job", job.public_id)
            figures = preview_extraction(project=project, options=options, most_articles=MOST_ARTICLES[options.source])
            preview = _build_preview(figures)
        except ServiceError as error:
            add_service_error(form, error)
    draws = paginate_rows(request, draw_undo.list_draws(project), size=DRAWS_PER_PAGE)
    context = {"project": project, "form": form, "preview": preview, "rows": draws}
    return render(request, "annotation/aggregations/extract.html", context, status=422 if form.errors else 200)


def _build_preview(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures of a dry run as rows with words."""
    types = {value: str(label) for value, label in EntityType.choices}
    content, abstract = figures["instances"]["content"], figures["instances"]["abstract"]
    return {
        **figures,
        "is_partial": figures["articles"] < figures["all_articles"],
        "types": [
            TypeRow(label, figures["entities"].get(kind, 0), content.get(kind, 0), abstract.get(kind, 0))
            for kind, label in types.items()
        ],
        "large": [LargeArticle(*row) for row in figures["large_articles"].items()],
        "sizes": [SizeRow(size, n) for size, n in figures["tuples"].items()],
    }
