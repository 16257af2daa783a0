"""The material of a round: for each target the samples it has a text for, and the texts."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Contrastive, Project, Sample, SampleState, SourceDocument, SourceText
from annotation.services.core.errors import BadInput
from epitome.rounds.config import RoundConfig, Target
from epitome.rounds.plans import questions_for
from epitome.rounds.selecting import Candidate, is_empty
from epitome.rounds.templates import METADATA
from evaluation.services.rounds import aggregation_material
from evaluation.services.rounds.contrastive_material import DrawnExamples, ExampleRow, draw_examples
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.references import human_summaries
from modelbridge.services.runs.sample_selection import join_asked

BATCH = 500


@dataclass(frozen=True)
class SampleRow:
    """A sample as a candidate of the design, with its database keys."""

    candidate: Candidate
    pk: int
    document_id: int
    n_words: int


@dataclass
class LoadedTarget:
    """One target with its texts. rows: sample key -> primary key of the annotation, output or contrastive example.
    missing: keys without."""

    target: Target
    run: Run | None = None
    rows: dict[str, int] = field(default_factory=dict)
    examples: DrawnExamples | None = None
    missing: list[str] = field(default_factory=list)

    @property
    def told(self) -> dict[str, Any]:
        """The target's entry in the frozen design."""
        values: dict[str, Any] = {
            "key": self.target.key,
            "kind": self.target.kind,
            "no_control": self.target.no_control,
        }
        if self.run is not None:
            revision = self.run.revision
            values |= {
                "run": str(self.run.public_id),
                "system": revision.system.key,
                "revision": revision.number,
                "config_hash": revision.config_hash,
            }
        if self.examples is not None:
            values["examples"] = self.examples.count_drawn()
            values["not_dodged"] = self.examples.n_by_rule if self.run is not None else {}
        return values


class Material:
    """The samples of a project and the targets of a configuration, loaded once."""

    def __init__(self, project: Project, config: RoundConfig) -> None:
        self.project, self.config = project, config
        self.samples = {row.candidate.key: row for row in _load_samples(project, config)}
        self.by_pk = {row.pk: key for key, row in self.samples.items()}
        self.examples: dict[str, ExampleRow] = {}
        self._texts: dict[tuple[str, str], str] = {}
        self.targets = {target.key: self._load(target) for target in config.targets}
        self._indexes: dict[int, Any] = {}

    @property
    def pools(self) -> dict[str, list[Candidate]]:
        return {key: [self.samples[sample].candidate for sample in loaded.rows] for key, loaded in self.targets.items()}

    @cached_property
    def gold(self) -> dict[int, int]:
        """sample -> annotation of the human summary, for shown references."""
        return gold_annotations(self.project)

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(sorted({row.candidate.domain for row in self.samples.values()}))

    def _load(self, target: Target) -> LoadedTarget:
        if target.is_contrastive:
            return self._load_examples(target)
        if target.is_gold and aggregation_material.has_instances(self.project):
            loaded = self._load_phrases(target)
        elif target.is_gold:
            loaded = LoadedTarget(target, rows=self._keyed(gold_annotations(self.project)))
        else:
            run = find_run(self.project, target)
            outputs = SystemOutput.objects.filter(run=run, state=OutputState.DONE).values_list("sample_id", "pk")
            loaded = LoadedTarget(target, run, self._keyed(dict(outputs)))
        needed = self.config.selection.require_nonempty
        loaded.missing = sorted(
            key
            for key, row in self.samples.items()
            if key not in loaded.rows
            and questions_for(self.config, row.candidate.request)
            and not any(is_empty(row.candidate.request.get(attribute_key)) for attribute_key in needed)
        )
        return loaded

    def _load_examples(self, target: Target) -> LoadedTarget:
        """The drawn contrastive examples, each of which is in `samples` under a key of its own."""
        drawn = draw_examples(self.project, self.config, self.by_pk.keys())
        loaded = LoadedTarget(target, drawn.run, examples=drawn)
        for example in drawn.rows:
            row = self.samples[self.by_pk[example.sample]]
            key = f"{row.candidate.key}/{example.public_id}"
            self.samples[key] = replace(row, candidate=replace(row.candidate, key=key))
            self.examples[key] = example
            loaded.rows[key] = example.pk
        return loaded

    def _load_phrases(self, target: Target) -> LoadedTarget:
        """One gold of every instance of an aggregation project."""
        phrases = aggregation_material.draw_phrases(self.project, self.by_pk.keys(), self.config.seed)
        for sample, phrase in phrases.items():
            self._texts[target.key, self.by_pk[sample]] = phrase.text
        return LoadedTarget(target, rows=self._keyed({sample: row.annotation for sample, row in phrases.items()}))

    def _keyed(self, rows: Mapping[int, int]) -> dict[str, int]:
        return {self.by_pk[sample]: pk for sample, pk in rows.items() if sample in self.by_pk}

    def load_texts(self, text_keys: Iterable[tuple[str, str]]) -> None:
        """Load the texts of (target, sample) keys in batches."""
        by_kind: defaultdict[str, dict[int, list[tuple[str, str]]]] = defaultdict(dict)
        for target, sample in text_keys:
            if (target, sample) not in self._texts:
                loaded = self.targets[target]
                by_kind[loaded.target.kind].setdefault(loaded.rows[sample], []).append((target, sample))
        for kind, keys in by_kind.items():
            for pk, text in _load_texts(kind, list(keys)):
                if kind == "run" and aggregation_material.has_instances(self.project):
                    text = aggregation_material.normalize_phrase(text)
                for text_key in keys[pk]:
                    self._texts[text_key] = text

    def text(self, target: str, sample: str) -> str:
        if (target, sample) not in self._texts:
            self.load_texts([(target, sample)])
        return self._texts[target, sample]

    # The methods of epitome.rounds.designing.Facts.

    def copied(self, target: str, sample: str) -> float:
        """Extractiveness: the mean share of copied 2- and 3-grams."""
        from epitome.measures.overlap import extractiveness

        return extractiveness(self.text(target, sample), self._index(sample))

    def mentions(self, target: str, sample: str, words: Sequence[str], *, source: str | None = None) -> bool:
        texts = [self.text(target, sample)]
        if source is not None:
            index = self._index(source)
            texts += [*index.texts, *index.speakers]
        joined = "\n".join(texts).casefold()
        # Any content word of a topic counts as a mention, so that a related topic is never taken as absent.
        return any(
            token in joined for word in words for token in word.casefold().split() if len(token) > 3 or token == word
        )

    def _index(self, sample: str) -> Any:
        from epitome.measures.source import SourceIndex

        document = self.samples[sample].document_id
        if document not in self._indexes:
            segments: Any = SourceText.objects.get(pk=document).segments
            domain: Any = self.project.domain
            self._indexes[document] = SourceIndex(segments, domain=domain)
        return self._indexes[document]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _load_samples(project: Project, config: RoundConfig) -> list[SampleRow]:
    """Active samples of usable sources with frozen groups, in the configured split."""
    rows = Sample.objects.filter(
        project=project,
        state=SampleState.ACTIVE,
        document__published=True,
        document__damaged=False,
        document__selected=True,
        group__frozen_at__isnull=False,
    ).select_related("group", "document")
    if config.selection.split:
        rows = rows.in_split(config.selection.split)
    field_ = config.selection.domain_from
    sample_rows = []
    asks = ",".join(sorted(config.selection.asks))
    for sample in rows.order_by("document_id", "position").iterator(2000):
        if asks and join_asked(sample.values, sample.group.chosen) != asks:
            continue
        metadata_domain = str(sample.document.metadata.get(field_, "")) if field_ else ""
        candidate = Candidate(
            key=f"{sample.document.external_id}#{sample.position}",
            source=sample.document.external_id,
            domain=(metadata_domain or project.domain)[:60],
            request={**sample.values, **sample.group.chosen},
        )
        sample_rows.append(SampleRow(candidate, sample.pk, sample.document_id, sample.document.n_words))
    return sample_rows


