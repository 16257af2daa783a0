"""The systems of a project: registered from TOML, revised by registering again. A revision is never changed."""

import re

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.schema import SchemaError
from epitome.schema.load import SLUG
from epitome.systems.config import SystemConfig, parse_config
from epitome.systems.kinds import ELSEWHERE
from epitome.systems.registry import KINDS, config_of, shipped_keys
from epitome.systems.upload import config_text
from modelbridge.models import System, SystemRevision

MAX_TOML = 100_000


@retry_on_contention(unique_keys=True)
def register_system(
    *, project: Project, toml_text: str, by: AbstractBaseUser | None, name: str = "system.toml"
) -> SystemRevision:
    """Register a configuration: a new system, a new revision of the one with its key, or the existing revision.

    name: the name of the text in errors. Raises BadInput naming the line and the key.
    """
    config = _parse_system_text(toml_text, name)
    with write_transaction():
        system, is_new = System.objects.select_for_update().get_or_create(
            project=project,
            key=config.key,
            defaults={"name": config.name, "created_by_id": by.pk if by is not None else None},
        )
        existing = system.revisions.filter(config_hash=config.hash).first()
        if existing is not None:
            return existing
        last = system.revisions.aggregate(last=Max("number"))["last"] or 0
        revision = SystemRevision.objects.create(
            system=system,
            number=last + 1,
            kind=config.kind,
            role=KINDS[config.kind].role,
            config_toml=config.text,
            config_hash=config.hash,
            created_by_id=by.pk if by is not None else None,
        )
        if not is_new:
            System.objects.filter(pk=system.pk).update(name=config.name)
        target = f"system:{system.public_id}"
        verb = AuditVerb.SYSTEM_REGISTER if is_new else AuditVerb.SYSTEM_REVISE
        audit.record_event(project=project, actor=by, verb=verb, target=target, revision=revision.number)
    return revision


def _parse_system_text(toml_text: str, name: str) -> SystemConfig:
    if len(toml_text) > MAX_TOML:
        raise BadInput(_("The text has more than %(n)d characters.") % {"n": MAX_TOML}, field="toml", code="toolong")
    try:
        config = parse_config(toml_text, name)
    except SchemaError as error:
        raise BadInput(str(error), field="toml", code="toml", line=error.line, key=error.key) from error
    kind = KINDS[config.kind]
    if not (kind.listed or kind.elsewhere) and not settings.EPITOME_FAKE_SYSTEMS:
        raise BadInput(_("%(kind)s is a kind for tests only.") % {"kind": config.kind}, field="toml", code="kind")
    return config


def register_shipped(*, project: Project, key: str, by: AbstractBaseUser | None) -> SystemRevision:
    """Register a shipped configuration. Raises NotFound, which lists the known keys."""
    if key not in shipped_keys():
        raise NotFound(
            _('There is no system "%(key)s"; shipped are %(known)s.')
            % {"key": key[:60], "known": join_names(shipped_keys())}
        )
    return register_system(project=project, toml_text=config_of(key).text, by=by, name=f"{key}.toml")


def register_uploaded(*, project: Project, key: str, name: str, by: AbstractBaseUser | None) -> SystemRevision:
    """The revision for predictions of a system that runs elsewhere. Raises BadInput."""
    if not re.fullmatch(SLUG, key):
        message = _('"%(key)s" cannot be a key; use lower-case letters, digits and hyphens, beginning with a letter.')
        raise BadInput(message % {"key": key[:60]}, field="system", code="key")
    if SystemRevision.objects.filter(system__project=project, system__key=key).exclude(kind__in=ELSEWHERE).exists():
        message = _('"%(key)s" is a system that runs here; give the predictions another key.')
        raise BadInput(message % {"key": key}, field="system", code="taken")
    return register_system(project=project, toml_text=config_text(key, name or key), by=by, name=f"{key}.toml")


def systems_of(project: Project) -> "QuerySet[System]":
    """The systems of a project by key, each with its revisions."""
    return System.objects.filter(project=project).prefetch_related("revisions").order_by("key")


def system_named(project: Project, key: str) -> System:
    """Raises NotFound."""
    system = System.objects.filter(project=project, key=key).first()
    if system is None:
        raise NotFound(_('There is no system "%(key)s" in this project.') % {"key": key[:60]})
    return system


def revision_of(project: Project, key: str, number: int | None = None) -> SystemRevision:
    """A revision of a system, the newest by default. Raises NotFound."""
    revisions = system_named(project, key).revisions.select_related("system").order_by("-number")
    revision = revisions.filter(number=number).first() if number is not None else revisions.first()
    if revision is None:
        raise NotFound(_('"%(key)s" has no revision %(n)s.') % {"key": key[:60], "n": number})
    return revision
