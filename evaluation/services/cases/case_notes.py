"""Notes on cases are texts of a person: a withdrawal empties them."""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.services.withdrawal.texts import TEXT_HOLDERS, Holder, Projects
from evaluation.models import Case


def _stored_notes(projects: Projects, person: int) -> "QuerySet[Case]":
    return Case.objects.filter(project__in=projects, by=person).exclude(note="")


TEXT_HOLDERS.register(
    Holder(
        "case_notes",
        _("notes on cases"),
        lambda p, who: _stored_notes(p, who).count(),
        lambda p, who: _stored_notes(p, who).update(note=""),
    )
)
