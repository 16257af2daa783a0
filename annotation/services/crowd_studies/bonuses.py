"""Bonus payments: what the ledger says was earned beyond the rewards, sent once.

The platform's call that pays is not repeatable: sent twice, it pays twice. So `sending` is stored before it, each run
finds that and does not send again, and a lost answer is settled by reading the bonuses that the platform lists.
"""

from collections import Counter
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, BonusBatch, BonusPayment, BonusState, CrowdOutcome, CrowdStudy, CrowdSubmission
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.job_start import start_job
from annotation.services.crowd_studies import prolific
from annotation.services.crowd_studies.money import decimal_text, earned
from annotation.services.crowd_studies.submissions import APPROVED
from annotation.services.staff.ledger import build_ledger
from annotation.services.staff.release_and_void import ALWAYS
from annotation.transactions import write_transaction

BONUS_JOB = "prolific_bonus"
SETTLED_AFTER = timedelta(hours=1)
"""The platform pays within minutes of the call; a bonus that it does not list after this was not paid."""


class Proposal(NamedTuple):
    """A bonus that could be paid. earned, paid, amount: in cents or pence; paid: rewards and bonuses so far."""

    submission: CrowdSubmission
    minutes: float
    earned: int
    paid: int

    @property
    def amount(self) -> int:
        return self.earned - self.paid


def find_obstacle(study: CrowdStudy) -> str:
    """Why no bonus can be proposed, in words; "" if some can."""
    project = study.project
    if study.link.role != "annotator":
        return _("The ledger has no times of raters.")
    if project.pay_per_hour is None or project.pay_currency != study.currency:
        return _("The project has no pay per hour in %(currency)s.") % {"currency": study.currency}
    if study.bonus_batches.filter(state__in=BonusState.OPEN).exists():
        return _("Bonus payments of this study are not settled yet.")
    return ""


def propose_bonuses(study: CrowdStudy) -> list[Proposal]:
    """One for each approved submission of a participant who completed the tasks and earned more than was paid."""
    if find_obstacle(study):
        return []
    rate = study.project.pay_per_hour or 0.0
    rows = study.submissions.filter(status=APPROVED, bonus=None, worker__outcome=CrowdOutcome.COMPLETE)
    newest = {row.worker_id: row for row in rows.select_related("worker__user").order_by("pk")}
    lines = build_ledger(study.project, ALWAYS)
    proposals = []
    for submission in newest.values():
        line = lines.get(("", submission.worker.user_id))  # type: ignore[union-attr]
        if line is not None and line.minutes:
            paid = _count_paid(submission)
            proposals.append(Proposal(submission, line.minutes, earned(line.minutes, rate), paid))
    return [proposal for proposal in proposals if proposal.amount > 0]


def _count_paid(submission: CrowdSubmission) -> int:
    """Rewards and bonuses of the participant in all studies of the project, in the currency of this one."""
    study = submission.study
    own = CrowdSubmission.objects.filter(worker=submission.worker_id, study__currency=study.currency)
    rewards = own.filter(status=APPROVED).aggregate(all=Sum("study__reward"))["all"] or 0
    bonuses = BonusPayment.objects.filter(submission__in=own).aggregate(all=Sum("amount"))["all"] or 0
    return int(rewards + bonuses)


def prepare_bonuses(*, study: CrowdStudy, expect: int, by: AbstractBaseUser) -> BonusBatch:
    """Store a batch with all proposals and start the job that sends it.

    expect: the total that was shown. Raises Conflict (code `changed`) where it is another by now, BadInput.
    """
    with write_transaction():
        list(CrowdStudy.objects.select_for_update().filter(pk=study.pk).values_list("pk"))
        if obstacle := find_obstacle(study):
            raise BadInput(obstacle)
        proposals = propose_bonuses(study)
        total = sum(proposal.amount for proposal in proposals)
        if not proposals or total != expect:
            raise Conflict(_("The bonuses have changed. Check them again."), code="changed")
        batch = BonusBatch.objects.create(study=study, created_by_id=by.pk)
        BonusPayment.objects.bulk_create(
            BonusPayment(batch=batch, submission=row.submission, amount=row.amount, minutes=row.minutes)
            for row in proposals
        )
        _record(batch, by, AuditVerb.BONUS_PREPARE, n=len(proposals), total=total, currency=study.currency)
        _start_job(batch, by)
    return batch


def _start_job(batch: BonusBatch, by: AbstractBaseUser) -> None:
    arguments = {"study": batch.study_id, "batch": batch.pk}
    start_job(kind=BONUS_JOB, project=batch.study.project, by=by, arguments=arguments)


def find_batch(study: CrowdStudy, public_id: Any) -> BonusBatch:
    """Raises NotFound."""
    batch = study.bonus_batches.filter(public_id=public_id).first()
    if batch is None:
        raise NotFound()
    batch.study = study
    return batch


def send_batch(batch: BonusBatch, by: AbstractBaseUser | None) -> None:
    """Set the payments up and pay them, from wherever an earlier run ended. Raises a PlatformError where a later run
    may go on."""
    if batch.state == BonusState.PREPARED:
        _set_up(batch)
    if batch.state == BonusState.SET_UP:
        _pay(batch, by)
    elif batch.state == BonusState.SENDING:  # a run ended within the call
        _move(batch, (BonusState.SENDING,), BonusState.UNCERTAIN, _("The answer of Prolific was lost."))
    elif batch.state in (BonusState.UNCERTAIN, BonusState.SENT):
        settle_batch(batch)


