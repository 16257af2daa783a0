"""How well support measures tell faithful texts from others: python -m benchmarks.support [SCORER.toml [N]]

Sentence support without an argument; with the configuration of a scorer its source gain, on the first N sources. One
human summary of each source of MACSum's news dev file (EPITOME_SHARED/data/macsum/macdoc/val.json) is set against texts
of the same source that are wrong by construction: the summary of the next source, the same summary with up to two of
its names or numbers replaced by others of the source, and with its words shuffled; and against what controlled-extract
copies out of the source, which is right by construction. Prints the mean of each, the AUC, which is the probability
that a human summary has a higher number than one of the others, and the share of sources whose own is higher, each
with a 95 % interval drawn by source.
"""

import os
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from epitome.formats.reading import input_file
from epitome.measures import Value
from epitome.metrics.macsum_samples import read_macsum_file
from epitome.metrics.public.support import build_plain_requests, load_scorer
from epitome.metrics.semantic_scores import source_scores
from epitome.metrics.sentence_vectors import load_encoder
from epitome.metrics.source_gain_scores import source_gains
from epitome.systems.files import read_requests
from epitome.systems.registry import make_system_by_key

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
SEED = 12345
REPLICATES = 2000
FACT = re.compile(r"\b(?:[A-Z][a-z]+(?: [A-Z][a-z]+)*|\d[\d.,]*\d|\d)\b")
HUMAN = "human summary"
"""What all others are compared with."""


def replace_facts(text: str, source: str, draw: random.Random) -> str:
    """The text with up to two names or numbers replaced by others of the source; "" where it has none to replace."""
    facts_of_source = sorted(set(FACT.findall(source)))
    places = [match for match in FACT.finditer(text) if match.start() > 0]
    for match in sorted(draw.sample(places, min(2, len(places))), key=lambda found: -found.start()):
        kind = str.isdigit if match[0][0].isdigit() else str.isalpha
        others = [fact for fact in facts_of_source if kind(fact[0]) and fact not in text and match[0] not in fact]
        if others:
            text = text[: match.start()] + draw.choice(others) + text[match.end() :]
    return text


def build_texts(most: int | None = None) -> tuple[dict[str, list[str]], list[tuple[str, ...]]]:
    """The texts of each set, "" where a source has none, and the lines of each source. most: sources, default all."""
    path = SHARED / "data" / "macsum" / "macdoc" / "val.json"
    file = read_macsum_file(input_file(path))
    firsts = {sample.source: place for place, sample in reversed(list(enumerate(file.samples)))}
    chosen = sorted(firsts)[:most]
    places = [firsts[source] for source in chosen]
    lines = [file.sources[source].lines for source in chosen]
    humans = [file.samples[place].summary for place in places]
    requests = read_requests(input_file(path), SEED)
    extracts = make_system_by_key("controlled-extract").generate([requests[place] for place in places])
    draw = random.Random(SEED)
    replaced = [replace_facts(text, " ".join(source), draw) for text, source in zip(humans, lines, strict=True)]
    return {
        HUMAN: humans,
        "controlled-extract": [output.text for output in extracts],
        "names or numbers replaced": ["" if new == old else new for new, old in zip(replaced, humans, strict=True)],
        "words shuffled": [" ".join(draw.sample(text.split(), len(text.split()))) for text in humans],
        "summary of another source": humans[1:] + humans[:1],
    }, lines


def auc(higher: np.ndarray, lower: np.ndarray) -> float:
    """The probability that one of the first is above one of the second; ties count half."""
    above = higher[:, None] - lower[None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def interval_of(first: np.ndarray, second: np.ndarray, statistic: Callable[..., float]) -> tuple[float, float]:
    """The 95 % interval of a statistic of pairs, sources drawn with replacement."""
    generator = np.random.default_rng(SEED)
    numbers = [
        statistic(first[drawn], second[drawn])
        for drawn in (generator.integers(0, len(first), len(first)) for _ in range(REPLICATES))
    ]
    low, high = np.quantile(numbers, (0.025, 0.975))
    return float(low), float(high)


def win_rate(first: np.ndarray, second: np.ndarray) -> float:
    """How often the first of a pair is above the second; ties count half."""
    return float(((first > second) + 0.5 * (first == second)).mean())


def list_lines(name: str, values: dict[str, list[Value]]) -> Iterator[str]:
    """The table of one measure."""
    yield f"{name}: mean, AUC of the human summary against it, and share of sources where the human summary is higher"
    table = {
        key: np.array([value.value if value.defined else np.nan for value in rows]) for key, rows in values.items()
    }
    for key, numbers in table.items():
        both = np.isfinite(numbers) & np.isfinite(table[HUMAN])
        first, second = table[HUMAN][both], numbers[both]
        line = f"  {key:<28} n {both.sum():>3}  mean {second.mean():6.3f}"
        if key != HUMAN:
            for label, statistic in (("AUC", auc), ("higher", win_rate)):
                low, high = interval_of(first, second, statistic)
                line += f"  {label} {statistic(first, second):.3f} [{low:.3f}, {high:.3f}]"
        yield line


def print_gains(scorer_path: str, most: int | None) -> None:
    texts, lines = build_texts(most)
    scorer = load_scorer(scorer_path)
    # Side by side, the texts of a source are scored together, and the source is read once.
    rows = [row for by_set in zip(*texts.values(), strict=True) for row in by_set]
    gains = source_gains(scorer, build_plain_requests(rows, [source for source in lines for _ in texts]))
    print(*list_lines("Source gain", {key: gains[place :: len(texts)] for place, key in enumerate(texts)}), sep="\n")


def print_support() -> None:
    texts, lines = build_texts()
    rows = [row for by_set in texts.values() for row in by_set]
    similarities, supports = source_scores(load_encoder(), rows, lines * len(texts))
    for name, values in (("Sentence support", supports), ("Similarity to source", similarities)):
        by_set = {key: values[place * len(lines) :][: len(lines)] for place, key in enumerate(texts)}
        print(*list_lines(name, by_set), sep="\n")


def main(arguments: Sequence[str]) -> None:
    if arguments:
        print_gains(arguments[0], int(arguments[1]) if len(arguments) > 1 else None)
    else:
        print_support()


if __name__ == "__main__":
    main(sys.argv[1:])
