"""Trainings on ranking lists: logistic regression in numpy, tiny generative and discriminative models."""

import json

import numpy as np
import pytest

from epitome.schema import SchemaError
from epitome.systems.config import parse_config
from epitome.systems.ranking.features import FEATURES
from epitome.systems.ranking.logistic import gold_probability
from epitome.systems.registry import make_system
from epitome.training.config import Data, parse_training
from epitome.training.data import TrainingFault
from epitome.training.logistic import FeatureRows, fit_weights
from epitome.training.optimisation import Optimisation
from epitome.training.ranking_data import list_gold_examples, read_ranking_lists
from epitome.training.run import run_training
from epitome.training.shipped import shipped_text, shipped_trainings
from epitome.training.token_batches import TokenBatches, count_all_updates, count_updates, count_warmup
from tests.rankings.lists_file import write_lists

RANKERS = [key for key in shipped_trainings() if key.startswith("rank-")]


def config_of(key, file, **changes):
    text = shipped_text(key)
    for name, value in changes.items():
        text = text.replace(f"{name} = ", f"{name} = {value} # ")
    return parse_training(text, f"{key}.toml", file.parent, data=Data(lists=file))


@pytest.fixture(scope="module")
def lists(tmp_path_factory):
    return write_lists(tmp_path_factory.mktemp("lists") / "lists.jsonl")


def test_train_counts_come_from_the_train_lists_alone(lists):
    train, dev = read_ranking_lists(Data(lists=lists))
    assert (len(train), len(dev)) == (24, 12)
    golds = [text for example in train for text in example.gold_texts]
    for example in (*train, *dev):
        counts = example.request.aggregation.train_counts
        assert list(counts) == [golds.count(text) for text in example.request.candidates]
    assert len(list_gold_examples(train)) == len(golds)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no json", "line 1: is no ranking list"),
        ({"format": "other"}, "line 1: .*not epitome-ranking-1"),
        ({"format": "epitome-ranking-1"}, "line 1: .*candidates"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, line, words):
    file = tmp_path / "lists.jsonl"
    file.write_text(line if isinstance(line, str) else json.dumps(line))
    with pytest.raises(TrainingFault, match=words):
        read_ranking_lists(Data(lists=file))


