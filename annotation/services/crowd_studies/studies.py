"""Studies on Prolific: drafted here, created and published there, and read back."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, AuditVerb, CrowdLink, CrowdStudy, CrowdSubmission, CrowdWorker, Job, Project
from annotation.services.accounts.api_tokens import hash_token
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.job_start import start_job
from annotation.services.core.word_patterns import join_names
from annotation.services.crowd_studies import prolific
from annotation.services.crowd_studies.money import CURRENCIES, earned, to_minor_units
from annotation.services.people.crowd_links import masked_id
from annotation.services.people.invitations import new_secret, why_closed
from annotation.transactions import write_transaction

DEVICES = ("desktop", "tablet", "mobile")
MOST_MINUTES = 1000
UNPUBLISHED = "UNPUBLISHED"
STUDY_JOB = "prolific_study"


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What a study is made with. reward: in the currency's unit; None: by the project's pay per hour."""

    name: str
    description: str
    minutes: int
    places: int
    currency: str
    reward: Decimal | None = None
    devices: tuple[str, ...] = ("desktop",)


def open_links(project: Project) -> Any:
    """Links that a study can be made of: open, unused, unsigned and without a study."""
    rows = CrowdLink.objects.filter(project=project, uses=0, signed=False, revoked_at=None, study_on_platform=None)
    return rows.filter(expires_at__gt=timezone.now()).order_by("-pk")


def create_study(
    *, project: Project, link: CrowdLink, study_settings: StudySettings, base: str, by: AbstractBaseUser
) -> CrowdStudy:
    """Store a study and start the job that drafts it on Prolific.

    base: the address of this site. The link gets a new secret, which is sent to Prolific alone: addresses of it that
    were copied before no longer work. Raises BadInput, Conflict and NotSetUp.
    """
    if not prolific.is_set_up():
        raise prolific.NotSetUp(_("Prolific is off: this site has no EPITOME_PROLIFIC_TOKEN."))
    values = _check_settings(project, link, study_settings)
    with write_transaction():
        locked = CrowdLink.objects.select_for_update().get(pk=link.pk)
        if locked.uses or why_closed(locked) or CrowdStudy.objects.filter(link=locked).exists():
            raise Conflict(_("This link is in use or closed. Create a new crowd link for the study."), field="link")
        study = CrowdStudy.objects.create(project=project, link=locked, created_by_id=by.pk, **values)
        _record(study, by, AuditVerb.CROWD_STUDY_CREATE, places=study.places)
        start_job(kind=STUDY_JOB, project=project, by=by, arguments={"study": study.pk, "do": "create", "base": base})
    return study


def _check_settings(project: Project, link: CrowdLink, study_settings: StudySettings) -> dict[str, Any]:
    """The columns of a new study. Raises BadInput."""
    name, description = study_settings.name.strip(), study_settings.description.strip()
    if not 1 <= len(name) <= 120:
        raise BadInput(_("A title has 1 to 120 characters."), field="name")
    if not 1 <= len(description) <= 10_000:
        raise BadInput(_("A description has 1 to 10,000 characters."), field="description")
    if not 1 <= study_settings.minutes <= MOST_MINUTES:
        raise BadInput(_("The time is 1 to %(most)d minutes.") % {"most": MOST_MINUTES}, field="minutes")
    if not 1 <= study_settings.places <= link.max_uses:
        raise BadInput(_("The link is for 1 to %(most)d people.") % {"most": link.max_uses}, field="places")
    if study_settings.currency not in CURRENCIES:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(CURRENCIES)}, field="currency")
    devices = [device for device in DEVICES if device in study_settings.devices]
    if not devices:
        raise BadInput(_("Choose at least one kind of device."), field="devices")
    return {
        "name": name,
        "description": description,
        "minutes": study_settings.minutes,
        "places": study_settings.places,
        "currency": study_settings.currency,
        "reward": _decide_reward(project, study_settings),
        "devices": devices,
    }


def _decide_reward(project: Project, study_settings: StudySettings) -> int:
    """The reward in cents or pence: as given, or the expected minutes at the project's pay per hour."""
    if study_settings.reward is not None:
        reward = to_minor_units(study_settings.reward)
    elif project.pay_per_hour is None or project.pay_currency != study_settings.currency:
        raise BadInput(
            _("Give the reward, or set the project's pay per hour in %(currency)s.")
            % {"currency": study_settings.currency},
            field="reward",
        )
    else:
        reward = earned(study_settings.minutes, project.pay_per_hour)
    if not 1 <= reward <= 1_000_000:
        raise BadInput(_("The reward is 0.01 to 10,000."), field="reward")
    return reward


def find_study(project: Project, public_id: Any) -> CrowdStudy:
    """Raises NotFound."""
    study = CrowdStudy.objects.filter(project=project, public_id=public_id).select_related("link").first()
    if study is None:
        raise NotFound()
    study.project = project
    return study


def start_study_job(*, study: CrowdStudy, do: str, by: AbstractBaseUser, base: str = "") -> Job:
    """Queue creating, publishing or reading a study. Raises BadInput."""
    if do not in ("create", "publish", "read") or (do == "create") == bool(study.platform_id):
        raise BadInput(_("This cannot be done with the study now."))
    arguments = {"study": study.pk, "do": do, "base": base}
    return start_job(kind=STUDY_JOB, project=study.project, by=by, arguments=arguments)


