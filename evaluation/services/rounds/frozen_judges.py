"""The models that judge a round beside people: those its design names, with the revisions frozen at launch."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from evaluation.models import Round
from modelbridge.models import SystemRevision


def find_judges(project: Project, keys: Sequence[str]) -> tuple[list[SystemRevision], list[str]]:
    """The newest revisions of these systems, and what is wrong: keys that no judge of the project has."""
    rows = SystemRevision.objects.filter(system__project=project, system__key__in=keys).select_related("system")
    newest: dict[str, SystemRevision] = {}
    for revision in rows.order_by("number"):
        newest[revision.system.key] = revision
    faults = [
        _("The project has no judge with the key %(key)s.") % {"key": key}
        for key in keys
        if key not in newest or not newest[key].role_traits.judges
    ]
    return [newest[key] for key in keys if key in newest], faults


def describe_judges(revisions: Sequence[SystemRevision]) -> list[dict[str, Any]]:
    """As the frozen design names them."""
    return [
        {"key": revision.system.key, "revision": revision.number, "config_hash": revision.config_hash}
        for revision in revisions
    ]


def list_frozen_judges(round_: Round) -> list[SystemRevision]:
    """The revisions that were frozen at launch, in the order of the design. One query; none without judges."""
    named = [(judge["key"], judge["revision"]) for judge in json.loads(round_.design).get("judges", [])]
    rows = SystemRevision.objects.filter(
        system__project=round_.project_id, system__key__in={key for key, _number in named}
    )
    by_name = {(row.system.key, row.number): row for row in rows.select_related("system")} if named else {}
    return [by_name[name] for name in named if name in by_name]
