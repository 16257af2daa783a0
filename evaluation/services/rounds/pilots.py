"""Earlier rounds as pilots: what people and judges said of the same items."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project
from annotation.services.core.errors import BadInput
from epitome.combined.rows import CombinedRow
from evaluation.models import Round, RoundState

RowLoader = Callable[[Round], list[CombinedRow]]
ROW_LOADERS: ExtensionPoint[RowLoader] = ExtensionPoint("loaders of combined rows", key=qualified_name)


def load_pilot(project: Project, name: str) -> list[CombinedRow]:
    """The rows of an unblinded round of the project. Raises BadInput where there is none of that name, or no judge's
    answer in it."""
    round_ = Round.objects.filter(project=project, name=name).select_related("project").first()
    if round_ is None:
        raise BadInput(_("The project has no round named %(name)s to be the pilot.") % {"name": name}, field="config")
    if round_.state != RoundState.UNBLINDED:
        raise BadInput(_("The pilot %(name)s is still blinded: unblind it first.") % {"name": name}, field="config")
    rows = [row for load in ROW_LOADERS for row in load(round_)]
    if not any(row.judge and row.human is not None for row in rows):
        raise BadInput(
            _("The pilot %(name)s has no item that both people and a judge answered.") % {"name": name}, field="config"
        )
    return [row for row in rows if row.judge]
