"""Whether a judge saves judgements on real summaries: python -m benchmarks.combined_macsum [--replays 500]

Reads MACSum's dev documents (EPITOME_SHARED/data/macsum/macdoc/val.json). Three systems write a summary for every
sample that asks for a topic; the measured f_r says whether the summary has it. People say so with an error of 5 %, and
the judge agrees with the measure in 90 %, and says yes to every tenth no besides. A replay draws sources with
replacement, as from a larger dataset of the kind; the judge judges all of them, people the first k. One JSON line each:
  truth      what people would say of each system, over all replays
  fixed      per k: the share of replays in which all three pairs of systems are decided in the right order (Holm p
             < .05), by people alone and combined; the share of intervals that hold the truth; the mean width of a
             difference
  needed     the fewest items that people judge for a share of .8, by people alone and combined
  looks      looking after every source, stopping when every pair is decided: items judged, the share of replays whose
             intervals hold the truth at every look, and in which the order is right
Pure: no round is stored. --quick takes fewer replays. Needs no database; minutes on one core.
"""

import argparse
import json
import os
import sys
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.combined import show_row
from epitome.combined.estimates import Estimate, estimate_combined, estimate_people, holm_estimates
from epitome.combined.judged_items import JudgedItems
from epitome.combined.sequences import Scale, follow_mean
from epitome.measures import MEASURES, SourceIndex
from epitome.metrics.bootstrap import Floats, Ints

SHARED = Path(os.environ.get("EPITOME_SHARED") or Path(__file__).parents[2] / "shared")
SYSTEMS = ("controlled-extract", "lead", "random")
PEOPLE_ERROR = 0.05
JUDGE_ACCURACY = 0.9
JUDGE_BIAS = 0.1
TOTAL_SOURCES = 400
STEPS = tuple(range(20, 201, 20))
POWER = 0.8
LEVEL = 0.95
TOPIC_SHARE = 0.5
"""A summary has the topic with this share of its content words."""


class Material(NamedTuple):
    """has_topic: (samples, systems), 0 or 1, as measured; places: the rows of each source."""

    has_topic: Floats
    places: list[Ints]

    @property
    def expected(self) -> Floats:
        """(samples, systems) how likely people say yes."""
        return self.has_topic * (1 - PEOPLE_ERROR) + (1 - self.has_topic) * PEOPLE_ERROR

    @property
    def truth(self) -> Floats:
        """(systems,) the mean over samples where sources are drawn with equal chances and the mean weighs samples."""
        return np.asarray(self.expected.mean(axis=0))


class Replay(NamedTuple):
    """human, judge: (rows, systems); sources: (rows,), from 0 in the order in which people see them."""

    human: Floats
    judge: Floats
    sources: Ints


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replays", type=int, default=500)
    parser.add_argument("--quick", action="store_true", help="60 replays")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--systems", nargs=3, default=SYSTEMS, metavar="KEY")
    args = parser.parse_args()
    path = find_documents()
    material = measure_summaries(write_summaries(path, args.systems))
    run_check(material, args.systems, 60 if args.quick else args.replays, args.seed)


def find_documents() -> Path:
    path = SHARED / "data" / "macsum" / "macdoc" / "val.json"
    if not path.is_file():
        sys.exit(f"There is no {path}: set EPITOME_SHARED to the folder with the real data")
    return path


