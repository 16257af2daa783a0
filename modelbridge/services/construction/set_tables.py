"""Counts of the sets by split (Table 1), and where a higher room adds tables about a construction."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Annotation, Project, SampleState, build_split_expression
from epitome.construction.steps import SETS, set_of_attributes
from epitome.figures.tables import Table

CONSTRUCTION_TABLES = ExtensionPoint[Callable[[Project], Table]]("construction tables", key=qualified_name)


class SetCount(NamedTuple):
    """Summaries and the documents they are of."""

    summaries: int
    documents: int


def count_sets(project: Project) -> dict[tuple[str, str], SetCount]:
    """(set, split) -> counts, for sets and splits that have any. A set is given by the attributes that a summary has,
    so an imported benchmark is counted too. Dropped and void samples do not count."""
    rows = Annotation.objects.filter(project=project, assignment=None, sample__state=SampleState.ACTIVE)
    rows = rows.annotate(resolved_split=build_split_expression("sample__"))
    fields = ("sample__document_id", "resolved_split", "sample__values", "sample__group__chosen")
    documents: dict[tuple[str, str], list[int]] = {}
    for document, split, values, chosen in rows.values_list(*fields):
        set_key = set_of_attributes(frozenset({**values, **{key: picks for key, picks in chosen.items() if picks}}))
        if set_key in SETS:
            documents.setdefault((set_key, split), []).append(document)
    return {place: SetCount(len(ids), len(set(ids))) for place, ids in documents.items()}
