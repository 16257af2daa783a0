"""Scoring stored summaries, in batches that are safe to run twice.

Submitting neither waits for scoring nor starts it: a sweeper finds the summaries that have no scores of the current
signatures and queues one job per project.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, create_job, register_handler, register_sweeper
from annotation.models import Job, JobState, Project, SchemaVersion
from annotation.services.core.errors import BadInput
from annotation.services.core.job_start import start_job
from annotation.services.scores.measure_batches import SCORED_TEXTS, Scorer, Texts, unscored_texts
from annotation.services.scores.score_queries import Scored, current_signatures, latest_scores, measured_keys
from annotation.services.scores.token_counts import add_token_counts
from annotation.transactions import write_transaction
from epitome.text.pipeline import PipelineNotFound

if TYPE_CHECKING:
    from epitome.measures import Tagger

__all__ = ["Scored", "current_signatures", "latest_scores", "measured_keys", "score_project", "start_scoring"]

KIND = "score"
BATCH = 32
"""Texts, measured in about a second: a waiting import starts after the batch at work."""
PASSES = 5
"""How often a run looks for texts that arrived while it was scoring."""
TRY_AGAIN = timedelta(hours=1)
"""How long the sweeper waits before it restarts a scoring job that was refused, failed or cancelled."""


def score_project(
    *, project: Project, progress: Progress | None = None, tagger: "Tagger | None" = None
) -> dict[str, Any]:
    """Measure every text that lacks a score of a current signature; returns counts and the signatures.

    Stored batch by batch, each batch atomically. Raises BadInput, before anything is stored, when the tagger of
    the settings cannot be used.
    """
    progress = progress or NoProgress()
    zeros = dict.fromkeys(("scores", "undefined", "sources", "tokens", *(t.counted for t in SCORED_TEXTS)), 0)
    counts = progress.carry({**zeros, "signatures": {}})
    n_checked = sum(counts[texts.counted] for texts in SCORED_TEXTS)
    for version in SchemaVersion.objects.filter(project=project).order_by("number"):
        for texts in SCORED_TEXTS:
            scorer = Scorer(project, version, tagger, texts)
            counts["signatures"][str(version.number)] = scorer.signatures
            n_checked = _score_texts(scorer, counts, n_checked, progress)
            tagger = scorer.tagger
    add_token_counts(project, counts, n_checked + counts["sources"], progress)
    return counts


def _score_texts(scorer: Scorer, counts: dict[str, Any], n_checked: int, progress: Progress) -> int:
    """Score all texts of one kind and version; returns the running total of texts checked."""
    for _pass in range(PASSES):
        ids = scorer.to_do()
        if not ids:
            break
        progress.set(n_checked, n_checked + len(ids))
        for start in range(0, len(ids), BATCH):
            progress.checkpoint()
            for name, n in scorer.score(ids[start : start + BATCH]).items():
                counts[name] += n
            n_checked += min(BATCH, len(ids) - start)
            progress.set(n_checked)
    return n_checked


def start_scoring(*, project: Project, by: AbstractBaseUser | None, automatic: bool = False) -> Job:
    """Queue the scoring of a project; returns the job that waits or runs already, if any.

    automatic: not started by a person; finished automatic jobs are deleted first, so that only one stays in the list.
    """
    with write_transaction():
        # A concurrent start waits for this lock and then finds the job.
        list(Project.objects.select_for_update(no_key=True).filter(pk=project.pk).values_list("pk"))
        jobs = Job.objects.filter(project=project, kind=KIND)
        waiting = jobs.under_way().order_by("pk").first()
        if waiting is not None:
            return waiting
        if automatic:
            jobs.done().filter(arguments__automatic=True).delete()
            return create_job(kind=KIND, project=project, by=None, arguments={"automatic": True})
        return start_job(kind=KIND, project=project, by=by)


@register_handler(
    KIND,
    gettext_lazy("Measure summaries"),
    queue="text",
    background=True,
    takes_turns=True,
    page="statistics",
    kept=gettext_lazy("What is measured stays; the rest is measured an hour later."),
)
def run_scoring(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        return score_project(project=job.project, progress=progress)
    except BadInput as error:
        raise JobRefused(error.message) from error


complete_marks: dict[tuple[int, str], tuple[frozenset[str], int]] = {}
"""(project, kind of texts) -> (signatures, mark): up to this mark this process found no score missing."""


@register_sweeper
def start_missing_scoring() -> int:
    """Queue a job for every project with texts that lack scores; returns how many."""
    started = 0
    has = {f"has_{texts.kind}": Exists(texts.of_outer()) for texts in SCORED_TEXTS}
    for project in Project.objects.filter(archived_at=None).annotate(**has):
        present_texts = [texts for texts in SCORED_TEXTS if getattr(project, f"has_{texts.kind}")]
        if present_texts and _project_lacks_scores(project, present_texts) and not _failed_lately(project):
            start_scoring(project=project, by=None, automatic=True)
            started += 1
    return started


def _project_lacks_scores(project: Project, kinds: list[Texts]) -> bool:
    """Whether any text lacks scores; texts that this process has found complete are not checked again."""
    versions = list(project.schema_versions.all())
    try:
        signatures_by_version = {
            version: list(current_signatures(project, version.schema, strict=True).values()) for version in versions
        }
    except PipelineNotFound:
        return True  # the job will say so, in words
    return any(_texts_lack_scores(texts, project, signatures_by_version) for texts in kinds)


def _texts_lack_scores(texts: Texts, project: Project, signatures_by_version: dict[SchemaVersion, list[str]]) -> bool:
    """Whether texts of one kind lack any of the wanted signatures."""
    now = frozenset(name for names in signatures_by_version.values() for name in names)
    known, last_mark = complete_marks.get((project.pk, texts.kind), (now, 0))
    new = texts.since(project, last_mark) if known == now else Q()
    if new is None:
        return False
    mark = texts.mark(project)
    for version, signatures in signatures_by_version.items():
        if signatures and unscored_texts(texts, version, signatures).filter(new).exists():
            return True
    complete_marks[project.pk, texts.kind] = (now, mark)
    return False


def _failed_lately(project: Project) -> bool:
    last = Job.objects.filter(project=project, kind=KIND).order_by("-pk").first()
    if last is None or last.state not in (*JobState.UNSUCCESSFUL, JobState.CANCELLED):
        return False
    return last.finished_at is not None and last.finished_at > timezone.now() - TRY_AGAIN
