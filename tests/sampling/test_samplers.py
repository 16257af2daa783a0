"""What each sampler draws."""

from collections import Counter

import pytest

from epitome.sampling import SamplerError, SamplerOptions, plan_project, plan_source
from epitome.schema import load_preset, load_weights, parse_schema, parse_weights

DOC = load_preset("macsum-doc")
DIAL = load_preset("macsum-dial")
NORMAL = {"length": "normal", "extractiveness": "normal", "specificity": "normal"}
# 99.9 % points of chi-square
BOUND = {1: 10.83, 2: 13.82, 17: 40.79}


def sources(n: int, words: int = 2000) -> list[tuple[str, int]]:
    return [(f"s{number}", words) for number in range(n)]


def groups_of(schema, n=500, words=2000, **options):
    plans = plan_project(sources(n, words), schema, SamplerOptions(**options))
    return [group for plan in plans for group in plan.groups]


def chi(counts: list[int], shares: list[float]) -> float:
    total, other_total = sum(counts), sum(shares)
    expected = [total * share / other_total for share in shares]
    return sum((seen - item) ** 2 / item for seen, item in zip(counts, expected, strict=True))


def combinations(groups) -> Counter:
    return Counter(sample.combination for group in groups for sample in group.samples)


@pytest.mark.parametrize("schema", [DOC, DIAL])
def test_uniform_draws_all_combinations_alike(schema):
    counts = combinations(groups_of(schema, n=1000, seed=11))
    assert len(counts) == 18
    assert chi(list(counts.values()), [1.0] * 18) < BOUND[17]


def test_uniform_attributes_are_independent():
    samples = [sample.values for group in groups_of(DIAL, n=1000, seed=2) for sample in group.samples]
    table = Counter((values["length"], values["specificity"]) for values in samples)
    assert chi(list(table.values()), [1.0] * 6) < 20.52  # 99.9 % point, df 5


@pytest.mark.parametrize(
    ("algorithm", "size"), [("uniform", 5), ("one-step", 3), ("macsum-release", 5), ("balanced", 5)]
)
def test_no_doubles_inside_a_group(algorithm, size):
    for group in groups_of(DOC, n=1000, algorithm=algorithm, group_size=size):
        codes = [sample.combination for sample in group.samples]
        assert len(set(codes)) == len(codes)


def test_a_group_larger_than_the_combinations_still_fills():
    schema = parse_schema(
        'key = "s"\nname = "S"\ndomain = "document"\n[[attribute]]\nkey = "x"\nlabel = "X"\nkind = "ordinal"\n'
        'guide = "g"\nvalues = ["a", "b"]'
    )
    for algorithm in ("uniform", "one-step", "balanced"):
        (plan,) = plan_project([("a", 2000)], schema, SamplerOptions(algorithm=algorithm, group_size=8))
        assert len(plan.groups[0].samples) == 8


def test_one_step_changes_exactly_one_attribute_of_the_anchor():
    changed = Counter()
    for group in groups_of(DOC, algorithm="one-step", group_size=4, seed=3):
        anchor, *variants = [sample.values for sample in group.samples]
        for values in variants:
            (key,) = [key for key in anchor if anchor[key] != values[key]]
            changed[key] += 1
    assert set(changed) == {"length", "extractiveness", "specificity"}


def test_one_step_chooses_attributes_alike():
    """In pairs nothing is drawn again, so the three attributes change equally often."""
    pairs = [group.samples for group in groups_of(DIAL, n=1000, algorithm="one-step")]
    changed = Counter(next(k for k in a.values if a.values[k] != b.values[k]) for a, b in pairs)
    assert chi(list(changed.values()), [1.0] * 3) < BOUND[2]


def test_one_step_needs_something_to_change():
    schema = parse_schema(
        'key = "s"\nname = "S"\ndomain = "document"\n[[attribute]]\nkey = "x"\nlabel = "X"\nkind = "ordinal"\n'
        'guide = "g"\nvalues = ["a"]'
    )
    with pytest.raises(SamplerError, match="two values"):
        plan_source("a", 10, schema, SamplerOptions(algorithm="one-step"))


