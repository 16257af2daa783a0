"""The same seed gives the same draw, wherever and in whatever order it is made."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from epitome.sampling import VERSIONS, SamplerOptions, plan_project, plan_source, sampler_name, seeded_shuffle
from epitome.schema import ALGORITHMS, load_preset

ROOT = Path(__file__).resolve().parents[2]
DOC = load_preset("macsum-doc")
SOURCES = [(f"cnndm-test-{number}", 300 + 37 * number) for number in range(40)]

SCRIPT = """
import json, sys
from epitome.sampling import SamplerOptions, plan_project, seeded_shuffle
from epitome.schema import load_preset
sources = [tuple(each) for each in json.load(sys.stdin)]
schema = load_preset("macsum-doc")
out = {}
for algorithm in ("uniform", "one-step", "macsum-release", "weighted", "balanced"):
    plans = plan_project(sources, schema, SamplerOptions(algorithm=algorithm, seed=42))
    out[algorithm] = {plan.external_id: [sample.combination for sample in plan.samples] for plan in plans}
out["shuffled"] = seeded_shuffle(list("abcdefghij"), "group", 3)
print(json.dumps(out))
"""


def elsewhere(hash_seed: str, sources) -> dict:
    completed = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
    )
    return json.loads(completed.stdout)


def test_same_draw_in_another_process_with_a_shuffled_table():
    mixed = list(SOURCES)
    random.Random(1).shuffle(mixed)
    assert mixed != SOURCES
    assert elsewhere("0", SOURCES) == elsewhere("4711", mixed)


def drawn(algorithm: str, seed: int, sources=SOURCES) -> dict[str, list[str]]:
    plans = plan_project(sources, DOC, SamplerOptions(algorithm=algorithm, seed=seed))
    return {plan.external_id: [sample.combination for sample in plan.samples] for plan in plans}


# A changed draw must come with a new version of the algorithm: stored seeds would no longer rebuild their samples.
KNOWN = {
    "uniform": "nfn-snn-nnn-snh-lhh-lhh-lnn-lfn",
    "one-step": "nfn-sfn-nnn-nhn-nnn-nfn-lfn-shn",
    "macsum-release": "snn-nnn-lnn-nnn-nnh-nnn-nnh-nnn",
    "weighted": "snn-lnn-nnn-lfn-nnn-snn-nnn-nnn",
    "balanced": "nfn-nhn-snn-nfh-lnn-lhn-snh-shn",
}


@pytest.mark.parametrize("algorithm", KNOWN)
def test_version_1_draws_what_it_always_drew(algorithm):
    assert VERSIONS[algorithm] == 1
    options = SamplerOptions(algorithm=algorithm, seed=42, per_2000_words=8, whole_groups=False)
    plan = plan_project([("a", 1000), ("b", 2000)], DOC, options)[1]
    assert "-".join(sample.combination for sample in plan.samples) == KNOWN[algorithm]


def test_a_thousand_seeds():
    """Every seed gives its own draw, and the same one in a shuffled table."""
    seen = set()
    for seed in range(1000):
        few = [("a", 2500), ("b", 700), ("c", 1800)]
        first = drawn("uniform", seed, few)
        assert first == drawn("uniform", seed, few[::-1])
        seen.add(json.dumps(first, sort_keys=True))
    assert len(seen) == 1000


@pytest.mark.parametrize("algorithm", VERSIONS)
def test_plans_come_in_the_order_asked_and_do_not_depend_on_it(algorithm):
    mixed = SOURCES[::-1]
    plans = plan_project(mixed, DOC, SamplerOptions(algorithm=algorithm, seed=5))
    assert [plan.external_id for plan in plans] == [external_id for external_id, _ in mixed]
    assert drawn(algorithm, 5, mixed) == drawn(algorithm, 5)


@pytest.mark.parametrize("algorithm", [name for name in VERSIONS if name != "balanced"])
def test_a_source_does_not_depend_on_the_others(algorithm):
    alone = plan_source("cnndm-test-9", 633, DOC, SamplerOptions(algorithm=algorithm, seed=5))
    assert [sample.combination for sample in alone.samples] == drawn(algorithm, 5)["cnndm-test-9"]


def test_sources_of_equal_length_get_different_draws():
    draws = drawn("uniform", 5, [(f"x{number}", 4000) for number in range(50)])
    assert len({tuple(codes) for codes in draws.values()}) == 50


@pytest.mark.parametrize("algorithm", VERSIONS)
def test_plans_say_what_drew_them(algorithm):
    (plan,) = plan_project([("a", 10)], DOC, SamplerOptions(algorithm=algorithm, seed=77))
    assert (plan.sampler, plan.seed) == (sampler_name(algorithm), 77) == (f"{algorithm}@1", 77)


def test_schemas_may_name_every_sampler():
    assert tuple(VERSIONS) == ALGORITHMS


def test_candidates_are_shuffled_by_their_seed_alone():
    topics = [f"topic {number}" for number in range(20)]
    first = seeded_shuffle(topics, "group-uuid", 7)
    assert first == seeded_shuffle(topics, "group-uuid", 7)
    assert sorted(first) == sorted(topics) and first != topics
    assert first != seeded_shuffle(topics, "group-uuid", 8)
    assert seeded_shuffle(topics, "a", "bc") != seeded_shuffle(topics, "ab", "c")
    assert topics == [f"topic {number}" for number in range(20)]


def test_every_place_of_a_shuffle_is_alike():
    places = [seeded_shuffle(range(5), seed).index(0) for seed in range(5000)]
    counts = [places.count(place) for place in range(5)]
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 18.47  # 99.9 % point, df 4
