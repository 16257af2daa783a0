"""What a GPU writes in a second with settings of a system: `python -m benchmarks.generation_settings [SETTINGS ...]`.

SETTINGS: lines of `[options]` joined by commas, such as `batch_tokens=262144` or `batch_tokens=131072,compile=true`;
each is measured by itself, on the same weights. The shape of BART-large with sources of 1,024 tokens in bfloat16, beam
4, as `benchmarks.generation --gpu` has it, but nothing else to compare with: --batches full batches, after one that is
timed by itself (with `compile=true` it holds the compiling). Weights are random; --weights FOLDER takes some that are
there already. One JSON line per SETTINGS: tokens per second, share of time in which the GPU was idle, peak memory.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.generation import SIZES, Idle, Size, build_weights, name_device, requests_of, system_for, timed
from epitome.systems.neural.libraries import has_gpu
from epitome.systems.neural.loading import LoadedModel

USUAL = ("batch_tokens=16384", "batch_tokens=131072", "batch_tokens=524288")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("settings", nargs="*", default=USUAL, metavar="SETTINGS")
    parser.add_argument("--size", choices=SIZES, default="large")
    parser.add_argument("--batches", type=int, default=4, help="full batches that are measured")
    parser.add_argument("--weights", type=Path, help="a folder of weights instead of new random ones")
    options = parser.parse_args()
    import transformers

    transformers.utils.logging.set_verbosity_error()
    device = "cuda" if has_gpu() else "cpu"
    size = SIZES[options.size]
    with tempfile.TemporaryDirectory() as folder:
        weights = options.weights or build_weights(Path(folder), size)
        loaded: LoadedModel | None = None
        for text in options.settings:
            settings = dict(pair.split("=", 1) for pair in text.split(","))
            loaded, line = measure_settings(weights, size, device, settings, options.batches, loaded)
            print(json.dumps({"benchmark": "generation_settings", "settings": text, **line}), flush=True)
    return 0


def measure_settings(
    weights: Path, size: Size, device: str, settings: dict[str, str], batches: int, loaded: LoadedModel | None
) -> tuple[LoadedModel, dict[str, Any]]:
    """loaded: the model of settings measured before, which is used again."""
    system = system_for(weights, size, device, "auto", settings)
    if loaded is not None:
        system.adopt(loaded)
    tokens, at_once = system.settings.batch_tokens, system.settings.most_at_once
    in_batch = max(1, min(tokens // size.source, at_once))
    requests = (requests_of(size, system.loaded.tokenizer, even=True) * batches)[: in_batch * batches]
    began = time.perf_counter()
    system.generate(requests[:in_batch])
    first = time.perf_counter() - began
    with Idle(device) as idle, PeakMemory(device) as memory:
        took = timed(lambda: system.generate(requests), len(requests))
    share = idle.share()
    return system.loaded, {
        "device": name_device(device),
        "samples": len(requests),
        "in_batch": in_batch,
        "first_batch_seconds": round(first, 2),
        "tokens_per_second": round(size.written / took.wall, 1),
        "idle": round(share[0], 3) if share else None,
        "peak_memory_gib": memory.gib(),
    }


class PeakMemory:
    """The most memory of the GPU that tensors took in a block; nothing on a CPU."""

    def __init__(self, device: str) -> None:
        self.is_gpu, self.peak = device == "cuda", 0

    def __enter__(self) -> "PeakMemory":
        if self.is_gpu:
            import torch

            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_gpu:
            import torch

            self.peak = torch.cuda.max_memory_allocated()

    def gib(self) -> float | None:
        return round(self.peak / 2**30, 2) if self.is_gpu else None


if __name__ == "__main__":
    sys.exit(main())
