"""Crowd participation links: a visitor with an external id in the URL gets an account limited to one project.

The id identifies the account, and every worker of the study knows the URL of the link. So anybody who guesses an id can
continue that worker's tasks. Ids of platforms are long and random; if yours are not, require signed ids: the URL then
carries HMAC-SHA256(key of the link, id), which only the platform's server can compute. Such an account can only access
its own tasks in this project, whatever roles it is given.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, CrowdLink, CrowdWorker, Membership, Project
from annotation.services.accounts import sign_in_throttle
from annotation.services.accounts.api_tokens import hash_token
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound, TooMany
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.services.people import consent, quotas
from annotation.services.people.crowd_roles import CROWD_ROLES
from annotation.services.people.invitations import Closed, checked_link, count_use, new_secret, why_closed
from annotation.services.people.pay import check_pay
from annotation.transactions import write_transaction

PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
EXTERNAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@|+-]{0,119}")
CODE = re.compile(r"[\x21-\x7e]{4,60}")
SIGNATURE = "sig"
PARAMETERS = ("id_parameter", "study_parameter", "session_parameter")
MASKED = "withdrawn:"


@dataclass(frozen=True, slots=True)
class Visit:
    """Parameters of a visit: the worker's external id, study and session."""

    external_id: str
    study: str
    session: str


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What a crowd link is made with. tasks: of each person. days: until it expires. code, code_screened_out,
    code_no_work: a random one where empty. study: the only one that is accepted; any where empty. role, target: what
    people do, and where (of raters the round's public id). pay_amount: for each task; None where nothing is shown."""

    name: str
    tasks: int
    max_uses: int
    days: int = 30
    id_parameter: str = "PROLIFIC_PID"
    study_parameter: str = "STUDY_ID"
    session_parameter: str = "SESSION_ID"
    study: str = ""
    signed: bool = False
    code: str = ""
    return_url: str = ""
    role: str = "annotator"
    target: str = ""
    code_screened_out: str = ""
    code_no_work: str = ""
    pay_amount: Decimal | None = None
    pay_currency: str = ""


CODES = ("code", "code_screened_out", "code_no_work")


def make_link(*, project: Project, by: AbstractBaseUser | None, link_settings: LinkSettings) -> tuple[CrowdLink, str]:
    """Create a link; returns the row and the secret of its URL, which is shown once."""
    values = _check_settings(link_settings)
    plain = new_secret()
    with write_transaction():
        row = CrowdLink.objects.create(
            project=project, digest=hash_token(plain), created_by_id=by.pk if by else None, **values
        )
        CROWD_ROLES[row.role].attach(row, link_settings.target)
        detail = {
            "role": row.role,
            "people": link_settings.max_uses,
            "tasks": link_settings.tasks,
            "signed": link_settings.signed,
        }
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.CROWD_LINK_MAKE, target=f"crowd_link:{row.public_id}", **detail
        )
    return row, plain


def _check_settings(link_settings: LinkSettings) -> dict[str, Any]:
    """The columns of a new link. Raises BadInput."""
    values = checked_link(name=link_settings.name, max_uses=link_settings.max_uses, days=link_settings.days)
    if not 1 <= link_settings.tasks <= quotas.MOST_TASKS:
        raise BadInput(_("Each person must do at least one task."), field="tasks")
    parameters = {name: getattr(link_settings, name) for name in PARAMETERS}
    _check_parameters(parameters)
    study = link_settings.study
    if study and not (link_settings.study_parameter and EXTERNAL_ID.fullmatch(study)):
        raise BadInput(_("A study ID consists of letters and digits and needs its parameter."), field="study")
    if link_settings.role not in CROWD_ROLES:
        raise BadInput(_("People of a crowd link write summaries or rate."), field="role")
    check_pay(link_settings.pay_amount, link_settings.pay_currency)
    check_return_url(link_settings.return_url)
    return {
        **values,
        **parameters,
        **_make_codes(link_settings),
        "role": link_settings.role,
        "tasks": link_settings.tasks,
        "study": study,
        "signed": link_settings.signed,
        "return_url": link_settings.return_url,
        "pay_amount": link_settings.pay_amount,
        "pay_currency": link_settings.pay_currency,
    }


