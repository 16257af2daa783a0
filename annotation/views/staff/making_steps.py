"""The steps that make a dataset: sources, candidates, requests, people, writing, inspection, and a release."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import get_task_kind
from annotation.models import Project, Release
from annotation.services.core import access
from annotation.services.core.kind_words import name_finished
from annotation.services.staff.pipeline_counts import Pipeline
from annotation.views.staff.path_steps import (
    PATH_STEPS,
    WRITING_STEPS,
    Action,
    Facts,
    PathStep,
    StepSource,
    StepState,
)
from epitome.figures.numbers import format_count


def _address(project: Project, name: str) -> str:
    return reverse(name, args=[project.slug])


def _draws_samples(project: Project) -> bool:
    return get_task_kind(project.kind, has_sample=True).draws_samples


def find_sources_step(project: Project, facts: Facts) -> PathStep:
    counts, title = facts.counts, _("Import sources")
    if not counts.sources:
        text = _("There are no sources yet. You can check a file first without importing it.")
        return PathStep("sources", title, StepState.OPEN, text, Action(title, _address(project, "import")))
    text = ngettext("%(n)s source", "%(n)s sources", counts.sources) % {"n": format_count(counts.sources)}
    if counts.references:
        references = ngettext("%(n)s reference summary", "%(n)s reference summaries", counts.references)
        text = f"{text} · {references % {'n': format_count(counts.references)}}"
    return PathStep("sources", title, StepState.DONE, text, Action(title, _address(project, "documents")))


def find_candidates_step(project: Project, facts: Facts) -> PathStep | None:
    """None where annotators choose no topics or speakers."""
    if not _draws_samples(project) or not project.schema_version.schema.chosen:
        return None
    counts, title = facts.counts, _("Extract candidate topics and speakers")
    if not counts.sources:
        return PathStep("candidates", title, StepState.BLOCKED, _("There are no sources yet."))
    if not counts.to_extract:
        return PathStep("candidates", title, StepState.DONE)
    text = ngettext(
        "%(n)s source has no candidates yet. Annotators choose topics from them.",
        "%(n)s sources have no candidates yet. Annotators choose topics from them.",
        counts.to_extract,
    ) % {"n": format_count(counts.to_extract)}
    action = Action(_("Extract candidates"), _address(project, "extract"), posts=True)
    return PathStep("candidates", title, StepState.OPEN, text, action)


def find_requests_step(project: Project, facts: Facts) -> PathStep:
    counts, draws = facts.counts, _draws_samples(project)
    title = _("Draw requests for annotators") if draws else _("Extract instances")
    if counts.samples:
        text = ngettext("%(n)s sample", "%(n)s samples", counts.samples) % {"n": format_count(counts.samples)}
        return PathStep("requests", title, StepState.DONE, text, Action(title, _address(project, "samples")))
    if not counts.sources:
        return PathStep("requests", title, StepState.BLOCKED, _("There are no sources yet."))
    if not draws:
        text = _("A dry run first shows what the articles offer.")
        return PathStep("requests", title, StepState.OPEN, text, Action(title, _address(project, "extract-tuples")))
    text = _("A dry run first shows how often each value would be drawn.")
    return PathStep("requests", title, StepState.OPEN, text, Action(_("Draw samples"), _address(project, "draw")))


def find_people_step(project: Project, facts: Facts) -> PathStep:
    counts, title = facts.counts, _("Add annotators")
    action = Action(_("Go to members"), _address(project, "members"), roles=access.ADMINS)
    if counts.annotators:
        text = ngettext("%(n)s annotator", "%(n)s annotators", counts.annotators)
        return PathStep("people", title, StepState.DONE, text % {"n": format_count(counts.annotators)}, action)
    text = _("Add accounts, or invite people by a link.")
    if counts.open:
        text = ngettext(
            "%(n)s task to do, but no annotators yet.", "%(n)s tasks to do, but no annotators yet.", counts.open
        ) % {"n": format_count(counts.open)}
    return PathStep("people", title, StepState.OPEN, text, action)


def find_writing_step(project: Project, facts: Facts) -> PathStep:
    counts = facts.counts
    is_of_texts = get_task_kind(project.kind, has_sample=True).noun[0] == "summary"
    title = _("Write summaries") if is_of_texts else _("Do the tasks")
    if not counts.slots:
        return PathStep("writing", title, StepState.BLOCKED, _("There is nothing to write yet: no samples."))
    if counts.filled >= counts.slots:
        action = Action(title, _address(project, "annotations"), roles=access.STAFF)
        return PathStep("writing", title, StepState.DONE, _describe_written(counts, is_of_texts), action)
    if not counts.annotators and not counts.filled:
        return PathStep("writing", title, StepState.BLOCKED, _("There are no annotators yet."))
    return PathStep("writing", _("Writing in progress"), StepState.RUNNING, _describe_written(counts, is_of_texts))


def _describe_written(counts: Pipeline, is_of_texts: bool) -> str:
    """How much is written and in progress, with the kind's noun where there is a sentence for it."""
    if is_of_texts:
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


def find_inspection_step(project: Project, facts: Facts) -> PathStep:
    stages, title = facts.stages, _("Inspect the sample")
    action = Action(_("Go to inspection"), _address(project, "inspection"), roles=access.STAFF)
    n_left = stages.to_inspect - stages.inspected
    if n_left > 0:
        nouns = name_finished(project.kind, n_left)
        text = _("%(n)s %(nouns)s to inspect") % {"n": format_count(n_left), "nouns": nouns}
        return PathStep("inspection", title, StepState.OPEN, text, action)
    if stages.to_inspect:
        text = _("%(n)s inspected") % {"n": format_count(stages.inspected)}
        return PathStep("inspection", title, StepState.DONE, text, action)
    if not facts.counts.filled:
        return PathStep("inspection", title, StepState.BLOCKED, _("Nothing is written yet."))
    text = _("Draw some of what is written, and give verdicts. A sample is also drawn at the end of every week.")
    return PathStep("inspection", title, StepState.OPEN, text, action)


def find_release_step(project: Project, facts: Facts) -> PathStep:
    counts, title = facts.counts, _("Make a release")
    action = Action(_("Go to export"), _address(project, "export"))
    if Release.objects.filter(project=project).exists():
        return PathStep("release", title, StepState.DONE, _("Later work goes into the next release."), action)
    if not counts.filled and not counts.references and not facts.stages.exported:
        return PathStep("release", title, StepState.BLOCKED, _("There is nothing to release yet."))
    if counts.filled < counts.slots:
        return PathStep("release", title, StepState.BLOCKED, _("The writing is not finished yet."))
    text = _("A release freezes the rows of the dataset: the same tag always gives the identical file.")
    return PathStep("release", title, StepState.OPEN, text, action)


def list_making_steps(project: Project, facts: Facts) -> list[PathStep]:
    candidates = find_candidates_step(project, facts)
    return [
        find_sources_step(project, facts),
        *([candidates] if candidates is not None else []),
        find_requests_step(project, facts),
        find_people_step(project, facts),
        find_writing_step(project, facts),
        find_inspection_step(project, facts),
    ]


PATH_STEPS.register(StepSource(("sources", *WRITING_STEPS), 0, list_making_steps))
PATH_STEPS.register(StepSource(("release",), 99, lambda project, facts: [find_release_step(project, facts)]))