def draft_on_platform(study: CrowdStudy, base: str) -> None:
    """Create the draft. A run after one that broke off first looks whether the draft is there already."""
    if study.platform_id:
        return
    answer = _find_draft(study) if study.sent_at else None
    if answer is None:
        plain = new_secret()
        with write_transaction():
            CrowdLink.objects.filter(pk=study.link_id).update(digest=hash_token(plain))
            CrowdStudy.objects.filter(pk=study.pk).update(sent_at=timezone.now())
        answer = prolific.call_platform("POST", "studies/", describe_study(study, build_address(study, base, plain)))
    if not isinstance(answer, dict) or not answer.get("id"):
        raise prolific.Unsure(_("Prolific's answer could not be read."))
    with write_transaction():
        study.platform_id, study.status = str(answer["id"])[:60], str(answer.get("status") or UNPUBLISHED)[:40]
        study.error, study.read_at = "", timezone.now()
        study.save(update_fields=["platform_id", "status", "error", "read_at"])
        if study.link.study_parameter:
            CrowdLink.objects.filter(pk=study.link_id).update(study=study.platform_id)


def _find_draft(study: CrowdStudy) -> Any:
    """The draft that an earlier run created without receiving the answer; None if there is none."""
    answer = prolific.call_platform("GET", "studies/") or {}
    rows = [row for row in answer.get("results") or [] if row.get("internal_name") == internal_name(study)]
    return rows[-1] if rows else None


def internal_name(study: CrowdStudy) -> str:
    return f"epitome-{study.public_id}"


def build_address(study: CrowdStudy, base: str, plain: str) -> str:
    """The address of the link, with the platform's placeholders."""
    link = study.link
    names = (link.id_parameter, link.study_parameter, link.session_parameter)
    places = ("{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}")
    query = "&".join(f"{name}={place}" for name, place in zip(names, places, strict=True) if name)
    return f"{base.rstrip('/')}{reverse('take-part', args=[plain])}?{query}"


def describe_study(study: CrowdStudy, address: str) -> dict[str, Any]:
    """A draft as the platform wants it. Every code leaves the decision to people here."""
    link = study.link
    codes = [(link.code, "COMPLETED"), (link.code_screened_out, "OTHER"), (link.code_no_work, "OTHER")]
    actions = [{"action": "MANUALLY_REVIEW"}]
    return {
        "name": study.name,
        "internal_name": internal_name(study),
        "description": study.description,
        "external_study_url": address,
        "prolific_id_option": "url_parameters",
        "completion_codes": [{"code": code, "code_type": kind, "actions": actions} for code, kind in codes if code],
        "estimated_completion_time": study.minutes,
        "total_available_places": study.places,
        "reward": study.reward,
        "device_compatibility": study.devices,
    }


def publish_on_platform(study: CrowdStudy, by: AbstractBaseUser | None) -> None:
    """Publish a draft; one that is published already is left as it is. A run after one that broke off behind the call
    still records it."""
    _read_status(study)
    if study.status == UNPUBLISHED:
        answer = prolific.call_platform("POST", f"studies/{study.platform_id}/transition/", {"action": "PUBLISH"}) or {}
        study.status, study.error = str(answer.get("status") or "PUBLISHING")[:40], ""
    with write_transaction():
        study.save(update_fields=["status", "error"])
        event = {"verb": AuditVerb.CROWD_STUDY_PUBLISH, "target": f"crowd_study:{study.public_id}"}
        if not AuditEvent.objects.filter(project=study.project, **event).exists():
            _record(study, by, AuditVerb.CROWD_STUDY_PUBLISH)


def _read_status(study: CrowdStudy) -> None:
    answer = prolific.call_platform("GET", f"studies/{study.platform_id}/") or {}
    study.status, study.read_at = str(answer.get("status") or study.status)[:40], timezone.now()
    study.error = ""
    with write_transaction():
        study.save(update_fields=["status", "read_at", "error"])


def read_from_platform(study: CrowdStudy) -> int:
    """Read the study and its submissions, and match these to the accounts of their participants; how many there are."""
    _read_status(study)
    submissions = prolific.list_submissions(study.platform_id)
    with write_transaction():
        for row in submissions:
            CrowdSubmission.objects.update_or_create(
                study=study,
                platform_id=row.id,
                defaults={
                    "worker": match_worker(study.project, row.participant),
                    "status": row.status,
                    "entered_code": row.entered_code,
                    "completed_at": _moment(row.completed_at),
                },
            )
    return len(submissions)


def match_worker(project: Project, participant: str) -> CrowdWorker | None:
    """The account of a participant, also one whose work was withdrawn."""
    if not participant:
        return None
    names = [participant, masked_id(project, participant)]
    return CrowdWorker.objects.filter(project=project, external_id__in=names).first()


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return timezone.make_aware(moment) if moment and timezone.is_naive(moment) else moment


def _record(study: CrowdStudy, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    audit.record_event(project=study.project, actor=by, verb=verb, target=f"crowd_study:{study.public_id}", **detail)
