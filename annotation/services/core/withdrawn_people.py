"""Whose work was withdrawn from a project, for all code that reads the work: one query per project."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import Project, Release, Withdrawal
from annotation.services.core.pseudonyms import Pseudonyms

STATE = "withdrawn"
"""State of an export line whose text was removed."""
NAME = "withdrawn"
"""Pseudonym of everybody whose name was masked."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Ids of people: whose texts are gone, whose pseudonyms are masked, whose lines exports leave out."""

    texts: frozenset[int] = frozenset()
    names: frozenset[int] = frozenset()
    left_out: frozenset[int] = frozenset()


def load_withdrawn(project: Project) -> Withdrawn:
    rows = Withdrawal.objects.filter(project=project)
    entries = list(rows.values_list("person_id", "remove_texts", "mask_name", "leave_out"))
    return Withdrawn(*(frozenset(row[0] for row in entries if row[column]) for column in (1, 2, 3)))


def text_gone(annotator: str = "assignment__annotator", project: str = "project") -> Exists:
    """Subquery on a row: whether the texts of its annotator were removed."""
    return Exists(Withdrawal.objects.filter(project=OuterRef(project), person=OuterRef(annotator), remove_texts=True))


class ExportPseudonyms(Pseudonyms):
    """Pseudonyms for exports: NAME for everybody whose name was masked."""

    def __init__(self, project: Project, masked: Collection[int] | None = None) -> None:
        super().__init__(project)
        names = load_withdrawn(project).names if masked is None else masked
        self.known.update(dict.fromkeys(names, NAME))


def withdrawals_affecting(release: Release, known: Sequence[Withdrawal] | None = None) -> list[dict[str, Any]]:
    """The withdrawals that prevent a byte-identical rebuild of a release, oldest first.
    known: all withdrawals of the project, if the caller has loaded them for several releases."""
    rows = Withdrawal.objects.filter(project=release.project_id).order_by("pk") if known is None else known
    return [
        {
            "at": row.at.isoformat(),
            "texts_removed": row.remove_texts,
            "names_masked": row.mask_name,
            "left_out": row.leave_out,
            "rows": row.releases[release.tag],
        }
        for row in rows
        if release.tag in row.releases
    ]


def list_withdrawals(project: Project) -> list[Withdrawal]:
    return list(Withdrawal.objects.filter(project=project).order_by("pk"))


def withdrawn_pseudonyms(project: Project) -> frozenset[str]:
    """Pseudonyms of the withdrawn people in older exports: an import does not restore their lines."""
    names = Pseudonyms(project)
    return frozenset(str(names.of(row.person_id)) for row in list_withdrawals(project))
