"""The next step of a project's team."""

from collections.abc import Callable, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import get_task_kind
from annotation.models import Job, Project
from annotation.services.staff.dashboard import Stages
from annotation.services.staff.pipeline_counts import Pipeline
from annotation.views.staff.later_steps import Step, find_later_step
from epitome.figures.numbers import format_count


def next_step(project: Project, counts: Pipeline, stages: Stages, waiting: Sequence[Job]) -> Step:
    """The first missing step on the way from sources to a release."""

    def to(name: str) -> str:
        return reverse(name, args=[project.slug])

    if waiting:
        job = waiting[0]
        return Step(
            _("A job is running"),
            _("The numbers below are updated when it has finished."),
            _("View job"),
            reverse("job", args=[job.public_id]),
        )
    if not counts.sources:
        return Step(
            _("Import sources"),
            _("There are no sources yet. You can check a file first without importing it."),
            _("Import sources"),
            to("import"),
        )
    draws_samples = get_task_kind(project.kind, has_sample=True).draws_samples
    if counts.to_extract and draws_samples:
        return Step(
            _("Extract candidate topics and speakers"),
            ngettext(
                "%(n)s source has no candidates yet. Annotators choose topics from them.",
                "%(n)s sources have no candidates yet. Annotators choose topics from them.",
                counts.to_extract,
            )
            % {"n": format_count(counts.to_extract)},
            _("Extract candidates"),
            to("extract"),
            posts=True,
        )
    if not counts.samples and not draws_samples:
        return Step(
            _("Extract instances"),
            _("A dry run first shows what the articles offer."),
            _("Extract instances"),
            to("extract-tuples"),
        )
    if not counts.samples:
        return Step(
            _("Draw samples"),
            _("A dry run first shows how often each value would be drawn."),
            _("Draw samples"),
            to("draw"),
        )
    return _writing_step(project, counts, to) or find_later_step(project, stages)


def _writing_step(project: Project, counts: Pipeline, to: Callable[[str], str]) -> Step | None:
    """The step of a project whose samples are drawn; None when all are written."""
    if not counts.annotators and counts.open:
        return Step(
            _("Add annotators"),
            ngettext(
                "%(n)s task to do, but no annotators yet.",
                "%(n)s tasks to do, but no annotators yet.",
                counts.open,
            )
            % {"n": format_count(counts.open)},
            _("Go to members"),
            to("members"),
        )
    if counts.filled < counts.slots:
        return Step(_("Writing in progress"), _describe_written(project, counts))
    return None


def _describe_written(project: Project, counts: Pipeline) -> str:
    """How much is written and in progress, with the kind's noun where there is a sentence for it."""
    if get_task_kind(project.kind, has_sample=True).noun[0] == "summary":
        message = ngettext(
            "%(done)s of %(all)s summary written, %(now)s in progress.",
            "%(done)s of %(all)s summaries written, %(now)s in progress.",
            counts.slots,
        )
    else:
        message = ngettext(
            "%(done)s of %(all)s task done, %(now)s in progress.",
            "%(done)s of %(all)s tasks done, %(now)s in progress.",
            counts.slots,
        )
    values = {"done": counts.filled, "all": counts.slots, "now": counts.taken}
    return message % {name: format_count(n) for name, n in values.items()}
