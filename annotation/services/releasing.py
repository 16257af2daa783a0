"""Releases: a frozen list of rows, so that the same tag gives the same bytes whatever is added later.

Kept are ids and what may change: splits, states, flags, version numbers. Texts are not copied: what is withdrawn from
the database is gone from the release too, and the next build says that it differs from the first.
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
    AssignmentState,
    Inspection,
    Project,
    Release,
    RestoredSkip,
    SampleState,
    SourceDocument,
)
from annotation.services import audit
from annotation.services.choices import ACCEPTED, latest
from annotation.services.errors import BadInput, NotFound
from annotation.services.inspected import Inspected
from annotation.services.overlap import not_marked
from annotation.services.scores import Listed, Metrics, ScoresNow, ScoresThen
from annotation.services.splitting import Splits, split_from
from annotation.transactions import write

if TYPE_CHECKING:
    import numpy as np

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
STEP = 5000
OWN_STATE = "as the line says"
"""Imported and restored summaries bring their state with them."""


def checked_tag(tag: str) -> str:
    if not TAG.fullmatch(tag):
        raise BadInput(
            _("A tag has 1 to 60 letters, digits, dots, hyphens or underscores, such as v1.0."), field="release"
        )
    return tag


def find_release(*, project: Project, tag: str) -> Release | None:
    return Release.objects.filter(project=project, tag=checked_tag(tag)).first()


def release_named(*, project: Project, tag: str) -> Release:
    found = find_release(project=project, tag=tag)
    if found is None:
        raise NotFound(_("There is no release %(tag)s.") % {"tag": tag}, field="release")
    return found


def freeze(
    *,
    project: Project,
    tag: str,
    state: str,
    splits: Splits,
    split_seed: int | None,
    by: AbstractBaseUser | None,
    overlap: str = "all",
) -> Release:
    """Store the list of rows that count now under a new tag; returns the one of another call that came first."""
    checked_tag(tag)
    rows = _rows_now(project, state, splits, not_marked(project) if overlap == "marked" else frozenset())
    try:
        with write():
            release = Release.objects.create(
                project=project,
                tag=tag,
                filters={"state": state, "overlap": overlap, "hashes": {}},
                split_seed=split_seed,
                rows=rows,
                created_by_id=by.pk if by is not None else None,
            )
            audit.record(project=project, actor=by, verb="freeze_release", target=f"release:{release.public_id}")
    except IntegrityError:
        return release_named(project=project, tag=tag)
    return release


def remember_hash(*, release: Release, format: str, sha256: str) -> str:
    """The hash of the release's first build in a format; stores this one where it is the first."""
    with write():
        kept = Release.objects.select_for_update().get(pk=release.pk)
        hashes = kept.filters.setdefault("hashes", {})
        first: str = hashes.setdefault(format, sha256)
        Release.objects.filter(pk=release.pk).update(filters=kept.filters, content_hash=kept.content_hash or sha256)
    return first


class Frozen:
    """The rows of a release, as a choice. `missing` counts rows of the list that are gone."""

    newest_only = False  # the list names the revision, newest or not

    def __init__(self, release: Release) -> None:
        rows = release.rows
        self.splits = split_from(rows["splits"])
        self.schemas, self.guidelines = rows["schemas"], rows["guidelines"]
        self.sources, self.unselected = unpack(rows["sources"]), unpack(rows["unselected"])
        self.damaged: dict[str, str] = rows["damaged"]
        self.states = {state: unpack(ids) for state, ids in rows["lines"].items()}
        self.skips, self.restored_skips = unpack(rows["skips"]), unpack(rows["restored_skips"])
        self.listed = len(self.sources) + sum(map(len, self.states.values())) + len(self.skips)
        self.inspections = unpack(rows.get("inspections") or pack(array("q")))
        self.scores = [Listed(frozenset(names), unpack(ids)) for names, ids in rows.get("scores", ())]
        self.left_out: dict[str, int] = {}
        self.found = 0

    @property
    def missing(self) -> int:
        return self.listed + len(self.restored_skips) - self.found

    def documents(self, project: Project) -> "QuerySet[SourceDocument]":
        return SourceDocument.objects.filter(project=project)

    def _has(self, ids: "np.ndarray[Any, Any]", wanted: int) -> bool:
        place = int(ids.searchsorted(wanted))
        found = place < len(ids) and int(ids[place]) == wanted
        self.found += found
        return found

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
        place = int(self.unselected.searchsorted(document.pk))
        selected = not (place < len(self.unselected) and int(self.unselected[place]) == document.pk)
        reason = self.damaged.get(str(document.pk))
        return {"selected": selected, "damaged": reason is not None, "damaged_reason": reason or ""}

    def metrics(self, project: Project) -> Metrics:
        return ScoresThen(self.scores)

    def inspected(self, project: Project) -> Inspected:
        return Inspected(project, only=self.inspections)


