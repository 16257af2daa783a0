"""Bottleneck adapters after every layer's feed-forward, and AdapterFusion over several: by the papers' formulas."""

import json

import pytest

from epitome.schema import SchemaError
from epitome.systems.attention_means import mean_attention, mean_over_layers
from epitome.systems.config import parse_config
from epitome.systems.protocol import SystemFault
from epitome.systems.registry import make_system
from epitome.training.config import Data, parse_training
from modelbridge.services.systems.weights_access import list_weight_names
from tests.models import tiny

NAMES = ("length", "keys")  # "keys" is also a method of torch's containers
SOURCES = ["the cat sat on the mat", "we went home before the rain and sat", "rain"]


def model_and_tokenizer(folder):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model = AutoModelForSeq2SeqLM.from_pretrained(folder)
    model.train(False)
    return model, AutoTokenizer.from_pretrained(folder)


def adapted(folder, *names, seed=3):
    """(model, tokenizer, adapters with random weights that do something)."""
    import torch

    from epitome.systems.neural.bottleneck import AdapterShape, AdapterStack

    model, tokenizer = model_and_tokenizer(folder)
    torch.manual_seed(seed)
    stack = AdapterStack(model, AdapterShape(names or NAMES, 4))
    for name, weight in stack.module.named_parameters():
        if ".adapters." in name or "fusion.query" in name or "fusion.key" in name:
            torch.nn.init.normal_(weight, std=0.3)
    return model, tokenizer, stack


def logits(model, tokenizer, sources=SOURCES):
    import torch

    labels = tokenizer(["we sat", "the cat went home", "home"][: len(sources)], return_tensors="pt", padding=True)
    with torch.no_grad():
        batch = tokenizer(list(sources), return_tensors="pt", padding=True)
        return model(**batch, labels=labels["input_ids"], use_cache=False).logits


def layers(stack):
    return [item for site in ("encoder", "decoder") for item in stack.module[site]]


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_a_new_adapter_changes_nothing_and_a_trained_one_does(folder_of, architecture):
    import torch

    from epitome.systems.neural.bottleneck import AdapterShape, AdapterStack

    plain = logits(*model_and_tokenizer(folder_of(architecture)))
    model, tokenizer = model_and_tokenizer(folder_of(architecture))
    stack = AdapterStack(model, AdapterShape(("only",), 16))

    assert torch.equal(logits(model, tokenizer), plain)
    assert [len(stack.module[site]) for site in ("encoder", "decoder")] == [2, 2]
    down, _relu, up = stack.module["encoder"][0]["adapters"]["of_only"]
    assert (tuple(down.weight.shape), tuple(up.weight.shape)) == ((2, 32), (32, 2))  # the reduction is 16
    assert not torch.allclose(logits(*adapted(folder_of(architecture), "only")[:2]), plain, atol=1e-3)


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "t5"])
@pytest.mark.parametrize("names", [("only",), NAMES])
def test_what_a_layer_gives_is_what_the_formulas_say(folder_of, architecture, names):
    import torch

    stack = adapted(folder_of(architecture), *names)[2]
    site, number = "decoder", 1
    layer, value = stack.layers[site][number], stack.module[site][number]
    hidden = torch.randn(2, 5, 32)
    hook = next(iter(layer._forward_hooks.values()))
    result = hook(layer, (), hidden)

    outputs = []
    for name in names:
        down, _relu, up = value["adapters"][f"of_{name}"]
        inside = torch.clamp(hidden @ down.weight.T + down.bias, min=0)
        outputs.append(inside @ up.weight.T + up.bias)
    expected = hidden + outputs[0]
    if len(names) > 1:
        q, k, v = (getattr(value["fusion"], matrix).weight.T for matrix in ("query", "key", "value"))
        expected = hidden.clone()
        for row in range(2):
            for token in range(5):
                query = hidden[row, token] @ q
                scores = torch.stack([query @ (output[row, token] @ k) for output in outputs])
                shares = torch.exp(scores) / torch.exp(scores).sum()
                for share, output in zip(shares, outputs, strict=True):
                    expected[row, token] += share * (output[row, token] @ v)
    assert torch.allclose(result, expected, atol=1e-5)


