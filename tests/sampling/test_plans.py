"""How many samples, in which groups, asking for what."""

import json
from dataclasses import replace

import pytest

from epitome.sampling import SamplerError, SamplerOptions, plan_project, plan_source, sample_budget
from epitome.schema import load_preset

DOC = load_preset("macsum-doc")
EIGHT = replace(DOC, sampling=replace(DOC.sampling, per_2000_words=8.0, whole_groups=False))
DIAL = load_preset("macsum-dial")


@pytest.mark.parametrize(
    ("words", "samples"),
    [
        (0, 1),
        (1, 1),
        (250, 1),
        (374, 1),
        (375, 2),
        (500, 2),
        (625, 2),
        (626, 3),
        (875, 4),
        (1000, 4),
        (2000, 8),
        (5000, 20),
    ],
)
def test_budget_is_eight_samples_per_2000_words(words, samples):
    assert sample_budget(words) == samples == max(1, round(8 * words / 2000))


def test_budget_is_changeable():
    assert sample_budget(2000, 3) == 3
    assert len(plan_source("a", 2000, DIAL, SamplerOptions(per_2000_words=3)).samples) == 3


def test_negative_words_are_refused():
    with pytest.raises(ValueError, match="-1 words"):
        sample_budget(-1)


@pytest.mark.parametrize(
    ("n_words", "sizes"), [(100, [1]), (500, [2]), (750, [3]), (1000, [3, 1]), (1250, [3, 2]), (2000, [3, 2, 2, 1])]
)
def test_news_begin_with_a_group_without_topic(n_words, sizes):
    plan = plan_source("a", n_words, EIGHT, SamplerOptions())
    assert [len(group.samples) for group in plan.groups] == sizes
    assert [group.asks_topic for group in plan.groups] == [False] + [True] * (len(sizes) - 1)
    assert plan.groups[0].asks == ()
    assert all(group.asks == ("topic",) for group in plan.groups[1:])


@pytest.mark.parametrize(
    ("n_words", "sizes"),
    [
        (50, [3, 2]),
        (340, [3, 2]),
        (799, [3, 2]),
        (801, [3, 2, 2]),
        (1066, [3, 2, 2]),
        (1068, [3, 2, 2, 2]),
        (2000, [3, 2, 2, 2, 2, 2, 2]),
    ],
)
def test_the_news_preset_has_the_groups_of_the_release(n_words, sizes):
    """Three samples without a topic, never cut, then at least one pair with a topic, by 15 samples per 2,000 words."""
    plan = plan_source("a", n_words, DOC, SamplerOptions())
    assert [len(group.samples) for group in plan.groups] == sizes
    assert [group.asks_topic for group in plan.groups] == [False] + [True] * (len(sizes) - 1)


@pytest.mark.parametrize("algorithm", ["uniform", "macsum-release", "balanced"])
def test_the_news_preset_draws_as_many_samples_per_article_as_the_release(algorithm, shared):
    articles = json.loads((shared / "data" / "macsum" / "macdoc" / "val.json").read_text(encoding="utf-8"))
    words = {str(at): sum(len(part.split()) for part in article["source"]) for at, article in enumerate(articles)}
    plans = plan_project(words.items(), DOC, SamplerOptions(algorithm=algorithm))
    differences = [
        len(plan.samples) - len(article["references"]) for plan, article in zip(plans, articles, strict=True)
    ]
    assert sum(map(abs, differences)) / len(articles) <= 0.6
    assert abs(sum(differences)) <= 0.01 * sum(len(article["references"]) for article in articles)
    assert {len(plan.groups[0].samples) for plan in plans} == {3}
    assert all(len(group.samples) == 2 and group.asks_topic for plan in plans for group in plan.groups[1:])
    assert all(len(plan.groups) > 1 for plan in plans)


def test_whole_groups_give_every_source_one():
    options = SamplerOptions(whole_groups=True, per_2000_words=8)
    assert [len(group.samples) for group in plan_source("a", 100, DIAL, options).groups] == [2]
    assert [len(group.samples) for group in plan_source("a", 1750, DIAL, options).groups] == [2, 2, 2, 2]


