"""Releases: a frozen list of rows, so that the same tag gives the same bytes whatever is added later.

A release stores ids and everything mutable: splits, states, flags, version numbers. Texts are not copied: a text
withdrawn from the database is missing in the release too, and the next build reports that it differs from the first.
"""

import base64
import re
import zlib
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import (
    Annotation,
    Assignment,
    AuditVerb,
    Inspection,
    Project,
    Release,
    RestoredSkip,
    SampleState,
    SourceDocument,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.exports.export_selection import ACCEPTED
from annotation.services.inspection.export_rows import InspectionReader
from annotation.services.overlap.marks import unmarked_annotations
from annotation.services.scores.score_queries import ListedScores, Metrics, ScoresNow, ScoresThen
from annotation.services.sources.splits import Splits, split_from
from annotation.transactions import write_transaction

if TYPE_CHECKING:
    import numpy as np

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
STEP = 5000
OWN_STATE = "as the line says"
"""For imported and restored summaries, whose own line has their state."""


def checked_tag(tag: str) -> str:
    if not TAG.fullmatch(tag):
        raise BadInput(
            _("A tag has 1 to 60 letters, digits, dots, hyphens or underscores, such as v1.0."), field="release"
        )
    return tag


def find_release(*, project: Project, tag: str) -> Release | None:
    return Release.objects.filter(project=project, tag=checked_tag(tag)).first()


def get_release(*, project: Project, tag: str) -> Release:
    release = find_release(project=project, tag=tag)
    if release is None:
        raise NotFound(_("There is no release %(tag)s.") % {"tag": tag}, field="release")
    return release


def freeze_release(
    *,
    project: Project,
    tag: str,
    state: str,
    splits: Splits,
    split_seed: int | None,
    by: AbstractBaseUser | None,
    overlap: str = "all",
) -> Release:
    """Store the current list of rows under a new tag; returns the existing release if another call was first."""
    checked_tag(tag)
    rows = _rows_now(project, state, splits, unmarked_annotations(project) if overlap == "marked" else frozenset())
    try:
        with write_transaction():
            release = Release.objects.create(
                project=project,
                tag=tag,
                filters={"state": state, "overlap": overlap, "hashes": {}},
                split_seed=split_seed,
                rows=rows,
                created_by_id=by.pk if by is not None else None,
            )
            audit.record_event(
                project=project, actor=by, verb=AuditVerb.RELEASE_FREEZE, target=f"release:{release.public_id}"
            )
    except IntegrityError:
        return get_release(project=project, tag=tag)
    return release


def remember_hash(*, release: Release, format: str, sha256: str) -> str:
    """Return the hash of the release's first build in a format; stores `sha256` if this is the first build."""
    with write_transaction():
        locked = Release.objects.select_for_update().get(pk=release.pk)
        hashes = locked.filters.setdefault("hashes", {})
        first: str = hashes.setdefault(format, sha256)
        Release.objects.filter(pk=release.pk).update(filters=locked.filters, content_hash=locked.content_hash or sha256)
    return first


class FrozenSelection:
    """Selects the rows of a release for an export. `missing` counts listed rows that no longer exist."""

    newest_only = False  # the list names the revision, newest or not

    def __init__(self, release: Release) -> None:
        rows = release.rows
        self.splits = split_from(rows["splits"])
        self.schemas, self.guidelines = rows["schemas"], rows["guidelines"]
        self.sources, self.unselected = unpack_ids(rows["sources"]), unpack_ids(rows["unselected"])
        self.damaged: dict[str, str] = rows["damaged"]
        self.states = {state: unpack_ids(ids) for state, ids in rows["lines"].items()}
        self.skips, self.restored_skips = unpack_ids(rows["skips"]), unpack_ids(rows["restored_skips"])
        self.listed = len(self.sources) + sum(map(len, self.states.values())) + len(self.skips)
        self.inspections = unpack_ids(rows.get("inspections") or pack_ids(array("q")))
        self.scores = [ListedScores(frozenset(names), unpack_ids(ids)) for names, ids in rows.get("scores", ())]
        self.left_out: dict[str, int] = {}
        self.found = 0

    @property
    def missing(self) -> int:
        return self.listed + len(self.restored_skips) - self.found

    def documents(self, project: Project) -> "QuerySet[SourceDocument]":
        return SourceDocument.objects.filter(project=project)

    def _has(self, ids: "np.ndarray[Any, Any]", row_id: int) -> bool:
        index = int(ids.searchsorted(row_id))
        is_listed = index < len(ids) and int(ids[index]) == row_id
        self.found += is_listed
        return is_listed

    def takes_document(self, document_id: int) -> bool:
        return self._has(self.sources, document_id)

    def state(self, annotation_id: int, state: str) -> str | None:
        for name, ids in self.states.items():
            if self._has(ids, annotation_id):
                return state if name == OWN_STATE else name
        return None

    def takes_skip(self, assignment_id: int) -> bool:
        return self._has(self.skips, assignment_id)

    def takes_restored_skip(self, skip_id: int) -> bool:
        return self._has(self.restored_skips, skip_id)

    def split(self, origin_id: str, split: str) -> str:
        return self.splits.of(origin_id, split)

    def flags(self, document: Any) -> dict[str, Any]:
        index = int(self.unselected.searchsorted(document.pk))
        selected = not (index < len(self.unselected) and int(self.unselected[index]) == document.pk)
        reason = self.damaged.get(str(document.pk))
        return {"selected": selected, "damaged": reason is not None, "damaged_reason": reason or ""}

    def metrics(self, project: Project) -> Metrics:
        return ScoresThen(self.scores)

    def inspected(self, project: Project) -> InspectionReader:
        return InspectionReader(project, only=self.inspections)


def _rows_now(project: Project, state: str, splits: Splits, left_out: frozenset[int]) -> dict[str, Any]:
    documents = SourceDocument.objects.filter(project=project)
    skipped = Assignment.objects.skipped_samples().filter(project=project)
    lines = _lines_now(project, state, left_out)
    return {
        "splits": splits.as_dict(),
        "schemas": project.schema_versions.order_by("-number")[0].number,
        "guidelines": project.guideline_versions.order_by("-number")[0].number,
        "sources": pack_ids(_collect_ids(documents)),
        "unselected": pack_ids(_collect_ids(documents.filter(selected=False))),
        "damaged": {
            str(pk): reason for pk, reason in documents.filter(damaged=True).values_list("pk", "damaged_reason")
        },
        "lines": {name: pack_ids(ids) for name, ids in sorted(lines.items())},
        "scores": _scores_now(project, array("q", sorted(pk for ids in lines.values() for pk in ids))),
        "inspections": pack_ids(_collect_ids(Inspection.objects.filter(project=project))),
        "skips": pack_ids(_collect_ids(skipped)),
        "restored_skips": pack_ids(_collect_ids(RestoredSkip.objects.filter(project=project))),
    }


def _lines_now(project: Project, state: str, left_out: frozenset[int]) -> dict[str, "array[int]"]:
    """Ids of the annotations that currently count, by state."""
    ids_by_state: dict[str, array[int]] = {}
    rows = Annotation.objects.filter(project=project, sample__isnull=False).latest_revisions()
    names = ("assignment__state", "sample__state", "origin")
    for pk, attempt_state, sample_state, origin in _iterate_rows(rows, *names):
        is_dropped = sample_state == SampleState.VOID and origin == Annotation.Origin.IMPORT
        if pk in left_out or is_dropped:
            continue
        if attempt_state is None:
            name = OWN_STATE
        else:
            name = SampleState.VOID.value if sample_state == SampleState.VOID else attempt_state
        if attempt_state is None and origin == Annotation.Origin.RESTORED and state == "accepted":
            continue  # added below, where the state in the line is read
        if state != "accepted" or attempt_state is None or name in ACCEPTED:
            ids_by_state.setdefault(name, array("q")).append(pk)
    if state == "accepted":
        _add_restored(project, ids_by_state)
    return ids_by_state


def _scores_now(project: Project, ids: "array[int]") -> list[tuple[list[str], str]]:
    """(signatures, packed annotation ids) per distinct set of score signatures; such sets are few in any project."""
    scores = ScoresNow(project)
    ids_by_signatures: dict[tuple[str, ...], array[int]] = {}
    for start in range(0, len(ids), STEP):
        for pk, names in scores.signatures(ids[start : start + STEP]):
            ids_by_signatures.setdefault(names, array("q")).append(pk)
    return [(list(names), pack_ids(ids_by_signatures[names])) for names in sorted(ids_by_signatures)]


def _add_restored(project: Project, ids_by_state: dict[str, "array[int]"]) -> None:
    import json

    rows = Annotation.objects.filter(project=project, sample__isnull=False, origin=Annotation.Origin.RESTORED)
    ids = ids_by_state.setdefault(OWN_STATE, array("q"))
    ids.extend(pk for pk, raw in _iterate_rows(rows, "raw_json") if json.loads(raw)["state"] in ACCEPTED)
    ids_by_state[OWN_STATE] = array("q", sorted(ids))


def _iterate_rows(rows: "QuerySet[Any]", *names: str) -> Iterator[tuple[Any, ...]]:
    """Values in order of id, a few thousand rows at a time."""
    last_pk = 0
    while step := list(rows.filter(pk__gt=last_pk).order_by("pk").values_list("pk", *names)[:STEP]):
        yield from step
        last_pk = step[-1][0]


def _collect_ids(rows: "QuerySet[Any]") -> "array[int]":
    return array("q", (row[0] for row in _iterate_rows(rows)))


def pack_ids(ids: "array[int]") -> str:
    """Encode ascending ids as compressed differences in base64: about one byte per row."""
    import numpy as np

    steps = np.diff(np.frombuffer(ids, np.int64), prepend=0) if len(ids) else np.empty(0, np.int64)
    return base64.b64encode(zlib.compress(steps.astype("<i8").tobytes())).decode()


def unpack_ids(text: str) -> "np.ndarray[Any, np.dtype[np.int64]]":
    import numpy as np

    return np.cumsum(np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i8")).astype(np.int64)