def _rows_now(project: Project, state: str, splits: Splits, left_out: frozenset[int]) -> dict[str, Any]:
    documents = SourceDocument.objects.filter(project=project)
    skipped = Assignment.objects.filter(project=project, state=AssignmentState.SKIPPED, sample__isnull=False)
    lines = _lines_now(project, state, left_out)
    return {
        "splits": splits.as_dict(),
        "schemas": project.schema_versions.order_by("-number")[0].number,
        "guidelines": project.guideline_versions.order_by("-number")[0].number,
        "sources": pack(_ids(documents)),
        "unselected": pack(_ids(documents.filter(selected=False))),
        "damaged": {
            str(pk): reason for pk, reason in documents.filter(damaged=True).values_list("pk", "damaged_reason")
        },
        "lines": {name: pack(ids) for name, ids in sorted(lines.items())},
        "scores": _scores_now(project, array("q", sorted(pk for ids in lines.values() for pk in ids))),
        "inspections": pack(_ids(Inspection.objects.filter(project=project))),
        "skips": pack(_ids(skipped)),
        "restored_skips": pack(_ids(RestoredSkip.objects.filter(project=project))),
    }


def _lines_now(project: Project, state: str, left_out: frozenset[int]) -> dict[str, "array[int]"]:
    """Ids of the annotations that count now, by state."""
    found: dict[str, array[int]] = {}
    rows = latest(Annotation.objects.filter(project=project, sample__isnull=False))
    names = ("assignment__state", "sample__state", "origin")
    for pk, its, sample, origin in _in_steps(rows, *names):
        if pk in left_out:
            continue
        if its is None:
            name = OWN_STATE
        else:
            name = SampleState.VOID.value if sample == SampleState.VOID else its
        if its is None and origin == Annotation.Origin.RESTORED and state == "accepted":
            continue  # sorted out below, where the line can be read
        if state != "accepted" or its is None or name in ACCEPTED:
            found.setdefault(name, array("q")).append(pk)
    if state == "accepted":
        _add_restored(project, found)
    return found


def _scores_now(project: Project, ids: "array[int]") -> list[tuple[list[str], str]]:
    """Which signatures the scores of the annotations have, and of which: few kinds, whatever their number."""
    scores = ScoresNow(project)
    found: dict[tuple[str, ...], array[int]] = {}
    for start in range(0, len(ids), STEP):
        for pk, names in scores.signatures(ids[start : start + STEP]):
            found.setdefault(names, array("q")).append(pk)
    return [(list(names), pack(found[names])) for names in sorted(found)]


def _add_restored(project: Project, found: dict[str, "array[int]"]) -> None:
    import json

    rows = Annotation.objects.filter(project=project, sample__isnull=False, origin=Annotation.Origin.RESTORED)
    own = found.setdefault(OWN_STATE, array("q"))
    own.extend(pk for pk, raw in _in_steps(rows, "raw_json") if json.loads(raw)["state"] in ACCEPTED)
    found[OWN_STATE] = array("q", sorted(own))


def _in_steps(rows: "QuerySet[Any]", *names: str) -> Iterator[tuple[Any, ...]]:
    """Values in order of id, a few thousand rows at a time."""
    after = 0
    while step := list(rows.filter(pk__gt=after).order_by("pk").values_list("pk", *names)[:STEP]):
        yield from step
        after = step[-1][0]


def _ids(rows: "QuerySet[Any]") -> "array[int]":
    return array("q", (row[0] for row in _in_steps(rows)))


def pack(ids: "array[int]") -> str:
    """Rising ids as compressed differences in base64: about a byte per row."""
    import numpy as np

    steps = np.diff(np.frombuffer(ids, np.int64), prepend=0) if len(ids) else np.empty(0, np.int64)
    return base64.b64encode(zlib.compress(steps.astype("<i8").tobytes())).decode()


def unpack(text: str) -> "np.ndarray[Any, np.dtype[np.int64]]":
    import numpy as np

    return np.cumsum(np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i8")).astype(np.int64)
