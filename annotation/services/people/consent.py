"""The consent page of people who come by a crowd link: versions, and who agreed to which when.

A new version is asked of everybody again: nobody gets a new task before agreeing to it; claimed tasks can be finished.
"""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, ConsentAgreement, ConsentVersion, CrowdWorker, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.prepared_queries import Param
from annotation.services.core.retry import retry_on_contention
from annotation.transactions import write_transaction

MAX_PURPOSE = 2_000
MAX_TEXT = 20_000
CONSENT = "consent"
"""The reason of a claim without a task."""


def find_current(project: Project) -> ConsentVersion | None:
    """The version in force; None where people are asked for nothing."""
    return ConsentVersion.objects.filter(project=project).order_by("-number").first()


def is_due(project: int | Param, user: int | Param) -> Exists:
    """Whether this person must agree to a version first; a subquery for the claim's query."""
    return Exists(CrowdWorker.objects.filter(project=project, user=user, consent_due=True))


@retry_on_contention(unique_keys=True)
def publish_version(*, project: Project, purpose: str, text: str, by: AbstractBaseUser | None) -> ConsentVersion:
    """Publish the next version, which everybody is asked to agree to. Raises BadInput for an empty or long text, and
    for one that changes nothing."""
    purpose, text = purpose.strip(), text.replace("\r\n", "\n").strip()
    for field, value, max_length in (("purpose", purpose, MAX_PURPOSE), ("text", text, MAX_TEXT)):
        if not value or len(value) > max_length:
            raise BadInput(_("Write 1 to %(most)d characters.") % {"most": max_length}, field=field)
    with write_transaction():
        Project.objects.select_for_update().only("pk").get(pk=project.pk)
        current = find_current(project)
        if current is not None and (current.purpose, current.text) == (purpose, text):
            raise BadInput(_("This is the version in force already."), field="text", code="same")
        number = current.number + 1 if current is not None else 1
        values = {"purpose": purpose, "text": text, "created_by_id": by.pk if by else None}
        version = ConsentVersion.objects.create(project=project, number=number, created_at=timezone.now(), **values)
        CrowdWorker.objects.filter(project=project).update(consent_due=True)
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.CONSENT_PUBLISH, target=f"consent:{number}", number=number
        )
    return version


def check_agreed(project: Project, number: int | None) -> ConsentVersion | None:
    """The version in force, if it is the one agreed to. Raises Conflict (code consent) for another or none."""
    current = find_current(project)
    if current is not None and number != current.number:
        message = _("Please read and agree to the consent page first.")
        if number is not None:
            message = _("The consent page has changed. Please read it again.")
        raise Conflict(message, code=CONSENT)
    return current


def store_agreement(worker: CrowdWorker, version: ConsentVersion) -> None:
    """Store an agreement; must run in a transaction. Idempotent."""
    _row, created = ConsentAgreement.objects.get_or_create(
        version=version, worker=worker, defaults={"agreed_at": timezone.now()}
    )
    CrowdWorker.objects.filter(pk=worker.pk).update(consent_due=False)
    if created:
        target, number = f"consent:{version.number}", version.number
        audit.record_event(
            project=worker.project, actor=worker.user, verb=AuditVerb.CONSENT_AGREE, target=target, number=number
        )


@retry_on_contention(unique_keys=True)
def agree(*, project: Project, user: AbstractBaseUser, number: int) -> None:
    """Record that a person of a crowd link agreed to a version. Raises NotFound for other people, Conflict for a
    version that is not in force any more."""
    with write_transaction():
        worker = CrowdWorker.objects.select_for_update().filter(project=project, user=user.pk).first()
        if worker is None:
            raise NotFound()
        version = check_agreed(project, number)
        if version is not None:
            store_agreement(worker, version)
