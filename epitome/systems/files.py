"""The samples of a file as requests, in file order. Their summaries are left out."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from epitome.formats.reading import InputFile
from epitome.formats.sample_files import (
    FileSample,
    SampleFault,
    SampleFileOptions,
    SourceSamples,
    read_samples,
)
from epitome.systems.config import SystemConfig
from epitome.systems.examples import ExampleOptions, draw_examples, read_examples, select_for
from epitome.systems.protocol import Request, SystemFault


class UnfitFile(ValueError):
    """A file whose samples cannot be read; the message is one line that names the file and the place."""


def read_requests(file: InputFile, seed: int = 0, options: SampleFileOptions | None = None) -> list[Request]:
    """One request per sample, in file order; topics and speakers as tuples. seed: each request derives its own from it.

    Raises UnfitFile at the first fault, epitome.formats.reading.UnreadableFile.
    """
    requests: list[Request] = []
    try:
        for group in read_samples(file, options):
            requests += [build_request(group, sample, seed) for sample in group.samples]
    except SampleFault as error:
        raise UnfitFile(str(error)) from error
    if not requests:
        raise UnfitFile(str(file.fault("holds no sample (no entry with references)", line=1, code="empty")))
    return requests


def add_examples(
    requests: Sequence[Request],
    system: SystemConfig,
    file: InputFile,
    examples_file: InputFile | None,
    options: SampleFileOptions | None = None,
) -> list[Request]:
    """The requests of a file with the worked examples that the system's configuration asks for, from another file.

    Raises SystemFault where there are too few, or no file of examples.
    """
    example_options = getattr(system.settings, "examples", None)
    if not isinstance(example_options, ExampleOptions):
        return list(requests)
    if examples_file is None:
        raise SystemFault(f"{system.key} shows {example_options.n} worked examples: name their file with --examples")
    drawn = draw_examples(read_examples(examples_file, example_options, options), example_options)
    origins = {
        sample.sample_id: group.record.origin_id for group in read_samples(file, options) for sample in group.samples
    }
    return [replace(request, examples=select_for(drawn, example_options, origins[request.id])) for request in requests]


def build_request(group: SourceSamples, sample: FileSample, seed: int) -> Request:
    """The request of a sample."""
    return Request(
        id=sample.sample_id,
        segments=tuple(group.record.segments),
        values=sample.values,
        schema=group.schema,
        seed=seed_of(seed, sample.sample_id),
    )


def seed_of(seed: int, key: str) -> int:
    """A request's own seed, 32 bits, so that an output does not depend on the other requests."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:4], "big")