@pytest.mark.models
@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_fusion_of_equal_adapters_with_v_the_identity_gives_the_adapter(folder_of, architecture):
    import torch

    model, tokenizer, stack = adapted(folder_of(architecture))
    single, _tokenizer, alone = adapted(folder_of(architecture), "only", seed=5)
    for fused, other in zip(layers(stack), layers(alone), strict=True):
        state = other["adapters"]["of_only"].state_dict()
        for name in NAMES:
            fused["adapters"][f"of_{name}"].load_state_dict(state)
        with torch.no_grad():
            fused["fusion"].value.weight.copy_(torch.eye(32))

    assert torch.allclose(logits(model, tokenizer), logits(single, tokenizer), atol=1e-5)


@pytest.mark.models
def test_new_fusion_layers_begin_near_the_identity_and_only_q_k_v_get_gradients(folder_of):
    import torch

    model, tokenizer, stack = adapted(folder_of("t5"))
    model.requires_grad_(False)
    stack.train_fusion_only()

    batch = tokenizer(SOURCES, return_tensors="pt", padding=True)
    model(**batch, labels=batch["input_ids"]).loss.backward()

    learning = {name for name, weight in model.named_parameters() if weight.grad is not None}
    assert {name.rsplit(".", 2)[1] for name in learning} == {"query", "key", "value"}
    assert len(learning) == 3 * 4 and all(".fusion." in name for name in learning)
    for fusion in stack.fusions:
        assert torch.allclose(fusion.value.weight, torch.eye(32), atol=1e-4)
        assert not torch.equal(fusion.value.weight, torch.eye(32))


@pytest.mark.models
def test_the_pull_on_v_is_the_gradient_of_its_distance_from_the_identity(folder_of):
    import torch

    from epitome.training.fusion import add_value_gradient

    stack = adapted(folder_of("t5"))[2]
    for fusion in stack.fusions:
        torch.nn.init.normal_(fusion.value.weight)
    add_value_gradient(stack, 0.01)

    for fusion in stack.fusions:
        assert torch.allclose(fusion.value.weight.grad, 0.02 * (fusion.value.weight - torch.eye(32)), atol=1e-6)
        assert fusion.query.weight.grad is None


@pytest.fixture(scope="module")
def base(folder_of):
    return folder_of("t5")


