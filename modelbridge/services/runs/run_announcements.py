"""Notifies webhooks of runs that have ended: ids and counts, since a blind round hides the names of systems."""

from typing import Any

from django.db.models import Count, Q

from annotation.models import WebhookTopic
from annotation.services.webhooks.deliveries import announce_event
from modelbridge.models import OutputState, Run, SystemOutput


def announce_run(run: Run) -> None:
    """Call inside the transaction that ends the run; of a test nobody is notified."""
    if run.is_test:
        return
    announce_event(project_id=run.project_id, topic=WebhookTopic.RUN_DONE, describe=lambda: _describe_run(run))


def _describe_run(run: Run) -> dict[str, Any]:
    state, n_samples = Run.objects.values_list("state", "n_samples").get(pk=run.pk)
    counts = SystemOutput.objects.filter(run=run).aggregate(
        done=Count("pk", filter=Q(state=OutputState.DONE)), failed=Count("pk", filter=Q(state=OutputState.FAILED))
    )
    return {"run": str(run.public_id), "state": str(state), "samples": n_samples, **counts}