def gold_annotations(project: Project) -> dict[int, int]:
    """sample -> annotation with its human summary (see `human_summaries`); none where tasks are no texts."""
    annotation_by_sample: dict[int, int] = {}
    kind = get_task_kind(project.kind, has_sample=True)
    if kind.text_field and not kind.has_instances:
        for sample, pk in human_summaries(project).values_list("sample_id", "pk").iterator(2000):
            annotation_by_sample.setdefault(sample, pk)
    return annotation_by_sample


def _load_texts(kind: str, keys: list[int]) -> Iterable[tuple[int, str]]:
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        if kind == "gold":
            rows = Annotation.objects.filter(pk__in=batch).values_list("pk", "payload", "project__kind")
            for pk, payload, task_kind in rows:
                yield pk, get_task_kind(task_kind, has_sample=True).text_of(payload)
        elif kind == "contrastive":
            yield from Contrastive.objects.filter(pk__in=batch).values_list("pk", "text")
        else:
            yield from SystemOutput.objects.filter(pk__in=batch).values_list("pk", "text")


def find_run(project: Project, target: Target) -> Run:
    """Find the run of a target: by id or label, or the newest finished run of a system. Raises BadInput."""
    runs = Run.objects.writing().filter(project=project).select_related("revision__system").order_by("-pk")
    if target.system:
        run = runs.done().filter(revision__system__key=target.system).first()
        if run is None:
            raise BadInput(
                _("The system %(key)s has no finished run in this project.") % {"key": target.system}, field="target"
            )
        return run
    try:
        run = runs.filter(public_id=UUID(target.run)).first()
    except ValueError:
        run = runs.filter(label=target.run).first()
    if run is None:
        raise BadInput(_("There is no run %(run)s in this project.") % {"run": target.run[:60]}, field="target")
    return run


def reference_texts(material: Material, samples: Iterable[str]) -> dict[str, str]:
    """The reference texts shown with samples, by their keys; samples without one are absent."""
    source, keys = material.config.reference, list(dict.fromkeys(samples))
    if not source:
        return {}
    if source == "gold":
        annotations = {key: pk for key in keys if (pk := _reference_annotation(material, key)) is not None}
        texts = dict(_load_texts("gold", sorted(set(annotations.values()))))
        return {key: texts[pk] for key, pk in annotations.items() if texts.get(pk)}
    name = source.removeprefix("metadata:")
    documents = SourceDocument.everything.in_bulk({material.samples[key].document_id for key in keys})
    fields = {key: documents[material.samples[key].document_id].metadata.get(name) for key in keys}
    return {key: value for key, value in fields.items() if isinstance(value, str) and value}


def _reference_annotation(material: Material, sample: str) -> int | None:
    """The human summary shown as a reference: of a contrastive example the gold that it was made from."""
    if sample in material.examples:
        return material.examples[sample].annotation
    return material.gold.get(material.samples[sample].pk)


def metadata_fields(shows: Sequence[str]) -> list[str]:
    """The fields of the sources' metadata that raters see."""
    return [entry.removeprefix(METADATA) for entry in shows if entry.startswith(METADATA)]


def metadata_text(document: SourceDocument, name: str) -> str:
    """One field of a source's metadata as text; "" where it is missing or a table."""
    value = document.metadata.get(name)
    if isinstance(value, list):
        return ", ".join(str(entry) for entry in value if isinstance(entry, str | int | float))
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
