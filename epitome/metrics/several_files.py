"""Several files together: which origins are in more than one, and all samples as one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from epitome.metrics.macsum_samples import LISTS, ORDINAL, MacsumFile, Sample, Source

LISTED = 20
"""Crossing origins that the text names; a note gives the total."""


@dataclass(frozen=True)
class Origins:
    """How many origins the files have, and those that are in more than one: origin id -> file name -> sources."""

    n: int
    crossing: Mapping[str, Mapping[str, int]]


def compare_origins(files: Sequence[MacsumFile]) -> Origins:
    """Which origins (articles, whole meetings) cross files, in order of their ids. The files' names must differ."""
    sources_by_file = {file.name: Counter(source.origin_id for source in file.sources) for file in files}
    origins = sorted(set().union(*sources_by_file.values()))
    by_origin = {
        origin: {name: counts[origin] for name, counts in sources_by_file.items() if origin in counts}
        for origin in origins
    }
    return Origins(len(origins), {origin: counts for origin, counts in by_origin.items() if len(counts) > 1})


def pool_files(files: Sequence[MacsumFile]) -> MacsumFile:
    """All samples as one file, in the order of the files; intervals draw origins, so that what crosses is one group.

    Raises ValueError where the files are of different domains: their measures are not to be averaged.
    """
    if len({file.domains for file in files}) > 1:
        raise ValueError("the files are of different domains")
    sources: list[Source] = []
    samples: list[Sample] = []
    for file in files:
        first = len(sources)
        sources += file.sources
        samples += [
            replace(sample, source=sample.source + first, key=(sample.key[0] + first, *sample.key[1:]))
            for sample in file.samples
        ]
    requested = {name for file in files for name in file.attributes}
    schema = files[0].schema
    known = (*ORDINAL, *LISTS) if schema is None else tuple(attribute.key for attribute in schema.attributes)
    attributes = tuple(name for name in known if name in requested)
    name = " + ".join(file.name for file in files)
    return MacsumFile(
        name, tuple(sources), tuple(samples), attributes, by_origin=True, schema=schema, language=files[0].language
    )


def origins_text(origins: Origins) -> str:
    """How many origins cross files, and the first of them with their sources in each."""
    lines = [f"Origins: {origins.n} in all, {len(origins.crossing)} in more than one file."]
    for origin, counts in list(origins.crossing.items())[:LISTED]:
        lines.append(f"  {origin}: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    if len(origins.crossing) > LISTED:
        lines.append(f"  The first {LISTED} are listed; --json lists all.")
    if origins.crossing:
        lines.append("What crosses was not held out: samples of one origin are no independent draws.")
    return "\n".join(lines)