@pytest.fixture(scope="module")
def fused_folder(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fused")
    adapted(base)[2].save(folder)
    return folder


def fused_options(base, folder, more=""):
    return f'weights = "{base}"\nfused = "{folder}"\n{more}'


@pytest.mark.models
def test_a_stored_fusion_runs_as_a_system_and_tells_its_attention(base, fused_folder, system_of, requests):
    system = system_of("adapter-fusion", fused_options(base, fused_folder))
    outputs = system.generate(requests)
    silent = system_of("adapter-fusion", fused_options(base, fused_folder, "record_attention = false"))

    plain = [output.text for output in system_of("seq2seq", f'weights = "{base}"').generate(requests)]
    assert [output.text for output in outputs] == [output.text for output in silent.generate(requests)] != plain
    assert not silent.generate(requests)[0].scores
    for output in outputs:
        attention = output.scores["fusion"]
        assert attention["adapters"] == list(NAMES)
        assert [len(attention[site]) for site in ("encoder", "decoder")] == [2, 2]
        rows = attention["encoder"] + attention["decoder"]
        assert all(sum(row) == pytest.approx(1, abs=2e-5) and min(row) >= 0 for row in rows)
        assert output.weights == system.loaded.hash


@pytest.mark.models
def test_the_attention_of_a_sample_does_not_depend_on_its_neighbours_or_on_padding(
    base, fused_folder, system_of, requests
):
    system = system_of("adapter-fusion", fused_options(base, fused_folder))
    together = [output.scores["fusion"] for output in system.generate(requests)]

    for request, expected in zip(requests, together, strict=True):
        alone = system.generate([request])[0].scores["fusion"]
        for site in ("encoder", "decoder"):
            for row, other in zip(alone[site], expected[site], strict=True):
                assert row == pytest.approx(other, abs=1e-4)


@pytest.mark.models
def test_the_recorded_weights_are_means_over_the_tokens_of_the_source(base, fused_folder, system_of, request_of):
    import torch

    system = system_of("adapter-fusion", fused_options(base, fused_folder))
    request = request_of(1)
    attention = system.generate([request])[0].scores["fusion"]

    ids = torch.tensor([system.encode([system.prompt(request, {"topic": ("rain",)})])[0].ids])
    stack, seen = system._stack, []
    fusion = stack.module["encoder"][0]["fusion"]
    hook = fusion.register_forward_hook(lambda _module, _inputs, output: seen.append(output[1]))
    with torch.no_grad():
        system.loaded.model.get_encoder()(input_ids=ids)
    hook.remove()
    assert seen[0].shape == (1, ids.shape[1], 2)
    assert attention["encoder"][0] == pytest.approx(seen[0][0].mean(0).tolist(), abs=1e-4)


@pytest.mark.models
def test_the_recorded_weights_are_those_of_the_tokens_while_they_were_written(
    base, fused_folder, system_of, request_of
):
    greedy = "beams = 1\nmax_tokens = 12\nmin_tokens = 4"
    silent = system_of("adapter-fusion", fused_options(base, fused_folder, "record_attention = false"), greedy)
    recording = system_of("adapter-fusion", fused_options(base, fused_folder), greedy)
    _ = silent.loaded
    seen = []
    fusion = silent._stack.module["decoder"][1]["fusion"]
    hook = fusion.register_forward_hook(lambda _module, _inputs, output: seen.append(output[1][0, -1]))
    text = silent.generate([request_of(2)])[0].text
    hook.remove()

    output = recording.generate([request_of(2)])[0]

    assert output.text == text and len(seen) > 3
    expected = [sum(float(step[place]) for step in seen) / len(seen) for place in (0, 1)]
    assert output.scores["fusion"]["decoder"][1] == pytest.approx(expected, abs=1e-4)


def training(method, base, folder, key, tables="", **optimisation):
    how = {"steps": 30, "evaluate_every": 15, "batch_size": 8, "accumulation": 1, "warmup_steps": 0, "log_every": 1}
    rows = "".join(f"{name} = {value}\n" for name, value in {**how, "learning_rate": 3e-3, **optimisation}.items())
    text = (
        f'[training]\nkey = "{key}"\nmethod = "{method}"\nschema = "macsum-doc"\nbase = "{base}"\n{tables}'
        f'[optimisation]\ndevice = "cpu"\nschedule = "constant"\nselection = "loss"\n{rows}'
        "[decoding]\nbeams = 1\nmax_tokens = 14\nmin_tokens = 0\nno_repeat_ngram = 0\n"
    )
    seed = {"length": 1, "keys": 2}.get(key, 3)
    data = Data(train=tiny.write(folder / f"{key}.json", 16, seed), dev=tiny.write(folder / f"{key}-dev.json", 6, 9))
    return parse_training(text, f"{key}.toml", folder, data=data)


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    """(folder, results of both single adapters, result of their fusion)."""
    from epitome.training.run import run_training

    room = tmp_path_factory.mktemp("fusing")
    singles = {
        name: run_training(training("adapter", base, room, name, "[bottleneck]\nreduction = 4\n"), room / name)
        for name in NAMES
    }
    return room, singles, run_training(fusing(room, base), room / "fused")


def fusing(room, base):
    text = "".join(f'{name} = "{room / name / "weights"}"\n' for name in NAMES)
    return training("adapter-fusion", base, room, "fused", f"[adapters]\n{text}", learning_rate=1e-2)


def read_file(path):
    from safetensors.torch import load_file

    return load_file(str(path))


def losses(folder, split):
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [row["loss"] for row in rows if row["split"] == split]


@pytest.mark.models
def test_both_stages_learn_and_the_second_changes_the_fusion_alone(trained, base):
    import torch

    room, singles, fused = trained
    for folder in (room / "length", room / "fused"):
        curve = losses(folder, "train")
        assert sum(curve[-5:]) < sum(curve[:5])
    stored = read_file(room / "fused/weights/adapters.safetensors")
    for name, single in singles.items():
        file_before = read_file(single.folder / "weights/adapters.safetensors")
        assert any(value.any() for key, value in file_before.items() if key.endswith("2.weight"))
        for key, value in file_before.items():
            assert torch.equal(stored[key.replace("of_single", f"of_{name}")], value)
    queries = [value for key, value in stored.items() if "fusion.query" in key]
    assert len(queries) == 4
    n_fusion = sum(value.numel() for key, value in stored.items() if ".fusion." in key)
    assert fused.about["n_trained"] == n_fusion == 3 * 4 * 32 * 32


@pytest.mark.models
def test_the_trained_fusion_is_a_system_and_its_attention_on_dev_is_stored(trained, requests):
    _room, singles, fused = trained
    system = parse_config(fused.system)
    assert (system.kind, parse_config(singles["length"].system).kind) == ("adapter-fusion", "adapter-fusion")

    outputs = make_system(system).generate(requests)
    assert outputs[0].scores["fusion"]["adapters"] == list(NAMES)
    assert not make_system(parse_config(singles["length"].system)).generate(requests)[0].scores

    attention = fused.about["attention"]
    assert attention["adapters"] == list(NAMES) and attention["all"]["n"] == 6
    assert {key: rows["n"] for key, rows in attention["by_value"].items() if key.startswith("length=")} == {
        "length=long": 2, "length=normal": 2, "length=short": 2,
    }  # fmt: skip
    for row in attention["all"]["encoder"] + attention["all"]["decoder"]:
        assert sum(row) == pytest.approx(1, abs=1e-4)


@pytest.mark.models
def test_a_fusion_that_was_stopped_goes_on_from_its_checkpoint_to_the_same_weights(trained, base):
    from epitome.training.run import run_training
    from epitome.training.watching import NullWatch

    class Stop(Exception):
        pass

    class Watch(NullWatch):
        def progress(self, done, total):
            if done == 20:
                raise Stop

    room, _singles, undisturbed = trained
    config = fusing(room, base)
    with pytest.raises(Stop):
        run_training(config, room / "stopped", Watch())

    again = run_training(config, room / "stopped")

    assert again.about["resumed_from"] == 15
    assert again.about["weights_hash"] == undisturbed.about["weights_hash"]
    assert again.about["attention"] == undisturbed.about["attention"]


@pytest.mark.models
def test_adapters_that_cannot_be_fused_are_refused(trained, base, folder_of, tmp_path, system_of):
    from epitome.systems.neural.bottleneck import fuse_adapters

    room = trained[0]
    adapted(base, "only")[2].save(tmp_path)
    length = room / "length/weights"
    model = model_and_tokenizer(base)[0]
    with pytest.raises(SystemFault, match="2 adapters with fusion; name single ones"):
        fuse_adapters(model, {"length": length, "both": room / "fused/weights"})
    wide = model_and_tokenizer(folder_of("t5", width=64))[0]
    with pytest.raises(SystemFault, match="does not fit the model"):
        fuse_adapters(wide, {"length": length, "keys": room / "keys/weights"})
    (tmp_path / "coarse").mkdir()
    from epitome.systems.neural.bottleneck import AdapterShape, AdapterStack

    AdapterStack(model_and_tokenizer(base)[0], AdapterShape(("only",), 16)).save(tmp_path / "coarse")
    with pytest.raises(SystemFault, match=r"reductions differ \(length 4, coarse 16\)"):
        fuse_adapters(model, {"length": length, "coarse": tmp_path / "coarse"})
    with pytest.raises(SystemFault, match="do not fit the model"):
        system_of("adapter-fusion", fused_options(folder_of("t5", width=64), length)).load()


def test_means_are_per_value_and_over_layers():
    first = {"adapters": ["a", "b"], "encoder": [[0.2, 0.8]], "decoder": [[0.5, 0.5]]}
    second = {"adapters": ["a", "b"], "encoder": [[0.6, 0.4]], "decoder": [[0.7, 0.3]]}
    means = mean_attention([({"readability": "high", "keywords": ("x",)}, first), ({"readability": "normal"}, second)])

    assert means["all"] == {"n": 2, "encoder": [[0.4, 0.6]], "decoder": [[0.6, 0.4]]}
    assert list(means["by_value"]) == ["keywords", "readability=high", "readability=normal"]
    assert means["by_value"]["readability=high"]["encoder"] == [[0.2, 0.8]]
    assert mean_over_layers(means["by_value"]["readability=normal"]) == pytest.approx([0.65, 0.35])
    assert mean_attention([]) == {}


def test_a_system_must_name_its_adapters():
    text = '[system]\nkey = "x"\nkind = "adapter-fusion"\n[options]\nweights = "base"\n'
    with pytest.raises(SchemaError, match='"fused" is missing'):
        parse_config(text)
    assert list_weight_names(parse_config(f'{text}fused = "/srv/adapters"\n')) == ["base", "/srv/adapters"]
