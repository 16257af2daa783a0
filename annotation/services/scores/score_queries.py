"""Reading stored scores: which signatures are current, and the scores of summaries under them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from django.conf import settings

from annotation.models import Project, Score
from epitome.formats.encoded_json import EncodedJSON, encode_json
from epitome.measures import MEASURES
from epitome.schema import Schema
from epitome.text.installed import installed_id
from epitome.text.pipeline import PipelineNotFound

if TYPE_CHECKING:
    import numpy as np

PROFILE: Literal["release"] = "release"
"""The definitions behind the published numbers."""
EPS_POLICY = "release"
ABOUT = {"profile": PROFILE, "eps_policy": EPS_POLICY}
ABOUT_TEXT = [f"{encode_json(key)}:{encode_json(value)}" for key, value in ABOUT.items()]


class Scored(NamedTuple):
    """One number of one text, or why there is none (`undefined`, then value is None)."""

    value: float | None
    undefined: str
    signature: str


class ScoreRow(NamedTuple):
    """A stored score; the fields are the columns of the query."""

    pk: int
    target_id: int
    measure: str
    value: float | None
    undefined: str
    signature: str


def measured_keys(schema: Schema) -> list[str]:
    """Keys of the measures that a schema's attributes name, in schema order; unknown measures are left out."""
    return list(dict.fromkeys(attribute.measure for attribute in schema.attributes if attribute.measure in MEASURES))


def tagger_id() -> str:
    """Which tagger the settings name, without loading it. Raises PipelineNotFound."""
    return installed_id(settings.EPITOME_SPACY_PIPELINE)


def current_signatures(project: Project, schema: Schema, *, strict: bool = False) -> dict[str, str]:
    """measure -> its current signature. A measure whose tagger is not installed is left out; with `strict` it raises
    PipelineNotFound."""
    signatures: dict[str, str] = {}
    for key in measured_keys(schema):
        measure = MEASURES[key]
        try:
            tagger = tagger_id() if measure.needs_tagger else None
        except PipelineNotFound:
            if strict:
                raise
            continue
        signatures[key] = str(measure.signature(profile=PROFILE, tagger_id=tagger, domain=schema.domain))
    return signatures


def signatures_now(project: Project) -> frozenset[str]:
    """The signatures that count now under any version of the project's schema."""
    versions = project.schema_versions.all()
    return frozenset(name for version in versions for name in current_signatures(project, version.schema).values())


def latest_scores(
    project: Project, *, target_kind: str = Score.Target.ANNOTATION, ids: Collection[int] | None = None
) -> dict[int, dict[str, Scored]]:
    """target id -> measure -> its score: the one of the current signature, else the newest. Two or three queries.

    ids: only these targets (best close together, for they are read as a range).
    """
    rows = Score.objects.filter(project=project, target_kind=target_kind)
    if ids is not None:
        if not ids:
            return {}
        rows = rows.filter(target_id__gte=min(ids), target_id__lte=max(ids))
    scores_by_target: dict[int, dict[str, Scored]] = {}
    score_rows = map(ScoreRow._make, rows.values_list(*ScoreRow._fields))
    for row in select_current_rows(score_rows, signatures_now(project)):
        if ids is None or row.target_id in ids:
            score = Scored(row.value, row.undefined, row.signature)
            scores_by_target.setdefault(row.target_id, {})[row.measure] = score
    return scores_by_target


def select_current_rows(rows: Iterable[ScoreRow], now: frozenset[str]) -> list[ScoreRow]:
    """One row per target and measure: the current signature's, else the newest. In no order."""
    current: dict[tuple[int, str], ScoreRow] = {}
    for row in rows:
        key = (row.target_id, row.measure)
        other = current.setdefault(key, row)
        if other is not row and (row.signature in now, row.pk) > (other.signature in now, other.pk):
            current[key] = row
    return list(current.values())


def _rows_in_range(ids: Collection[int]) -> Iterable[ScoreRow]:
    """Score rows of annotations from min(ids) to max(ids): a range of the unique key, which starts with the target."""
    rows = Score.objects.filter(
        target_kind=Score.Target.ANNOTATION, target_id__gte=min(ids), target_id__lte=max(ids)
    ).order_by()
    return map(ScoreRow._make, rows.values_list(*ScoreRow._fields))


def dump_metrics(rows: Iterable[ScoreRow]) -> dict[int, EncodedJSON]:
    """target id -> its scores as JSON text for an export line, with sorted keys. Built as text, because an export of
    100,000 summaries has half a million of them."""
    pieces_by_target: dict[int, list[str]] = {}
    prefixes: dict[str, str] = {}
    for _pk, target, measure, value, undefined, signature in rows:
        pieces = pieces_by_target.get(target)
        if pieces is None:
            pieces = pieces_by_target[target] = ABOUT_TEXT.copy()
        prefix = prefixes.get(signature)
        if prefix is None:
            prefix = prefixes[signature] = f'{encode_json(measure)}:{{"signature":{encode_json(signature)},'
        name, result = ("value", value) if value is not None else ("undefined", undefined)
        pieces.append(f'{prefix}"{name}":{encode_json(result)}}}')
    return {target: EncodedJSON(f"{{{','.join(sorted(pieces))}}}") for target, pieces in pieces_by_target.items()}


class Metrics(Protocol):
    """Reads the scores of annotations for an export."""

    def of(self, ids: Collection[int]) -> Mapping[int, EncodedJSON]:
        """annotation id -> its metrics as JSON text; absent where it has none. At most one query."""
        ...


class NoScores:
    """No metrics: for comparing lines by what people wrote."""

    def of(self, ids: Collection[int]) -> Mapping[int, EncodedJSON]:
        return {}


class ScoresNow:
    """The current scores of annotations."""

    def __init__(self, project: Project) -> None:
        self.now = signatures_now(project)
        self.any = Score.objects.filter(project=project, target_kind=Score.Target.ANNOTATION).exists()

    def of(self, ids: Collection[int]) -> Mapping[int, EncodedJSON]:
        return dump_metrics(select_current_rows(_rows_in_range(ids), self.now)) if self.any and ids else {}

    def signatures(self, ids: Collection[int]) -> list[tuple[int, tuple[str, ...]]]:
        """(annotation id, the sorted signatures of its scores) in order of id, of those that have scores."""
        if not self.any or not ids:
            return []
        wanted_ids, signatures_by_id = set(ids), defaultdict[int, list[str]](list)
        for row in select_current_rows(_rows_in_range(ids), self.now):
            if row.target_id in wanted_ids:
                signatures_by_id[row.target_id].append(row.signature)
        return [(pk, tuple(sorted(signatures_by_id[pk]))) for pk in sorted(signatures_by_id)]


@dataclass(frozen=True, slots=True)
class ListedScores:
    """Annotations (rising ids) whose scores have these signatures in a release."""

    signatures: frozenset[str]
    annotations: "np.ndarray[Any, np.dtype[np.int64]]"


class ScoresThen:
    """The scores as frozen in a release: score rows never change, so the signatures are enough to find them."""

    def __init__(self, listed: list[ListedScores]) -> None:
        self.listed = listed

    def of(self, ids: Collection[int]) -> Mapping[int, EncodedJSON]:
        if not self.listed or not ids:
            return {}
        first, last = min(ids), max(ids)
        frozen: dict[int, frozenset[str]] = {}
        for group in self.listed:
            start, end = group.annotations.searchsorted([first, last + 1])
            frozen.update(dict.fromkeys(group.annotations[start:end].tolist(), group.signatures))
        return dump_metrics(row for row in _rows_in_range(ids) if row.signature in frozen.get(row.target_id, ()))
