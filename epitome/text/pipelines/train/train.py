"""Train the shipped English pipelines again from annotated data.

    python train.py --data FOLDER --out build/en_epitome_sm            # about 12 CPU minutes
    python train.py --data FOLDER --out build/en_epitome_sm --no-ner   # without names
    python train.py --data FOLDER --out build/smoke --max-steps 20     # a trial of half a minute
    python train.py --data FOLDER --out build/en_epitome_dep --parser  # the other one: tags and dependencies

Needs spaCy 3.8 only (CPU). README.md says where the files of FOLDER come from and under which licences. Steps: read
CoNLL-U and IOB, train tok2vec + tagger + morphologizer (UPOS) + lemmatizer + senter, train NER with a tok2vec of its
own, join the two, score on the test splits, write the pipeline and metrics.json. The parser has a pipeline of its own,
so that neither its training nor its weights change what the tagger says.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
from readers import conllu_docs, iob_docs, parsed_docs, plain_sentences, uner_sentences
from spacy.cli.train import train as spacy_train
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

HERE = Path(__file__).resolve().parent
VERSION = "0.1.0"
DESCRIPTION = "Small English pipeline trained on UD English-EWT, UNER (EWT, PUD) and WikiGold."
PARSER_DESCRIPTION = "Small English tagger and dependency parser of single sentences, trained on UD English-EWT."


def write_bin(docs: Iterable[Doc], path: Path) -> None:
    DocBin(docs=docs, store_user_data=False).to_disk(path)


def fit(config: str, work: Path, name: str, steps: int | None) -> Language:
    """Train with `config` on {name}-train.spacy in `work`; the model that was best on {name}-dev.spacy."""
    overrides: dict[str, Any] = {
        "paths.train": str(work / f"{name}-train.spacy"),
        "paths.dev": str(work / f"{name}-dev.spacy"),
    }
    if steps:
        overrides["training.max_steps"] = steps
    spacy_train(HERE / config, work / name, overrides=overrides)
    return spacy.load(work / name / "model-best")


def score(nlp: Language, docs: Iterable[Doc]) -> dict[str, Any]:
    """Scores on gold documents, on spaCy's own tokens."""
    gold = list(docs)
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in gold]
    started = time.perf_counter()
    found = nlp.evaluate(examples)
    seconds = time.perf_counter() - started
    kept: dict[str, Any] = {
        key: round(value, 4) for key, value in found.items() if isinstance(value, float) and key != "speed"
    }
    per_relation = found.get("dep_las_per_type")
    if per_relation:
        kept["las_by_relation"] = {label: round(scores["f"], 3) for label, scores in sorted(per_relation.items())}
    per_type = found.get("ents_per_type")
    if per_type:
        kept["ents_per_type"] = {
            label: {name: round(value, 3) for name, value in scores.items()} for label, scores in per_type.items()
        }
    kept["words_per_second"] = round(sum(len(doc) for doc in gold) / seconds)
    return kept


def train_tagger(data: Path, work: Path, steps: int | None) -> Language:
    blank = spacy.blank("en")
    for split in ("train", "dev"):
        write_bin(conllu_docs(data / "ud" / f"en_ewt-ud-{split}.conllu", blank), work / f"tag-{split}.spacy")
    return fit("tagger.cfg", work, "tag", steps)


def train_parser(data: Path, work: Path, steps: int | None) -> tuple[Language, dict[str, Any]]:
    """The parser's pipeline and its scores."""
    blank = spacy.blank("en")
    for split in ("train", "dev"):
        write_bin(parsed_docs(data / "ud" / f"en_ewt-ud-{split}.conllu", blank), work / f"dep-{split}.spacy")
    nlp = fit("parser.cfg", work, "dep", steps)
    return nlp, {
        f"ewt_{split}": score(nlp, parsed_docs(data / "ud" / f"en_ewt-ud-{split}.conllu", blank))
        for split in ("dev", "test")
    }


def train_names(data: Path, work: Path, steps: int | None) -> tuple[Language, list[Doc], list[Doc]]:
    """The NER pipeline, the half of UNER-EWT test it was tuned on, and the other half."""
    blank = spacy.blank("en")
    uner = data / "uner"
    test = list(iob_docs(uner_sentences(uner / "en_ewt-ud-test.iob2"), blank))
    tuned_on, held_out = test[: len(test) // 2], test[len(test) // 2 :]
    train = [
        *iob_docs(uner_sentences(uner / "en_ewt-ud-dev.iob2"), blank),
        *iob_docs(uner_sentences(uner / "en_pud-ud-test.iob2"), blank),
        *iob_docs(plain_sentences(data / "extra" / "wikigold.conll.txt"), blank),
    ]
    if (uner / "en_ewt-ud-train.iob2").exists():  # not in every copy of the data
        train += iob_docs(uner_sentences(uner / "en_ewt-ud-train.iob2"), blank)
    write_bin(train, work / "ner-train.spacy")
    write_bin(tuned_on, work / "ner-dev.spacy")
    return fit("ner.cfg", work, "ner", steps), tuned_on, held_out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/, uner/ and extra/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--no-ner", action="store_true")
    parser.add_argument("--parser", action="store_true", help="train the pipeline with the parser instead")
    parser.add_argument("--max-steps", type=int, help="cap both trainings, for a trial")
    args = parser.parse_args()

    started = time.monotonic()
    metrics: dict[str, Any]
    halves: dict[str, list[Doc]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if args.parser:
            nlp, metrics = train_parser(args.data, work, args.max_steps)
            metrics["seconds"] = round(time.monotonic() - started)
            save(nlp, metrics, args.out, "epitome_dep", PARSER_DESCRIPTION)
            return
        nlp = train_tagger(args.data, work, args.max_steps)
        if not args.no_ner:
            names, halves["ner_dev_half"], halves["ner_test_half"] = train_names(args.data, work, args.max_steps)
            nlp.add_pipe("ner", source=names)

    metrics = {}
    blank = spacy.blank("en")
    for split in ("dev", "test"):
        with nlp.select_pipes(disable=[pipe for pipe in nlp.pipe_names if pipe == "ner"]):
            gold = conllu_docs(args.data / "ud" / f"en_ewt-ud-{split}.conllu", blank)
            metrics[f"ewt_{split}"] = score(nlp, gold)
    for name, docs in halves.items():
        with nlp.select_pipes(enable=["ner"]):
            metrics[name] = score(nlp, docs)
    metrics["seconds"] = round(time.monotonic() - started)
    save(nlp, metrics, args.out, "epitome_sm", DESCRIPTION)


def save(nlp: Language, metrics: dict[str, Any], out: Path, name: str, description: str) -> None:
    nlp.meta.update(
        name=name,
        version=VERSION,
        spacy_version=">=3.8,<3.9",
        license="CC BY-SA 4.0",
        description=description,
    )
    if out.exists():
        shutil.rmtree(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(out)
    metrics["bytes_on_disk"] = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    (out / "metrics.json").write_text(json.dumps(metrics, indent=1), encoding="utf-8")
    print(json.dumps(metrics, indent=1))


if __name__ == "__main__":
    main()
