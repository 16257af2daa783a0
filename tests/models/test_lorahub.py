"""LoRAHub: one weight per adapter, found without gradients, and what comes of the merge."""

import json
import math

import pytest

from epitome.schema import SchemaError
from epitome.systems.config import parse_config
from epitome.systems.protocol import SystemFault
from epitome.training.adapter_options import Search
from epitome.training.config import Data, parse_training
from epitome.training.weight_search import best_trial, penalty, search_weights
from tests.models import tiny
from tests.models.test_lora import adapter

DECODING = "[decoding]\nbeams = 1\nmax_tokens = 14\nmin_tokens = 0\nno_repeat_ngram = 0\n"


@pytest.fixture(scope="module")
def base(folder_of):
    return folder_of("t5")


@pytest.fixture(scope="module")
def adapters(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapters")
    return {name: adapter(folder / name, base, seed, ["q", "v"]) for seed, name in enumerate(("first", "second"))}


def merged_texts(system_of, base, adapters, mixture, requests):
    text = "\n".join(f'{name} = "{folder}"' for name, folder in adapters.items())
    shares = "\n".join(f"{name} = {weight}" for name, weight in mixture.items())
    system = system_of("lorahub", f'weights = "{base}"\n[options.adapters]\n{text}\n[options.mixture]\n{shares}')
    return [output.text for output in system.generate(requests)]


@pytest.mark.models
@pytest.mark.parametrize("alone", ["first", "second"])
def test_all_weight_on_one_adapter_writes_exactly_what_it_writes_alone(system_of, base, adapters, requests, alone):
    options = f'weights = "{base}"\n[options.adapters]\nonly = "{adapters[alone]}"'
    by_itself = [output.text for output in system_of("lora", options).generate(requests)]

    mixture = {name: float(name == alone) for name in adapters}

    assert merged_texts(system_of, base, adapters, mixture, requests) == by_itself
    none = dict.fromkeys(adapters, 0.0)
    plain = [output.text for output in system_of("seq2seq", f'weights = "{base}"').generate(requests)]
    assert merged_texts(system_of, base, adapters, none, requests) == plain != by_itself


@pytest.mark.models
def test_the_matrices_are_summed_each_by_itself_and_then_multiplied(base, adapters):
    import torch
    from peft import PeftModel
    from transformers import AutoModelForSeq2SeqLM

    from epitome.systems.lorahub import merge_adapters
    from epitome.systems.neural.adapter_merging import read_states

    w = {"first": 0.7, "second": -1.2}
    model = PeftModel.from_pretrained(AutoModelForSeq2SeqLM.from_pretrained(base), adapters["first"], "first")
    model.load_adapter(adapters["second"], "second")
    merge_adapters(w)(model, list(adapters))

    module = "base_model.model.encoder.block.0.layer.0.SelfAttention.q"
    delta_weight = model.get_submodule(module).get_delta_weight("merged")
    states = read_states(adapters)
    a, b = (sum(w[name] * state[f"{module}.lora_{matrix}.weight"] for name, state in states.items()) for matrix in "AB")
    assert torch.allclose(delta_weight, (32 / 4) * (b @ a), atol=1e-6)


@pytest.mark.models
def test_weights_one_and_zero_give_the_first_adapter_bit_for_bit(adapters):
    import torch

    from epitome.systems.neural.adapter_merging import merge_states, read_states

    first, second = read_states(adapters).values()
    merged = merge_states([first, second], [1.0, 0.0])

    assert merged.keys() == first.keys()
    assert all(torch.equal(tensor, first[name]) for name, tensor in merged.items())


@pytest.mark.models
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"r": 2}, "rank 4 against 2"),
        ({"lora_alpha": 8}, "alpha 32 against 8"),
        ({"target_modules": ["q"]}, "target modules q, v against q"),
        ({"base_model_name_or_path": "google/flan-t5-xxl"}, "different base models"),
    ],
)
def test_adapters_that_differ_are_refused_naming_the_difference(
    system_of, base, adapters, requests, tmp_path, change, said
):
    import shutil

    other = tmp_path / "other"
    shutil.copytree(adapters["second"], other)
    config = json.loads((other / "adapter_config.json").read_text())
    (other / "adapter_config.json").write_text(json.dumps(config | change))

    with pytest.raises(SystemFault, match=f"first and other cannot be merged: .*{said}"):
        merged_texts(system_of, base, {"first": adapters["first"], "other": other}, {"first": 1, "other": 1}, requests)


def test_every_adapter_needs_its_weight():
    text = (
        '[system]\nkey = "x"\nkind = "lorahub"\n[options]\nweights = "base"\n'
        '[options.adapters]\nfirst = "a"\nsecond = "b"\n[options.mixture]\nfirst = 1\n'
    )
    with pytest.raises(SchemaError, match="no weight for the adapter second"):
        parse_config(text)


def distance(weights):
    return math.dist(weights, (0.6, -0.4, 0.2)) ** 2


def test_the_search_starts_from_the_base_and_each_adapter_alone_and_lowers_the_objective_within_its_budget():
    trials = search_weights(distance, 3, Search(budget=60, l1=0.01))

    assert [trial.weights for trial in trials[:4]] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert len(trials) <= 60
    _number, best = best_trial(trials)
    assert best.objective < 0.05 < trials[0].objective
    assert best.objective == pytest.approx(best.loss + 0.01 * sum(map(abs, best.weights)) / 3)
    assert penalty((1.0, -0.5), 0.05) == pytest.approx(0.05 * 0.75)


