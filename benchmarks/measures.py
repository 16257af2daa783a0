"""Every target of the measures and metrics beside what is measured: python -m benchmarks.measures

Reads the MACSum dev files (EPITOME_SHARED/data/macsum/*/val.json) and prints, on one core: the gold values of the
paper's Table 3 with their tolerances, how far small letters move the measures, extractiveness against the rouge
package, ROUGE against the rouge-score package, extractiveness with and without kept n-grams, the whole `measure`
command with its memory, kappa against a bare count, and what the web process imports. Speeds that are ratios are
measured in turns, the best of several rounds each. Exits 1 when a target is missed or could not be checked.
"""

import os
import sys

for _name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "RAYON"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"  # before numpy is loaded; children inherit it
if __name__ == "__main__" and hasattr(os, "sched_setaffinity"):  # importing leaves the process as it is
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import json  # noqa: E402
import random  # noqa: E402
import resource  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterable, Iterator  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from itertools import chain, islice  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import fmean  # noqa: E402
from typing import Any, Literal  # noqa: E402

import numpy as np  # noqa: E402
from rouge import Rouge  # noqa: E402

from epitome.measures import SourceIndex, Value, measure_summary, spacy_tagger  # noqa: E402
from epitome.measures.length import n_tokens  # noqa: E402
from epitome.measures.overlap import extractiveness  # noqa: E402
from epitome.measures.readability import fkgl  # noqa: E402
from epitome.measures.specificity import specificity_many  # noqa: E402
from epitome.metrics.control_error_rate import cer  # noqa: E402
from epitome.metrics.rouge_scores import KINDS, rouge_f  # noqa: E402
from epitome.text.unspaced import has_unspaced  # noqa: E402
from tests.measures_js.cases import case  # noqa: E402
from tests.web_imports import HEAVY_PACKAGES, LIST_WEB_IMPORTS  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared")
SEED = 12345

Domain = Literal["document", "dialogue"]
FILES: dict[str, tuple[str, Domain]] = {
    "MAC-Doc": ("data/macsum/macdoc/val.json", "document"),
    "MAC-Dial": ("data/macsum/macdial/val.json", "dialogue"),
}
# MACSum, Table 3, dev columns: (measure, the requested value as released) -> printed mean.
TABLE_3: dict[str, dict[tuple[str, str], float]] = {
    "MAC-Doc": {
        ("length", "short"): 33.37,
        ("length", "normal"): 45.15,
        ("length", "long"): 90.74,
        ("extractiveness", "normal"): 0.29,
        ("extractiveness", "high"): 0.39,
        ("extractiveness", "fully"): 0.63,
        ("specificity", "normal"): 4.70,
        ("specificity", "high"): 5.11,
        ("topic", ""): 0.98,
    },
    "MAC-Dial": {
        ("length", "short"): 39.52,
        ("length", "normal"): 72.34,
        ("length", "long"): 93.37,
        ("extractiveness", "normal"): 0.28,
        ("extractiveness", "high"): 0.33,
        ("extractiveness", "fully"): 0.43,
        ("specificity", "normal"): 4.90,
        ("specificity", "high"): 6.28,
        ("topic", ""): 0.81,
        ("speaker", ""): 0.71,
    },
}


@dataclass(frozen=True)
class Row:
    """One target: what was measured, what was asked, and whether it holds (None: could not be checked)."""

    name: str
    measured: str
    goal: str
    holds: bool | None


@dataclass(frozen=True)
class Dev:
    """One dev file: its entries, and the samples with the number of their source."""

    name: str
    file: Path
    domain: Domain
    entries: list[dict[str, Any]]

    @property
    def samples(self) -> list[tuple[int, dict[str, Any]]]:
        return [(place, sample) for place, entry in enumerate(self.entries) for sample in entry["references"]]

    def index(self, place: int) -> SourceIndex:
        return SourceIndex.from_lines(self.entries[place]["source"], self.domain)


