"""Selects the current rows of an export, by state."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Project, SourceDocument
from annotation.services.inspection.export_rows import InspectionReader
from annotation.services.scores.score_queries import Metrics, NoScores, ScoresNow
from annotation.services.sources.splits import ImportedSplits, Splits

ACCEPTED = frozenset({"accepted", "imported"})
NOT_USED = frozenset({"rejected", "surplus", "void", "withdrawn"})
"""States that are left out by formats without a state field."""


class CurrentRows:
    """The current rows. state: `latest` selects all states, `accepted` only accepted or imported annotations.
    not_marked: annotations left out because reviewers marked another one of the sample."""

    newest_only = True

    def __init__(
        self, state: str, splits: Splits, *, with_scores: bool = True, not_marked: frozenset[int] = frozenset()
    ) -> None:
        self.accepted_only, self.splits, self.with_scores = state == "accepted", splits, with_scores
        self.not_marked = not_marked
        self.left_out: dict[str, int] = {}

    def documents(self, project: Project) -> "QuerySet[SourceDocument]":
        return SourceDocument.objects.filter(project=project)

    def takes_document(self, document_id: int) -> bool:
        return True

    def state(self, annotation_id: int, state: str) -> str | None:
        if annotation_id in self.not_marked:
            self.left_out["not_marked"] = self.left_out.get("not_marked", 0) + 1
            return None
        if self.accepted_only and state not in ACCEPTED:
            self.left_out[state] = self.left_out.get(state, 0) + 1
            return None
        return state

    def takes_skip(self, assignment_id: int) -> bool:
        return True

    def takes_restored_skip(self, skip_id: int) -> bool:
        return True

    def split(self, origin_id: str, split: str) -> str:
        return self.splits.of(origin_id, split)

    def flags(self, document: Any) -> dict[str, Any]:
        return {
            "selected": document.selected,
            "damaged": document.damaged,
            "damaged_reason": document.damaged_reason,
        }

    def metrics(self, project: Project) -> Metrics:
        return ScoresNow(project) if self.with_scores else NoScores()

    def inspected(self, project: Project) -> InspectionReader:
        return InspectionReader(project)


def select_all_rows() -> CurrentRows:
    """All rows without scores, for comparing stored rows with an import."""
    return CurrentRows("latest", ImportedSplits(), with_scores=False)
