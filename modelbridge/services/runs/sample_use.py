"""Finds the run that uses some samples, so that their draw is not undone."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Sample
from annotation.services.sampling.draw_undo import SAMPLE_USES
from modelbridge.models import SystemOutput


@SAMPLE_USES.register
def describe_run_use(samples: "QuerySet[Sample]") -> str:
    """A sentence that names a run over some of the samples; "" without one."""
    output = SystemOutput.objects.filter(sample__in=samples).select_related("run__revision__system").first()
    if output is None:
        return ""
    return _("The run %(run)s is over samples of this draw, so the draw cannot be undone.") % {"run": output.run}
