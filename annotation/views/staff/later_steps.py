"""The steps of a project's team once everything is written: inspection, then those of higher rooms, then a release."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.extension_points import ExtensionPoint
from annotation.models import Project, Release
from annotation.services.staff.dashboard import Stages


@dataclass(frozen=True)
class Step:
    """One step: title, explanation, and link; posts: pressing it does the step, instead of opening a page."""

    title: str
    text: str
    label: str = ""
    url: str = ""
    posts: bool = False


@dataclass(frozen=True)
class LaterStep:
    """A step that a higher room adds. order: its place. find: the step while there is something to do, else None."""

    key: str
    order: int
    find: Callable[[Project], Step | None]


LATER_STEPS = ExtensionPoint[LaterStep]("later steps", key=lambda step: step.key)


def find_later_step(project: Project, stages: Stages) -> Step:
    """The first of the steps after writing that is not done."""
    to_inspect = stages.to_inspect - stages.inspected
    if to_inspect > 0:
        return _inspect_step(project, to_inspect)
    for later_step in sorted(LATER_STEPS, key=lambda later_step: later_step.order):
        step = later_step.find(project)
        if step is not None:
            return step
    return _publish_step(project)


def _inspect_step(project: Project, n: int) -> Step:
    text = ngettext(
        "Everything is written. %(n)d summary drawn for inspection waits for a verdict.",
        "Everything is written. %(n)d summaries drawn for inspection wait for a verdict.",
        n,
    )
    url = reverse("inspection", args=[project.slug])
    return Step(_("Inspect the sample"), text % {"n": n}, _("Go to inspection"), url)


def _publish_step(project: Project) -> Step:
    url = reverse("export", args=[project.slug])
    if not Release.objects.filter(project=project).exists():
        text = _("A release freezes the rows of the dataset: the same tag always gives the identical file.")
        return Step(_("Make a release"), text, _("Go to export"), url)
    return Step(_("The dataset is released"), _("Later work goes into the next release."), _("Go to export"), url)