def _make_codes(link_settings: LinkSettings) -> dict[str, str]:
    """The three codes, random where none is given. Raises BadInput unless they differ."""
    codes: dict[str, str] = {}
    for field in CODES:
        codes[field] = getattr(link_settings, field).strip() or secrets.token_hex(4).upper()
        if not CODE.fullmatch(codes[field]):
            raise BadInput(_("A code has 4 to 60 visible characters without spaces."), field=field)
        if list(codes.values()).count(codes[field]) > 1:
            raise BadInput(_("Each outcome needs a code of its own."), field=field)
    return codes


def _check_parameters(names: Mapping[str, str]) -> None:
    used_names = [name for name in names.values() if name]
    for field, name in names.items():
        if (name or field == "id_parameter") and not PARAMETER.fullmatch(name):
            raise BadInput(_("A parameter starts with a letter, followed by letters, digits, _ . or -."), field=field)
        if name == SIGNATURE or used_names.count(name) > 1:
            raise BadInput(_("Every parameter needs a different name; sig is reserved."), field=field)


def check_return_url(url: str) -> None:
    """Accept only https URLs with a host listed in the settings. Raises BadInput."""
    if not url:
        return
    hosts = settings.EPITOME_CROWD_RETURN_HOSTS
    try:
        split_url = urlsplit(url)
        host = split_url.netloc
    except ValueError:
        host = ""
    plain = url.isascii() and url.isprintable() and not re.search(r"[\s\\\"'<>]", url) and len(url) <= 500
    if not plain or not host or split_url.scheme != "https" or host not in hosts:
        listed = join_names(hosts) or _("none yet; see EPITOME_CROWD_RETURN_HOSTS")
        raise BadInput(_("Use https and one of these hosts: %(list)s.") % {"list": listed}, field="return_url")


def find_link(plain: str) -> CrowdLink:
    """The link with its project. Raises NotFound for an unknown secret."""
    link = CrowdLink.objects.select_related("project").filter(digest=hash_token(plain)).first()
    if link is None:
        raise NotFound(_("This link is not valid. Go back to the study's page and open it from there."))
    return link


def signing_key(link: CrowdLink) -> str:
    """The link's key for signed ids, for the platform's server; derived from the site's secret, not stored."""
    return salted_hmac("annotation.crowd", str(link.public_id), algorithm="sha256").hexdigest()


def sign_external_id(link: CrowdLink, external_id: str) -> str:
    """The expected `sig` of an id: its HMAC-SHA256 with the displayed key, in hexadecimal digits."""
    return hmac.new(signing_key(link).encode(), external_id.encode(), hashlib.sha256).hexdigest()


def parse_visit(link: CrowdLink, query: Mapping[str, str]) -> Visit:
    """Parse the URL parameters of a visit. Raises BadInput with a message for the worker."""
    external_id = query.get(link.id_parameter, "")
    if not EXTERNAL_ID.fullmatch(external_id):
        raise BadInput(
            _("The link lacks your ID (%(name)s). Open the study from the platform's page.")
            % {"name": link.id_parameter},
            code="no_id",
        )
    if link.signed and not hmac.compare_digest(
        query.get(SIGNATURE, "").encode("utf-8", "replace"), sign_external_id(link, external_id).encode()
    ):
        raise BadInput(_("The link was altered. Open the study from the platform's page."), code="signature")
    study, session = (
        query.get(name, "")[:120] if name else "" for name in (link.study_parameter, link.session_parameter)
    )
    if link.study and study != link.study:
        raise BadInput(_("This link belongs to another study. Open the study from the platform's page."), code="study")
    return Visit(external_id, *(text if EXTERNAL_ID.fullmatch(text) else "" for text in (study, session)))


def find_worker(project: Project, external_id: str) -> CrowdWorker | None:
    rows = CrowdWorker.objects.filter(project=project).select_related("user", "link")
    return rows.filter(external_id=external_id).first()


