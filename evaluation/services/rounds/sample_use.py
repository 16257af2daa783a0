"""Finds the round that rates some samples, so that their draw is not undone."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Sample
from annotation.services.sampling.draw_undo import SAMPLE_USES
from evaluation.models import Round


@SAMPLE_USES.register
def describe_round_use(samples: "QuerySet[Sample]") -> str:
    """A sentence that names a round over some of the samples; "" without one."""
    round_ = Round.objects.filter(items__sample__in=samples).first()
    if round_ is None:
        return ""
    return _("Samples of this draw are rated in the round %(name)s, so the draw cannot be undone.") % {
        "name": round_.name
    }
