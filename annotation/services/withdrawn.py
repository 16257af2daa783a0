"""Whose work was withdrawn from a project, for everything that reads the work: one query per project."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import Project, Release, Withdrawal
from annotation.services.pseudonyms import Pseudonyms

STATE = "withdrawn"
"""What a line of an export says where the text is gone."""
NAME = "withdrawn"
"""What stands for a person whose name was masked; one word for all of them."""


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
    """Of a row in an outer query: whether the texts of its annotator were removed."""
    return Exists(Withdrawal.objects.filter(project=OuterRef(project), person=OuterRef(annotator), remove_texts=True))


class ExportPseudonyms(Pseudonyms):
    """The pseudonyms as exports tell them."""

    def __init__(self, project: Project, masked: Collection[int] | None = None) -> None:
        super().__init__(project)
        names = load_withdrawn(project).names if masked is None else masked
        self.known.update(dict.fromkeys(names, NAME))


def withdrawals_affecting(release: Release, known: Sequence[Withdrawal] | None = None) -> list[dict[str, Any]]:
    """The withdrawals because of which a release cannot be built again byte for byte, the oldest first.
    known: all of the project's, where many releases are asked about."""
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
    """What older exports call the withdrawn people: their lines do not come back by an import."""
    names = Pseudonyms(project)
    return frozenset(str(names.of(row.person_id)) for row in list_withdrawals(project))
