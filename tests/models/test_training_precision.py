"""Number formats, gradient checkpointing and label smoothing of trainings."""

import pytest

from epitome.schema import SchemaError
from epitome.systems.neural import quantized
from epitome.systems.protocol import MissingLibrary, SystemFault
from epitome.training.config import parse_training
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = pytest.mark.models
LORA = "[lora]\nrank = 2\n"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("precision")
    tiny.write(folder / "train.json", 24, 1)
    tiny.write(folder / "dev.json", 4, 2)
    return folder


def config_of(room, method, base="", tables="", **optimisation):
    how = {"steps": 3, "evaluate_every": 3, "batch_size": 4, "log_every": 1, "warmup_steps": 0, "learning_rate": 1e-3}
    text = training_text(method, base=base, tables=tables, selection='"loss"', **{**how, **optimisation})
    return parse_training(text, "tiny.toml", room)


def train(config, folder):
    from epitome.training.run import run_training

    return run_training(config, folder)


@pytest.mark.parametrize(
    ("architecture", "method"), [("bart", "hp"), ("bart", "sp"), ("t5", "lora"), ("llama", "lora"), ("t5", "sp")]
)
def test_gradient_checkpointing_trains_the_same(room, folder_of, tmp_path, monkeypatch, architecture, method):
    import torch
    from safetensors.torch import load_file

    weights, recomputed = [], []
    checkpoint = torch.utils.checkpoint.checkpoint
    monkeypatch.setattr(
        "transformers.modeling_utils.checkpoint",
        lambda *args, **named: recomputed.append(1) or checkpoint(*args, **named),
    )
    for flag in ("false", "true"):
        config = config_of(room, method, folder_of(architecture), LORA, gradient_checkpointing=flag)
        result = train(config, tmp_path / flag)
        assert bool(recomputed) == (flag == "true")
        files = sorted((result.folder / "weights").glob("*.safetensors"))
        weights.append({name: value for file in files for name, value in load_file(file).items()})
    plain, checkpointed = weights
    assert plain.keys() == checkpointed.keys()
    assert all(value.allclose(checkpointed[name], atol=1e-6) for name, value in plain.items())


def test_a_frozen_model_may_be_in_bfloat16_while_its_adapter_learns_in_float32(room, folder_of, tmp_path):
    import torch

    from epitome.training.methods import make_trainee

    config = config_of(room, "lora", folder_of("t5"), LORA, weights_dtype='"bfloat16"', precision='"bfloat16"')
    model = make_trainee(config).model
    kinds = {weight.requires_grad: weight.dtype for weight in model.parameters()}
    assert kinds == {False: torch.bfloat16, True: torch.float32}
    result = train(config, tmp_path / "lora")
    assert (result.about["weights_dtype"], result.about["precision"]) == ("bfloat16", "bfloat16")
    assert result.best["loss"] > 0


def test_weights_that_learn_are_never_coarse(room):
    with pytest.raises(SchemaError, match="must be float32 with the method hp"):
        config_of(room, "hp", weights_dtype='"nf4"')


def test_float16_needs_a_gpu(room, tmp_path):
    with pytest.raises(SystemFault, match='"float16" needs a GPU'):
        train(config_of(room, "hp", precision='"float16"'), tmp_path / "half")


@pytest.mark.parametrize("dtype", ["int8", "nf4"])
def test_8_and_4_bits_need_an_extra_that_is_named(room, folder_of, monkeypatch, dtype):
    from epitome.training.methods import make_trainee

    config = config_of(room, "lora", folder_of("t5"), LORA, weights_dtype=f'"{dtype}"')
    monkeypatch.setattr(quantized, "find_spec", lambda name: None)
    with pytest.raises(MissingLibrary, match=r"need bitsandbytes.*epitome\[models,quantized\]"):
        make_trainee(config)
    monkeypatch.setattr(quantized, "find_spec", lambda name: object())
    with pytest.raises(SystemFault, match="need a GPU"):
        make_trainee(config)


def test_nf4_is_asked_for_as_in_qlora(monkeypatch):
    import torch
    import transformers

    monkeypatch.setattr(quantized, "find_spec", lambda name: object())
    monkeypatch.setattr(transformers, "BitsAndBytesConfig", lambda **options: options)
    arguments = quantized.quantization_arguments("nf4", torch.device("cuda:1"))
    quantization_config = arguments["quantization_config"]
    assert quantization_config["load_in_4bit"] and quantization_config["bnb_4bit_use_double_quant"]
    assert quantization_config["bnb_4bit_quant_type"] == "nf4"
    assert str(arguments["device_map"][""]) == "cuda:1"
    eight = quantized.quantization_arguments("int8", torch.device("cuda"))["quantization_config"]
    assert eight == {"load_in_8bit": True}


@pytest.mark.parametrize("architecture", ["bart", "t5"])
def test_label_smoothing_smooths_the_loss_of_the_shifted_labels(room, folder_of, tmp_path, architecture):
    import torch

    from epitome.systems.neural.encoding import pad_id
    from epitome.training.data import read_examples
    from epitome.training.methods import build_features, collate_batch, make_trainee
    from epitome.training.trainer import Evaluation, make_trainer
    from epitome.training.watching import NullWatch, Record

    config = config_of(room, "hp", folder_of(architecture), label_smoothing=0.1)
    trainee = make_trainee(config)
    rows = [dict(row) for row in build_features(trainee, read_examples(config.data, config.schema)[0])]
    trainer = make_trainer(trainee, rows, Evaluation(trainee, [], tmp_path, NullWatch(), Record(tmp_path)))
    batch = collate_batch(rows[:4], pad_id(trainee.tokenizer))
    trainee.model.train(False)
    with torch.no_grad():
        logits = trainee.model(**batch).logits
        loss = float(trainer.compute_loss(trainee.model, dict(batch)))
    labels = batch["labels"]
    logs = torch.log_softmax(logits, -1)[labels != -100]
    result = -logs.gather(1, labels[labels != -100][:, None]).mean()
    assert loss == pytest.approx(float(0.9 * result + 0.1 * -logs.mean()), rel=1e-4)


class OutOfMemoryError(RuntimeError):
    """As torch calls it."""


def test_a_training_that_does_not_fit_says_what_to_change(room, tmp_path, monkeypatch):
    def fail(*_arguments, **_named):
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr("epitome.training.run._train_from_checkpoint", fail)
    with pytest.raises(SystemFault) as fault:
        train(config_of(room, "hp", batch_size=6, accumulation=4), tmp_path / "large")
    text = str(fault.value)
    assert "memory ran out with batch_size = 6 and sources of up to 1024 tokens" in text
    assert "batch_size = 3 with accumulation = 8, which makes the same updates" in text
    assert "gradient_checkpointing = true" in text
    assert "weights_dtype" not in text


def test_a_frozen_model_that_does_not_fit_may_be_coarser(room):
    from epitome.training.advice import describe_memory

    assert 'weights_dtype = "bfloat16"' in describe_memory(config_of(room, "sp"))
    assert 'weights_dtype = "nf4"' in describe_memory(config_of(room, "sp", weights_dtype='"bfloat16"'))
    memory = describe_memory(config_of(room, "hp", batch_tokens=4096, gradient_checkpointing="true"))
    assert "memory ran out with batch_tokens = 4096" in memory
    assert "batch_tokens = 2048" in memory
    assert "gradient_checkpointing" not in memory