def _set_up(batch: BonusBatch) -> None:
    """Send the amounts to the platform; this pays nothing, so that it may be repeated."""
    payments = list(batch.payments.select_related("submission").order_by("pk"))
    for payment in payments:
        payment.paid_before = list(prolific.fetch_submission(payment.submission.platform_id).bonuses)
    lines = "\n".join(f"{row.submission.platform_id},{decimal_text(row.amount)}" for row in payments)
    body = {"study_id": batch.study.platform_id, "csv_bonuses": lines}
    try:
        answer = prolific.call_platform("POST", "submissions/bonus-payments/", body)
    except prolific.Refused as error:
        _drop(batch, (BonusState.PREPARED,), error.message)
        return
    if not isinstance(answer, dict) or not answer.get("id"):
        raise prolific.Unsure(_("Prolific's answer could not be read."))
    with write_transaction():
        prepared = BonusBatch.objects.filter(pk=batch.pk, state=BonusState.PREPARED)
        if prepared.update(state=BonusState.SET_UP, platform_id=str(answer["id"])[:60], error=""):
            BonusPayment.objects.bulk_update(payments, ["paid_before"])
    batch.refresh_from_db()


def _pay(batch: BonusBatch, by: AbstractBaseUser | None) -> None:
    """The one call that pays. Only who moved the batch to `sending` makes it."""
    with write_transaction():
        waiting = BonusBatch.objects.filter(pk=batch.pk, state=BonusState.SET_UP)
        if not waiting.update(state=BonusState.SENDING, sent_at=timezone.now(), checked_at=None, error=""):
            return
        _record(batch, by, AuditVerb.BONUS_SEND)
    open_states = (BonusState.SENDING, BonusState.UNCERTAIN)
    try:
        prolific.call_platform("POST", f"bulk-bonus-payments/{batch.platform_id}/pay/")
    except prolific.Refused as error:
        _drop(batch, open_states, error.message)
    except prolific.Unreached as error:
        _move(batch, (BonusState.SENDING,), BonusState.SET_UP, error.message)
        raise
    except prolific.Unsure as error:
        _move(batch, (BonusState.SENDING,), BonusState.UNCERTAIN, error.message)
    else:
        _move(batch, open_states, BonusState.SENT, "")


def _move(batch: BonusBatch, before: tuple[BonusState, ...], state: BonusState, error: str) -> None:
    with write_transaction():
        BonusBatch.objects.filter(pk=batch.pk, state__in=before).update(state=state, error=error[:500])
    batch.refresh_from_db()


def _drop(batch: BonusBatch, before: tuple[BonusState, ...], error: str) -> bool:
    """End a batch of which nothing was paid: its payments can be proposed again."""
    with write_transaction():
        rows = BonusBatch.objects.filter(pk=batch.pk, state__in=before)
        if not rows.update(state=BonusState.REFUSED, error=error[:500]):
            return False
        batch.payments.all().delete()
    batch.refresh_from_db()
    return True


def settle_batch(batch: BonusBatch) -> None:
    """Read the bonuses that the platform lists; the batch is paid once it lists all of them."""
    for payment in batch.payments.filter(confirmed_at=None).select_related("submission"):
        listed = Counter(prolific.fetch_submission(payment.submission.platform_id).bonuses)
        if listed[payment.amount] > Counter(payment.paid_before)[payment.amount]:
            payment.confirmed_at = timezone.now()
            with write_transaction():
                payment.save(update_fields=["confirmed_at"])
    with write_transaction():
        rows = BonusBatch.objects.filter(pk=batch.pk, state__in=(BonusState.UNCERTAIN, BonusState.SENT))
        if batch.payments.filter(confirmed_at=None).exists():
            rows.update(checked_at=timezone.now())
        else:
            rows.update(state=BonusState.PAID, checked_at=timezone.now(), error="")
    batch.refresh_from_db()


def why_not_again(batch: BonusBatch) -> str:
    """Why an unclear batch cannot be sent again, in words; "" where the platform shows that it was not paid."""
    if batch.state != BonusState.UNCERTAIN:
        return _("Only unclear payments can be sent again.")
    if batch.payments.exclude(confirmed_at=None).exists():
        return _("Prolific lists some of these bonuses. Settle the others there by hand.")
    if batch.sent_at is None or batch.checked_at is None or batch.checked_at < batch.sent_at + SETTLED_AFTER:
        return _("Read the bonuses from Prolific again one hour after the call: a payment takes some minutes.")
    return ""


def send_again(*, batch: BonusBatch, by: AbstractBaseUser) -> None:
    """Send an unclear batch that the platform has not paid. Raises Conflict with the reason why not."""
    with write_transaction():
        if reason := why_not_again(batch):
            raise Conflict(reason)
        if not BonusBatch.objects.filter(pk=batch.pk, state=BonusState.UNCERTAIN).update(state=BonusState.SET_UP):
            raise Conflict(_("Only unclear payments can be sent again."))
        _record(batch, by, AuditVerb.BONUS_ALLOW)
        _start_job(batch, by)


def go_on(*, batch: BonusBatch, by: AbstractBaseUser) -> None:
    """Queue the next step of a batch: sending what was not sent, or reading its result."""
    if batch.state in (BonusState.PAID, BonusState.REFUSED):
        raise Conflict(_("These payments are settled."))
    _start_job(batch, by)


def cancel_batch(*, batch: BonusBatch, by: AbstractBaseUser) -> None:
    """End a batch that was not sent. Raises Conflict."""
    with write_transaction():
        if not _drop(batch, (BonusState.PREPARED, BonusState.SET_UP), _("Cancelled before it was sent.")):
            raise Conflict(_("These payments were sent already."))
        _record(batch, by, AuditVerb.BONUS_CANCEL)


def _record(batch: BonusBatch, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    study = batch.study
    audit.record_event(project=study.project, actor=by, verb=verb, target=f"crowd_study:{study.public_id}", **detail)