def test_release_design_of_news():
    variants = Counter()
    for group in groups_of(DOC, n=1000, words=1750, algorithm="macsum-release", seed=4):
        values = [sample.values for sample in group.samples]
        if not group.asks_topic:
            assert values == [{**NORMAL, "length": length} for length in ("short", "normal", "long")]
            continue
        assert values[0] == NORMAL
        assert values[1] != NORMAL
        variants.update([values[1]["extractiveness"]])
    counts = [variants[value] for value in ("normal", "high", "full")]
    assert chi(counts, [53, 43, 37]) < BOUND[2]


def test_release_design_of_meetings():
    variants = Counter()
    for group in groups_of(DIAL, n=1000, algorithm="macsum-release", seed=4):
        first, second = (sample.values for sample in group.samples)
        assert first == NORMAL and second != NORMAL
        variants.update([second["length"]])
    assert chi([variants[value] for value in ("short", "normal", "long")], [50, 62, 50]) < BOUND[2]


def test_release_needs_weights():
    with pytest.raises(SamplerError, match="weights file"):
        plan_source("a", 2000, load_preset("ccsbench"), SamplerOptions(algorithm="macsum-release"))


def test_release_takes_a_weights_file():
    text = '[release]\nvariants = [{ weight = 1, values = { length = "long", specificity = "high" } }]'
    options = SamplerOptions(algorithm="macsum-release", weights=parse_weights(text, DIAL))
    seen = Counter()
    for number in range(60):
        for group in plan_source(f"s{number}", 2000, DIAL, options).groups:
            anchor, variant = (sample.values for sample in group.samples)
            assert anchor == NORMAL
            assert variant["length"] == "long" and variant["specificity"] == "high"
            seen.update([variant["extractiveness"]])
    assert set(seen) == {"normal", "high", "full"}  # what the file leaves open is drawn


@pytest.mark.parametrize(("schema", "shares"), [(DOC, (125, 293, 129)), (DIAL, (50, 224, 50))])
def test_weighted_keeps_the_published_marginals(schema, shares):
    samples = [sample.values for group in groups_of(schema, n=1000, algorithm="weighted") for sample in group.samples]
    counts = Counter(values["length"] for values in samples)
    assert chi([counts[value] for value in ("short", "normal", "long")], list(shares)) < BOUND[2]


def test_weighted_takes_a_weights_file_and_never_draws_a_zero():
    weights = parse_weights("[marginals]\nlength = { short = 1, long = 3 }", DIAL)
    plans = plan_project(sources(300), DIAL, SamplerOptions(algorithm="weighted", weights=weights))
    counts = Counter(sample.values["length"] for plan in plans for sample in plan.samples)
    assert set(counts) == {"short", "long"}
    assert chi([counts["short"], counts["long"]], [1, 3]) < BOUND[1]


def test_weighted_pairs_are_seldom_equal():
    """No combination of the meetings has a share above a half, so no pair may hold it twice."""
    text = "[marginals]\nlength = { short = 1, normal = 1, long = 1 }"
    weights = parse_weights(text, DIAL)
    for group in groups_of(DIAL, algorithm="weighted", weights=weights):
        assert group.samples[0].combination != group.samples[1].combination


def test_weighted_needs_weights():
    with pytest.raises(SamplerError, match="weights"):
        plan_source("a", 2000, load_preset("ccsbench"), SamplerOptions(algorithm="weighted"))


@pytest.mark.parametrize("words", [130, 700, 2000])
@pytest.mark.parametrize("n", [1, 7, 100])
def test_balanced_counts_differ_by_at_most_one(n, words):
    counts = combinations(groups_of(DOC, n=n, words=words, algorithm="balanced", seed=9))
    every = [counts.get(code, 0) for code in (a + b + c for a in "snl" for b in "nhf" for c in "nh")]
    assert sum(every) == sum(counts.values())
    assert max(every) - min(every) <= 1


@pytest.mark.parametrize("algorithm", ["uniform", "one-step", "balanced"])
def test_other_schemas_are_drawn_too(algorithm):
    counts = combinations(groups_of(load_preset("ccsbench"), algorithm=algorithm))
    assert set(counts) == {a + b + c for a in "01234" for b in "nh" for c in "lh"}


def test_weights_of_the_program_are_what_release_draws_by():
    sampler_options = SamplerOptions(algorithm="macsum-release", weights=load_weights("macsum-doc", DOC), seed=1)
    usual = SamplerOptions(algorithm="macsum-release", seed=1)
    assert plan_source("a", 3000, DOC, sampler_options) == plan_source("a", 3000, DOC, usual)
