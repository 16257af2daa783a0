"""What an update of a shipped training takes: `python -m benchmarks.training_steps FOLDER [TRAINING ...]`.

Seconds, memory and hours, as `epitome reproduce --dry-run` measures them, without published weights: their shapes with
random numbers are written below FOLDER/models, since speed and memory do not depend on the numbers. FOLDER/data gets
files of the published sizes: MACSum's articles and meetings (--data), repeated, and for CCSBench articles put together
until a source is longer than every configuration reads. With no TRAINING only these are written, so that
`epitome reproduce TABLE --data FOLDER/data` finds them with EPITOME_MODELS_DIR=FOLDER/models.

--with table.setting=value: measured once more with this change, such as optimisation.gradient_checkpointing=true;
several joined by commas are one change, repeatable. One JSON line per training and change; `fault` says why there are
no figures, such as memory that ran out.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.generation import default_data
from epitome.reproduction.costs import list_trainings
from epitome.reproduction.tables import DataSource, list_tables, load_table
from epitome.reproduction.workplace import Workplace, root_bases
from epitome.schema import load_preset
from epitome.systems.neural.libraries import free_memory, has_gpu
from epitome.systems.neural.weights import FOLDERS
from epitome.systems.protocol import SystemFault
from epitome.training.data import read_examples
from epitome.training.scratch import Scratch, model_config, train_tokenizer
from epitome.training.step_cost import count_steps, measure_step

SEED = 42
TOKENIZER_WORDS = 12_000
"""Of the trained tokenizer: with so many it cuts the articles into about as many tokens as BART's own does."""
PUBLISHED_SAMPLES = {"macdoc": 4_278, "macdial": 2_338}
"""Of the split train."""
PAPERS, SUMMARIES, PAPER_WORDS, SUMMARY_WORDS = 400, 6, 3_600, 150
"""Stand-ins for CCSBench."""


@dataclass(frozen=True)
class Shape:
    """The shape of published weights. changes: to the configuration that Scratch gives."""

    scratch: Scratch
    changes: Mapping[str, Any] = field(default_factory=dict)


