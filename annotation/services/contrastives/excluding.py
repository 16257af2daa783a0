"""Excluding contrastive examples that a person found to be neither wrong nor unreadable, and including them again."""

import uuid
from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Contrastive, ContrastiveState, Project
from annotation.services.core import audit
from annotation.services.core.errors import NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.transactions import write_transaction


def exclude_contrastives(*, project: Project, ids: Collection[int], by: AbstractBaseUser | None) -> int:
    """Exclude the active ones among the examples with these primary keys; returns how many changed. Idempotent.
    Raises NotFound, with nothing changed, where one of them is not in the project."""
    return _set_state(project, ids, by, ContrastiveState.EXCLUDED)


def find_examples(project: Project, public_ids: Collection[uuid.UUID]) -> list[int]:
    """Their primary keys. Raises NotFound where one of them is not in the project."""
    rows = Contrastive.objects.filter(project=project, public_id__in=set(public_ids))
    ids = list(rows.values_list("pk", flat=True))
    if len(ids) != len(set(public_ids)):
        raise NotFound(_("Some of these contrastive examples are not in this project, or were replaced."))
    return ids


def include_again(*, project: Project, ids: Collection[int], by: AbstractBaseUser | None) -> int:
    """The opposite of `exclude_contrastives`. Withdrawn examples stay withdrawn."""
    return _set_state(project, ids, by, ContrastiveState.ACTIVE)


@retry_on_contention()
def _set_state(project: Project, ids: Collection[int], by: AbstractBaseUser | None, new_state: ContrastiveState) -> int:
    excludes = new_state == ContrastiveState.EXCLUDED
    old_state = ContrastiveState.ACTIVE if excludes else ContrastiveState.EXCLUDED
    with write_transaction():
        rows = Contrastive.objects.filter(project=project, pk__in=set(ids))
        locked = dict(rows.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk", "state"))
        if len(locked) != len(set(ids)):
            raise NotFound(_("Some of these contrastive examples are not in this project, or were replaced."))
        changed = [pk for pk, state in locked.items() if state == old_state]
        if changed:
            excluded_by = by.pk if by is not None and excludes else None
            Contrastive.objects.filter(pk__in=changed).update(state=new_state, excluded_by=excluded_by)
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.CONTRASTIVES_EXCLUDE if excludes else AuditVerb.CONTRASTIVES_INCLUDE,
                target=f"project:{project.public_id}",
                examples=len(changed),
                ids=changed[:1000],
            )
    return len(changed)