def read_dev() -> tuple[list[Dev], list[Row]]:
    """The dev files that are there, and a row for each that is not."""
    items, absent = [], []
    for name, (path, domain) in FILES.items():
        file = SHARED / path
        if file.is_file():
            items.append(Dev(name, file, domain, json.loads(file.read_text(encoding="utf-8"))))
        else:
            absent.append(Row(f"{name} dev", "absent", f"{file} (set EPITOME_SHARED)", None))
    return items, absent


def turns(first: Callable[[], object], second: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The best seconds of each, run in turns so that a busy moment of the machine meets both."""
    best = [float("inf")] * 2
    for _ in range(rounds):
        for place, work in enumerate((first, second)):
            started = time.perf_counter()
            work()
            best[place] = min(best[place], time.perf_counter() - started)
    return best[0], best[1]


def cells(dev: Dev) -> Iterator[Row]:
    """Table 3, dev: the mean of each measure over the gold summaries that asked for the value."""
    tagger = spacy_tagger()
    fields: dict[tuple[str, str], list[float]] = {}
    indexes = [dev.index(place) for place in range(len(dev.entries))]
    plain = sorted({measure for measure, _ in TABLE_3[dev.name]} - {"specificity"})
    specific = specificity_many([sample["summary"] for _, sample in dev.samples], tagger)
    for (place, sample), density in zip(dev.samples, specific, strict=True):
        control_attribute = sample["control_attribute"]
        values = measure_summary(sample["summary"], indexes[place], control_attribute, measures=plain) | {
            "specificity": density
        }
        for measure, value in values.items():
            if value.value is not None:
                requested = "" if measure in ("topic", "speaker") else control_attribute[measure]
                fields.setdefault((measure, requested), []).append(value.value)
    for cell, printed in TABLE_3[dev.name].items():
        yield cell_row(dev.name, cell, fmean(fields[cell]), printed, len(fields[cell]))
    normal, high = (fmean(fields["specificity", value]) for value in ("normal", "high"))
    yield Row(
        f"{dev.name} specificity, high over normal", f"{high - normal:+.2f}", f"> 0, by {tagger.id}", high > normal
    )


def cell_row(dataset: str, cell: tuple[str, str], mean: float, printed: float, n: int) -> Row:
    measure, requested = cell
    share = {"length": 0.005, "specificity": 0.07}.get(measure)
    tolerance, words = (printed * share, f"{share:.1%}") if share else (0.006, ".006")
    off = f"{mean / printed - 1:+.2%}" if share else f"{mean - printed:+.4f}"
    name = f"{dataset} {measure} {requested}".strip() + f" (n {n})"
    return Row(name, f"{mean:.4f} ({off})", f"{printed} within {words}", abs(mean - printed) <= tolerance)


def small_letters(dev: Dev) -> Iterator[Row]:
    """CER of the lower-cased references against the references, and the means of their grades."""
    texts = [sample["summary"] for _, sample in dev.samples]
    lowered = [text.lower() for text in texts]
    lengths = [[Value.of(n_tokens(text)) for text in item] for item in (lowered, texts)]
    dense = [specificity_many(item, spacy_tagger()) for item in (lowered, texts)]
    for name, values, bound in (("length", lengths, 0.001), ("specificity", dense, 0.01)):
        far = float(cer(name, *values))
        yield Row(f"{dev.name} lower-cased references, CER of {name}", f"{far:.5f}", f"<= {bound}", far <= bound)
    low, plain = (fmean(float(fkgl(text)) for text in item) for item in (lowered, texts))
    off = low / plain - 1
    yield Row(
        f"{dev.name} lower-cased references, grade",
        f"{low:.3f} ({off:+.2%})",
        f"{plain:.3f} within 1 %",
        abs(off) <= 0.01,
    )


def copied_share(devs: Iterable[Dev]) -> Iterator[Row]:
    """Extractiveness of every dev summary and of 10,000 generated texts, against the rouge package."""
    scorer = Rouge(metrics=["rouge-2", "rouge-3"], stats=["p"])

    def distance(text: str, index: SourceIndex) -> float:
        scores = scorer.get_scores(text, index.joined)[0]
        return abs(extractiveness(text, index) - fmean(score["p"] for score in scores.values()))

    dev_pairs = ((sample["summary"], dev.index(place)) for dev in devs for place, sample in dev.samples)
    far = max(distance(*pair) for pair in chain(dev_pairs, islice(generated_pairs(), 10_000)))
    name = "Extractiveness of the dev and 10,000 generated texts"
    yield Row(name, f"{far:.1e} from rouge", "<= 1e-12", far <= 1e-12)


def generated_pairs() -> Iterator[tuple[str, SourceIndex]]:
    """Endless texts with sources. rouge refuses texts of full stops alone and takes a sentence of a script without
    blanks for a word, so these are passed over."""
    draw = random.Random(SEED)
    while True:
        result = case(draw)
        index = SourceIndex(result["segments"], domain=result["domain"])
        if has_unspaced(result["text"] + index.joined):
            continue
        if result["text"].strip(".") and index.joined.strip("."):
            yield result["text"], index


def rouge(devs: Iterable[Dev]) -> Iterator[Row]:
    """ROUGE-1/2/L F of 10,000 pairs of dev summaries, half of them of one source, against rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    texts = [sample["summary"] for dev in devs for _, sample in dev.samples]
    shifts = [1, 2, 3, 4, 5, 6, 101, 211, 307, 401, 503, 601]
    pairs = [(text, texts[(at + shift) % len(texts)]) for shift in shifts for at, text in enumerate(texts)][:10_000]
    references, predictions = ([pair[side] for pair in pairs] for side in (0, 1))
    scorer = RougeScorer(list(KINDS), use_stemmer=True)
    ours: dict[str, list[Any]] = {}
    theirs: list[dict[str, Any]] = []

    def compiled() -> None:
        ours.update(rouge_f(references, predictions))

    def plain() -> None:
        theirs[:] = [scorer.score(*pair) for pair in pairs]

    quick, slow = turns(compiled, plain, 3)
    far = max(abs(ours[kind][at] - row[kind].fmeasure) for at, row in enumerate(theirs) for kind in KINDS)
    measured = f"{slow / quick:.1f}x ({len(pairs) / quick:,.0f} against {len(pairs) / slow:,.0f} pairs/s)"
    yield Row(f"ROUGE-1/2/L F of {len(pairs):,} pairs, against rouge-score", measured, ">= 25x", slow / quick >= 25)
    yield Row("ROUGE-1/2/L F, farthest from rouge-score", f"{far:.1e}", "<= 1e-9", far <= 1e-9)


def kept_grams(devs: list[Dev]) -> Iterator[Row]:
    """Extractiveness of all dev summaries, source by source with its n-grams built once, or built for each summary."""

    def once() -> list[float]:
        items = []
        for dev in devs:
            for place, entry in enumerate(dev.entries):
                index = dev.index(place)
                items += [extractiveness(sample["summary"], index) for sample in entry["references"]]
        return items

    def anew() -> list[float]:
        return [extractiveness(sample["summary"], dev.index(place)) for dev in devs for place, sample in dev.samples]

    assert once() == anew()
    quick, slow = turns(once, anew, 7)
    measured = f"{slow / quick:.1f}x ({quick * 1e3:.0f} against {slow * 1e3:.0f} ms)"
    yield Row("Extractiveness, n-grams once per source", measured, ">= 5x", slow / quick >= 5)


def command(devs: Iterable[Dev]) -> Iterator[Row]:
    """The whole `measure` command on both dev files, each a process of its own: seconds added up, the larger memory.

    Held against the goal are the seconds of the processor, start-up included: on a core of its own the command takes
    as long by the clock, on a shared one the clock also counts the others.
    """
    busy, clock, memory, samples, sources = 0.0, 0.0, 0, 0, 0
    for dev in devs:
        started = time.perf_counter()
        code, out, answers, usage = run_measured([str(ROOT / "manage.py"), "measure", str(dev.file), "--json"])
        if code:
            yield Row(f"measure {dev.name} dev", f"exit {code}: {answers.strip()[-200:]}", "exit 0", False)
            return
        clock += time.perf_counter() - started
        busy += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss // 1024)
        report = json.loads(out)
        samples, sources = samples + report["samples"], sources + report["sources"]
    what = f"measure of {samples} summaries, {sources} sources, two processes"
    yield Row(what, f"{busy:.1f} s of the processor ({clock:.1f} s by the clock)", "< 15 s on one core", busy < 15)
    yield Row("measure, memory of the larger process", f"{memory} MB", "< 500 MB", memory < 500)


def run_measured(arguments: list[str]) -> tuple[int, str, str, resource.struct_rusage]:
    """Exit code, what it printed, its complaints, and what it used: a Python process in the checkout."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as complaints:
        env = {**os.environ, "EPITOME_DATA_DIR": folder}
        child = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=complaints, text=True
        )
        assert child.stdout is not None
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)  # the usage of this child alone
        child.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        return child.returncode, out, complaints.read(), usage


def kappa() -> Iterator[Row]:
    """Cohen's kappa over a million pairs of codes against the bare count of pairs, and its bootstrap interval."""
    from epitome.agreement.intervals import estimate_statistics
    from epitome.agreement.kappa import cohen_kappa, kappa_statistic
    from epitome.agreement.scales import disagreement_matrix

    rng = np.random.default_rng(SEED)
    first = rng.integers(0, 5, 1_000_000)
    other = np.where(rng.random(len(first)) < 0.6, first, rng.integers(0, 5, len(first)))

    def counted() -> object:
        return np.bincount(first * 5 + other, minlength=25).reshape(5, 5)

    quick, bare = turns(lambda: cohen_kappa(first, other), counted, 21)
    measured = f"{quick / bare:.2f}x ({quick * 1e3:.2f} against {bare * 1e3:.2f} ms)"
    yield Row("Cohen's kappa of 1,000,000 pairs, against a bare count", measured, "<= 2x", quick <= 2 * bare)
    started = time.perf_counter()
    result = kappa_statistic(first[:10_000], other[:10_000], disagreement_matrix("nominal", 5))
    interval = estimate_statistics({"kappa": result}, np.arange(10_000), replicates=1000, seed=SEED)["kappa"].interval
    seconds = time.perf_counter() - started
    measured = f"{seconds:.2f} s ({interval.low:.3f} to {interval.high:.3f})"
    yield Row("Kappa's interval, 1,000 replicates of 10,000 items", measured, "< 5 s", seconds < 5)


def web() -> Iterator[Row]:
    """The libraries that a web process must not load at its start."""
    code, out, answers, _ = run_measured(["-c", LIST_WEB_IMPORTS])
    items = (
        sorted(set(json.loads(out)) & set(HEAVY_PACKAGES)) if not code else [f"exit {code}: {answers.strip()[-200:]}"]
    )
    yield Row(
        "The web process at its start loads",
        ", ".join(items) or "none",
        f"none of {', '.join(HEAVY_PACKAGES)}",
        not items,
    )


def show(rows: Iterable[Row]) -> list[Row]:
    items = []
    for row in rows:
        mark = {True: "ok", False: "MISSED", None: "NOT CHECKED"}[row.holds]
        print(f"{mark:12}{row.name:62}{row.measured:54}{row.goal}", flush=True)
        items.append(row)
    return items


def main() -> None:
    devs, absent = read_dev()
    rows = show(absent)
    for dev in devs:
        rows += show(cells(dev)) + show(small_letters(dev))
    if devs:
        rows += show(rouge(devs)) + show(kept_grams(devs)) + show(command(devs)) + show(copied_share(devs))
    rows += show(kappa()) + show(web())
    missed = [row.name for row in rows if not row.holds]
    print(f"{len(rows) - len(missed)} of {len(rows)} targets hold" + (f"; not: {', '.join(missed)}" if missed else ""))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
