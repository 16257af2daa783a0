"""The samples of a file as requests, in file order. Their summaries are left out."""

import hashlib

from annotation.formats.reading import InputFile
from annotation.formats.sample_files import (
    FileSample,
    SampleFault,
    SampleFileOptions,
    SourceSamples,
    read_samples,
)
from modelbridge.systems.protocol import Request


class UnfitFile(ValueError):
    """A file whose samples cannot be read; the message is one line that names the file and the place."""


def read_requests(file: InputFile, seed: int = 0, options: SampleFileOptions | None = None) -> list[Request]:
    """One request per sample, in file order; topics and speakers as tuples. seed: each request derives its own from it.

    Raises UnfitFile at the first fault, annotation.formats.reading.UnreadableFile.
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
