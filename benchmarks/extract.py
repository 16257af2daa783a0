"""How well systems without weights follow MACSum's attributes: python -m benchmarks.extract [--every N]

Runs lead, textrank, random and controlled-extract over MACSum's two dev files (EPITOME_SHARED/data/macsum/*/val.json)
and prints CER, CC and ROUGE beside the published rows of BART and its hard-prompt variant, which are of the test split.
controlled-extract stands twice: with the shipped coefficients, which were fitted on these files, and `held out`, where
each source is written with coefficients fitted on the other sources (ten folds). Then milliseconds per sample, and
three outputs of each domain to read. --every N takes each N-th source. --output FOLDER keeps the predictions.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import cast

from annotation.formats.reading import input_file
from annotation.measures import Domain, Value, spacy_tagger
from benchmarks.extract_tuning import FOLDS, fitted, fold_of, rows_of
from benchmarks.measures import FILES, SHARED
from evaluation.metrics.macsum_file import MacsumFile, read_macsum_file
from evaluation.metrics.published import find_table
from evaluation.metrics.report import Options, Report, make_report
from modelbridge.systems.controlled_extract.system import ControlledExtract
from modelbridge.systems.files import read_requests
from modelbridge.systems.protocol import Generator, Output, Request
from modelbridge.systems.registry import config_of, make_system_by_key

SYSTEMS = ("lead", "textrank", "random", "controlled-extract")
GOALS: Mapping[Domain, Mapping[str, float]] = {
    "document": {"length": 0.340, "specificity": 0.353, "topic": 0.333},
    "dialogue": {"length": 0.577, "specificity": 0.526, "topic": 0.466, "speaker": 0.216},
}
PUBLISHED: Mapping[Domain, str] = {"document": "macsum/table_4", "dialogue": "macsum/table_5"}
ORDINAL = ("length", "extractiveness", "specificity")
SHOWN = 3


@dataclass(frozen=True)
class Written:
    """The outputs of one system, in file order, and how long each took."""

    name: str
    outputs: Sequence[Output]
    seconds: Sequence[float]

    @property
    def texts(self) -> list[str]:
        return [output.text for output in self.outputs]


@dataclass(frozen=True)
class Data:
    """A file and the requests of its samples; both with the same sources left out."""

    path: Path
    domain: Domain
    file: MacsumFile
    requests: Sequence[Request]


def read(path: Path, domain: Domain, every: int) -> Data:
    file, requests = read_macsum_file(input_file(str(path))), read_requests(input_file(str(path)))
    places = [place for place, sample in enumerate(file.samples) if sample.source % every == 0]
    chosen = replace(file, samples=tuple(file.samples[place] for place in places))
    return Data(path, domain, chosen, [requests[place] for place in places])


def write(name: str, generator: Generator, requests: Sequence[Request]) -> Written:
    """One request after the other, so that each has its time; a source is prepared at its first request."""
    outputs, seconds = [], []
    for request in requests:
        started = time.process_time()
        outputs += generator.generate([request])
        seconds.append(time.process_time() - started)
    return Written(name, outputs, seconds)


def held_out(data: Data) -> Written:
    """controlled-extract with coefficients that have not seen the source they are used on."""
    rows = rows_of(data.path, data.domain)
    config = config_of("controlled-extract")
    systems = {
        fold: ControlledExtract(config, fitted(rows, {row.source for row in rows if fold_of(row.source) == fold}))
        for fold in range(FOLDS)
    }
    parts = [
        write("", cast(Generator, systems[fold_of(sample.source)]), [request])
        for sample, request in zip(data.file.samples, data.requests, strict=True)
    ]
    outputs = [output for part in parts for output in part.outputs]
    return Written("controlled-extract, held out", outputs, [each for part in parts for each in part.seconds])


def cells(report: Report) -> dict[str, float | None]:
    found: dict[str, float | None] = {f"{name}_cer": own.value.value for name, own in report.cer.items()}
    found |= {f"{name}_cc": own.value.value for name, own in report.scores.cc.items()}
    average = report.average or Value.none("no average")
    found["average_cer"] = average.value
    found |= {f"rouge{name[1:].upper()}": own.value.value for name, own in report.rouge.items()}
    return found


def columns(domain: Domain) -> list[str]:
    names = (*ORDINAL, "topic", *(["speaker"] if domain == "dialogue" else []))
    cer = [f"{name}_cer" for name in (*names, "average")]
    return [*cer, *(f"{name}_cc" for name in ORDINAL), "rouge1", "rouge2", "rougeL"]


def line(name: str, found: Mapping[str, float | None], wanted: Sequence[str]) -> str:
    numbers = (found.get(column) for column in wanted)
    return f"{name:30}" + "".join(f"{'-' if each is None else f'{each:.3f}':>9}" for each in numbers)


def head(wanted: Sequence[str]) -> str:
    short = {"length": "Len", "extractiveness": "Ext", "specificity": "Spe", "topic": "Tpc", "speaker": "Spk"}
    names = []
    for column in wanted:
        attribute, _, kind = column.partition("_")
        names.append(f"{kind.upper()} {short.get(attribute, 'avg')}" if kind else f"R{attribute.removeprefix('rouge')}")
    return f"{'':30}" + "".join(f"{name:>9}" for name in names)


def show_table(data: Data, everything: Sequence[Written]) -> None:
    wanted = columns(data.domain)
    print(head(wanted))
    printed = find_table(PUBLISHED[data.domain])
    for row in printed.rows:
        if row.key in ("gold", "bart", "hp"):
            print(line(f"{row.name} (published, test)", row.cells, wanted))
    tagger = spacy_tagger()
    for written in everything:
        found = cells(make_report(data.file, written.texts, tagger=tagger, options=Options(replicates=1)))
        print(line(written.name, found, wanted), flush=True)
        if written.name.startswith("controlled"):
            goals = {name: (found[f"{name}_cer"], goal) for name, goal in GOALS[data.domain].items()}
            told = ", ".join(
                f"{name} {value:.3f} < {goal}" for name, (value, goal) in goals.items() if value is not None
            )
            met = sum(value is not None and value < goal for value, goal in goals.values())
            print(f"  {met} of {len(goals)} goals met: {told}")


def show_seconds(everything: Sequence[Written]) -> None:
    for written in everything:
        own = [1e3 * each for each in written.seconds]
        print(f"{written.name:30} processor ms per sample: median {median(own):.0f}, mean {fmean(own):.0f}")


def show_examples(data: Data, written: Written) -> None:
    step = max(1, len(written.outputs) // SHOWN)
    for place in range(step // 2, len(written.outputs), step):
        asked = {key: value for key, value in data.requests[place].values.items() if value}
        print(
            f"\n{asked}\n  {written.outputs[place].text}\n  {json.dumps(written.outputs[place].decoding['measured'])}"
        )


def keep(folder: Path, data: Data, everything: Sequence[Written]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for written in everything:
        name = f"{data.domain}-{written.name.replace(', ', '-').replace(' ', '-')}.jsonl"
        lines = (json.dumps({"prediction": text}, ensure_ascii=False) + "\n" for text in written.texts)
        (folder / name).write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="CER, CC and ROUGE of the systems without weights")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th source")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="keep the predictions")
    options = parser.parse_args()
    for name, (path, domain) in FILES.items():
        data = read(SHARED / path, domain, options.every)
        everything = [write(key, cast(Generator, make_system_by_key(key)), data.requests) for key in SYSTEMS]
        shipped = everything[-1]
        everything.append(held_out(data))
        print(f"\n{name} dev, {len(data.requests)} samples")
        show_table(data, everything)
        show_seconds(everything)
        show_examples(data, shipped)
        if options.output:
            keep(options.output, data, everything)


if __name__ == "__main__":
    main()
