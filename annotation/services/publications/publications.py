"""Publications: starting one, describing it, and deciding about what its check found."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, fields
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, HitDecision, HitField, Project, Publication, PublicationHit
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.word_patterns import join_names
from annotation.services.exports.export_plan import ExportOptions
from annotation.services.exports.releases import checked_tag, find_release
from annotation.transactions import write_transaction
from epitome.publication.datasheet import QUESTION_KEYS
from epitome.publication.facts import Description

MAX_TEXT = 10_000
MAX_LINE = 300
LINES = ("title", "licence", "homepage")
UNLICENSED = ("", "leave_out")
LEAKS = ("", "keep", "leave_out")
CHOICES = {"unlicensed": UNLICENSED, "leaks": LEAKS}
"""What can be done about texts without a licence and about leaks between splits; "" is not decided."""


def start_publication(
    *,
    project: Project,
    tag: str,
    state: str | None = None,
    split_seed: int | None = None,
    by: AbstractBaseUser | None,
) -> Publication:
    """The publication of a release; a tag that is not frozen yet is frozen by the first check. Raises BadInput,
    Conflict for a tag that has one already, or for options that its release was not frozen with."""
    checked_tag(tag)
    ExportOptions(state=state, split_seed=split_seed, release=tag).check()
    release = find_release(project=project, tag=tag)
    if release is not None and (state or split_seed is not None):
        raise Conflict(
            _("The release %(tag)s is frozen already: leave its options empty.") % {"tag": tag}, field="state"
        )
    try:
        with write_transaction():
            publication = Publication.objects.create(
                project=project,
                tag=tag,
                release=release,
                options={"state": state or "accepted", "split_seed": split_seed} if release is None else {},
                description={"title": project.name},
                created_by_id=by.pk if by is not None else None,
            )
            _record(publication, by, AuditVerb.PUBLICATION_START)
    except IntegrityError:
        raise Conflict(_("There is a publication of %(tag)s already.") % {"tag": tag}, field="tag") from None
    return publication


def find_publication(project: Project, tag: str) -> Publication | None:
    """With its project set."""
    publication = Publication.objects.filter(project=project, tag=tag).select_related("release").first()
    if publication is not None:
        publication.project = project
    return publication


def describe(publication: Publication) -> Description:
    known = {item.name for item in fields(Description)}
    return Description(**{name: value for name, value in publication.description.items() if name in known})


def save_description(*, publication: Publication, changes: Mapping[str, Any], by: AbstractBaseUser | None) -> None:
    """Change fields of the description; `answers` changes those answers that it names. Raises BadInput at the field."""
    known = set(asdict(Description()))
    for name, text in changes.items():
        if name not in known:
            raise BadInput(_("There is no field %(name)s.") % {"name": name[:60]}, field=name[:60])
        if name == "answers":
            _check_answers(text)
        else:
            _check_text(name, text, MAX_LINE if name in LINES else MAX_TEXT)
    homepage = str(changes.get("homepage") or "")
    if homepage and not homepage.startswith(("https://", "http://")):
        raise BadInput(_("Write an address that begins with https://."), field="homepage")
    with write_transaction():
        locked = Publication.objects.select_for_update().get(pk=publication.pk)
        answers = {**locked.description.get("answers", {}), **changes.get("answers", {})}
        answers = {key: text for key, text in answers.items() if text.strip()}
        publication.description = {**locked.description, **changes, "answers": answers}
        Publication.objects.filter(pk=publication.pk).update(description=publication.description)
        _record(publication, by, AuditVerb.PUBLICATION_CHANGE, fields=sorted(changes))


def _check_answers(answers: Any) -> None:
    if not isinstance(answers, Mapping):
        raise BadInput(_("This value has the wrong type."), field="answers")
    for key, text in answers.items():
        if key not in QUESTION_KEYS:
            raise BadInput(_("The datasheet has no question %(name)s.") % {"name": str(key)[:60]}, field="answers")
        _check_text("answers", text, MAX_TEXT)


def _check_text(name: str, text: Any, longest: int) -> None:
    if not isinstance(text, str):
        raise BadInput(_("This value has the wrong type."), field=name)
    is_line = name in LINES
    if len(text) > longest or any(not letter.isprintable() and (is_line or letter not in "\n\r\t") for letter in text):
        raise BadInput(_("Use at most %(n)d printable characters.") % {"n": longest}, field=name)


def save_choices(*, publication: Publication, choices: Mapping[str, str], by: AbstractBaseUser | None) -> None:
    """Store what is done about texts without a licence and about leaks. Raises BadInput."""
    for name, choice in choices.items():
        if name not in CHOICES or choice not in CHOICES[name]:
            raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(CHOICES.get(name, ()))}, field=name[:60])
    with write_transaction():
        locked = Publication.objects.select_for_update().get(pk=publication.pk)
        publication.choices = {**locked.choices, **choices}
        Publication.objects.filter(pk=publication.pk).update(choices=publication.choices)
        _record(publication, by, AuditVerb.PUBLICATION_CHOOSE, **choices)


def change_publication(
    *,
    publication: Publication,
    description: Mapping[str, Any],
    choices: Mapping[str, str],
    by: AbstractBaseUser | None,
) -> None:
    """Both or nothing; {} leaves one as it is. Raises BadInput."""
    with write_transaction():
        if description:
            save_description(publication=publication, changes=description, by=by)
        if choices:
            save_choices(publication=publication, choices=choices, by=by)


def decide_hits(
    *, publication: Publication, hits: "QuerySet[PublicationHit]", decision: str, by: AbstractBaseUser | None
) -> int:
    """Store a decision about some of the publication's places; returns how many had another one before."""
    if decision not in HitDecision.values:
        raise BadInput(_("Use one of: %(list)s.") % {"list": "keep, mask, leave_out"}, field="decision")
    with write_transaction():
        rows = PublicationHit.objects.filter(publication=publication, pk__in=hits.order_by().values("pk"))
        changed = rows.exclude(decision=decision).update(
            decision=decision, decided_by_id=by.pk if by is not None else None, decided_at=timezone.now()
        )
        if changed:
            _record(publication, by, AuditVerb.PUBLICATION_DECIDE, hits=changed, decision=decision)
    return changed


