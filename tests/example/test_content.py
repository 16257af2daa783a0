"""The written summaries of the finished example do what their requests ask, and its texts are clean."""

import re
import tomllib
from pathlib import Path

import pytest

from epitome.measures.copying import copied_runs
from epitome.measures.source import SourceIndex
from epitome.sampling import SamplerOptions, plan_project
from epitome.sampling.plans import GroupPlan, SamplePlan
from epitome.schema import load_preset
from epitome.text.words import n_words
from evaluation.services.example import content
from evaluation.services.example.content import Batch, Source, Summary

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = load_preset(content.PRESET)
NAMES = [name for batch in content.BATCHES for name in batch.names]
COPIED = {"normal": (0.0, 0.5), "high": (0.35, 0.98), "full": (0.55, 1.0)}
"""Share of words in runs of three or more that a source has too, by requested extractiveness."""


def plan(batch: Batch) -> dict[str, list[tuple[GroupPlan, SamplePlan]]]:
    """Source -> its requests, by position: what the draw of the batch gives."""
    sources = [(name, sum(map(n_words, content.read_source(name).sentences))) for name in batch.names]
    options = SamplerOptions(seed=batch.seed, per_2000_words=batch.per_2000_words, algorithm=content.ALGORITHM)
    drawn = plan_project(sources, SCHEMA, options)
    return {row.external_id: [(group, sample) for group in row.groups for sample in group.samples] for row in drawn}


def list_written() -> list[tuple[Source, GroupPlan, SamplePlan, Summary]]:
    rows = []
    for batch in (content.OVERLAPPING, content.WRITTEN):
        for name, requests in plan(batch).items():
            source = content.read_source(name)
            for summary in (*source.summaries.values(), *source.seconds.values()):
                rows.append((source, *requests[summary.at], summary))
    return rows


WRITTEN = list_written()
IDS = [f"{source.id}-{summary.at}-{summary.title}" for source, _group, _sample, summary in WRITTEN]


def test_there_are_enough_and_every_request_has_its_summary() -> None:
    assert len(NAMES) >= 12
    assert len(WRITTEN) >= 80
    for batch in (content.OVERLAPPING, content.WRITTEN):
        for name, requests in plan(batch).items():
            source = content.read_source(name)
            assert set(source.summaries) == set(range(len(requests))), name
            assert set(source.seconds) == (set(source.summaries) if batch is content.OVERLAPPING else set()), name


@pytest.mark.parametrize(("source", "group", "sample", "summary"), WRITTEN, ids=IDS)
def test_a_summary_has_its_length_and_names_its_topics(
    source: Source, group: GroupPlan, sample: SamplePlan, summary: Summary
) -> None:
    low, high = SCHEMA.attribute("length").band_words(sample.values["length"], 0)
    assert low <= n_words(summary.text) <= high
    topics = source.topics[group.position - 1] if group.asks_topic else []
    assert [topic for topic in topics if topic not in summary.text.casefold()] == []
    assert all(0 <= mark < len(source.sentences) for mark in summary.marks)


@pytest.mark.parametrize(("source", "group", "sample", "summary"), WRITTEN, ids=IDS)
def test_a_summary_copies_as_much_as_was_asked(
    source: Source, group: GroupPlan, sample: SamplePlan, summary: Summary
) -> None:
    index = SourceIndex([{"speaker": "", "text": text} for text in source.sentences], domain="document")
    places: set[int] = set()
    for run in copied_runs(summary.text, index, 3):
        places.update(range(run.start, run.end))
    low, high = COPIED[sample.values["extractiveness"]]
    assert low <= len(places) / len(summary.text) <= high
    if sample.values["extractiveness"] == "full":
        assert list_words(summary.text) <= list_words(" ".join(source.sentences))


def list_words(text: str) -> set[str]:
    return set(re.findall(r"[\w'’.,]*\w", text.casefold()))


def test_no_two_summaries_are_the_same() -> None:
    texts = [summary.text for *_request, summary in WRITTEN]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", NAMES)
def test_sources_are_clean_and_of_article_length(name: str) -> None:
    source = content.read_source(name)
    assert source.id == name
    assert 250 <= sum(map(n_words, source.sentences)) <= 450
    assert all(text and text == " ".join(text.split()) for text in source.sentences)
    for row in source.summaries.values():
        if row.first:
            assert row.verdict in ("revise", "reject") and row.comment and row.first != row.text


def test_the_files_are_packed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["epitome.apps.annotation"]
    packed = {path.name for pattern in patterns for path in (ROOT / "annotation").glob(pattern)}
    assert {f"{name}.toml" for name in NAMES} <= packed
