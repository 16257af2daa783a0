"""Inspections of annotations, as they appear in export lines."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from annotation.models import Inspection, Project
from annotation.services.core.withdrawn_people import ExportPseudonyms

if TYPE_CHECKING:
    import numpy as np


class InspectionRow(NamedTuple):
    """An inspection; the fields are the columns of the query."""

    pk: int
    annotation_id: int
    reviewer_id: int
    second: bool
    verdict: str
    verdicts: dict[str, Any]
    comments: list[dict[str, Any]]
    comment: str
    created_at: datetime


class InspectionReader:
    """Reads the inspections of a project's annotations: current ones, or (`only`, sorted ids) those of a release."""

    def __init__(self, project: Project, *, only: "np.ndarray[Any, np.dtype[np.int64]] | None" = None) -> None:
        self.only = only
        has_ids = only is None or len(only) > 0
        self.any = has_ids and Inspection.objects.filter(project=project).exists()
        self.pseudonyms = ExportPseudonyms(project, None if self.any else ())

    def of(self, ids: Collection[int]) -> dict[int, list[dict[str, Any]]]:
        """annotation id -> its inspections, the deciding one first; no key without inspections. At most one query."""
        if not self.any or not ids:
            return {}
        rows = Inspection.objects.filter(annotation_id__gte=min(ids), annotation_id__lte=max(ids))
        inspections: dict[int, list[dict[str, Any]]] = defaultdict(list)
        ordered = rows.order_by("annotation_id", "second").values_list(*InspectionRow._fields)
        for row in map(InspectionRow._make, ordered):
            if self._counts(row.pk):
                inspections[row.annotation_id].append(self._line(row))
        return inspections

    def _counts(self, pk: int) -> bool:
        if self.only is None:
            return True
        index = int(self.only.searchsorted(pk))
        return index < len(self.only) and int(self.only[index]) == pk

    def _line(self, row: InspectionRow) -> dict[str, Any]:
        return {
            "reviewer": self.pseudonyms.of(row.reviewer_id),
            "second": row.second,
            "verdict": row.verdict,
            "verdicts": {key: row.verdicts[key] for key in sorted(row.verdicts)},
            "comments": row.comments,
            "comment": row.comment,
            "at": row.created_at.isoformat(),
        }
