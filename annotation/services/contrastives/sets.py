"""The set of contrastive examples of a project: the current one, replacing it, and what uses its examples."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import AuditVerb, Contrastive, ContrastiveSet, Project
from annotation.services.contrastives.set_options import SetOptions
from annotation.services.core import audit
from annotation.services.core.errors import Conflict

ContrastiveUse = Callable[[Project], str]
"""Project -> a sentence that says what uses its contrastive examples, "" for nothing."""
CONTRASTIVE_USES: ExtensionPoint[ContrastiveUse] = ExtensionPoint("uses of contrastives", key=qualified_name)


def find_current_set(project: Project) -> ContrastiveSet | None:
    return ContrastiveSet.objects.filter(project=project, replaced_at=None).select_related("made_by", "job").first()


def list_sets(project: Project) -> "QuerySet[ContrastiveSet]":
    """Every set, newest first."""
    return ContrastiveSet.objects.filter(project=project).select_related("made_by").order_by("-pk")


def is_made_with(contrastive_set: ContrastiveSet, options: SetOptions) -> bool:
    """Whether the set was made here with these chosen options."""
    if contrastive_set.origin != ContrastiveSet.Origin.MADE:
        return False
    return SetOptions.from_dict(contrastive_set.options).as_dict() == options.as_dict()


def check_replaceable(project: Project, *, replace: bool) -> None:
    """Raises Conflict where the project has other examples and they are not to be, or cannot be, replaced."""
    if find_current_set(project) is None:
        return
    if not replace:
        raise Conflict(
            _(
                "The project has contrastive examples already, made otherwise. Choose to replace them, or use the same "
                "options to add to them."
            ),
            field="replace",
            code="otherset",
        )
    if use := next((sentence for describe in CONTRASTIVE_USES if (sentence := describe(project))), ""):
        raise Conflict(use, field="replace", code="inuse")


def open_set(*, project: Project, replace: bool, by: AbstractBaseUser | None, **values: Any) -> ContrastiveSet:
    """Create the project's set, inside a transaction; the examples of the one before are deleted. Raises Conflict."""
    list(Project.objects.select_for_update(no_key=True).filter(pk=project.pk).values_list("pk"))
    check_replaceable(project, replace=replace)
    old_set = find_current_set(project)
    if old_set is not None:
        n_deleted = Contrastive.objects.filter(project=project).delete()[0]
        ContrastiveSet.objects.filter(pk=old_set.pk).update(replaced_at=timezone.now())
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.CONTRASTIVES_REPLACE,
            target=f"contrastive_set:{old_set.public_id}",
            examples=n_deleted,
        )
    try:
        return ContrastiveSet.objects.create(project=project, made_by_id=by.pk if by is not None else None, **values)
    except IntegrityError as error:
        raise Conflict(_("Someone else has just made or imported contrastive examples here.")) from error


def is_under_way(contrastive_set: ContrastiveSet) -> bool:
    """Whether its examples are not complete yet."""
    return contrastive_set.finished_at is None
