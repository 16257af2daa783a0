"""Tests of systems on one sample: deleted a day after they started."""

from datetime import timedelta

from django.utils import timezone

from annotation.jobs import register_sweeper
from annotation.transactions import write_transaction
from modelbridge.models import Run
from modelbridge.models.runs import TEST

KEPT_FOR = timedelta(days=1)


@register_sweeper
def delete_old_tests() -> int:
    """Delete tests with their outputs; returns how many."""
    old = Run.objects.filter(over=TEST, created_at__lt=timezone.now() - KEPT_FOR)
    ids = list(old.values_list("pk", flat=True))
    if ids:
        with write_transaction():
            Run.objects.filter(pk__in=ids).delete()
    return len(ids)
