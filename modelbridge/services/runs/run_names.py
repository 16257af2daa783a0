"""How people name a run in commands and addresses: by its id, the beginning of it, or the key of its system."""

import re
import uuid

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from modelbridge.models import Run

PREFIX = "run:"
"""May stand before a name."""
_BEGINNING = re.compile(r"[0-9a-f]{4,31}")


def find_named_run(runs: "QuerySet[Run]", name: str) -> Run | None:
    """The one of these runs with this id, else the newest of the system with this key, else the only one whose id
    begins so, with four characters at least. Raises BadInput where several ids do."""
    name = name.removeprefix(PREFIX)
    try:
        return runs.filter(public_id=uuid.UUID(name)).first()
    except ValueError:
        pass
    newest = runs.filter(revision__system__key=name).order_by("-pk").first()
    beginning = name.replace("-", "").lower()
    if newest is not None or not _BEGINNING.fullmatch(beginning):
        return newest
    lowest, highest = uuid.UUID(beginning.ljust(32, "0")), uuid.UUID(beginning.ljust(32, "f"))
    matching_runs = list(runs.filter(public_id__gte=lowest, public_id__lte=highest)[:2])
    if len(matching_runs) > 1:
        message = _("Several runs have an id that begins so: %(id)s. Give more of it.")
        raise BadInput(message % {"id": name[:60]}, field="run")
    return matching_runs[0] if matching_runs else None


def complete_over(project: Project, over: str) -> str:
    """`over` with the whole id of the run that it names; anything else as it is."""
    key, _colon, name = over.partition(":")
    if f"{key}:" != PREFIX:
        return over
    run = find_named_run(Run.objects.texts().filter(project=project), name)
    return f"{PREFIX}{run.public_id}" if run is not None else over
