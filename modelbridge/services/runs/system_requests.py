"""Builds requests to systems from rows. The human summary is never part of a request."""

from collections.abc import Sequence
from typing import Any

from annotation.models import Sample
from modelbridge.models import Run, SystemOutput
from modelbridge.systems.files import seed_of
from modelbridge.systems.protocol import Request, RequestValue
from modelbridge.systems.serialization import request_as_json


def sample_key(sample: Sample) -> str:
    """The external id of a sample, as in exports. Its document must be loaded."""
    return f"{sample.document.external_id}#{sample.position}"


def request_of(sample: Sample, run_seed: int) -> Request:
    """The request for a sample; its document with text, group and schema version must be loaded."""
    key = sample_key(sample)
    values: dict[str, RequestValue] = {
        name: tuple(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in sample.attributes.items()
    }
    return Request(
        id=key,
        segments=tuple(sample.document.source_text.segments),
        values=values,
        schema=sample.schema_version.schema,
        seed=seed_of(run_seed, key),
    )


def message_of(run: Run, outputs: Sequence[SystemOutput]) -> dict[str, Any]:
    """The requests of leased outputs, in their order, as a message to the system's process."""
    samples_by_id = Sample.objects.select_related("document__source_text", "group", "schema_version").in_bulk(
        [output.sample_id for output in outputs]
    )
    samples = [samples_by_id[output.sample_id] for output in outputs]
    schemas = {sample.schema_version.content_hash: sample.schema_version.text for sample in samples}
    return {
        "schemas": list(schemas.values()),
        "requests": [
            request_as_json(request_of(sample, run.seed), sample.schema_version.content_hash) for sample in samples
        ],
    }
