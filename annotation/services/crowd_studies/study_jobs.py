"""The jobs that call Prolific."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import BonusBatch, CrowdStudy, CrowdSubmission, Job
from annotation.services.crowd_studies import bonuses, studies, submissions
from annotation.services.crowd_studies.prolific import PlatformError


def _find_study(job: Job) -> CrowdStudy:
    rows = CrowdStudy.objects.select_related("project", "link")
    study = rows.filter(pk=job.arguments["study"], project=job.project_id).first()
    if study is None:
        raise JobRefused(_("The study was deleted."))
    return study


@register_handler(studies.STUDY_JOB, gettext_lazy("Call Prolific about a study"), page="crowd-links", kept="")
def run_study_job(job: Job, progress: Progress) -> dict[str, Any]:
    study, do = _find_study(job), job.arguments["do"]
    n_submissions = study.submissions.count()
    try:
        if do == "create":
            studies.draft_on_platform(study, job.arguments["base"])
        elif do == "publish":
            studies.publish_on_platform(study, job.requested_by)
        else:
            n_submissions = studies.read_from_platform(study)
    except PlatformError as error:
        CrowdStudy.objects.filter(pk=study.pk).update(error=error.message[:500])
        raise JobRefused(error.message) from error
    return {"status": study.status, "submissions": n_submissions}


@register_handler(
    submissions.DECISION_JOB, gettext_lazy("Decide about submissions on Prolific"), page="crowd-links", kept=""
)
def run_decisions(job: Job, progress: Progress) -> dict[str, Any]:
    """A second run leaves out what the first has decided: only submissions that wait for a review are taken."""
    study = _find_study(job)
    rows = CrowdSubmission.objects.filter(study=study, pk__in=job.arguments["submissions"])
    waiting = list(rows.filter(status=submissions.AWAITING).order_by("pk"))
    refused = 0
    for row in waiting:
        progress.check()
        row.study = study
        refused += not submissions.decide_submission(
            row,
            do=job.arguments["do"],
            reason=job.arguments.get("reason", ""),
            category=job.arguments.get("category", ""),
            by=job.requested_by,
        )
    return {"decided": len(waiting) - refused, "refused": refused}


@register_handler(bonuses.BONUS_JOB, gettext_lazy("Send bonus payments to Prolific"), page="crowd-links", kept="")
def run_bonuses(job: Job, progress: Progress) -> dict[str, Any]:
    """Every run begins where the stored state of the batch says."""
    rows = BonusBatch.objects.select_related("study__project", "study__link")
    batch = rows.filter(pk=job.arguments["batch"], study__project=job.project_id).first()
    if batch is None:
        raise JobRefused(_("The payments were deleted."))
    try:
        bonuses.send_batch(batch, job.requested_by)
    except PlatformError as error:
        BonusBatch.objects.filter(pk=batch.pk).update(error=error.message[:500])
        raise JobRefused(error.message) from error
    return {"state": str(batch.get_state_display())}