def test_meetings_ask_every_group_for_topics_and_speakers():
    plan = plan_source("a", 1750, DIAL, SamplerOptions())
    assert [len(group.samples) for group in plan.groups] == [2, 2, 2, 1]
    assert all(group.asks == ("topic", "speaker") and group.asks_topic for group in plan.groups)


def test_options_overrule_the_schema():
    plan = plan_source("a", 2000, EIGHT, SamplerOptions(no_topic_group=False, group_size=4))
    assert [(len(group.samples), group.asks) for group in plan.groups] == [(4, ("topic",))] * 2
    plan = plan_source("a", 2000, DIAL, SamplerOptions(no_topic_group=True, no_topic_size=2))
    assert [group.asks for group in plan.groups][:2] == [("speaker",), ("topic", "speaker")]
    assert [len(group.samples) for group in plan.groups] == [2, 2, 2, 2]


def test_positions_count_through():
    plan = plan_source("a", 2000, EIGHT, SamplerOptions())
    assert [group.position for group in plan.groups] == [0, 1, 2, 3]
    assert [sample.position for sample in plan.samples] == list(range(8))
    assert all(sample.combination == DOC.combination_code(sample.values) for sample in plan.samples)


def test_unknown_algorithm_names_the_known():
    with pytest.raises(SamplerError, match="uniform, one-step, macsum-release, weighted, balanced") as caught:
        SamplerOptions(algorithm="latin")
    assert caught.value.field == "algorithm"


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", -1), ("seed", 1.0), ("seed", True), ("seed", 2**63), ("group_size", 0), ("no_topic_size", 101),
     ("overlap", 0), ("per_2000_words", 0), ("per_2000_words", float("nan"))],
)  # fmt: skip
def test_wrong_options_name_the_field(field, value):
    with pytest.raises(SamplerError) as caught:
        SamplerOptions(**{field: value})
    assert caught.value.field == field


def test_balanced_needs_the_project():
    with pytest.raises(SamplerError, match="plan_project"):
        plan_source("a", 2000, DOC, SamplerOptions(algorithm="balanced"))


def test_an_id_twice_is_refused():
    with pytest.raises(SamplerError, match="twice"):
        plan_project([("a", 10), ("a", 20)], DOC, SamplerOptions())


def test_record_of_the_options_is_json_and_complete():
    record = SamplerOptions(seed=7, overlap=2).resolved(DOC).as_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["sampler"] == "uniform@1" and record["seed"] == 7 and record["no_topic_size"] == 3


@pytest.mark.parametrize("words", [60, 130, 2000])
def test_samples_per_source_are_exact_however_long_the_text(words):
    """MACSum's template has whole groups; a number of samples per source is kept nevertheless."""
    for n_samples in (1, 2, 3, 4, 7, 12):
        assert len(plan_source("a", words, DOC, SamplerOptions(per_source=n_samples)).samples) == n_samples


def test_a_rate_that_is_given_replaces_the_samples_per_source_of_the_schema():
    short = load_preset("short-articles")
    assert len(plan_source("a", 130, short, SamplerOptions()).samples) == 7
    assert len(plan_source("a", 2000, short, SamplerOptions(per_2000_words=15)).samples) == 15
    record = SamplerOptions().resolved(short).as_dict()
    assert record["per_source"] == 7 and "per_2000_words" not in record
    assert "per_source" not in SamplerOptions().resolved(DOC).as_dict()


@pytest.mark.parametrize("value", [0, 1001, 2.5, True])
def test_samples_per_source_that_cannot_be(value):
    with pytest.raises(SamplerError, match="per_source: must be a whole number from 1 to 1000"):
        SamplerOptions(per_source=value)


def test_samples_per_source_and_per_2000_words_exclude_each_other():
    with pytest.raises(SamplerError, match="per_source: give samples per source or per 2,000 words, not both"):
        SamplerOptions(per_source=3, per_2000_words=8)
