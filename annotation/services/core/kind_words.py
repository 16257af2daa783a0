"""What pages, messages and errors call the finished tasks of a project: its kind says so."""

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind


def name_finished(project_kind: str, n: int = 1) -> str:
    """The noun of the kind for n finished tasks, translated, as written inside a sentence."""
    singular, plural = get_task_kind(project_kind, has_sample=True).noun
    return _(singular) if n == 1 else _(plural)


def name_list(project_kind: str) -> str:
    """What a tab calls the list of finished tasks of the kind: a title, which some languages write with an article."""
    plural = get_task_kind(project_kind, has_sample=True).noun[1]
    titles = {"summaries": _("Summaries"), "annotations": _("Annotations")}
    return titles.get(plural) or str(capfirst(_(plural)))
