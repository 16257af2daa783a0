"""The gate before the first task: the current guideline must be read, confirmed and signed.

The gate is open if the user has confirmed a version at least as new as the newest change of rules. A change of wording
requests a confirmation too, but does not block work.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Assignment, AuditVerb, GuidelineReading, GuidelineVersion, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, ServiceError
from annotation.services.core.prepared_queries import Param
from annotation.transactions import write_transaction


class Closed(ServiceError):
    """The guideline in force has not been confirmed."""

    status = 403


def closed_error(project: Project) -> Closed:
    """The error for a closed gate, with the link to the guideline page."""
    return Closed(
        _("Read and confirm the guideline before you continue."),
        code="gate",
        link=reverse("gate", args=[project.front.slug]),
    )


def statement_text(project: Project) -> str:
    """The statement to sign about what the project's people write, in the reader's language."""
    if get_task_kind(project.kind, has_sample=True).noun[0] == "summary":
        return _(
            "I write every summary of this project myself, from the source that is shown, "
            "and have no program write or rewrite it for me."
        )
    return _(
        "I write every answer of this project myself, from the text that is shown, "
        "and have no program write or rewrite it for me."
    )


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def passed_versions(project: int | Param, user: int | Param) -> QuerySet[GuidelineVersion, Any]:
    """The versions that open the gate for a user, newest first: confirmed, and without a later change of rules."""
    versions = GuidelineVersion.objects.filter(project=_guideline_project(project))
    rules = versions.filter(change="rule").order_by("-number").values("number")[:1]
    return versions.filter(readings__user=user, number__gte=Subquery(rules)).order_by("-number")


def _guideline_project(project: int | Param) -> Subquery:
    """The project whose guideline applies: a pilot has none of its own."""
    return Subquery(Project.objects.filter(pk=project).values(found=Coalesce("pilot_of", "pk"))[:1])


def version_passed(*, project: int, user: int) -> int | None:
    """The key of the confirmed version this user works under; None: the gate is closed."""
    return passed_versions(project, user).values_list("pk", flat=True).first()


@dataclass(frozen=True, slots=True)
class Gate:
    """State of the gate for one user.

    must: no new claim before the current version is confirmed. asks: a confirmation is missing (must, or wording
    only). confirmed_version: the newest version this user confirmed, if any. allows_record: the answer given then.
    """

    version: GuidelineVersion
    confirmed_version: GuidelineVersion | None
    confirmed_at: datetime | None
    allows_record: bool
    must: bool

    @property
    def asks(self) -> bool:
        return self.confirmed_version is None or self.confirmed_version.pk != self.version.pk


def gate_for(project: Project, user: AbstractBaseUser) -> Gate:
    version = GuidelineVersion.objects.filter(project=project).order_by("-number")[0]
    readings = GuidelineReading.objects.filter(project=project, user_id=user.pk).select_related("version")
    last = readings.order_by("-version__number").first()
    must = version_passed(project=project.pk, user=user.pk) is None
    if last is None:
        return Gate(version, None, None, False, must)
    return Gate(version, last.version, last.confirmed_at, last.consent, must)


def changes_since(gate: Gate) -> list[GuidelineVersion]:
    """The versions published after the one this user confirmed; [] for a new user."""
    if gate.confirmed_version is None:
        return []
    rows = GuidelineVersion.objects.filter(project_id=gate.version.project_id, number__gt=gate.confirmed_version.number)
    return list(rows.order_by("number"))


def confirm_guideline(
    *, project: Project, user: AbstractBaseUser, number: int, statement_hash: str, allows_record: bool
) -> GuidelineReading:
    """Store that this user read a version and signed the statement. Idempotent.

    allows_record: whether the person agreed to the authorship record; `consent` in the API and in the table.

    Raises Conflict (code `stale`) if a newer version exists; BadInput if another statement was signed.
    """
    if statement_hash != hash_of(statement_text(project)):
        raise BadInput(_("Sign the statement exactly as shown."), field="statement")
    with write_transaction():
        Project.objects.select_for_update().only("pk").get(pk=project.pk)
        version = GuidelineVersion.objects.filter(project=project).order_by("-number")[0]
        if version.number != number:
            raise Conflict(
                _("Version %(n)d was published while you were reading. Read the changes and confirm it.")
                % {"n": version.number},
                code="stale",
                version=version.number,
            )
        reading, created = GuidelineReading.objects.get_or_create(
            user_id=user.pk,
            version=version,
            defaults={
                "project": project,
                "statement_hash": statement_hash,
                "consent": allows_record,
                "confirmed_at": timezone.now(),
            },
        )
        if created:
            audit.record_event(
                project=project,
                actor=user,
                verb=AuditVerb.GUIDELINE_READ,
                target=f"guideline:{version.number}",
                statement=statement_hash[:12],
                consent=allows_record,
            )
    return reading


def latest_record_choice(project: Any, user: Any) -> QuerySet[GuidelineReading, Any]:
    """The latest answer about the record, as a query of one value; for a subquery, or for `allows_record`."""
    rows = GuidelineReading.objects.filter(project=project, user=user).order_by("-version__number")
    return rows.values("consent")[:1]


def writer_allows_record(assignment: Assignment) -> bool:
    """Whether the writer of this attempt agreed to the authorship record; no query if the attempt was loaded by
    annotation.services.tasks.assignments."""
    if hasattr(assignment, "allows_record"):
        return bool(assignment.allows_record)
    return allows_record(assignment.project, assignment.annotator)


def allows_record(project: Project, user: AbstractBaseUser) -> bool:
    """Whether this user's latest answer agrees to the authorship record."""
    return any(row["consent"] for row in latest_record_choice(project.front, user.pk))
