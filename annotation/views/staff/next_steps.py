"""The next step of a project's team."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Job, Project
from annotation.services.staff.pipeline_counts import Pipeline


@dataclass(frozen=True)
class Step:
    """One step: title, explanation, and link."""

    title: str
    text: str
    label: str = ""
    url: str = ""


def next_step(project: Project, counts: Pipeline, waiting: Sequence[Job]) -> Step:
    """The first missing step on the way from sources to a dataset."""

    def to(name: str) -> str:
        return reverse(name, args=[project.slug])

    if waiting:
        job = waiting[0]
        return Step(
            _("A job is under way"),
            _("The counts below change when it is done."),
            _("Follow it"),
            reverse("job", args=[job.public_id]),
        )
    if not counts.sources:
        return Step(
            _("Import sources"),
            _("There are none yet. A file can be checked first without storing anything."),
            _("Import sources"),
            to("import"),
        )
    if counts.to_extract:
        return Step(
            _("Extract candidate topics and speakers"),
            _("%(n)d sources have none yet. Annotators choose topics from them.") % {"n": counts.to_extract},
            _("Go to samples"),
            to("samples"),
        )
    if not counts.samples:
        return Step(
            _("Draw samples"),
            _("A dry run shows the counts per value first."),
            _("Go to samples"),
            to("samples"),
        )
    if not counts.annotators:
        return Step(
            _("Add annotators"),
            _("%(n)d places wait, and nobody is there to write.") % {"n": counts.open},
            _("Go to members"),
            to("members"),
        )
    if counts.filled < counts.slots:
        return Step(
            _("Writing goes on"),
            _("%(done)d of %(all)d places are written, %(now)d are in somebody's hands.")
            % {"done": counts.filled, "all": counts.slots, "now": counts.taken},
        )
    return Step(_("Everything is written"), _("The dataset can be exported."), _("Go to export"), to("export"))
