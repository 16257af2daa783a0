"""How well systems without weights follow MACSum's attributes: python -m benchmarks.extract [--data DIR] [--every N]

Runs lead, textrank, random and controlled-extract over MACSum's two dev files (EPITOME_SHARED/data/macsum/*/val.json)
and prints CER, CC and ROUGE beside the published rows of BART and its hard-prompt variant, which are of the test split.
controlled-extract has two rows: with the shipped coefficients, which were fitted on these files, and `held out`, where
each source is written with coefficients fitted on the other sources (ten folds). Then the mean
length and extractiveness by what was asked, milliseconds per sample, and three outputs of each domain to read.

--data DIR takes DIR/macdoc/*.json and DIR/macdial/*.json instead, test.json before others; without `held out` rows, as
the shipped coefficients have not seen such a file. --every N takes each N-th source. --only TEXT takes the rows whose
name has TEXT. --output FOLDER keeps the predictions.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import cast

from benchmarks.extract_tuning import FOLDS, fitted, fold_of, rows_of
from benchmarks.measures import FILES, SHARED
from epitome.formats.reading import input_file
from epitome.measures import Domain, SourceIndex, Value, spacy_tagger
from epitome.measures.length import n_tokens
from epitome.measures.overlap import extractiveness
from epitome.metrics.macsum_samples import MacsumFile, read_macsum_file
from epitome.metrics.published import find_table
from epitome.metrics.report import Options, Report, make_report
from epitome.systems.controlled_extract.system import ControlledExtract
from epitome.systems.files import read_requests
from epitome.systems.protocol import Generator, Output, Request
from epitome.systems.registry import config_of, make_system_by_key
from epitome.text.sentences import Segment

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
    results = [
        write("", cast(Generator, systems[fold_of(sample.source)]), [request])
        for sample, request in zip(data.file.samples, data.requests, strict=True)
    ]
    outputs = [output for item in results for output in item.outputs]
    return Written("controlled-extract, held out", outputs, [second for item in results for second in item.seconds])


def cells(report: Report) -> dict[str, float | None]:
    by_key: dict[str, float | None] = {f"{name}_cer": value.value.value for name, value in report.cer.items()}
    by_key |= {f"{name}_cc": value.value.value for name, value in report.scores.cc.items()}
    average = report.average or Value.none("no average")
    by_key["average_cer"] = average.value
    others = [
        value
        for name, value in by_key.items()
        if name.endswith("_cer") and "average" not in name and "extract" not in name
    ]
    known = [value for value in others if value is not None]
    by_key["without_cer"] = fmean(known) if known else None
    by_key |= {name: value.value.value for name, value in report.content.items()}
    return by_key


def columns(domain: Domain) -> list[str]:
    names = (*ORDINAL, "topic", *(["speaker"] if domain == "dialogue" else []))
    cer = [f"{name}_cer" for name in (*names, "average", "without")]
    return [*cer, *(f"{name}_cc" for name in ORDINAL), "rouge1", "rouge2", "rougeL"]


def line(name: str, found: Mapping[str, float | None], wanted: Sequence[str]) -> str:
    numbers = (found.get(column) for column in wanted)
    return f"{name:38}" + "".join(f"{'-' if number is None else f'{number:.3f}':>9}" for number in numbers)


def head(wanted: Sequence[str]) -> str:
    short = {
        "length": "Len",
        "extractiveness": "Ext",
        "specificity": "Spe",
        "topic": "Tpc",
        "speaker": "Spk",
        "without": "-Ext",
    }
    names = []
    for column in wanted:
        attribute, _, kind = column.partition("_")
        names.append(f"{kind.upper()} {short.get(attribute, 'avg')}" if kind else f"R{attribute.removeprefix('rouge')}")
    return f"{'':38}" + "".join(f"{name:>9}" for name in names)


def show_table(data: Data, everything: Sequence[Written]) -> None:
    result = columns(data.domain)
    print(head(result))
    printed = find_table(PUBLISHED[data.domain])
    for row in printed.rows:
        if row.key in ("gold", "bart", "hp"):
            print(line(f"{row.name} (published, test)", row.cells, result))
    tagger = spacy_tagger()
    for written in everything:
        outcome = cells(make_report(data.file, written.texts, tagger=tagger, options=Options(replicates=1)))
        print(line(written.name, outcome, result), flush=True)
        if written.name.startswith("controlled"):
            goals = {name: (outcome[f"{name}_cer"], goal) for name, goal in GOALS[data.domain].items()}
            text = ", ".join(
                f"{name} {value:.3f} < {goal}" for name, (value, goal) in goals.items() if value is not None
            )
            met = sum(value is not None and value < goal for value, goal in goals.values())
            print(f"  {met} of {len(goals)} goals met: {text}")


def show_means(data: Data, everything: Sequence[Written]) -> None:
    """Mean tokens by the requested length, and mean extractiveness by the requested one; the references' first."""
    sources = [SourceIndex(cast(list[Segment], request.segments), domain=data.domain) for request in data.requests]
    texts = {"references": [sample.summary for sample in data.file.samples]}
    texts |= {written.name: written.texts for written in everything}
    for attribute, values in (("length", ("short", "normal", "long")), ("extractiveness", ("normal", "high", "full"))):
        print(f"mean {attribute:26}" + "".join(f"{value:>9}" for value in values))
        for name, entry in texts.items():
            measured = [
                n_tokens(text) if attribute == "length" else extractiveness(text, source)
                for text, source in zip(entry, sources, strict=True)
            ]
            by_value = [
                [
                    float(amount)
                    for amount, request in zip(measured, data.requests, strict=True)
                    if request.value(attribute) == value
                ]
                for value in values
            ]
            print(f"  {name:29}" + "".join(f"{fmean(some):9.2f}" if some else f"{'-':>9}" for some in by_value))