BART = Shape(Scratch(width=1024, layers=12, heads=16, feed_forward=4096, vocabulary=50264, dropout=0.1))
UNTIED = {"tie_word_embeddings": False}
SHAPES = {
    "facebook/bart-large-cnn": BART,
    "facebook/bart-large": BART,
    "google/flan-t5-large": Shape(
        Scratch("t5", width=1024, layers=24, heads=16, feed_forward=2816, vocabulary=32128, dropout=0.1), UNTIED
    ),
    "google/flan-t5-xl": Shape(
        Scratch("t5", width=2048, layers=24, heads=32, feed_forward=5120, vocabulary=32128, dropout=0.1), UNTIED
    ),
    "google/flan-t5-xxl": Shape(
        Scratch("t5", width=4096, layers=24, heads=64, feed_forward=10240, vocabulary=32128, dropout=0.1), UNTIED
    ),
    "meta-llama/Llama-2-7b-hf": Shape(
        Scratch("llama", width=4096, layers=32, heads=32, feed_forward=11008, vocabulary=32000, positions=4096), UNTIED
    ),
    "mistralai/Mistral-7B-v0.1": Shape(
        Scratch("llama", width=4096, layers=32, heads=32, feed_forward=14336, vocabulary=32000, positions=32768),
        {**UNTIED, "num_key_value_heads": 8},
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("trainings", nargs="*", metavar="TRAINING", help="by the names of their configurations")
    parser.add_argument("--with", action="append", default=[], dest="changes", metavar="table.setting=value,...")
    parser.add_argument("--only-changed", action="store_true", help="not as shipped, with the changes alone")
    parser.add_argument("--weights", nargs="+", choices=SHAPES, default=[], help="write these too")
    parser.add_argument("--layers", type=int, default=0, help="fewer layers than published, to try the way")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of MACSum's files")
    options = parser.parse_intermixed_args()
    folder = options.folder.absolute()
    texts = write_stand_ins(options.data, folder / "data")
    bases = [base for training in options.trainings for base in root_bases(training)]
    for name in dict.fromkeys([*options.weights, *bases]):
        write_weights(name, folder / "models" / name, texts, options.layers)
    os.environ[FOLDERS] = str(folder / "models")
    changes = [read_changes(text) for text in options.changes]
    for training in options.trainings:
        for change in changes if options.only_changed else [{}, *changes]:
            print(json.dumps(measure_training(training, folder, change)), flush=True)
    return 0


def read_changes(text: str) -> dict[str, Any]:
    """`table.setting=value,...`; the values are JSON or words."""
    changes: dict[str, Any] = {}
    for pair in text.split(","):
        name, _, setting = pair.partition("=")
        try:
            changes[name] = json.loads(setting)
        except ValueError:
            changes[name] = setting
    return changes


def measure_training(training: str, folder: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    line: dict[str, Any] = {"benchmark": "training_steps", "training": training, "changes": dict(changes)}
    place = Workplace(folder / "state", folder / "data", tiny=changes)
    config = place.training_config(training, SEED, find_source(training))
    examples, dev = read_examples(config.data, config.schema)
    size = count_steps(config, examples, dev)
    line |= {"updates": size.updates, "evaluations": size.evaluations, "dev_samples": size.dev_samples}
    try:
        step = measure_step(config, examples, dev)
    except SystemFault as fault:
        free_memory()
        return {**line, "fault": str(fault)}
    return {**line, **step.as_dict(), "hours": round(step.hours(size), 2)}


def find_source(training: str) -> DataSource:
    """The data that a training learns from, as the first table with it says. Raises KeyError."""
    for table in map(load_table, list_tables()):
        for key, row in list_trainings(table.rows):
            if key == training:
                return table.training_source(key, row)
    raise KeyError(f"no table has the training {training}")


def write_weights(name: str, folder: Path, texts: Sequence[str], layers: int = 0) -> None:
    """Random weights in bfloat16, made on the GPU where there is one; those that are there stay."""
    if (folder / "config.json").is_file():
        return
    import torch
    import transformers

    shape = SHAPES[name]
    scratch = replace(shape.scratch, layers=layers) if layers else shape.scratch
    config = deepcopy(model_config(scratch, scratch.vocabulary))
    config.update(dict(shape.changes))
    kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
    torch.manual_seed(SEED)
    with torch.device("cuda" if has_gpu() else "cpu"):
        model = getattr(transformers, kind).from_config(config, dtype=torch.bfloat16)
    folder.mkdir(parents=True)
    train_tokenizer(texts, replace(scratch, vocabulary=TOKENIZER_WORDS)).save_pretrained(folder)
    model.save_pretrained(folder)
    del model
    free_memory()


def write_stand_ins(published: Path, folder: Path) -> list[str]:
    """The files of MACSum's and CCSBench's tables below the folder; returns MACSum's sources."""
    texts: list[str] = []
    for name, n_samples in PUBLISHED_SAMPLES.items():
        entries = json.loads((published / name / "val.json").read_text(encoding="utf-8"))
        sources = [" ".join(entry["source"]) for entry in entries]
        texts += sources
        train = list(repeat_entries(entries, n_samples))
        for split, split_entries in {"train": train, "val": entries, "test": entries}.items():
            write_json(folder / name / f"{split}.json", split_entries)
    papers = list(build_papers(texts[: len(texts) // 2]))
    splits = {"train": papers, "val": papers[: len(papers) // 10], "test": papers[:20]}
    for name in ("compositional", "length", "keywords", "readability", "focus"):
        for split, split_papers in splits.items():
            write_json(
                folder / name / f"{split}.json",
                split_papers if name == "compositional" else ask_for_attribute(split_papers, name),
            )
    return texts


def write_json(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries), encoding="utf-8")


def repeat_entries(entries: Sequence[dict[str, Any]], n_samples: int) -> Iterator[dict[str, Any]]:
    """The entries again and again, under other numbers, until there are so many samples."""
    n_left, number = n_samples, 0
    while n_left:
        entry = entries[number % len(entries)]
        references = entry["references"][:n_left]
        yield {
            "metadata": {**entry["metadata"], "file_id": number},
            "source": entry["source"],
            "references": references,
        }
        n_left, number = n_left - len(references), number + 1


def build_papers(articles: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Sources of many articles in MACSum's form, with requests for all attributes of CCSBench."""
    schema = load_preset("ccsbench")
    words = " ".join(articles).split()
    for number in range(PAPERS):
        start = number * 997 % (len(words) - PAPER_WORDS)
        source = words[start : start + PAPER_WORDS]
        references = []
        for place in range(SUMMARIES):
            values: dict[str, Any] = {
                attribute.key: attribute.values[place % len(attribute.values)] for attribute in schema.sampled
            }
            values |= {attribute.key: source[place] for attribute in schema.chosen}
            summary = " ".join(source[place * 10 :][:SUMMARY_WORDS])
            references.append({"control_attribute": values, "summary": summary, "title": "", "relevant_turns": []})
        metadata = {"dataset": "cnndm", "split": "test", "file_id": number}
        yield {"metadata": metadata, "source": [" ".join(source)], "references": references}


def ask_for_attribute(papers: Sequence[dict[str, Any]], attribute: str) -> list[dict[str, Any]]:
    """The papers with requests for one attribute alone."""
    return [
        {
            **paper,
            "references": [
                {**reference, "control_attribute": {attribute: reference["control_attribute"][attribute]}}
                for reference in paper["references"]
            ],
        }
        for paper in papers
    ]


if __name__ == "__main__":
    sys.exit(main())
