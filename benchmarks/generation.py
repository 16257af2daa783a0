"""How fast summaries are generated, as ratios within one run: `python -m benchmarks.generation [--gpu] [--sizes ...]`.

--sizes macsum: the shape of BART-base over real articles of MACSum, cut at 1,024 tokens (--data, a folder with
macdoc/val.json); 16 of them, evenly spread by length. Where there is a GPU, `large` is measured there too.

Against a loop that calls `model.generate` for one sample at a time, and against transformers' pipeline at its best
batch size, on the same random weights, inputs and decoding. transformers 5 has no pipeline for encoder-decoder models
any more, so `Text2Text` below is one on its own base class: it tokenizes, pads and generates batch by batch.
--dtype bfloat16 loads our system so on a CPU, as `dtype = "bfloat16"` of a configuration does; loop and pipeline stay
in float32, as the library loads weights there.
Weights are random: speed does not depend on what is written, and every summary has the same number of tokens.
Wall-clock times are the least of the rounds; those of the processor, which others on the machine disturb less, stand
beside them. One JSON line per size. Exits 1 when a ratio is missed, or when a GPU was idle too long.
"""

import argparse
import contextlib
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.neural.libraries import has_gpu
from epitome.systems.protocol import Request
from epitome.systems.registry import make_system
from epitome.training.scratch import Scratch, build_model

PIPELINE_BATCHES = (1, 4, 8, 16, 32, 64)
MOST_IDLE = 0.2
"""The share of time in which a GPU may do nothing."""


@dataclass(frozen=True)
class Size:
    """samples: how many are generated. source: tokens of the longest; the shortest has a quarter. written: tokens.
    over_loop, over_pipeline: how many times as fast ours is to be. is_real: over articles instead of random words."""

    shape: Scratch
    samples: int
    source: int
    written: int
    beams: int = 4
    over_loop: float = 3.0
    over_pipeline: float = 1.0
    is_real: bool = False


SIZES = {
    "tiny": Size(Scratch(width=64, layers=2, heads=4, feed_forward=256, vocabulary=2000), 64, 128, 24),
    "base": Size(
        Scratch(width=768, layers=6, heads=12, feed_forward=3072, vocabulary=50265, positions=1024), 24, 64, 16
    ),
    "macsum": Size(
        Scratch(width=768, layers=6, heads=12, feed_forward=3072, vocabulary=50265, positions=1024),
        16,
        1024,
        60,
        over_loop=4.0,
        over_pipeline=1.3,
        is_real=True,
    ),
    "large": Size(
        Scratch(width=1024, layers=12, heads=16, feed_forward=4096, vocabulary=50265, positions=1024),
        512,
        1024,
        60,
        over_loop=15.0,
    ),
}


