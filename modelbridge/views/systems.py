"""Systems: the list with what comes along, registering, one system with its revisions and its Run button."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.schema import SchemaError
from annotation.services import access
from annotation.services.errors import BadInput, NotFound, ServiceError
from annotation.services.guidelines import difference
from annotation.views.common import person, project_page, refuse
from modelbridge.models import Run, System, SystemRevision
from modelbridge.services import listing, runs, systems
from modelbridge.systems import registry
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.protocol import SystemFault
from modelbridge.views.counting import runs_of
from modelbridge.views.forms import RunForm, TomlForm
from modelbridge.views.told import follows_words, lacking

RUNS_SHOWN = 20


@dataclass(frozen=True)
class Offer:
    """A system as the list shows it. lacking: what must be installed first, "" for nothing."""

    key: str
    name: str
    kind: str
    role: str
    follows: str
    lacking: str
    row: System | None = None
    n_runs: int = 0


@project_page(access.MAKERS)
def system_list(request: HttpRequest, project: Project) -> HttpResponse:
    rows = list(systems.systems_of(project))
    counts = dict(Run.objects.filter(project=project).order_by().values_list("revision__system").annotate(Count("pk")))
    there = [_registered(row, counts.get(row.pk, 0), project) for row in rows]
    keys = {row.key for row in rows}
    shipped = [_offer(config, project) for config in registry.shipped() if config.key not in keys]
    context = {
        "project": project,
        "systems": there,
        "ready": [offer for offer in shipped if not offer.lacking],
        "lacking": [offer for offer in shipped if offer.lacking],
        "n_samples": len(listing.listed(project)),
    }
    return render(request, "modelbridge/systems.html", context)


def _offer(config: SystemConfig, project: Project) -> Offer:
    kind = registry.KINDS[config.kind]
    return Offer(
        key=config.key,
        name=config.name,
        kind=config.kind,
        role=kind.role,
        follows=follows_words(config, project.schema_version.schema) if kind.role == "generate" else "",
        lacking=lacking(config),
    )


def _registered(row: System, n_runs: int, project: Project) -> Offer:
    newest = max(row.revisions.all(), key=lambda each: each.number)
    try:
        offer = _offer(newest.config, project)
    except SchemaError as error:  # written for another version of the program
        return Offer(row.key, row.name, newest.kind, newest.role, "", str(error), row, n_runs)
    return Offer(row.key, row.name, offer.kind, offer.role, offer.follows, offer.lacking, row, n_runs)


@project_page(access.MAKERS, methods=["POST"])
def add_shipped(request: HttpRequest, project: Project) -> HttpResponse:
    """Register one of the systems that come along, by its key."""
    try:
        revision = systems.register_shipped(project=project, key=request.POST.get("key", ""), by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("systems", project.slug)
    return redirect("system", project.slug, revision.system.public_id)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def new_system(request: HttpRequest, project: Project) -> HttpResponse:
    """Register from TOML. ?from=KEY begins with the text of that system, registered or shipped."""
    start = request.GET.get("from", "")
    form = TomlForm(request.POST or None, initial={"toml": _text_of(project, start)})
    if request.method == "POST" and form.is_valid():
        try:
            revision = systems.register(project=project, toml_text=form.cleaned_data["toml"], by=person(request))
        except ServiceError as error:
            refuse(form, error)
        else:
            messages.success(request, _("Registered as revision %(n)d.") % {"n": revision.number})
            return redirect("system", project.slug, revision.system.public_id)
    context = {"project": project, "form": form, "start": start, "examples": registry.shipped()}
    return render(request, "modelbridge/system_new.html", context, status=422 if form.errors else 200)


def _text_of(project: Project, key: str) -> str:
    row = System.objects.filter(project=project, key=key).first() if key else None
    if row is not None:
        return row.newest.config_toml
    try:
        return registry.config_of(key).text if key in registry.shipped_keys() else ""
    except SystemFault:
        return ""


def system_of(project: Project, public_id: uuid.UUID) -> System:
    """Raises NotFound."""
    found = System.objects.filter(project=project, public_id=public_id).first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def system(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One system; sending the form starts a run of the revision that is shown."""
    row = system_of(project, public_id)
    revisions = list(row.revisions.select_related("created_by").order_by("-number"))
    shown = _revision(revisions, request.GET.get("revision", ""))
    shown.system = row
    form = RunForm(request.POST or None, listing.splits_of(project))
    if request.method == "POST" and form.is_valid():
        try:
            run = runs.start(project=project, revision=shown, by=person(request), **_asked(form))
        except ServiceError as error:
            refuse(form, error)
        else:
            return redirect("run", project.slug, run.public_id)
    context = {
        "project": project,
        "system": row,
        "revisions": revisions,
        "shown": shown,
        "form": form,
        **_about(shown, project),
        **_against(revisions, shown, request.GET.get("against", "")),
        "n_samples": len(listing.listed(project)),
        "left_out": listing.told(listing.left_out(project)),
        "runs": runs_of(project).filter(revision__system=row).order_by("-pk")[:RUNS_SHOWN],
    }
    return render(request, "modelbridge/system.html", context, status=422 if form.errors else 200)


def _asked(form: RunForm) -> dict[str, Any]:
    values = form.cleaned_data
    return {"split": values["split"], "seed": values["seed"], "label": values["label"]}


def _revision(revisions: list[SystemRevision], asked: str) -> SystemRevision:
    """The revision of a number, the newest by default. Raises BadInput."""
    if not asked:
        return revisions[0]
    for each in revisions:
        if str(each.number) == asked:
            return each
    raise BadInput(_("There is no revision %(n)s.") % {"n": asked[:20]}, field="revision")


def _about(shown: SystemRevision, project: Project) -> dict[str, Any]:
    try:
        config = shown.config
    except SchemaError as error:
        return {"lacking": str(error), "follows": "", "runs_here": False}
    return {
        "lacking": lacking(config),
        "follows": follows_words(config, project.schema_version.schema),
        "runs_here": shown.kind != "upload" and shown.role == "generate",
    }


def _against(revisions: list[SystemRevision], shown: SystemRevision, asked: str) -> dict[str, Any]:
    """What changed since another revision: the one asked for, else the one before."""
    before = next((each for each in revisions if each.number < shown.number), None)
    other = _revision(revisions, asked) if asked else before
    if other is None:
        return {"against": None, "difference": []}
    return {"against": other, "difference": difference(other.config_toml, shown.config_toml)}
