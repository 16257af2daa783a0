"""How fast summaries are generated, as ratios within one run: `python -m benchmarks.generation [--gpu] [--sizes ...]`.

Against a loop that calls `model.generate` for one sample at a time, and against transformers' pipeline at its best
batch size, on the same random weights, inputs and decoding. transformers 5 has no pipeline for encoder-decoder models
any more, so `Text2Text` below is one on its own base class: it tokenizes, pads and generates batch by batch.
Weights are random: speed does not depend on what is written, and every summary has the same number of tokens.
Exits 1 when a ratio is missed.
"""

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.schema import load_preset
from modelbridge.systems.config import parse_config
from modelbridge.systems.protocol import Request
from modelbridge.systems.registry import make_system
from modelbridge.training.scratch import Scratch, build_model

OVER_LOOP, OVER_PIPELINE = 3.0, 1.0
PIPELINE_BATCHES = (1, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Size:
    """samples: how many are generated. source: tokens of the longest; the shortest has a quarter. written: tokens."""

    shape: Scratch
    samples: int
    source: int
    written: int
    beams: int = 4


SIZES = {
    "tiny": Size(Scratch(width=64, layers=2, heads=4, feed_forward=256, vocabulary=2000), 64, 128, 24),
    "base": Size(
        Scratch(width=768, layers=6, heads=12, feed_forward=3072, vocabulary=50265, positions=1024), 24, 64, 16
    ),
    "large": Size(
        Scratch(width=1024, layers=12, heads=16, feed_forward=4096, vocabulary=50265, positions=1024), 512, 1024, 60
    ),
}


def requests_of(size: Size, tokenizer: Any, even: bool) -> list[Request]:
    """Sources of different lengths in random order; even: all of the full length."""
    rng = random.Random(0)
    schema = load_preset("macsum-doc")
    words = [f"w{number}" for number in range(400)]
    found = []
    for number in range(size.samples):
        wanted = size.source if even else rng.randint(size.source // 4, size.source)
        text = " ".join(rng.choice(words) for _ in range(wanted))
        ids = tokenizer(text, add_special_tokens=False)["input_ids"][: wanted - 2]
        text = tokenizer.decode(ids)
        found.append(Request(id=str(number), segments=({"speaker": "", "text": text},), values={}, schema=schema))
    return found


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def decoding_of(size: Size) -> dict[str, Any]:
    """For the loop and the pipeline, the same as for the system."""
    return {
        "num_beams": size.beams, "max_length": size.written, "min_length": size.written, "do_sample": False,
        "no_repeat_ngram_size": 3, "length_penalty": 1.0, "early_stopping": False,
    }  # fmt: skip


def system_for(folder: Path, size: Size, device: str, dtype: str, batch_tokens: int) -> Any:
    return make_system(
        parse_config(
            f'[system]\nkey = "bench"\nkind = "seq2seq"\n[options]\nweights = "{folder}"\ndevice = "{device}"\n'
            f'dtype = "{dtype}"\nbatch_tokens = {batch_tokens}\nmost_at_once = 512\nmax_source_tokens = {size.source}\n'
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

    found = []
    for text in texts:
        batch = tokenizer(text, truncation=True, max_length=size.source, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            ids = model.generate(**batch, **decoding_of(size))
        found.append(tokenizer.decode(ids[0], skip_special_tokens=True))
    return found


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
    """Of one sample, by round; the pipeline by batch size. idle: of the GPU, while ours ran."""

    ours: list[float] = field(default_factory=list)
    loop: list[float] = field(default_factory=list)
    pipeline: dict[int, list[float]] = field(default_factory=dict)
    idle: list[float] = field(default_factory=list)

    @property
    def best_batch(self) -> int:
        return min(self.pipeline, key=lambda batch: statistics.median(self.pipeline[batch]))

    def ratio(self, others: Sequence[float]) -> float:
        """How many times as fast as the others ours is, the median over rounds."""
        return statistics.median(other / one for one, other in zip(self.ours, others, strict=True))


def measure(name: str, device: str, dtype: str, rounds: int, batch_tokens: int, loop_samples: int) -> bool:
    """Print one size's figures. True when every goal is met."""
    size = SIZES[name]
    with tempfile.TemporaryDirectory() as folder:
        build_model(Path(folder), [" ".join(f"w{number}" for number in range(400))] * 3, size.shape, 1)
        if size.shape.vocabulary > 2000:
            _widen(Path(folder), size.shape.vocabulary)
        system = system_for(Path(folder), size, device, dtype, batch_tokens)
        tokenizer, model = system.loaded.tokenizer, plain_model(Path(folder), device, dtype)
        requests = requests_of(size, tokenizer, even=device == "cuda")
        texts = [request.segments[0]["text"] for request in requests]
        some = texts[: loop_samples or len(texts)]
        found = _rounds(system, model, size, requests, texts, some, rounds)
        written = [output.text for output in system.generate(requests[: len(some)])]
        naive = [text.strip() for text in loop(model, tokenizer, some, size)]
    same = sum(one == other for one, other in zip(written, naive, strict=True))
    print(f"{name} on {device}, {dtype}: {len(texts)} sources of up to {size.source} tokens,", end=" ")
    print(f"{size.written} written, beam {size.beams}")
    return _tell(found, same, len(some))


def _rounds(
    system: Any, model: Any, size: Size, requests: list[Request], texts: list[str], some: list[str], rounds: int
) -> Seconds:
    tokenizer = system.loaded.tokenizer
    pipe = pipeline_for(model, tokenizer, size)
    found = Seconds()
    system.generate(requests[:2])
    loop(model, tokenizer, some[:1], size)
    for _ in range(rounds):
        with Idle(model.device.type) as idle:
            found.ours.append(timed(lambda: system.generate(requests)) / len(texts))
        found.idle += idle.share()
        found.loop.append(timed(lambda: loop(model, tokenizer, some, size)) / len(some))
        for batch in PIPELINE_BATCHES:
            if batch <= len(texts):
                part = texts if batch > 1 else some
                seconds = timed(lambda batch=batch, part=part: pipe(part, batch_size=batch)) / len(part)
                found.pipeline.setdefault(batch, []).append(seconds)
    return found


def _tell(found: Seconds, same: int, compared: int) -> bool:
    best = found.best_batch
    over_loop, over_pipe = found.ratio(found.loop), found.ratio(found.pipeline[best])
    idle = f"   GPU idle {statistics.mean(found.idle):.0%}" if found.idle else ""
    print(f"  ours      {1 / statistics.median(found.ours):9.2f} samples/s{idle}")
    print(f"  loop      {1 / statistics.median(found.loop):9.2f} samples/s", end="")
    print(f"   ours {over_loop:.2f} times as fast (goal {OVER_LOOP})")
    print(f"  pipeline  {1 / statistics.median(found.pipeline[best]):9.2f} samples/s", end="")
    print(f"   ours {over_pipe:.2f} times as fast (goal {OVER_PIPELINE}), at its best batch size {best}")
    print(f"  the same text as the loop: {same} of {compared}", flush=True)
    return over_loop >= OVER_LOOP and over_pipe >= OVER_PIPELINE


def _widen(folder: Path, vocabulary: int) -> None:
    """Give a model the output layer of a real vocabulary, which a tokenizer of few words would make too small."""
    from transformers import AutoModelForSeq2SeqLM

    model = AutoModelForSeq2SeqLM.from_pretrained(folder)
    model.resize_token_embeddings(vocabulary)
    model.save_pretrained(folder)


class Idle:
    """The share of time in which the GPU did nothing, as its driver counts it; nothing on a CPU."""

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

        while not self.stop.wait(0.1):
            self.busy.append(torch.cuda.utilization())

    def share(self) -> list[float]:
        return [1 - statistics.mean(self.busy) / 100] if self.busy else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=None)
    parser.add_argument("--gpu", action="store_true", help="BART-large shape on a GPU, in bfloat16")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-tokens", type=int, default=None)
    parser.add_argument("--loop-samples", type=int, default=0, help="samples of the loop; 0: all")
    options = parser.parse_args()
    import transformers

    transformers.utils.logging.set_verbosity_error()
    device, dtype = ("cuda", "bfloat16") if options.gpu else ("cpu", "float32")
    names = options.sizes or (["large"] if options.gpu else ["tiny", "base"])
    tokens = options.batch_tokens or (131_072 if options.gpu else 16_384)
    some = options.loop_samples or (24 if options.gpu else 0)
    good = [measure(name, device, dtype, options.rounds, tokens, some) for name in names]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
