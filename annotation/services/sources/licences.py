"""Setting the licence of stored sources, and whether their texts may be released."""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, SourceDocument
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction

MAX_LICENCE = 200


def set_licence(
    *,
    project: Project,
    sources: QuerySet[SourceDocument],
    licence: str,
    may_release_text: bool,
    by: AbstractBaseUser | None,
) -> int:
    """Set licence and release permission of the sources of the project; returns how many had another one before.

    Every later export follows it, also the next one of a frozen release. Raises BadInput for an unusable licence name.
    """
    licence = licence.strip()
    if len(licence) > MAX_LICENCE or not licence.isprintable():
        raise BadInput(_("Use at most %(n)d printable characters.") % {"n": MAX_LICENCE}, field="licence")
    if may_release_text and not licence:
        raise BadInput(_("Name the licence that permits release."), field="licence")
    with write_transaction():
        changed = (
            SourceDocument.objects.filter(project=project, pk__in=sources.order_by().values("pk"))
            .exclude(licence=licence, may_release_text=may_release_text)
            .update(licence=licence, may_release_text=may_release_text)
        )
        if changed:
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.SOURCE_SET_LICENCE,
                target=f"project:{project.public_id}",
                sources=changed,
                licence=licence,
                may_release_text=may_release_text,
            )
    return changed
