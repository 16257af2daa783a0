"""Pages of systems: the list with the shipped ones, registration, one system with its revisions and the run form."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.services.core.word_patterns import add_remark, join_names
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.figures.numbers import format_count
from epitome.prompts.questions import list_questions
from epitome.schema import SchemaError
from epitome.systems import registry
from epitome.systems.config import SystemConfig
from epitome.systems.roles import traits_of
from epitome.text.diff import diff_texts
from modelbridge.models import Run, System, SystemRevision
from modelbridge.services.runs import runs, sample_selection, text_sets
from modelbridge.services.runs.warm_systems import list_warm_workers
from modelbridge.services.systems import systems
from modelbridge.views.runs.forms import RunForm
from modelbridge.views.runs.run_counts import runs_with_counts
from modelbridge.views.systems.labels import label_followed_attributes, missing_requirements
from modelbridge.views.systems.system_editor import start_test

RUNS_SHOWN = 20


@dataclass(frozen=True)
class Offer:
    """A system as the list shows it. lacking: what must be installed first, "" for nothing. elsewhere: its outputs are
    uploaded."""

    key: str
    name: str
    kind: str
    role: str
    follows: str
    lacking: str
    row: System | None = None
    n_runs: int = 0
    elsewhere: bool = False


@project_page(access.MAKERS)
def system_list(request: HttpRequest, project: Project) -> HttpResponse:
    rows = list(systems.systems_of(project))
    counts = dict(
        Run.objects.listed().filter(project=project).order_by().values_list("revision__system").annotate(Count("pk"))
    )
    registered = [_registered_offer(row, counts.get(row.pk, 0), project) for row in rows]
    keys = {row.key for row in rows}
    shipped = [_build_offer(config, project) for config in registry.shipped_configs() if config.key not in keys]
    context = {
        "project": project,
        "systems": registered,
        "ready": [offer for offer in shipped if not offer.lacking],
        "lacking": [offer for offer in shipped if offer.lacking],
        "n_samples": len(sample_selection.list_samples(project)),
    }
    return render(request, "modelbridge/systems/systems.html", context)


def _build_offer(config: SystemConfig, project: Project) -> Offer:
    kind = registry.KINDS[config.kind]
    return Offer(
        key=config.key,
        name=config.name,
        kind=config.kind,
        role=kind.role,
        follows=label_followed_attributes(config, project.schema_version.schema) if traits_of(kind.role).writes else "",
        lacking=missing_requirements(config),
        elsewhere=kind.elsewhere,
    )


def _registered_offer(row: System, n_runs: int, project: Project) -> Offer:
    newest = max(row.revisions.all(), key=lambda revision: revision.number)
    try:
        offer = _build_offer(newest.config, project)
    except SchemaError as error:  # written for another version of the program
        return Offer(row.key, row.name, newest.kind, newest.role, "", str(error), row, n_runs)
    return replace(offer, key=row.key, name=row.name, row=row, n_runs=n_runs)


@project_page(access.MAKERS, methods=["POST"])
def add_shipped(request: HttpRequest, project: Project) -> HttpResponse:
    """Register a shipped system by its key."""
    try:
        revision = systems.register_shipped(project=project, key=request.POST.get("key", ""), by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("systems", project.slug)
    return redirect("system", project.slug, revision.system.public_id)


def find_system(project: Project, public_id: uuid.UUID) -> System:
    """Raises NotFound."""
    row = System.objects.filter(project=project, public_id=public_id).first()
    if row is None:
        raise NotFound()
    return row


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_system(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One system; sending the form starts a run of the revision that is shown."""
    row = find_system(project, public_id)
    revisions = list(row.revisions.select_related("created_by").order_by("-number"))
    revision = _select_revision(revisions, request.GET.get("revision", ""))
    revision.system = row
    overs = None if traits_of(revision.role).writes else text_sets.list_choices(project, revision.role)
    form = RunForm(
        request.POST or None,
        sample_selection.splits_of(project),
        overs,
        has_question=traits_of(revision.role).judges,
        question_asked=_find_fitting_question(project),
        has_price=runs.has_price(revision),
        attribute_sets=_describe_sets(project),
    )
    if request.POST.get("do") == "test":
        return start_test(request, project, revision)
    if request.method == "POST" and form.is_valid():
        try:
            run = runs.start_run(project=project, revision=revision, by=current_user(request), **form.run_settings())
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("run", project.slug, run.public_id)
    context = {
        "project": project,
        "system": row,
        "revisions": revisions,
        "shown": revision,
        "form": form,
        **_revision_facts(revision, project),
        **_revision_difference(revisions, revision, request.GET.get("against", "")),
        "n_samples": len(sample_selection.list_samples(project)),
        "left_out": sample_selection.describe_left_out(sample_selection.count_left_out(project)),
        "warm_workers": list_warm_workers(revision.config_hash),
        "runs": runs_with_counts(project).listed().filter(revision__system=row).order_by("-pk")[:RUNS_SHOWN],
    }
    return render(request, "modelbridge/systems/system.html", context, status=422 if form.errors else 200)


def _find_fitting_question(project: Project) -> str:
    """The published question about an attribute of the project; "" for none."""
    schema = project.schema_version.schema
    fitting = (question.key for question in list_questions() if schema.find(question.attribute) is not None)
    return next(fitting, "")


def _describe_sets(project: Project) -> list[tuple[str, str]]:
    """The sets of attributes that samples ask for, with words, the largest set first."""
    labels = {attribute.key: attribute.label for attribute in project.schema_version.schema.attributes}
    sets = sorted(sample_selection.sets_asked(project).items(), key=lambda row: (-len(row[0].split(",")), row[0]))
    return [
        (asks, add_remark(join_names(labels.get(key, key) for key in asks.split(",")), format_count(n)))
        for asks, n in sets
        if asks
    ]


def _select_revision(revisions: list[SystemRevision], number: str) -> SystemRevision:
    """The revision of a number, the newest by default. Raises BadInput."""
    if not number:
        return revisions[0]
    for revision in revisions:
        if str(revision.number) == number:
            return revision
    raise BadInput(_("There is no revision %(n)s.") % {"n": number[:20]}, field="revision")


def _revision_facts(revision: SystemRevision, project: Project) -> dict[str, Any]:
    try:
        config = revision.config
    except SchemaError as error:
        return {"lacking": str(error), "follows": "", "runs_here": False}
    return {
        "lacking": missing_requirements(config),
        "follows": label_followed_attributes(config, project.schema_version.schema),
        "may_test": traits_of(revision.role).writes and not revision.declared_kind.elsewhere,
        "runs_here": not revision.declared_kind.elsewhere,
    }


def _revision_difference(revisions: list[SystemRevision], revision: SystemRevision, number: str) -> dict[str, Any]:
    """The changes since another revision: the requested one, else the previous one."""
    previous = next((older for older in revisions if older.number < revision.number), None)
    other = _select_revision(revisions, number) if number else previous
    if other is None:
        return {"against": None, "difference": []}
    return {"against": other, "difference": diff_texts(other.config_toml, revision.config_toml)}
