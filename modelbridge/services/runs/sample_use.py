"""Finds the run that uses some samples, so that their draw is not undone; a test of a system goes with its sample."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Sample
from annotation.services.sampling.draw_undo import DELETED_WITH_SAMPLES, SAMPLE_USES
from modelbridge.models import Run, SystemOutput
from modelbridge.models.runs import TEST


@SAMPLE_USES.register
def describe_run_use(samples: "QuerySet[Sample]") -> str:
    """A sentence that names a run over some of the samples; "" without one."""
    outputs = SystemOutput.objects.filter(sample__in=samples).exclude(run__over=TEST)
    output = outputs.select_related("run__revision__system").first()
    if output is None:
        return ""
    return _("The run %(run)s is over samples of this draw, so the draw cannot be undone.") % {"run": output.run}


@DELETED_WITH_SAMPLES.register
def delete_tests(samples: "QuerySet[Sample]") -> None:
    Run.objects.filter(over=TEST, outputs__sample__in=samples).delete()