def refusal_message(link: CrowdLink, visit: Visit) -> str:
    """Message why this worker cannot start or continue; "" if they can. Known workers may finish a full link."""
    if is_withdrawn(link.project, visit.external_id):
        return _("This participation was withdrawn. There is nothing left to do.")
    worker = find_worker(link.project, visit.external_id)
    if worker is not None:
        if not worker.user.is_active:
            return _("This participation has ended.")
        return "" if _leads_to_same(worker.link, link) else _("You already take part in another study of this team.")
    if not why_closed(link) and (refused := CROWD_ROLES[link.role].why_closed(link)):
        return refused
    return {
        "": "",
        "revoked": _("The study is closed. Thank you for your interest."),
        "expired": _("The study has ended. Thank you for your interest."),
        "full": _("This study is full. Please return it on the platform so that it does not count against you."),
    }[why_closed(link)]


def _leads_to_same(link: CrowdLink, other: CrowdLink) -> bool:
    """Whether two links lead to the same tasks, so that who joined by one may come back by the other."""
    if link.pk == other.pk:
        return True
    target, other_target = (CROWD_ROLES[row.role].find_target(row) for row in (link, other))
    return link.role == other.role and target is not None and other_target is not None and target.id == other_target.id


def is_withdrawn(project: Project, external_id: str) -> bool:
    return CrowdWorker.objects.filter(project=project, external_id=masked_id(project, external_id)).exists()


def masked_id(project: Project, external_id: str) -> str:
    """The stored hash of a withdrawn id: it can be recognized, but not recovered."""
    return MASKED + hmac.new(project.export_salt.encode(), external_id.encode(), hashlib.sha256).hexdigest()[:40]


def count_entry(*, link: CrowdLink, visit: Visit, address: str) -> None:
    """Count one entry of a network address. Raises TooMany, so that ids cannot be guessed by trying."""
    try:
        sign_in_throttle.begin_try(account=f"{link.pk} {visit.external_id}", address=f"crowd {address}")
    except TooMany:
        raise TooMany(_("Too many entries from your network. Wait 15 minutes and open the study again.")) from None


@retry_on_contention(unique_keys=True)
def enter_study(*, link: CrowdLink, visit: Visit, agreed: int | None = None) -> CrowdWorker:
    """The worker of an id, created at the first visit; later visits by any link to the same tasks find it again.

    agreed: number of the consent version that the worker agreed to on this visit. Raises Closed with a message for the
    worker, Conflict (code consent) where a version is to be agreed to first.
    """
    refused = refusal_message(link, visit)
    if refused:
        raise Closed(refused, code=why_closed(link) or "ended")
    now = timezone.now()
    with write_transaction():
        worker = find_worker(link.project, visit.external_id)
        if worker is not None:
            _check_still_limited(worker)
            if worker.consent_due and (due := consent.check_agreed(link.project, agreed)) is not None:
                consent.store_agreement(worker, due)
            CrowdWorker.objects.filter(pk=worker.pk).update(last_at=now, session=visit.session)
            return worker
        version = consent.check_agreed(link.project, agreed)
        count_use(link)
        user = User(username=f"crowd-{secrets.token_hex(8)}")
        user.set_unusable_password()
        user.save(force_insert=True)
        worker = CrowdWorker.objects.create(
            project=link.project,
            link=link,
            user=user,
            external_id=visit.external_id,
            study=visit.study,
            session=visit.session,
            first_at=now,
            last_at=now,
        )
        Membership.objects.create(project=link.project, user=user, role=link.role)
        CROWD_ROLES[link.role].join(worker)
        if version is not None:
            consent.store_agreement(worker, version)
        audit.record_event(
            project=link.project, actor=user, verb=AuditVerb.CROWD_JOIN, target=f"crowd_link:{link.public_id}"
        )
    return worker


def _check_still_limited(worker: CrowdWorker) -> None:
    """An id alone signs in, so its account must have no further access. Raises Closed if it has."""
    user = worker.user
    others = Membership.objects.filter(user=user).exclude(project=worker.project_id, role=worker.link.role)
    if user.is_superuser or user.is_staff or user.has_usable_password() or others.exists():
        raise Closed(_("This account has access beyond the study. Sign in with its password."), code="not_limited")
