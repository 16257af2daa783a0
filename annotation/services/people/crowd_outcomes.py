"""How the participation of people of crowd links goes and ends: progress, the three codes, pay."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, CrowdLink, CrowdOutcome, CrowdWorker, Project, Role
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.kind_words import name_finished
from annotation.services.people import quotas
from annotation.services.people.crowd_links import check_return_url
from annotation.services.people.crowd_roles import CROWD_ROLES
from annotation.services.people.pay import format_amount
from annotation.transactions import write_transaction


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """Progress of a worker: submitted tasks and the number of tasks to do."""

    worker: CrowdWorker
    done: int
    tasks: int

    @property
    def is_complete(self) -> bool:
        return self.done >= self.tasks

    @property
    def outcome(self) -> str:
        """How the participation ended, of CrowdOutcome; "" while there is something to do."""
        return CrowdOutcome.COMPLETE.value if self.is_complete else self.worker.outcome

    @property
    def code(self) -> str:
        """The code to enter on the platform; "" while there is something to do."""
        link = self.worker.link
        codes = {
            CrowdOutcome.COMPLETE.value: link.code,
            CrowdOutcome.SCREENED_OUT.value: link.code_screened_out,
            CrowdOutcome.NO_WORK.value: link.code_no_work,
        }
        return codes.get(self.outcome, "")


def worker_progress(project: Project, user: AbstractBaseUser) -> WorkerProgress | None:
    """Progress of a crowd worker; None for other users."""
    worker = (
        CrowdWorker.objects.select_related("link", "user", "project").filter(project=project, user_id=user.pk).first()
    )
    if worker is None:
        return None
    limits = quotas.participation_of(project, user)
    tasks = limits.max_tasks if limits is not None and limits.max_tasks is not None else worker.link.tasks
    return WorkerProgress(worker, CROWD_ROLES[worker.link.role].count_done(worker), tasks)


OUTCOME_VERBS = {
    CrowdOutcome.COMPLETE: AuditVerb.CROWD_COMPLETE,
    CrowdOutcome.SCREENED_OUT: AuditVerb.CROWD_SCREENED_OUT,
    CrowdOutcome.NO_WORK: AuditVerb.CROWD_NO_WORK,
}


def note_completed(standing: WorkerProgress) -> None:
    """Store when a worker first requested the completion code. Idempotent."""
    if standing.is_complete:
        note_outcome(standing, CrowdOutcome.COMPLETE)


def note_outcome(standing: WorkerProgress, outcome: CrowdOutcome) -> None:
    """Store how a participation ended, and when its code was first requested. A completed participation stays complete;
    idempotent otherwise too."""
    worker = standing.worker
    if standing.is_complete:
        outcome = CrowdOutcome.COMPLETE
    with write_transaction():
        rows = CrowdWorker.objects.filter(pk=worker.pk).exclude(outcome__in=[outcome, CrowdOutcome.COMPLETE])
        if not rows.update(outcome=outcome, completed_at=Coalesce("completed_at", Now())):
            return
        worker.outcome = outcome.value
        audit.record_event(
            project=worker.project,
            actor=worker.user,
            verb=OUTCOME_VERBS[outcome],
            target=f"crowd_link:{worker.link.public_id}",
            tasks=standing.done,
        )


def describe_pay(link: CrowdLink) -> str:
    """What people of a link are paid, in words; "" where nothing is shown."""
    if link.pay_amount is None:
        target = CROWD_ROLES[link.role].find_target(link)
        return target.pay if target is not None else ""
    amount = format_amount(link.pay_currency, link.pay_amount)
    if link.role == Role.ANNOTATOR:
        return _("%(amount)s per %(noun)s") % {"amount": amount, "noun": name_finished(link.project.kind)}
    return _("%(amount)s per item") % {"amount": amount}


def return_url(link: CrowdLink) -> str:
    """The return URL, if the settings still list its host."""
    try:
        check_return_url(link.return_url)
    except BadInput:
        return ""
    return link.return_url
