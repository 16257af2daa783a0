"""Read-only links to the report of an unblinded round: a secret address that expires and can be closed.

The secret is in the address only; the database stores its SHA-256. Who has the address can read the report as it was
calculated last, without the table about single raters and without decisions on single items. A link can be made only
once the round is unblinded, so that it shows no rater of the round anything that the team could still hide.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb
from annotation.services.accounts.api_tokens import hash_token
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.people.invitations import Closed, new_secret
from annotation.transactions import write_transaction
from epitome.reports.build import STAFF_ONLY
from evaluation.models import ReportLink, Round, RoundState
from evaluation.services.reports.report_jobs import check_unblinded

DAYS = (7, 30, 90, 366)
"""For how long a link can be valid."""


def make_link(*, round_: Round, name: str, days: int, by: AbstractBaseUser) -> tuple[ReportLink, str]:
    """Create a link; returns the row and the secret of its address, which is not stored. Raises BadInput, or Conflict
    for a blind round."""
    check_unblinded(round_)
    if not name.strip() or len(name) > 100:
        raise BadInput(_("Describe who the link is for in 1 to 100 characters."), field="name")
    if days not in DAYS:
        raise BadInput(_("Choose how long the link is valid."), field="days")
    plain = new_secret()
    with write_transaction():
        row = ReportLink.objects.create(
            round=round_,
            name=name.strip(),
            digest=hash_token(plain),
            expires_at=timezone.now() + timedelta(days=days),
            created_by_id=by.pk,
        )
        _record(row, by, AuditVerb.REPORT_LINK_MAKE, round=str(round_.public_id), days=days)
    return row, plain


def revoke_link(*, link: ReportLink, by: AbstractBaseUser) -> None:
    """Close a link at once. Idempotent."""
    with write_transaction():
        if ReportLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
            _record(link, by, AuditVerb.REPORT_LINK_REVOKE, round=str(link.round.public_id))


def _record(link: ReportLink, by: AbstractBaseUser, verb: AuditVerb, **detail: Any) -> None:
    target = f"report_link:{link.public_id}"
    audit.record_event(project=link.round.project, actor=by, verb=verb, target=target, **detail)


def list_links(round_: Round) -> list[ReportLink]:
    """The newest first."""
    return list(round_.report_links.select_related("created_by").order_by("-pk"))


def why_closed(link: ReportLink) -> str:
    """revoked | expired, or "" while it is open."""
    if link.revoked_at is not None:
        return "revoked"
    return "expired" if link.expires_at <= timezone.now() else ""


def find_open_link(plain: str) -> ReportLink:
    """The link of a secret with its round and project. Raises NotFound for an unknown secret, Closed for a link that
    has expired or was closed."""
    links = ReportLink.objects.select_related("round__project")
    link = links.filter(digest=hash_token(plain), round__state=RoundState.UNBLINDED).first()
    if link is None:
        raise NotFound(_("This link is not valid. Check that you copied all of it."))
    if reason := why_closed(link):
        message = {
            "revoked": _("The team has closed this link. Ask them for a new one."),
            "expired": _("This link has expired. Ask the team for a new one."),
        }[reason]
        raise Closed(message, code=reason)
    return link


def public_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """The stored report without what is for the team only."""
    tables = [table for table in report["tables"] if table["key"] not in STAFF_ONLY]
    figures = {key: charts for key, charts in report["figures"].items() if key not in STAFF_ONLY}
    return {**report, "tables": tables, "figures": figures, "decisions": []}