def show_seconds(everything: Sequence[Written]) -> None:
    for written in everything:
        results = [1e3 * second for second in written.seconds]
        print(f"{written.name:38} processor ms per sample: median {median(results):.0f}, mean {fmean(results):.0f}")


def show_examples(data: Data, written: Written) -> None:
    step = max(1, len(written.outputs) // SHOWN)
    for place in range(step // 2, len(written.outputs), step):
        by_key = {key: value for key, value in data.requests[place].values.items() if value}
        print(
            f"\n{by_key}\n  {written.outputs[place].text}\n  {json.dumps(written.outputs[place].decoding['measured'])}"
        )


def keep(folder: Path, data: Data, everything: Sequence[Written]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for written in everything:
        name = f"{data.domain}-{written.name.replace(', ', '-').replace(' ', '-')}.jsonl"
        lines = (json.dumps({"prediction": text}, ensure_ascii=False) + "\n" for text in written.texts)
        (folder / name).write_text("".join(lines), encoding="utf-8")


def find_file(folder: Path, path: str) -> Path:
    """The file of a domain in another folder, test.json before others. Raises SystemExit without one."""
    inside = folder / Path(path).parent.name
    files = sorted(inside.glob("*.json"), key=lambda file: (file.name != "test.json", file.name))
    if not files:
        raise SystemExit(f"{inside} has no .json file of MACSum")
    return files[0]


def rows_to_write(data: Data, *, dev: bool) -> dict[str, Callable[[], Written]]:
    """By its name, what writes the outputs of each row. dev: whether it is the file of the shipped coefficients."""
    makers: dict[str, Callable[[], Written]] = {
        key: partial(lambda key: write(key, cast(Generator, make_system_by_key(key)), data.requests), key)
        for key in SYSTEMS
    }
    if dev:
        makers["controlled-extract, held out"] = partial(held_out, data)
    return makers


def main() -> None:
    parser = argparse.ArgumentParser(description="CER, CC and ROUGE of the systems without weights")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with macdoc/ and macdial/")
    parser.add_argument("--domain", choices=("document", "dialogue"), help="only one of the two")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the rows whose name has TEXT")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th source")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="keep the predictions")
    options = parser.parse_args()
    for name, (path, domain) in FILES.items():
        if options.domain not in (None, domain):
            continue
        file = find_file(options.data, path) if options.data else SHARED / path
        data = read(file, domain, options.every)
        print(f"\n{name}, {file.name}, {len(data.requests)} samples")
        makers = rows_to_write(data, dev=options.data is None)
        everything = [make() for row, make in makers.items() if options.only in row]
        show_table(data, everything)
        show_means(data, everything)
        show_seconds(everything)
        for written in everything:
            if written.name.startswith("controlled"):
                show_examples(data, written)
        if options.output:
            keep(options.output, data, everything)


if __name__ == "__main__":
    main()
