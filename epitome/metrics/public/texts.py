"""Plain lists of texts and requests as the sources and samples that the metrics work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epitome.measures import Domain
from epitome.measures.requested_names import parse_names
from epitome.metrics.macsum_samples import LISTS, MAX_SUMMARY, ORDINAL, MacsumFile, Sample, Source

SourceText = str | Sequence[str]
"""A document as one text or its sentences; a meeting as its turns, `Speaker : text`, one per line or list entry."""
Request = Mapping[str, Any]
ALIASES = {("extractiveness", "fully"): "full"}


def build_samples(
    sources: Sequence[SourceText], requests: Sequence[Request], texts: Sequence[str], domain: Domain | None = None
) -> MacsumFile:
    """One sample per text: its source, its request and the text. Equal sources are one source.

    Raises ValueError: other numbers of entries, a request that cannot be used (with its position).
    """
    check_counts(sources=sources, requests=requests, texts=texts)
    chosen_domain: Domain = domain or guess_domain(requests)
    numbers = number_sources(sources)
    lines_by_number = {number: split_lines(source) for number, source in zip(numbers, sources, strict=True)}
    samples = [_build_sample(index, numbers[index], request, texts[index]) for index, request in enumerate(requests)]
    requested = [name for name in LISTS if any(sample.picks[name] for sample in samples)]
    return MacsumFile(
        name="the given samples",
        sources=tuple(Source(str(n), chosen_domain, lines, {}) for n, lines in sorted(lines_by_number.items())),
        samples=tuple(samples),
        attributes=(*ORDINAL, *requested),
    )


def guess_domain(requests: Sequence[Request]) -> Domain:
    """A dialogue where any request names a speaker, as the file format decides it."""
    return "dialogue" if any(request.get("speaker") for request in requests) else "document"


def number_sources(sources: Sequence[SourceText]) -> list[int]:
    """The number of each entry's source, from 0 by first occurrence; equal texts are one source."""
    numbers: dict[tuple[str, ...], int] = {}
    return [numbers.setdefault(split_lines(source), len(numbers)) for source in sources]


def split_lines(source: SourceText) -> tuple[str, ...]:
    """The lines of a source, blank ones left out."""
    lines = source.splitlines() if isinstance(source, str) else source
    return tuple(line for line in lines if line.strip())


def check_counts(**lists: Sequence[Any]) -> None:
    """Raises ValueError when lists of one entry per sample differ in length or are empty, TypeError for a lone text."""
    for name, entries in lists.items():
        if isinstance(entries, str):
            raise TypeError(f"{name} is one text: give a list with one entry per sample")
    sizes = {name: len(entries) for name, entries in lists.items()}
    if len(set(sizes.values())) > 1:
        counted = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ValueError(f"{counted}: give one of each per sample")
    if not all(sizes.values()):
        raise ValueError("no samples: every list is empty")


def _build_sample(place: int, number: int, request: Request, text: str) -> Sample:
    if not isinstance(text, str):
        raise TypeError(f"text {place} is {text!r:.60}, not a text")
    if len(text) > MAX_SUMMARY:
        raise ValueError(f"text {place} has {len(text):,} characters; a summary may have {MAX_SUMMARY:,}")
    written = [str(request.get(name) or "") for name in LISTS]
    return Sample(
        source=number,
        sample_id=str(place),
        requested={name: read_requested(place, request, name) for name in ORDINAL},
        picks={name: tuple(parse_names(request.get(name))) for name in LISTS},
        summary=text,
        key=(number, written[0], written[1]),
    )


def read_requested(place: int, request: Request, name: str) -> str:
    """The requested value of an ordinal attribute, "normal" where the request is silent. Raises ValueError."""
    label = request.get(name, "normal")
    value = ALIASES.get((name, label), label)
    if value not in ORDINAL[name]:
        raise ValueError(f"request {place}: {name} is {label!r}; give one of {', '.join(ORDINAL[name])}")
    return str(value)
