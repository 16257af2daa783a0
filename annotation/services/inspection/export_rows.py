"""Inspections of annotations, as they appear in export lines."""

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from annotation.models import Inspection, Project
from annotation.services.core.withdrawn_people import ExportPseudonyms

if TYPE_CHECKING:
    import numpy as np

FIELDS = ("pk", "annotation_id", "reviewer_id", "second", "verdict", "verdicts", "comments", "comment", "created_at")


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
        for pk, annotation, *fields in rows.order_by("annotation_id", "second").values_list(*FIELDS):
            if self._counts(pk):
                inspections[annotation].append(self._line(*fields))
        return inspections

    def _counts(self, pk: int) -> bool:
        if self.only is None:
            return True
        place = int(self.only.searchsorted(pk))
        return place < len(self.only) and int(self.only[place]) == pk

    def _line(
        self, reviewer: int, second: bool, verdict: str, verdicts: Any, comments: Any, comment: str, at: Any
    ) -> dict[str, Any]:
        return {
            "reviewer": self.pseudonyms.of(reviewer),
            "second": second,
            "verdict": verdict,
            "verdicts": {key: verdicts[key] for key in sorted(verdicts)},
            "comments": comments,
            "comment": comment,
            "at": at.isoformat(),
        }
