"""Inputs for trying the whole way without weights, GPU or data: tiny random models, and a few samples of every kind."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from epitome.reproduction.tables import DataSource, TablePlan
from epitome.reproduction.weights_needed import describe_weights
from epitome.schema import Schema, load_preset
from epitome.training.folders import WHOLE, mark_whole
from epitome.training.scratch import Architecture, Scratch, build_model
from epitome.training.variants import Changes, change_settings

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "frost",
    "grove",
    "harbor",
    "island",
    "jungle",
    "kettle",
    "lagoon",
    "meadow",
    "nickel",
    "orchid",
]
SOURCES = {"train": 4, "dev": 2, "test": 3}
SEED = 7
SHAPE = {"width": 16, "layers": 1, "heads": 2, "feed_forward": 32, "positions": 256, "vocabulary": 400}
TINY: Changes = {
    "prompt.max_source_tokens": 96,
    "prefix.length": 2,
    "prefix.middle": 4,
    "lora.rank": 2,
    "search.budget": 4,
    "search.examples": 2,
    "optimisation.steps": 4,
    "optimisation.evaluate_every": 2,
    "optimisation.batch_size": 4,
    "optimisation.accumulation": 1,
    "optimisation.warmup_steps": 1,
    "optimisation.warmup_share": 0.0,
    "optimisation.log_every": 1,
    "optimisation.device": "cpu",
    "decoding.beams": 2,
    "decoding.hypotheses": 1,
    "decoding.max_tokens": 12,
    "decoding.min_tokens": 2,
}
"""What makes any shipped configuration small."""
TINY_SYSTEM: Changes = {"options.max_source_tokens": 96, "options.device": "cpu"}


def shrink_system(text: str, tiny: Changes) -> str:
    """The TOML of a shipped system, for tiny weights where `tiny` says so; a system without weights stays as it is."""
    return change_settings(text, TINY_SYSTEM) if tiny and "weights" in text else text


def write_tiny_inputs(table: TablePlan, weights: Sequence[str], files: Path, models: Path) -> None:
    """The files of data of a table and models below `models` under the names of the published ones; those that are
    there stay."""
    texts = []
    for source in table.data.values():
        texts += _write_source(source, files)
    for name in weights:
        folder = models / name
        if not (folder / WHOLE).is_file():
            architecture: Any = describe_weights(name).architecture
            build_tiny_model(folder, texts, architecture)


def build_tiny_model(folder: Path, texts: Sequence[str], architecture: Architecture) -> None:
    shape: dict[str, Any] = dict(SHAPE)
    build_model(folder, texts, Scratch(architecture=architecture, **shape), SEED)
    mark_whole(folder)


def _write_source(source: DataSource, files: Path) -> list[str]:
    """The texts of the source's files, which are written where they are absent."""
    rng = random.Random(SEED)
    if "lists" in source.files:
        lines = [json.dumps(entry) for entry in _ranking_lists(rng)]
        _write_absent(files / source.files["lists"][0], "".join(f"{line}\n" for line in lines))
        return lines
    texts = []
    schema = load_preset(source.schema)
    for index, (split, names) in enumerate(source.files.items()):
        entries = [_build_entry(schema, source.asks, rng, index * 100 + position) for position in range(SOURCES[split])]
        texts.append(json.dumps(entries))
        name = next(name for name in names if name.endswith(".json"))
        _write_absent(files / name, texts[-1])
    return texts


def _write_absent(path: Path, text: str) -> None:
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _build_entry(schema: Schema, asks: Sequence[str], rng: random.Random, number: int) -> dict[str, Any]:
    """A source in MACSum's shape with a summary for every value of every attribute, one attribute changed at a time."""
    words = [rng.choice(WORDS) for _word in range(40)]
    metadata: dict[str, Any] = {
        "dataset": "cnndm" if schema.domain == "document" else "qmsum",
        "split": "test",
        "file_id": number,
    }
    lines = [" ".join(words[start : start + 8]) for start in range(0, 40, 8)]
    if schema.domain == "dialogue":
        metadata["turns"] = [0, len(lines) - 1]
        lines = [f"{('Cat', 'Dog')[index % 2]} : {line}" for index, line in enumerate(lines)]
    references = [
        {"control_attribute": dict(values), "summary": " ".join(words[: 4 + 3 * index]), "title": "",
         "relevant_turns": []}
        for index, values in enumerate(_list_requests(schema, asks, words[0]))
    ]  # fmt: skip
    return {"metadata": metadata, "source": lines, "references": references}


def _list_requests(schema: Schema, asks: Sequence[str], word: str) -> Iterator[Mapping[str, Any]]:
    """asks: the attributes that are requested; (): all."""
    sampled = [attribute for attribute in schema.sampled if not asks or attribute.key in asks]
    chosen = [attribute for attribute in schema.chosen if not asks or attribute.key in asks]
    usual: dict[str, Any] = {attribute.key: attribute.values[0] for attribute in sampled}
    usual |= {attribute.key: word if attribute.traits.picks_topics else "Cat" for attribute in chosen}
    yield usual
    for attribute in sampled:
        for value in attribute.values[1:]:
            yield {**usual, attribute.key: value}


def _ranking_lists(rng: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(12):
        names = rng.sample(WORDS, 2)
        candidates = [f"{word} group" for word in rng.sample(WORDS, 6)]
        yield {
            "format": "epitome-ranking-1",
            "sample_id": f"article-{number}#0",
            "origin_id": f"article-{number}",
            "split": ("train", "dev", "test")[number % 3],
            "entity_type": "org",
            "entities": [{"name": name, "background": f"{name} is a group of {candidates[0]}."} for name in names],
            "title": f"Week {number}",
            "context": f"{names[0]} met {names[1]}.",
            "candidates": candidates,
            "golds": [index < 2 for index in range(6)],
        }
