"""Drawing samples with a limit and a dry run, the list of draws, and undoing one that nobody has started."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Draw, Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.sampling import draw_undo
from annotation.services.sources.references import count_references
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.sampling.forms import SamplingForm
from annotation.views.sampling.sampling_preview import build_sampling_preview
from annotation.views.staff.path_steps import find_reference_door

DRAWS_PER_PAGE = 10


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def draw_samples(request: HttpRequest, project: Project) -> HttpResponse:
    """The sampling form and the draws so far; do=dry renders a preview, do=words gives the lengths in
    words first, do=draw starts the job."""
    schema = project.schema_version.schema
    defaults = sample_draw.default_options(project).resolved(schema).grouping
    form = SamplingForm(request.POST or None, usual=defaults, project=project)
    preview = None
    if request.method == "POST" and form.is_valid():
        add, pace = form.cleaned_data["add"], form.cleaned_data["pace"]
        try:
            if request.POST.get("do") == "words":
                projects.give_lengths_in_words(project=project, by=current_user(request))
                schema = project.schema_version.schema
                messages.success(request, _("The lengths are numbers of words now. This is the dry run with them."))
            options = sample_draw.default_options(project, **form.options())
            choice = {"project": project, "options": options, "add": add}
            most_samples = form.limit().count_samples(project, pace, options)
            if request.POST.get("do") == "draw":
                job = sample_draw.start_sampling(**choice, most_samples=most_samples, by=current_user(request))
                return redirect("job", job.public_id)
            run = sample_draw.dry_run(**choice, most_samples=most_samples, pace=pace)
            preview = build_sampling_preview(run, schema, project)
        except ServiceError as error:
            form.add_refusal(error)
    draws = paginate_rows(request, draw_undo.list_draws(project), size=DRAWS_PER_PAGE)
    n_references = count_references(project)
    context = {
        "project": project,
        "form": form,
        "trial": preview,
        "rows": draws,
        "n_references": n_references,
        "door": find_reference_door(project) if n_references else None,
    }
    return render(request, "annotation/sampling/draw.html", context, status=422 if form.errors else 200)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def undo_draw(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Asks before a draw is undone, or says why it cannot be."""
    draw = Draw.objects.filter(project=project, public_id=public_id).select_related("drawn_by").first()
    if draw is None:
        raise NotFound()
    if request.method == "POST":
        try:
            undone = draw_undo.undo_draw(draw=draw, by=current_user(request))
        except ServiceError as error:
            context = {"project": project, "draw": draw, "obstacle": error.message}
            return render(request, "annotation/sampling/undo_draw.html", context, status=error.status)
        text = ngettext(
            "The draw was undone: %(n)d sample was deleted.",
            "The draw was undone: %(n)d samples were deleted.",
            undone.samples,
        )
        messages.success(request, text % {"n": undone.samples})
        return redirect("draw", project.slug)
    context = {"project": project, "draw": draw, "obstacle": draw_undo.find_obstacle(draw)}
    return render(request, "annotation/sampling/undo_draw.html", context)
