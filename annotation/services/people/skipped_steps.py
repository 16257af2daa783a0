"""Steps of the overview's check list that a team skips, because it does not need them."""

from django.contrib.auth.models import AbstractBaseUser

from annotation.models import AuditVerb, Project
from annotation.services.core import audit
from annotation.transactions import write_transaction


def skip_step(*, project: Project, step: str, by: AbstractBaseUser | None) -> None:
    """Skip a step, by its key; twice is as once."""
    _change(project, step, by, is_skipped=True)


def resume_step(*, project: Project, step: str, by: AbstractBaseUser | None) -> None:
    """Take up a skipped step again."""
    _change(project, step, by, is_skipped=False)


def _change(project: Project, step: str, by: AbstractBaseUser | None, *, is_skipped: bool) -> None:
    with write_transaction():
        locked = Project.objects.select_for_update().only("skipped_steps").get(pk=project.pk)
        others = [key for key in locked.skipped_steps if key != step]
        steps = sorted([*others, step]) if is_skipped else others
        if steps == locked.skipped_steps:
            return
        Project.objects.filter(pk=project.pk).update(skipped_steps=steps)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.PROJECT_CHANGE_SETTINGS,
            target=f"project:{project.public_id}",
            settings=["skipped_steps"],
        )
    project.skipped_steps = steps