def run_check(material: Material, systems: "list[str] | tuple[str, ...]", replays: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rounded = {name: round(float(value), 4) for name, value in zip(systems, material.truth, strict=True)}
    show_row({"row": "truth", "samples": len(material.has_topic), "sources": len(material.places), **rounded})
    drawn = [draw_replay(material, rng) for _replay in range(replays)]
    rows = [check_fixed(material, drawn, k) for k in STEPS]
    for row in rows:
        show_row(row)
    needed = {way: find_needed(rows, way) for way in ("people", "combined")}
    show_row({"row": "needed", "replays": replays, "power": POWER, **needed})
    show_row(check_looks(material, drawn))


class Summaries(NamedTuple):
    """Of samples that ask for a topic. documents: the lines of every source; sources: (samples,) its place; topics:
    (samples,) what was asked for; texts: system -> its summaries, in the order of the samples."""

    documents: list[list[str]]
    sources: list[int]
    topics: list[str]
    texts: dict[str, list[str]]


def write_summaries(path: Path, systems: "list[str] | tuple[str, ...]") -> Summaries:
    """Lets the systems write."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    samples = [(place, reference) for place, entry in enumerate(entries) for reference in entry["references"]]
    asks = [number for number, (_place, sample) in enumerate(samples) if sample["control_attribute"]["topic"]]
    return Summaries(
        documents=[entry["source"] for entry in entries],
        sources=[samples[number][0] for number in asks],
        topics=[samples[number][1]["control_attribute"]["topic"] for number in asks],
        texts={system: _pick(predict_texts(path, system), asks) for system in systems},
    )


def _pick(texts: list[str], numbers: list[int]) -> list[str]:
    return [texts[number] for number in numbers]


def measure_summaries(summaries: Summaries) -> Material:
    """Whether the summaries have the topic that was asked for."""
    indexes = [SourceIndex.from_lines(lines, "document") for lines in summaries.documents]
    columns = []
    for texts in summaries.texts.values():
        shares = [
            MEASURES["topic"](text, indexes[source], topic, profile="release", tagger=None).value
            for text, source, topic in zip(texts, summaries.sources, summaries.topics, strict=True)
        ]
        columns.append([float(share is not None and share >= TOPIC_SHARE) for share in shares])
    sources = np.array(summaries.sources)
    places = [np.flatnonzero(sources == source) for source in np.unique(sources)]
    return Material(np.array(columns).T, places)


def predict_texts(path: Path, system: str) -> list[str]:
    from epitome.cli import predict

    parser = argparse.ArgumentParser()
    predict.add_arguments(parser)
    _key, pairs = predict.generate_outputs(parser.parse_args([system, str(path), "--output", "unused"]))
    return [output.text for _request, output in pairs]


def draw_replay(material: Material, rng: np.random.Generator) -> Replay:
    drawn = [material.places[place] for place in rng.integers(0, len(material.places), TOTAL_SOURCES)]
    rows = np.concatenate(drawn)
    has_topic = material.has_topic[rows]
    human = np.where(rng.uniform(size=has_topic.shape) < PEOPLE_ERROR, 1 - has_topic, has_topic)
    judged = np.where(rng.uniform(size=has_topic.shape) < JUDGE_ACCURACY, has_topic, 1 - has_topic)
    judged = np.where((judged == 0) & (rng.uniform(size=has_topic.shape) < JUDGE_BIAS), 1.0, judged)
    return Replay(human, judged, np.repeat(np.arange(TOTAL_SOURCES), [len(places) for places in drawn]))


def make_items(replay: Replay, first: int, second: int | None, k: int) -> JudgedItems:
    """One system, or the difference of two; people judge the first k sources."""
    human, judge = replay.human[:, first], replay.judge[:, first]
    if second is not None:
        human, judge = human - replay.human[:, second], judge - replay.judge[:, second]
    is_shown = replay.sources < k
    low = 0.0 if second is None else -1.0
    chance = np.full(len(human), is_shown.mean())
    return JudgedItems(np.where(is_shown, human, np.nan), judge, chance, replay.sources, low)


def check_fixed(material: Material, replays: list[Replay], k: int) -> dict[str, Any]:
    truth, pairs = material.truth, list(combinations(range(len(material.truth)), 2))
    distances = [float(truth[first] - truth[second]) for first, second in pairs]
    n_items = [int((replay.sources < k).sum()) * len(truth) for replay in replays]
    numbers: dict[str, Any] = {"row": "fixed", "sources": k, "items": round(float(np.mean(n_items)))}
    for way, estimator in (("people", estimate_people), ("combined", estimate_combined)):
        decided, holds, widths = [], [], []
        for replay in replays:
            differences = [estimator(make_items(replay, first, second, k)) for first, second in pairs]
            alone = [estimator(make_items(replay, system, None, k)) for system in range(len(truth))]
            decided.append(is_decided(differences, distances))
            expected = [*distances, *truth.tolist()]
            holds += [
                interval.low <= value <= interval.high
                for interval, value in zip([*differences, *alone], expected, strict=True)
            ]
            widths += [difference.width for difference in differences]
        numbers[f"decided_{way}"] = round(float(np.mean(decided)), 3)
        numbers[f"coverage_{way}"] = round(float(np.mean(holds)), 4)
        numbers[f"width_{way}"] = round(float(np.mean(widths)), 4)
    return numbers


def is_decided(differences: list[Estimate], truth: list[float]) -> bool:
    """Whether all differences are significant after Holm's correction, in the right direction."""
    p_values = holm_estimates(differences)
    signs = [estimate.value * difference > 0 for estimate, difference in zip(differences, truth, strict=True)]
    return all(p < 1 - LEVEL and right for p, right in zip(p_values, signs, strict=True))


def find_needed(rows: list[dict[str, Any]], way: str) -> int | None:
    """Items of the first step with the power; None where no step has it."""
    return next((row["items"] for row in rows if row[f"decided_{way}"] >= POWER), None)


def check_looks(material: Material, replays: list[Replay]) -> dict[str, Any]:
    truth, pairs = material.truth, list(combinations(range(len(material.truth)), 2))
    level = 1 - (1 - LEVEL) / len(pairs)
    n_items, always, ordered = [], [], []
    for replay in replays:
        ends, holds, signs = [], [], []
        for first, second in pairs:
            difference = truth[first] - truth[second]
            looks = list(follow_mean(mean_by_source(replay, first, second), Scale(-1.0, 1.0), 0.0, level))
            met = next((look for look in looks if look.rejects), looks[-1])
            ends.append(met.n if met.rejects else TOTAL_SOURCES)
            weighted = average_sources(material, first, second)
            holds.append(all(look.low <= weighted <= look.high for look in looks[: ends[-1]]))
            signs.append(met.rejects and met.mean * difference > 0)
        n_items.append(int((replay.sources < max(ends)).sum()) * len(truth))
        always.append(all(holds))
        ordered.append(all(signs))
    return {
        "row": "looks",
        "items_mean": round(float(np.mean(n_items))),
        "items_median": round(float(np.median(n_items))),
        "always_held": round(float(np.mean(always)), 4),
        "right_order": round(float(np.mean(ordered)), 4),
    }


def mean_by_source(replay: Replay, first: int, second: int) -> list[float]:
    difference = replay.human[:, first] - replay.human[:, second]
    sums = np.bincount(replay.sources, weights=difference)
    means: list[float] = (sums / np.bincount(replay.sources)).tolist()
    return means


def average_sources(material: Material, first: int, second: int) -> float:
    """What sequences are about: every source counts alike, however many samples it has."""
    difference = material.expected[:, first] - material.expected[:, second]
    return float(np.mean([difference[places].mean() for places in material.places]))


if __name__ == "__main__":
    main()
