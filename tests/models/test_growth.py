"""Batches that follow the memory of a GPU, which is a stand-in here: what it says of its memory is set by each test."""

from types import SimpleNamespace

import pytest

from epitome.systems.batching import Batcher as RequestBatcher
from epitome.systems.neural.batching import Batcher
from epitome.systems.neural.growth import MOST_ITEMS, MOST_TOKENS, GpuGrowth
from epitome.systems.protocol import Output

pytestmark = pytest.mark.models
GIB = 2**30
PER_TOKEN = 64 * 1024
"""Bytes that a padded token takes: about BART-large's with four beams."""


class Gpu:
    """A GPU of so many bytes with weights of one GiB; it keeps what was allocated at once at the most."""

    def __init__(self, monkeypatch, total):
        self.total, self.weights, self.most, self.batches = total, GIB, GIB, []
        for name, answer in {
            "mem_get_info": lambda device: (self.total - self.most, self.total),
            "memory_reserved": lambda device: self.most,
            "memory_allocated": lambda device: self.weights,
            "max_memory_allocated": lambda device: self.most,
        }.items():
            monkeypatch.setattr(f"torch.cuda.{name}", answer)

    def work(self, lengths):
        """What runs a batch and remembers it."""

        def run(places):
            padded = max(lengths[index] for index in places) * len(places)
            needed = self.weights + padded * PER_TOKEN
            if needed > self.total:
                raise MemoryError
            self.most = max(self.most, needed)
            self.batches.append(len(places))
            return places

        return run


@pytest.fixture
def gpu(monkeypatch):
    def make(gib):
        return Gpu(monkeypatch, gib * GIB)

    return make


def run_batches(gpu, n=2000, length=1024):
    batcher = Batcher(16_384, 64)
    batcher.growth = GpuGrowth("cuda")
    lengths = [length] * n
    assert batcher.run(lengths, gpu.work(lengths)) == list(range(n))
    return batcher


def test_on_a_large_gpu_batches_grow_within_a_few_to_what_keeps_it_busy(gpu):
    large = gpu(140)
    batcher = run_batches(large)

    assert large.batches[:4] == [16, 64, 256, 512]
    assert (batcher.tokens, batcher.most) == (MOST_TOKENS, MOST_ITEMS)


def test_on_a_small_gpu_they_stay_within_its_memory(gpu):
    small = gpu(8)
    run_batches(small)

    assert 16 < max(small.batches) < 64
    assert small.most < 0.65 * small.total


def test_where_nothing_is_left_they_stay_as_they_are(gpu):
    full = gpu(3)
    batcher = run_batches(full)

    assert (batcher.tokens, batcher.most) == (16_384, 64)


def test_short_texts_are_as_many_as_the_gpu_gains_from(gpu):
    large = gpu(140)
    run_batches(large, n=3000, length=20)

    assert large.batches[0] == 64 and max(large.batches) == MOST_ITEMS


def test_once_memory_has_run_out_they_do_not_grow_any_more(gpu):
    shared = gpu(140)
    batcher = run_batches(shared, n=100)
    shared.total = 3 * GIB  # another process has taken the rest
    lengths = [1024] * 300
    batcher.run(lengths, shared.work(lengths))

    assert batcher.growth is None and batcher.tokens <= 32_768


def test_sizes_that_are_configured_stay(system_of, folder_of):
    by_itself, fixed = (
        system_of("seq2seq", f'weights = "{folder_of()}"\n{more}') for more in ("", "batch_tokens = 16384")
    )

    assert by_itself.settings.grows and not fixed.settings.grows


def test_on_a_cpu_nothing_grows(system_of, folder_of, requests):
    system = system_of("seq2seq", f'weights = "{folder_of()}"\ndevice = "cpu"')
    system.generate(requests)

    assert system.batch_size == 64 and system._batcher.growth is None


def test_more_requests_are_sent_once_the_system_takes_more():
    calls = []

    def generate(batch):
        calls.append(len(batch))
        system.batch_size = 8
        return [Output(request) for request in batch]

    system = SimpleNamespace(key="x", role="generate", batch_size=2, generate=generate)
    results = RequestBatcher(system).run([str(number) for number in range(20)])

    assert calls == [2, 8, 8, 2] and len(results) == 20