def test_adam_finds_the_feature_that_tells_golds_apart():
    random = np.random.default_rng(1)
    features = random.normal(size=(400, len(FEATURES)))
    golds = (random.random(400) < 1 / (1 + np.exp(-2 * features[:, 3] + 1))).astype(float)
    rows = FeatureRows(features, golds, np.arange(400) // 8)
    learned = fit_weights(rows, 7, lambda *_progress: None, epochs=12)
    weights = np.array(learned.settings.coefficients)
    assert weights.argmax() == 3 and weights[3] == pytest.approx(2, abs=0.6)
    low, high = learned.intervals[3]
    assert 0 < low < weights[3] < high
    others = [interval for place, interval in enumerate(learned.intervals) if place != 3]
    assert sum(low < 0 < high for low, high in others) >= 12
    assert ((gold_probability(features, learned.settings) > 0.5) == golds.astype(bool)).mean() > 0.7


def test_a_logistic_regression_is_trained_without_weights_files_and_ranks_what_it_learned(lists, tmp_path):
    config = config_of("rank-logistic", lists)
    result = run_training(config, tmp_path / "logistic")
    assert result.about["vectors"] == "none" and len(result.about["weights"]) == len(FEATURES)
    assert result.best["map"] > 0.8
    system = make_system(parse_config(result.system))
    _train, dev = read_ranking_lists(config.data)
    (output,) = system.rank([dev[0].request])
    assert output.text in dev[0].gold_texts
    assert run_training(config, tmp_path / "logistic") == result


@pytest.mark.parametrize("key", RANKERS)
def test_shipped_configurations_are_those_of_the_paper(key, lists):
    config = config_of(key, lists)
    assert config.ranks and config.optimisation.selection == "map"
    if config.method == "rank-generative":
        optimisation = config.optimisation
        assert (optimisation.learning_rate, optimisation.batch_tokens, optimisation.epochs) == (5e-6, 1024, 6)
        assert (optimisation.warmup_share, optimisation.label_smoothing, optimisation.dropout) == (0.03, 0.1, 0.1)
        assert (config.decoding.beams, config.decoding.max_tokens, config.decoding.no_repeat_ngram) == (10, 100, 2)
    if config.method == "rank-classifier":
        assert (config.optimisation.learning_rate, config.optimisation.batch_tokens) == (2e-5, 4400)
        assert config.optimisation.betas == (0.9, 0.98) and config.optimisation.max_grad_norm == 0
    assert key.endswith(config.prompt.aggregation_input) or config.prompt.aggregation_input == "full"


def test_updates_and_warm_up_are_computed_from_the_batches():
    rows = [{"input_ids": [0] * length} for length in (10, 10, 10, 4, 4, 4, 4, 4, 4, 2)]
    optimisation = Optimisation(batch_tokens=20, batch_size=4, accumulation=1, epochs=6, warmup_share=0.25)
    # two of ten tokens; one of ten and one of four; then four and two of at most four tokens
    batches = TokenBatches(rows, optimisation, 1)
    assert all(max(len(rows[n]["input_ids"]) for n in batch) * len(batch) <= 20 for batch in batches)
    assert sorted(number for batch in batches for number in batch) == list(range(10))
    assert (count_updates(rows, optimisation), count_all_updates(rows, optimisation)) == (4, 24)
    assert count_warmup(rows, optimisation) == 6
    first = list(batches)
    batches.set_epoch(1)
    assert list(batches) != first and sorted(map(tuple, batches)) == sorted(map(tuple, first))


def test_a_ranking_metric_selects_rankers_alone(lists):
    text = shipped_text("tiny-rank-generative").replace("[optimisation]\n", '[optimisation]\nselection = "loss"\n')
    with pytest.raises(SchemaError, match="is map for the methods that learn from ranking lists"):
        parse_training(text, "x.toml", lists.parent, data=Data(lists=lists))
    with pytest.raises(TrainingFault, match="name a file of ranking lists"):
        read_ranking_lists(Data())


@pytest.fixture(scope="module", params=["rank-generative", "rank-classifier"])
def trained(request, tmp_path_factory):
    """A tiny model trained for two epochs, and the dev lists. A real training is the point: some seconds each."""
    folder = tmp_path_factory.mktemp(request.param)
    config = config_of(f"tiny-{request.param}", write_lists(folder / "lists.jsonl", n=12), epochs=2)
    return config, run_training(config, folder / "training"), read_ranking_lists(config.data)[1]


@pytest.mark.models
@pytest.mark.slow
def test_a_tiny_model_learns_to_rank_and_becomes_a_system(trained):
    config, result, dev = trained
    rows = [json.loads(line) for line in (result.folder / "metrics.jsonl").read_text().splitlines()]
    dev_rows = [row for row in rows if row["split"] == "dev"]
    assert len(dev_rows) == 2 and result.about["steps"] == dev_rows[-1]["step"]
    assert result.best["map"] == max(row["map"] for row in dev_rows)
    system = make_system(parse_config(result.system))
    (output,) = system.rank([dev[0].request])
    assert sorted(text for text, _score in output.candidates) == sorted(dev[0].request.candidates)
    scores = [score for _text, score in output.candidates]
    assert scores == sorted(scores, reverse=True)
    assert output.weights == result.about["weights_hash"]
    assert bool(result.writer) == (config.method == "rank-generative")


def loss_scores(writer, request):
    """The log-probability of every hypothesis by the loss that transformers gives for it."""
    rows = writer.encode([writer.prompt(request, {})])
    ids = writer.loaded.tokenizer(writer.prompt(request, {}), return_tensors="pt")["input_ids"]
    for hypothesis in writer.write_hypotheses(rows, [request], {})[0]:
        labels = ids.new_tensor([hypothesis.ids[1:]])
        yield -float(writer.loaded.model(input_ids=ids, labels=labels).loss) * labels.shape[1]


@pytest.mark.models
@pytest.mark.slow
def test_the_writer_gives_all_hypotheses_with_their_likelihoods_best_first(trained):
    _config, result, dev = trained
    if not result.writer:
        pytest.skip("a classifier writes nothing")
    writer = make_system(parse_config(result.writer))
    request = dev[0].request
    (output,) = writer.generate([request])
    assert len(output.candidates) == 4 and output.text == output.candidates[0][0]
    scores = [score for _text, score in output.candidates]
    assert scores == sorted(scores, reverse=True) and max(scores) < 0
    assert scores == pytest.approx(list(loss_scores(writer, request)), rel=1e-3)
