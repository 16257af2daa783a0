"""Systems and runs as stages of the overview. Two queries."""

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core.word_patterns import join_names
from annotation.views.staff.measuring_stages import MEASURING_STAGES, MeasuringStage
from epitome.figures.numbers import format_count
from modelbridge.models import Run, RunState, System


@MEASURING_STAGES.register
def count_run_stages(project: Project) -> list[MeasuringStage]:
    n_systems = System.objects.filter(project=project).count()
    by_state = dict(
        Run.objects.listed().filter(project=project).order_by().values_list("state").annotate(n=Count("pk"))
    )
    n_runs = sum(by_state.values())
    return [
        MeasuringStage(1, _("Systems"), n_systems, None, "", reverse("systems", args=[project.slug])),
        MeasuringStage(
            2,
            _("Runs"),
            by_state.get(RunState.DONE, 0),
            n_runs,
            _describe_rest(by_state),
            reverse("runs", args=[project.slug]),
        ),
    ]


def _describe_rest(by_state: dict[str, int]) -> str:
    under_way = sum(by_state.get(state, 0) for state in RunState.UNDER_WAY)
    failed = by_state.get(RunState.FAILED, 0)
    sentences = []
    if under_way:
        sentences.append(ngettext("%(n)s running", "%(n)s running", under_way) % {"n": format_count(under_way)})
    if failed:
        sentences.append(ngettext("%(n)s failed", "%(n)s failed", failed) % {"n": format_count(failed)})
    return join_names(sentences)
