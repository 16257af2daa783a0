"""Templates of a project's own: stored as TOML, named by rounds, copied into a round at launch."""

import hashlib
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.transactions import write_transaction
from epitome.rounds.templates import RoundTemplate as Template
from epitome.rounds.templates import parse_template, template_keys
from epitome.schema import SchemaError
from evaluation.models import RoundTemplate

MOST_TEMPLATES = 100


def template_texts(project: Project) -> dict[str, str]:
    """Key -> TOML text of every template of the project."""
    return dict(RoundTemplate.objects.filter(project=project).order_by("key").values_list("key", "toml"))


def template_names(project: Project) -> dict[str, str]:
    """Key -> name of every template of the project."""
    return dict(RoundTemplate.objects.filter(project=project).order_by("key").values_list("key", "name"))


def find_template(project: Project, key: str) -> Template:
    """The parsed template of the project with a key. Raises NotFound."""
    row = RoundTemplate.objects.filter(project=project, key=key).first()
    if row is None:
        raise NotFound(_("There is no such template."))
    return parse_template(row.toml, f"{key}.toml")


def check_template(text: str, name: str = "template.toml") -> Template:
    """Parse a template and check that rounds can use it. Raises BadInput naming file, line and key."""
    try:
        template = parse_template(text, name)
    except SchemaError as error:
        raise BadInput(str(error), field="toml") from error
    if template.key in template_keys():
        message = _("%(file)s: a built-in template has the key “%(key)s” already. Choose another one.")
        raise BadInput(message % {"file": name, "key": template.key}, field="toml", code="taken")
    if not template.questions and not template.per_attribute:
        raise BadInput(_("%(file)s: asks nothing. Add a [[question]].") % {"file": name}, field="toml")
    return template


def describe_template(template: Template) -> dict[str, Any]:
    """A template as JSON values: its key, name, form, what it shows, and its questions."""
    return {
        "key": template.key,
        "name": template.name,
        "form": template.form,
        "shows": list(template.shows),
        "per_attribute": template.per_attribute,
        "questions": [
            {
                "key": question.key,
                "type": question.type,
                "about": question.about,
                "text": question.text,
                "why": question.why,
            }
            for question in template.questions
        ],
    }


@retry_on_contention(unique_keys=True)
def save_template(
    *,
    project: Project,
    text: str,
    by: AbstractBaseUser | None,
    row: RoundTemplate | None = None,
    name: str = "template.toml",
    base_hash: str = "",
) -> RoundTemplate:
    """Store a template, or replace the text of `row`. A launched round keeps the text it was launched with.

    base_hash: of the text that was edited, where known. Raises BadInput for a fault of the text, NotFound where the row
    is gone, Conflict where another template has its key, or where the text was changed since.
    """
    template = check_template(text, name)
    digest = hashlib.sha256(text.encode()).hexdigest()
    with write_transaction():
        Project.objects.select_for_update().only("pk").get(pk=project.pk)
        others = RoundTemplate.objects.filter(project=project)
        if row is not None:
            row = _lock_row(others, row, base_hash)
            others = others.exclude(pk=row.pk)
        if others.filter(key=template.key).exists():
            message = _("There is already a template with the key %(key)s.")
            raise Conflict(message % {"key": template.key}, field="toml", code="taken")
        if row is None and others.count() >= MOST_TEMPLATES:
            raise Conflict(_("A project has at most %(n)d templates of its own.") % {"n": MOST_TEMPLATES}, code="full")
        stored = row or RoundTemplate(project=project)
        stored.key, stored.name, stored.toml, stored.hash = template.key, template.name, text, digest
        stored.changed_by_id, stored.changed_at = (by.pk if by else None), timezone.now()
        stored.save()
        _record_audit(stored, by, AuditVerb.ROUND_TEMPLATE_SAVE)
    return stored


def _lock_row(rows: "QuerySet[RoundTemplate]", row: RoundTemplate, base_hash: str) -> RoundTemplate:
    """The row as it is now. Raises NotFound, Conflict."""
    current = rows.select_for_update().filter(pk=row.pk).first()
    if current is None:
        raise NotFound(_("This template was deleted meanwhile."))
    if base_hash and current.hash != base_hash:
        message = _("Somebody changed this template meanwhile. Copy your text, open the template again and compare.")
        raise Conflict(message, field="toml", code="stale")
    return current


def delete_template(*, row: RoundTemplate, by: AbstractBaseUser | None) -> None:
    """Delete a template. Launched rounds keep their copy; a draft that names it cannot be launched any more."""
    with write_transaction():
        if RoundTemplate.objects.filter(pk=row.pk).delete()[0]:
            _record_audit(row, by, AuditVerb.ROUND_TEMPLATE_DELETE)


def _record_audit(row: RoundTemplate, by: AbstractBaseUser | None, verb: AuditVerb) -> None:
    target = f"round_template:{row.public_id}"
    audit.record_event(project=row.project, actor=by, verb=verb, target=target, key=row.key, hash=row.hash[:16])
