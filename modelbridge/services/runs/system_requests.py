"""Builds requests to systems from rows. The human summary is never part of a request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.models import Sample
from epitome.systems.batching import Failure
from epitome.systems.examples import select_for
from epitome.systems.files import seed_of
from epitome.systems.protocol import Output, Request
from epitome.systems.request_values import read_request_values
from epitome.systems.serialization import request_as_json
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.aggregation_requests import load_aggregations
from modelbridge.services.runs.changed_requests import change_request, changed_attribute
from modelbridge.services.runs.combining import combine_results
from modelbridge.services.runs.extracts import load_extracts
from modelbridge.services.runs.text_sets import Material, load_materials
from modelbridge.services.runs.worked_examples import find_example_options, load_run_examples


def sample_key(sample: Sample) -> str:
    """The external id of a sample, as in exports. Its document must be loaded."""
    return f"{sample.document.external_id}#{sample.position}"


def request_of(sample: Sample, run_seed: int) -> Request:
    """The request for a sample; its document with text, group and schema version must be loaded."""
    key = sample_key(sample)
    return Request(
        id=key,
        segments=tuple(sample.document.source_text.segments),
        values=read_request_values(sample.attributes),
        schema=sample.schema_version.schema,
        seed=seed_of(run_seed, key),
    )


@dataclass(frozen=True, slots=True)
class BatchWork:
    """A message to the system's process, and to which output each of its requests belongs."""

    message: dict[str, Any]
    outputs: list[SystemOutput]
    materials: list[list[Material]]
    """Per output: the texts, one request each."""

    def collect(self, role: str, results: Sequence[Output | Failure]) -> list[tuple[SystemOutput, Output | Failure]]:
        """One result per output, from those of its requests."""
        collected, at = [], 0
        for output, texts in zip(self.outputs, self.materials, strict=True):
            collected.append((output, combine_results(role, texts, results[at : at + len(texts)])))
            at += len(texts)
        return collected


def build_work(run: Run, outputs: Sequence[SystemOutput]) -> BatchWork:
    """The requests of leased outputs, in their order: one per text that the run is over, or one per sample."""
    samples_by_id = Sample.objects.select_related("document__source_text", "group", "schema_version").in_bulk(
        [output.sample_id for output in outputs]
    )
    texts_by_id = load_materials(run, samples_by_id.keys()) if run.reads_texts else {}
    nothing_given = [Material("")]  # a summary is asked for, nothing is given
    materials = [texts_by_id.get(output.sample_id, []) if run.reads_texts else nothing_given for output in outputs]
    samples = [samples_by_id[output.sample_id] for output in outputs]
    aggregations = load_aggregations(run.project, samples)
    schemas = {sample.schema_version.content_hash: sample.schema_version.text for sample in samples}
    drawn, example_options = load_run_examples(run), find_example_options(run.revision)
    schema_hashes = {example.id: schema_hash for example, schema_hash, _text in drawn}
    schemas |= {schema_hash: text for _example, schema_hash, text in drawn}
    extracts = load_extracts(run, samples_by_id.keys())
    requests = []
    for sample, texts in zip(samples, materials, strict=True):
        request = change_request(request_of(sample, run.seed), run, sample.pk)
        request = replace(request, extract=extracts.get(sample.pk, ()))
        request = replace(request, aggregation=aggregations.get(sample.pk))
        if example_options is not None:
            examples = select_for([row.example for row in drawn], example_options, sample.document.origin_id)
            request = replace(request, examples=examples)
        example_schemas = [schema_hashes[example.id] for example in request.examples]
        requests += [
            request_as_json(
                _add_material(request, material, run.options), sample.schema_version.content_hash, example_schemas
            )
            for material in texts
        ]
    options = {} if changed_attribute(run) else run.options
    message = {"schemas": list(schemas.values()), "options": options, "requests": requests}
    return BatchWork(message, list(outputs), materials)


def _add_material(request: Request, material: Material, options: Mapping[str, Any]) -> Request:
    """The request for one text; a judge is shown source and request only where the run says so."""
    segments = request.segments if options.get("shows_source", True) else ()
    values = request.values if options.get("shows_request", True) else {}
    task = request.aggregation
    return replace(
        request,
        text=material.text,
        candidates=material.candidates,
        segments=segments,
        values=values,
        aggregation=None if task is None else replace(task, train_counts=material.train_counts),
    )
