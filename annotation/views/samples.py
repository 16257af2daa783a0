"""Samples: the list, extracting candidates, and drawing with a dry run first."""

from django import forms
from django.contrib import messages
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import SamplingForm, StyledForm
from annotation.models import Project, Sample, SampleState, Slot, SlotState, SourceDocument
from annotation.services import access, extracting, overlap, sampling
from annotation.services.errors import ServiceError
from annotation.views.common import filters_of, paged, person, project_page, refuse
from annotation.views.trial import trial_of

LISTED = (
    *("document_id", "position", "combination", "values", "state"),
    *("group__position", "group__asks", "group__chosen", "group__frozen_at"),
)
PLACES = {"written": [SlotState.FILLED], "open": [SlotState.OPEN, SlotState.WAITING, SlotState.TAKEN]}


class SampleFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    combination = forms.CharField(label=gettext_lazy("Combination"), required=False, max_length=60)
    source = forms.CharField(
        label=gettext_lazy("Source id begins with"),
        required=False,
        max_length=200,
        widget=forms.SearchInput({"dir": "auto"}),
    )
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("open", gettext_lazy("not written yet")),
            ("written", gettext_lazy("written")),
            ("overlap", gettext_lazy("overlap, not compared")),
            ("void", gettext_lazy("void")),
            ("pilot", gettext_lazy("set aside for the pilot")),
        ],
    )


@project_page(access.STAFF)
def samples(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, SampleFilters)
    rows = Sample.objects.filter(project=project)
    values = form.cleaned_data
    if values["combination"]:
        rows = rows.filter(combination=values["combination"])
    if values["source"]:
        rows = rows.filter(document__external_id__startswith=values["source"])
    if values["state"] in SampleState.values:
        rows = rows.filter(state=values["state"])
    elif values["state"] == "overlap":
        rows = rows.filter(pk__in=overlap.samples(project, "waiting").values("pk"))
    elif values["state"] in PLACES:
        places = Slot.objects.filter(sample=OuterRef("pk"), state__in=PLACES[values["state"]])
        rows = rows.filter(Exists(places))
    found = paged(request, rows.select_related("group").only(*LISTED).order_by("id"))
    _with_sources_and_places(list(found.object_list))
    context = {
        "project": project,
        "form": form,
        "rows": found,
        "filtered": any(values.values()),
        "to_extract": 0 if request.GET else _to_extract(project),
    }
    return render(request, "annotation/samples.html", context)


def _to_extract(project: Project) -> int:
    return SourceDocument.objects.filter(project=project, extractor="").usable().count()


def _with_sources_and_places(rows: list[Sample]) -> None:
    """Put the source and the counted places on each row of a page, with two queries."""
    listed = SourceDocument.objects.filter(pk__in={row.document_id for row in rows})
    sources = {row["pk"]: row for row in listed.values("pk", "public_id", "external_id")}
    places = {
        row["pk"]: row
        for row in Sample.objects.filter(pk__in=[row.pk for row in rows])
        .annotate(places=Count("slots"), filled=Count("slots", filter=Q(slots__state=SlotState.FILLED)))
        .values("pk", "places", "filled")
    }
    done, written = _("%(done)s of %(all)s"), {}
    for row in rows:
        source = sources[row.document_id]
        row.source = source["public_id"]  # type: ignore[attr-defined]
        # Put together here: loops and numbers in a template cost ten times as much, and there are fifty rows.
        row.name = f"{source['external_id']}#{row.position}"  # type: ignore[attr-defined]
        row.place = str(row.group.position)  # type: ignore[attr-defined]
        row.asked_for = ", ".join([f"{key} {value}" for key, value in row.values.items()])  # type: ignore[attr-defined]
        row.chosen = "; ".join([", ".join(texts) for texts in row.group.chosen.values() if texts])  # type: ignore[attr-defined]
        counted = (places[row.pk]["filled"], places[row.pk]["places"])
        if counted not in written:
            written[counted] = done % {"done": counted[0], "all": counted[1]} if counted[1] else "–"
        row.written = written[counted]  # type: ignore[attr-defined]


@project_page(access.MAKERS, methods=["POST"])
def extract(request: HttpRequest, project: Project) -> HttpResponse:
    job = extracting.start_extraction(project=project, by=person(request))
    messages.info(request, _("Candidates are extracted in the background; you may leave this page."))
    return redirect("job", job.public_id)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def draw(request: HttpRequest, project: Project) -> HttpResponse:
    """The form; "dry" shows what it would draw, "draw" starts the job."""
    schema = project.schema_version.schema
    usual = sampling.default_options(project).resolved(schema).grouping
    form = SamplingForm(request.POST or None, usual=usual)
    trial = None
    if request.method == "POST" and form.is_valid():
        add = form.cleaned_data["add"]
        try:
            options = sampling.default_options(project, **form.options())
            if request.POST.get("do") == "draw":
                job = sampling.start_sampling(project=project, options=options, add=add, by=person(request))
                return redirect("job", job.public_id)
            run = sampling.dry_run(project=project, options=options, pace=form.cleaned_data["pace"], add=add)
            trial = trial_of(run, schema)
        except ServiceError as error:
            refuse(form, error)
    context = {"project": project, "form": form, "trial": trial}
    return render(request, "annotation/draw.html", context, status=422 if form.errors else 200)