def test_no_weight_passes_the_bound_and_no_evaluation_the_budget():
    trials = search_weights(lambda weights: -sum(weights), 3, Search(budget=25, bound=1.5))

    assert len(trials) <= 25
    assert all(-1.5 <= weight <= 1.5 for trial in trials for weight in trial.weights)
    assert max(best_trial(trials)[1].weights) > 1


def training(base, adapters, folder, **search):
    content = "".join(f'{name} = "{path}"\n' for name, path in adapters.items())
    rows = "".join(f"{name} = {value}\n" for name, value in {"budget": 8, "examples": 3, **search}.items())
    text = (
        f'[training]\nkey = "hub"\nmethod = "lorahub"\nschema = "macsum-doc"\nbase = "{base}"\n'
        f"[adapters]\n{content}[search]\n{rows}"
        f'[optimisation]\ndevice = "cpu"\n[prompt]\nattributes = ["length"]\n{DECODING}'
    )
    data = Data(train=tiny.write(folder / "train.json", 9, 1), dev=tiny.write(folder / "dev.json", 3, 2))
    return parse_training(text, "hub.toml", folder, data=data)


@pytest.fixture(scope="module")
def finished(base, adapters, tmp_path_factory):
    from epitome.training.run import run_training

    folder = tmp_path_factory.mktemp("hub")
    return run_training(training(base, adapters, folder), folder / "hub")


@pytest.mark.models
def test_a_training_stores_weights_objective_and_provenance(finished, adapters):
    stored = json.loads((finished.folder / "weights.json").read_text())

    search = stored["search"]
    assert search["optimiser"] == "Nelder-Mead"
    assert (search["budget"], search["bound"], search["l1"], search["seed"]) == (8, 1.5, 0.05, 42)
    assert len(search["drawn"]) == 3 and len(search["evaluations"]) == 8
    lowest = min(search["evaluations"], key=lambda row: row["objective"])
    assert (search["weights"], search["objective"]) == (lowest["weights"], lowest["objective"])
    assert stored["adapters"]["first"]["folder"] == str(adapters["first"])
    assert len(stored["adapters"]["second"]["sha256"]) == 64
    assert finished.about["search"] == search
    rows = [json.loads(line) for line in (finished.folder / "metrics.jsonl").read_text().splitlines()]
    curve = [row["objective"] for row in rows if row["split"] == "train"]
    assert curve == [row["objective"] for row in search["evaluations"]]
    assert {"selection", "rouge_r1"} <= set(finished.best)


@pytest.mark.models
def test_the_trained_system_writes_what_the_merge_by_hand_writes(finished, system_of, base, adapters, requests):
    from epitome.systems.registry import make_system

    ours = parse_config(finished.system)
    assert ours.kind == "lora"
    options = finished.system.partition("[options.decoding]")[2]
    texts = [output.text for output in make_system(ours).generate(requests)]

    weights = finished.about["search"]["weights"]
    text = "\n".join(f'{name} = "{folder}"' for name, folder in adapters.items())
    shares = "\n".join(f"{name} = {weight!r}" for name, weight in weights.items())
    by_hand = system_of(
        "lorahub",
        f'weights = "{base}"\nattributes = ["length"]\n[options.adapters]\n{text}\n[options.mixture]\n{shares}',
        options,
    )
    assert [output.text for output in by_hand.generate(requests)] == texts


@pytest.mark.models
@pytest.mark.parametrize("rows", [3, 8])
def test_a_killed_search_repeats_its_recorded_evaluations_and_ends_the_same(finished, base, adapters, tmp_path, rows):
    from epitome.training import lorahub_run
    from epitome.training.run import run_training

    class Stop(Exception):
        pass

    class Watch(lorahub_run.Watch):
        evaluated = 0

        def metrics(self, step, split, values):
            type(self).evaluated += 1
            if self.evaluated == rows:
                raise Stop

        def progress(self, done, total):
            pass

        resumed = check = lambda self, *more: None

    config = training(base, adapters, tmp_path)
    with pytest.raises(Stop):
        run_training(config, tmp_path / "hub", Watch())
    with (tmp_path / "hub/metrics.jsonl").open("a") as stream:
        stream.write('{"step": 99, "spl')

    Watch.evaluated = 1000
    again = run_training(config, tmp_path / "hub", Watch())

    assert Watch.evaluated - 1000 == 8 - rows + 1  # the rest, and dev
    assert again.about["search"] == finished.about["search"]
    assert again.about["weights_hash"] == finished.about["weights_hash"]
    assert (tmp_path / "hub/metrics.jsonl").read_text() == (finished.folder / "metrics.jsonl").read_text()


def test_a_search_needs_two_adapters():
    head = '[training]\nkey = "hub"\nmethod = "lorahub"\nschema = "macsum-doc"\nbase = "b"\n'
    with pytest.raises(SchemaError, match="name at least two"):
        parse_training(head, "hub.toml", tiny.Path("/nowhere"), data=Data())
    with pytest.raises(SchemaError, match="at least two adapters"):
        parse_training(head + '[adapters]\none = "a"\n', "hub.toml", tiny.Path("/nowhere"), data=Data())
    with pytest.raises(SchemaError, match="has no meaning for hp"):
        text = head.replace("lorahub", "hp") + '[adapters]\none = "a"\n'
        parse_training(text, "hub.toml", tiny.Path("/nowhere"), data=Data())
