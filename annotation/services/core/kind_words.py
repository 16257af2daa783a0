"""What pages, messages and errors call the finished tasks of a project: its kind says so."""

from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind


def name_finished(project_kind: str, n: int = 1) -> str:
    """The noun of the kind for n finished tasks, translated, as it stands inside a sentence."""
    singular, plural = get_task_kind(project_kind, has_sample=True).noun
    return _(singular) if n == 1 else _(plural)
