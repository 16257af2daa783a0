"""What a withdrawal removes from runs: prompts that show one of the person's summaries to a language model."""

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.services.withdrawal.texts import TEXT_HOLDERS, Holder, Projects, stored_summaries
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.worked_examples import NOTE


def _list_prompts(projects: Projects, person: int) -> QuerySet[SystemOutput]:
    """Outputs of runs over human summaries, and of runs that show one as a worked example. Must run before the
    summaries themselves are emptied."""
    samples = set(stored_summaries(projects, person).values_list("sample_id", flat=True))
    runs = Run.objects.filter(project__in=projects).exclude(notes={}).values_list("pk", "notes")
    showing = [pk for pk, notes in runs if samples & set(notes.get(NOTE, ()))]
    outputs = SystemOutput.objects.filter(project__in=projects).exclude(prompt="")
    return outputs.filter(Q(run__over="references", sample__in=samples) | Q(run__in=showing))


TEXT_HOLDERS.register(
    Holder(
        "model_prompts",
        _("prompts that show the summaries to language models"),
        lambda p, who: _list_prompts(p, who).count(),
        lambda p, who: _list_prompts(p, who).update(prompt=""),
    )
)
