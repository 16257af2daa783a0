"""What the steps have built so far, read back: the pool from which later sets are drawn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project, SampleState
from epitome.construction.summaries import FOCUS_VALUES, BuiltSummary, draw_sample
from modelbridge.models import Rewrite, SystemRevision

ASPECT_OF_FOCUS = {value: aspect for aspect, value in FOCUS_VALUES.items()}


@dataclass(frozen=True)
class TestOriginal:
    """A focus summary of the test split. annotation: its row id. aspect: empirical or conceptual."""

    __test__ = False

    summary: BuiltSummary
    document: int
    annotation: int
    aspect: str


def name_revision(revision: SystemRevision | None) -> str:
    """`key@number` of a revision, as stored with what it wrote; its system must be loaded."""
    return f"{revision.system.key}@{revision.number}" if revision is not None else ""


def load_built(project: Project, steps: Collection[str], splits: Collection[str] | None = None) -> list[BuiltSummary]:
    """The summaries that some steps built, without dropped ones, in order of building. splits: only of sources in
    these. Keys begin with the step's."""
    return [summary for _annotation, summary in _load_rows(project, steps, splits)]


def list_test_originals(project: Project, *, n: int, seed: int) -> list[TestOriginal]:
    """n of the focus summaries of the test split (all, where there are no more), drawn with a seed. At most one of each
    kind per paper."""
    rows = _load_rows(project, ("focus",), ("test",))
    drawn = draw_sample(rows, n, seed, "compositional-test", lambda row: row[1].key)
    return [
        TestOriginal(summary, summary.document, annotation, ASPECT_OF_FOCUS[summary.attributes["focus"]])
        for annotation, summary in drawn
    ]


def _load_rows(
    project: Project, steps: Collection[str], splits: Collection[str] | None
) -> Sequence[tuple[int, BuiltSummary]]:
    rows = Annotation.objects.filter(
        project=project, sample__constructed__step__key__in=steps, sample__state=SampleState.ACTIVE
    )
    if splits is not None:
        rows = rows.filter(sample__document__split__in=splits)
    ordered_rows = rows.select_related("sample__group", "sample__constructed__step").order_by("sample__constructed__pk")
    calls = _load_calls(project, steps)
    kind = get_task_kind(project.kind, has_sample=True)
    return [(row.pk, _read_summary(row, kind.text_of(row.payload), calls)) for row in ordered_rows]


def _load_calls(project: Project, steps: Collection[str]) -> dict[int, Rewrite]:
    rows = Rewrite.objects.filter(project=project, step__key__in=steps, constructed__isnull=False).distinct()
    return rows.select_related("revision__system", "base").defer("raw_answer", "text").in_bulk()


def _read_summary(row: Annotation, text: str, calls: dict[int, Rewrite]) -> BuiltSummary:
    sample: Any = row.sample
    constructed = sample.constructed
    call = calls.get(constructed.rewrite_id or 0)
    is_rewrite = constructed.origin.startswith("rewrite:")
    return BuiltSummary(
        key=f"{constructed.step.key}:{constructed.key}",
        document=sample.document_id,
        text=text,
        origin=constructed.origin,
        attributes=sample.attributes,
        base=str(call.base.public_id) if is_rewrite and call is not None and call.base is not None else "",
        rewrite=constructed.rewrite_id or 0,
        aspect=constructed.aspect,
        prompt_hash=call.prompt_hash if call is not None else "",
        revision=name_revision(call.revision) if call is not None else "",
    )