def list_hits(publication: Publication, public_ids: Collection[str]) -> "QuerySet[PublicationHit]":
    """Those hits of the publication. Raises NotFound where one is none of it."""
    hits = publication.hits.filter(public_id__in=public_ids)
    if hits.count() != len(set(public_ids)):
        raise NotFound()
    return hits


def undecided_hits(publication: Publication) -> "QuerySet[PublicationHit]":
    """Those that block the publication; none in texts that are left out for want of a licence."""
    hits = publication.hits.undecided()
    if publication.choices.get("unlicensed") == "leave_out":
        in_text = Q(field__in=[HitField.SEGMENT, HitField.SPEAKER], document__licence="")
        hits = hits.exclude(in_text)
    return hits


def list_obstacles(publication: Publication) -> list[str]:
    """Why the publication cannot be written yet, in words; [] when it can."""
    if publication.checked_at is None or publication.release is None:
        return [_("It has not been checked yet.")]
    obstacles = []
    checks, choices = publication.checks, publication.choices
    if checks["unlicensed"] and not choices.get("unlicensed"):
        obstacles.append(_("Some texts have no licence. Set it, or leave these texts out."))
    if undecided_hits(publication).exists():
        obstacles.append(_("Some places that look like personal data are not decided."))
    if checks["leaks"] and not choices.get("leaks"):
        obstacles.append(_("Some rows leak between splits. Leave them out, or keep them on purpose."))
    return obstacles


def check_ready(publication: Publication) -> None:
    """Raises Conflict with the first obstacle."""
    if obstacles := list_obstacles(publication):
        raise Conflict(obstacles[0], code="notready")


def _record(publication: Publication, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    audit.record_event(
        project=publication.project, actor=by, verb=verb, target=f"publication:{publication.public_id}", **detail
    )