def requests_of(size: Size, tokenizer: Any, even: bool) -> list[Request]:
    """Sources of different lengths in random order; even: all of the full length."""
    rng = random.Random(0)
    schema = load_preset("macsum-doc")
    words = [f"w{number}" for number in range(400)]
    items = []
    for number in range(size.samples):
        source = size.source if even else rng.randint(size.source // 4, size.source)
        text = " ".join(rng.choice(words) for _ in range(source))
        ids = tokenizer(text, add_special_tokens=False)["input_ids"][: source - 2]
        text = tokenizer.decode(ids)
        items.append(Request(id=str(number), segments=({"speaker": "", "text": text},), values={}, schema=schema))
    return items


def read_articles(data: Path, n: int) -> tuple[list[str], list[str]]:
    """(every source and summary of MAC-Doc's dev split, n of the sources, evenly spread by length)."""
    rows = json.loads((data / "macdoc" / "val.json").read_text(encoding="utf-8"))
    sources = sorted((" ".join(row["source"]) for row in rows), key=len)
    summaries = [reference["summary"] for row in rows for reference in row["references"]]
    picked = [sources[number * len(sources) // n] for number in range(n)]
    random.Random(0).shuffle(picked)
    return [*sources, *summaries], picked


class Took(NamedTuple):
    """Seconds of one sample: on the clock, and of all processors together."""

    wall: float
    processor: float


def timed(work: Callable[[], Any], n: int) -> Took:
    """Of n samples."""
    began, processor = time.perf_counter(), time.process_time()
    work()
    return Took((time.perf_counter() - began) / n, (time.process_time() - processor) / n)


def decoding_of(size: Size) -> dict[str, Any]:
    """For the loop and the pipeline, the same as for the system."""
    return {
        "num_beams": size.beams, "max_length": size.written, "min_length": size.written, "do_sample": False,
        "no_repeat_ngram_size": 3, "length_penalty": 1.0, "early_stopping": False,
    }  # fmt: skip


def system_for(folder: Path, size: Size, device: str, dtype: str, settings: Mapping[str, Any]) -> Any:
    """settings: more of `[options]`, such as batch_tokens."""
    lines = "".join(f"{name} = {setting}\n" for name, setting in {"most_at_once": 512, **settings}.items())
    return make_system(
        parse_config(
            f'[system]\nkey = "bench"\nkind = "seq2seq"\n[options]\nweights = "{folder}"\ndevice = "{device}"\n'
            f'dtype = "{dtype}"\nmax_source_tokens = {size.source}\n{lines}'
            f"[options.decoding]\nbeams = {size.beams}\nmax_tokens = {size.written}\nmin_tokens = {size.written}\n"
        )
    )


def plain_model(folder: Path, device: str, dtype: str) -> Any:
    """The same weights as transformers loads them, for the loop and the pipeline: with nothing of ours in them."""
    import torch
    from transformers import AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=getattr(torch, dtype)).to(device).eval()


def loop(model: Any, tokenizer: Any, texts: Sequence[str], size: Size) -> list[str]:
    """One call of `model.generate` per sample: what a first script does."""
    import torch

    items = []
    for text in texts:
        batch = tokenizer(text, truncation=True, max_length=size.source, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            ids = model.generate(**batch, **decoding_of(size))
        items.append(tokenizer.decode(ids[0], skip_special_tokens=True))
    return items


def pipeline_for(model: Any, tokenizer: Any, size: Size) -> Any:
    from transformers import Pipeline

    class Text2Text(Pipeline):
        def _sanitize_parameters(self, **kwargs: Any) -> Any:
            return {}, {}, {}

        def preprocess(self, text: str, **kwargs: Any) -> Any:
            return self.tokenizer(text, truncation=True, max_length=size.source, return_tensors="pt")

        def _forward(self, inputs: Any, **kwargs: Any) -> Any:
            inputs = {name: inputs[name] for name in ("input_ids", "attention_mask")}
            ids = self.model.generate(**inputs, **decoding_of(size))
            return {"ids": ids}

        def postprocess(self, outputs: Any, **kwargs: Any) -> str:
            return str(self.tokenizer.decode(outputs["ids"][0], skip_special_tokens=True))

    return Text2Text(model=model, tokenizer=tokenizer, device=model.device)


@dataclass
class Seconds:
    """By round; the pipeline by batch size. idle: of the GPU, while ours ran."""

    ours: list[Took] = field(default_factory=list)
    loop: list[Took] = field(default_factory=list)
    pipeline: dict[int, list[Took]] = field(default_factory=dict)
    idle: list[float] = field(default_factory=list)

    @property
    def best_batch(self) -> int:
        return min(self.pipeline, key=lambda batch: min(self.pipeline[batch]).wall)

    def ratio(self, others: Sequence[Took], *, of_processor: bool = False) -> float:
        """How many times as fast as the others ours is: the least disturbed round of each."""
        which = int(of_processor)
        return min(took[which] for took in others) / min(took[which] for took in self.ours)


def measure(name: str, device: str, dtype: str, options: argparse.Namespace) -> bool:
    """Print one size's figures. True when every goal is met. dtype: of the loop and the pipeline."""
    own_dtype = options.dtype if device == "cpu" else dtype
    size = replace(SIZES[name], samples=options.samples or SIZES[name].samples)
    tokens = options.batch_tokens or (131_072 if device == "cuda" else 16_384)
    n_loop = options.loop_samples or (24 if device == "cuda" else 4 if size.is_real else 0)
    corpus, articles = read_articles(options.data, size.samples) if size.is_real else (None, [])
    with tempfile.TemporaryDirectory() as folder:
        build_weights(Path(folder), size, corpus)
        system = system_for(Path(folder), size, device, own_dtype, {"batch_tokens": tokens})
        tokenizer, model = system.loaded.tokenizer, plain_model(Path(folder), device, dtype)
        schema = load_preset("macsum-doc")
        requests = requests_of(size, tokenizer, even=device == "cuda") if not articles else [
            Request(id=str(number), segments=({"speaker": "", "text": text},), values={}, schema=schema)
            for number, text in enumerate(articles)
        ]  # fmt: skip
        texts = [request.segments[0]["text"] for request in requests]
        some = texts[: n_loop or len(texts)]
        seconds = _rounds(system, model, size, requests, some, options)
        written = [output.text for output in system.generate(requests[: len(some)])]
        naive = [text.strip() for text in loop(model, tokenizer, some, size)]
        lengths = [len(row.ids) for row in system.encode(texts)]
    same = sum(first == other for first, other in zip(written, naive, strict=True))
    print(f"{name} on {device}, {own_dtype} against {dtype}: {len(texts)} sources of {min(lengths)} to", end=" ")
    print(f"{max(lengths)} tokens, {size.written} written, beam {size.beams}")
    return _tell(
        name, device, seconds, {"dtype": own_dtype, "batch_tokens": tokens, "same": same, "compared": len(some)}
    )


def _rounds(
    system: Any, model: Any, size: Size, requests: list[Request], some: list[str], options: argparse.Namespace
) -> Seconds:
    """Ours, the loop and the pipeline in turn. After the first round the pipeline has its best batch size only."""
    tokenizer = system.loaded.tokenizer
    texts = [request.segments[0]["text"] for request in requests]
    pipe = pipeline_for(model, tokenizer, size)
    seconds = Seconds()
    system.generate(requests[:2])
    loop(model, tokenizer, some[:1], size)
    for _ in range(options.rounds):
        with Idle(model.device.type) as idle:
            seconds.ours.append(timed(lambda: system.generate(requests), len(texts)))
        seconds.idle += idle.share()
        seconds.loop.append(timed(lambda: loop(model, tokenizer, some, size), len(some)))
        for batch in [seconds.best_batch] if seconds.pipeline else options.pipeline_batches:
            if batch <= len(texts):
                result = texts if batch > 1 else some
                took = timed(lambda batch=batch, part=result: pipe(part, batch_size=batch), len(result))
                seconds.pipeline.setdefault(batch, []).append(took)
    return seconds


def _tell(name: str, device: str, seconds: Seconds, told: dict[str, Any]) -> bool:
    """told: dtype and batch_tokens of our system; of how many texts how many were the loop's."""
    size, best = SIZES[name], seconds.best_batch
    pipeline = seconds.pipeline[best]
    over_loop, over_pipe = seconds.ratio(seconds.loop), seconds.ratio(pipeline)
    share = statistics.mean(seconds.idle) if seconds.idle else None
    idle = "" if share is None else f"   GPU idle {share:.0%} (goal below {MOST_IDLE:.0%})"
    rows = {"ours": seconds.ours, "loop": seconds.loop, "pipeline": pipeline}
    speeds = {row: size.written / min(took).wall for row, took in rows.items()}
    print(f"  ours      {speeds['ours']:9.1f} tokens/s{idle}")
    print(f"  loop      {speeds['loop']:9.1f} tokens/s   ours {over_loop:.2f} times as fast", end="")
    print(f" (goal {size.over_loop}), {seconds.ratio(seconds.loop, of_processor=True):.2f} by processor time")
    print(f"  pipeline  {speeds['pipeline']:9.1f} tokens/s   ours {over_pipe:.2f} times as fast", end="")
    print(f" (goal {size.over_pipeline}), {seconds.ratio(pipeline, of_processor=True):.2f} by processor time,", end="")
    print(f" at its best batch size {best}")
    print(f"  the same text as the loop: {told['same']} of {told['compared']}", flush=True)
    line = {
        "benchmark": "generation",
        "size": name,
        "device": name_device(device),
        "cores": os.cpu_count(),
        "tokens_per_second": {row: round(speed, 2) for row, speed in speeds.items()},
        "processor_seconds": {row: round(min(item.processor for item in took), 3) for row, took in rows.items()},
        "over_loop": round(over_loop, 3),
        "over_pipeline": round(over_pipe, 3),
        "best_batch": best,
        "idle": None if share is None else round(share, 3),
        **told,
    }
    print(json.dumps(line), flush=True)
    is_busy = share is None or share < MOST_IDLE
    return over_loop >= size.over_loop and over_pipe >= size.over_pipeline and is_busy


def name_device(device: str) -> str:
    """The GPU, or the model of the processor."""
    if device == "cuda":
        import torch

        return str(torch.cuda.get_device_name())
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def build_weights(folder: Path, size: Size, corpus: Sequence[str] | None = None) -> Path:
    """Random weights of this size in the folder. corpus: what the tokenizer is trained on; None: a few words."""
    words = " ".join(f"w{number}" for number in range(400))
    build_model(folder, corpus or [words] * 3, size.shape, 1)
    if size.shape.vocabulary > 2000:
        _widen(folder, size.shape.vocabulary)
    return folder


def _widen(folder: Path, vocabulary: int) -> None:
    """Give a model the output layer of a real vocabulary, which a tokenizer of few words would make too small."""
    from transformers import AutoModelForSeq2SeqLM

    model = AutoModelForSeq2SeqLM.from_pretrained(folder)
    model.resize_token_embeddings(vocabulary)
    model.save_pretrained(folder)


class Idle:
    """The share of time in which the GPU did nothing, as its driver counts it; nothing on a CPU, and without the
    package nvidia-ml-py, by which torch asks the driver."""

    def __init__(self, device: str) -> None:
        self.on, self.busy, self.stop = device == "cuda", [], threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Idle":
        if self.on:
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()

    def _look(self) -> None:
        import torch

        with contextlib.suppress(ImportError, RuntimeError):
            while not self.stop.wait(0.1):
                self.busy.append(torch.cuda.utilization())

    def share(self) -> list[float]:
        return [1 - statistics.mean(self.busy) / 100] if self.busy else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=None)
    parser.add_argument("--gpu", action="store_true", help="BART-large shape on a GPU, in bfloat16, and nothing else")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32", help="of our system on a CPU")
    parser.add_argument("--batch-tokens", type=int, default=None)
    parser.add_argument("--samples", type=int, default=0, help="0: as many as are usual for the size")
    parser.add_argument("--pipeline-batches", nargs="+", type=int, default=PIPELINE_BATCHES, metavar="N")
    parser.add_argument("--loop-samples", type=int, default=0, help="samples of the loop; 0: as many as are usual")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of MACSum's files, for `macsum`")
    options = parser.parse_args()
    import transformers

    transformers.utils.logging.set_verbosity_error()
    names = [] if options.gpu else options.sizes or ["tiny", "base"]
    good = [measure(name, "cpu", "float32", options) for name in names]
    if options.gpu or (has_gpu() and not options.sizes):
        good.append(measure("large", "cuda", "bfloat16", options))
    return 0 if all(good) else 1


def default_data() -> Path:
    return Path(os.environ.get("EPITOME_SHARED", "shared")) / "data" / "macsum"


if __name__ == "__main__":
    sys.exit(main())
