"""Counts the word tokens of sources after their import, in batches that can be resumed."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Job, Project, SourceDocument, SourceText
from annotation.transactions import write_transaction

TOKEN_BATCH = 50
"""Sources, counted in well under a second: a waiting import starts after the batch at work."""


def count_tokens(*, project: Project, progress: Progress | None = None) -> dict[str, int]:
    """Count the word tokens of sources that have no count yet; returns sources and tokens."""
    progress = progress or NoProgress()
    counts = progress.carry({"sources": 0, "tokens": 0})
    add_token_counts(project, counts, counts["sources"], progress)
    return counts


def add_token_counts(project: Project, counts: dict[str, Any], n_done: int, progress: Progress) -> None:
    """Count as above, adding to `counts` batch by batch. n_done: what the progress already says."""
    from epitome.text.tokens import n_tokens

    rows = SourceDocument.objects.filter(project=project, n_tokens__isnull=True).order_by("pk")
    ids = list(rows.values_list("pk", flat=True))
    progress.set(n_done, n_done + len(ids))
    for start in range(0, len(ids), TOKEN_BATCH):
        progress.checkpoint()
        texts = SourceText.objects.filter(document_id__in=ids[start : start + TOKEN_BATCH])
        counted = [
            SourceDocument(pk=text.pk, n_tokens=sum(n_tokens(segment["text"]) for segment in text.segments))
            for text in texts
        ]
        with write_transaction():
            SourceDocument.objects.bulk_update(counted, ["n_tokens"])
        counts["sources"] += len(counted)
        counts["tokens"] += sum(row.n_tokens or 0 for row in counted)
        progress.advance(len(counted))


@register_handler(
    "count_tokens",
    gettext_lazy("Count tokens"),
    queue="text",
    background=True,
    takes_turns=True,
    page="documents",
    kept=gettext_lazy("What is counted stays; the rest is counted with the next measuring."),
)
def run_counting(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    return dict(count_tokens(project=job.project, progress=progress))
