"""Measures stored texts of people and systems: finds unscored texts and scores them in batches."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from django.conf import settings
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.extension_points import ExtensionPoint
from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project, SchemaVersion, Score, SourceText
from annotation.services.core.errors import BadInput
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.scores.score_queries import PROFILE, current_signatures
from annotation.transactions import write_transaction
from epitome.formats.encoded_json import parse_stored_json
from epitome.measures import MEASURES, NoTagger, SourceIndex, Tagger, Value, measure_summary, spacy_tagger
from epitome.measures.specificity import specificity_many
from epitome.schema import Schema
from epitome.text.pipeline import PipelineNotFound


class Summary(NamedTuple):
    """One text to measure, with its request."""

    pk: int
    document_id: int
    text: str
    requests: dict[str, Any]


OVERLAP = 1000
"""Number of newest annotation ids that every sweep checks again, because ids may become visible out of order."""


class Texts(Protocol):
    """One kind of texts that are measured, `kind` being that of their scores. Their rows have a `sample`."""

    kind: str
    counted: str
    """Their name in the counts that scoring reports."""

    def rows(self, project_id: int) -> "QuerySet[Any]":
        """Every text of a project that can be measured."""
        ...

    def of_version(self, version: SchemaVersion) -> "QuerySet[Any]":
        """The texts requested under a version of the schema."""
        ...

    def of_outer(self) -> "QuerySet[Any]":
        """The texts of the project OuterRef("pk")."""
        ...

    def mark(self, project: Project) -> int:
        """The current position, stored until the next sweep."""
        ...

    def since(self, project: Project, mark: int) -> Q | None:
        """Filter for texts that may be newer than a mark; None: there are none."""
        ...

    def texts(self, project: Project, ids: Sequence[int]) -> dict[int, str]:
        """id -> the text to measure."""
        ...


class Summaries:
    """Summaries written by people."""

    kind: str = Score.Target.ANNOTATION
    counted = "annotations"

    def rows(self, project_id: int) -> "QuerySet[Annotation]":
        return Annotation.objects.filter(~text_gone(), project=project_id, sample__document__published=True)

    def of_version(self, version: SchemaVersion) -> "QuerySet[Annotation]":
        return self.rows(version.project_id).filter(schema_version=version)

    def of_outer(self) -> "QuerySet[Any]":
        return Annotation.objects.filter(project=OuterRef("pk"))

    def mark(self, project: Project) -> int:
        return Annotation.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True).first() or 0

    def since(self, project: Project, mark: int) -> Q | None:
        return Q(pk__gt=mark - OVERLAP)

    def texts(self, project: Project, ids: Sequence[int]) -> dict[int, str]:
        kind = get_task_kind(project.kind, has_sample=True)
        rows = Annotation.objects.filter(pk__in=ids).values_list("pk", "payload")
        return {pk: kind.text_of(payload) for pk, payload in rows}


SCORED_TEXTS = ExtensionPoint[Texts]("scored texts", key=lambda texts: texts.kind)
"""Every kind of texts that is scored; other apps register theirs."""

SCORED_TEXTS.register(Summaries())


def unscored_texts(texts: Texts, version: SchemaVersion, signatures: Sequence[str]) -> "QuerySet[Any]":
    """Texts of a schema version that lack a score of one of the signatures."""
    scores = Score.objects.filter(target_kind=texts.kind, target_id=OuterRef("pk"), signature__in=signatures)
    counted = scores.order_by().values("target_id").annotate(n=Count("pk")).values("n")
    rows = texts.of_version(version).annotate(n_scores=Coalesce(Subquery(counted, output_field=IntegerField()), 0))
    return rows.filter(n_scores__lt=len(set(signatures)))


class Scorer:
    """Measures the texts of one schema version. The index of the last source is cached for the next batch."""

    def __init__(self, project: Project, version: SchemaVersion, tagger: Tagger | None, texts: Texts) -> None:
        self.project, self.version, self.schema, self.texts = project, version, version.schema, texts
        try:
            self.signatures = current_signatures(project, self.schema, strict=True)
        except PipelineNotFound as error:
            raise BadInput(str(error), field="tagger") from error
        self.tagger = tagger
        self.index: tuple[int, SourceIndex | None] = (0, None)

    def to_do(self) -> list[int]:
        """Ids of unscored texts, ordered by source, so that each source is read once. Loads the tagger if needed."""
        if not self.signatures:
            return []
        rows = unscored_texts(self.texts, self.version, list(self.signatures.values()))
        ids = list(rows.order_by("sample__document_id", "pk").values_list("pk", flat=True))
        if ids and self.tagger is None and self._needs_tagger:
            self.tagger = settings_tagger()
        return ids

    @property
    def _needs_tagger(self) -> bool:
        measures = [MEASURES[key] for key in self.signatures]
        return any(measure.needs_tagger and not measure.explain_refusal(self.schema.language) for measure in measures)

    def score(self, ids: Sequence[int]) -> dict[str, int]:
        """Measure and store the missing scores of one batch. Nothing is written while measuring, so no lock is held."""
        existing = set(
            Score.objects.filter(target_kind=self.texts.kind, target_id__in=ids).values_list("target_id", "signature")
        )
        measure_keys = [key for key, name in self.signatures.items() if any((pk, name) not in existing for pk in ids)]
        rows = [
            self._row(pk, key, value)
            for pk, values in self._measured(ids, measure_keys)
            for key, value in values.items()
            if (pk, self.signatures[key]) not in existing
        ]
        with write_transaction():
            # A concurrent run may have stored the same batch; its numbers are the same.
            Score.objects.bulk_create(rows, ignore_conflicts=True)
        return {
            self.texts.counted: len({row.target_id for row in rows}),
            "scores": len(rows),
            "undefined": sum(row.value is None for row in rows),
        }

    def _row(self, pk: int, key: str, value: Value) -> Score:
        if value.value is not None and not math.isfinite(value.value):
            raise ValueError(f"{key} of {self.texts.kind} {pk} is {value.value}; a measure gives a number or a reason")
        return Score(
            project=self.project,
            target_kind=self.texts.kind,
            target_id=pk,
            measure=key,
            value=value.value,
            undefined=value.undefined if value.value is None else "",
            signature=self.signatures[key],
        )

    def _measured(self, ids: Sequence[int], measure_keys: Sequence[str]) -> list[tuple[int, dict[str, Value]]]:
        summaries = self._summaries(ids)
        segments = _load_segments({summary.document_id for summary in summaries})
        one_by_one = [key for key in measure_keys if key != "specificity"]
        measured = []
        for summary in summaries:
            measured.append((summary.pk, self._measure(summary, one_by_one, segments)))
        if "specificity" in measure_keys:
            for (_pk, values), value in zip(measured, self._specificity(summaries), strict=True):
                values["specificity"] = value
        return measured

    def _summaries(self, ids: Sequence[int]) -> list[Summary]:
        rows = self.texts.rows(self.project.pk).filter(pk__in=ids).order_by("sample__document_id", "pk")
        fields = ("pk", "sample__document_id", "sample__values", "sample__group__chosen")
        texts = self.texts.texts(self.project, ids)
        return [
            Summary(pk, document, texts[pk], requested_values(self.schema, {**values, **chosen}))
            for pk, document, values, chosen in rows.values_list(*fields)
        ]

    def _measure(self, summary: Summary, keys: Sequence[str], segments: dict[int, str]) -> dict[str, Value]:
        index = self._source(summary.document_id, segments)
        language = self.schema.language
        return measure_summary(summary.text, index, summary.requests, measures=keys, profile=PROFILE, language=language)

    def _source(self, document_id: int, segments: dict[int, str]) -> SourceIndex:
        if self.index[0] != document_id or self.index[1] is None:
            rows = parse_stored_json(segments.get(document_id, "[]"))
            self.index = (document_id, SourceIndex(rows, domain=self.schema.domain))
        assert self.index[1] is not None
        return self.index[1]

    def _specificity(self, summaries: Sequence[Summary]) -> list[Value]:
        """All summaries at once: a tagger is several times faster on a batch."""
        if reason := MEASURES["specificity"].explain_refusal(self.schema.language):
            return [Value.none(reason)] * len(summaries)
        assert self.tagger is not None
        return specificity_many([summary.text for summary in summaries], self.tagger, PROFILE)


def requested_values(schema: Schema, values: dict[str, Any]) -> dict[str, Any]:
    """Requested values by the name that measures expect: topics, speakers, keywords."""
    requested: dict[str, Any] = {}
    for attribute in schema.attributes:
        name = MEASURES[attribute.measure].needs_request if attribute.measure in MEASURES else None
        if name and values.get(attribute.key):
            requested[name] = values[attribute.key]
    return requested


def settings_tagger() -> Tagger:
    """The configured tagger. Raises BadInput with instructions if it is not available."""
    try:
        return spacy_tagger(settings.EPITOME_SPACY_PIPELINE)
    except (PipelineNotFound, NoTagger) as error:
        raise BadInput(str(error), field="tagger") from error


def _load_segments(document_ids: set[int]) -> dict[int, str]:
    return dict(SourceText.objects.filter(pk__in=document_ids).values_list("pk", "segments_json"))
