"""Skipped samples: reasons and rates, and samples that left the pool."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import PoolExit, Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.staff import skipped_samples as pool_exits
from annotation.services.tasks.skip import SKIP_REASONS
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.core.public_ids import parse_uuid


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def skip_list(request: HttpRequest, project: Project) -> HttpResponse:
    """Skip reasons and rates; samples that left the pool, to return or to redraw (with a preview)."""
    pool_exit = None
    if request.method == "POST":
        if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
            raise NotFound(_("Page not found, or you don't have access."))
        pool_exit = _find_pool_exit(project, request.POST.get("sample", ""))
        action = request.POST.get("do")
        try:
            if action == "back":
                pool_exits.put_sample_back(exit=pool_exit, by=current_user(request))
                messages.success(request, _("Sample returned to the pool."))
                return redirect("skips", project.slug)
            if action == "redraw":
                pool_exits.redraw_sample(
                    exit=pool_exit, by=current_user(request), expect=request.POST.get("source", "")
                )
                messages.success(request, _("Combination drawn from another source."))
                return redirect("skips", project.slug)
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("skips", project.slug)
    rates = pool_exits.skip_rates(project)
    context = {
        "project": project,
        "people": rates,
        "rows": [(rate, [rate.reasons[reason] for reason in SKIP_REASONS]) for rate in rates],
        "reasons": [reason_name(reason) for reason in SKIP_REASONS],
        "left": paginate_rows(request, pool_exits.list_pool_exits(project)),
        "shown": pool_exit,
        "source": pool_exits.find_redraw_source(pool_exit) if pool_exit is not None else None,
        "alert": pool_exits.ALERT,
    }
    return render(request, "annotation/staff/skips.html", context)


def _find_pool_exit(project: Project, sample: str) -> PoolExit:
    pool_exit = pool_exits.list_pool_exits(project).filter(sample__public_id=parse_uuid(sample)).first()
    if pool_exit is None:
        raise NotFound()
    return pool_exit


def reason_name(reason: str) -> str:
    return {
        "contradiction": _("contradiction"),
        "nothing_fits": _("nothing fits"),
        "damaged": _("damaged"),
        "other": _("other"),
    }.get(reason, reason)
