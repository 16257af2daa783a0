"""Systems and trainings on a real GPU. Skipped where there is none; docs/gpu.md says how to run them alone."""

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from epitome.schema import content_hash, preset_text
from epitome.systems.protocol import SystemFault
from epitome.systems.serialization import encode_message, request_as_json
from epitome.training import folders
from epitome.training.config import parse_training
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = [pytest.mark.gpu, pytest.mark.models]
ROOT = Path(__file__).resolve().parents[2]
LORA = "[lora]\nrank = 2\n"
MIB = 2**20
KILLED = """
import os, signal, sys
from pathlib import Path
from epitome.training.config import parse_training
from epitome.training.run import run_training
from epitome.training.watching import NullWatch

class Killer(NullWatch):
    def progress(self, done, total):
        if done == 10:
            os.kill(os.getpid(), signal.SIGKILL)

config, folder = Path(sys.argv[1]), Path(sys.argv[2])
run_training(parse_training(config.read_text(), "tiny.toml", config.parent), folder, Killer())
"""


@pytest.fixture(scope="module", autouse=True)
def _gpu():
    from epitome.systems.neural.libraries import has_gpu

    if not has_gpu():
        pytest.skip("NOT RUN: there is no GPU that torch can use")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpu")
    tiny.write(folder / "train.json", 60, 1)
    tiny.write(folder / "dev.json", 6, 2)
    return folder


def config_of(room, method, base="", tables="", **optimisation):
    settings = {"selection": '"loss"', "batch_size": 4, "log_every": 2, "learning_rate": 1e-3, **optimisation}
    text = training_text(method, base=base, tables=tables, **settings).replace('device = "cpu"', 'device = "cuda"')
    return parse_training(text, "tiny.toml", room)


def train(config, folder, watch=None):
    from epitome.training.run import run_training

    return run_training(config, folder, watch)


def read_weights(folder):
    from safetensors.torch import load_file

    files = sorted((folder / folders.WEIGHTS).glob("*.safetensors"))
    return {f"{file.stem} {name}": weight for file in files for name, weight in load_file(file).items()}


@contextmanager
def limited_memory(mebibytes):
    """So much of the GPU, and no more, for this process."""
    import torch

    gc.collect()
    torch.cuda.empty_cache()
    limit = torch.cuda.memory_reserved() + mebibytes * MIB
    torch.cuda.set_per_process_memory_fraction(limit / torch.cuda.get_device_properties(0).total_memory)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize(
    ("architecture", "kind"), [("bart", "seq2seq"), ("pegasus", "seq2seq"), ("t5", "seq2seq"), ("llama", "causal")]
)
def test_a_gpu_writes_in_float32_what_a_cpu_writes(folder_of, system_of, requests, architecture, kind, beams):
    texts = []
    for device in ("cpu", "cuda"):
        options = f'weights = "{folder_of(architecture)}"\ninput = "hp"\ndevice = "{device}"\ndtype = "float32"'
        system = system_of(kind, options, f"beams = {beams}\nmax_tokens = 30\nmin_tokens = 10")
        texts.append([output.text for output in system.generate(requests)])
        assert system.loaded.model.device.type == device
    assert texts[0] == texts[1]
    assert any(texts[0])


@pytest.mark.parametrize(
    ("architecture", "kind"), [("bart", "seq2seq-scorer"), ("gpt2", "causal-scorer"), ("llama", "causal-scorer")]
)
def test_a_gpu_scores_as_a_cpu_does(folder_of, system_of, request_of, architecture, kind):
    requests = [request_of(number, text="we sat on the mat before the rain") for number in range(5)]
    totals = []
    for device in ("cpu", "cuda"):
        options = f'weights = "{folder_of(architecture)}"\ndevice = "{device}"\ndtype = "float32"\nmax_text_tokens = 60'
        totals.append([scores.total for scores in system_of(kind, options).score(requests)])
    assert totals[1] == pytest.approx(totals[0], abs=1e-3)


def test_a_system_takes_the_gpu_and_bfloat16_by_itself(folder_of, system_of, requests):
    import torch

    system = system_of("seq2seq", f'weights = "{folder_of("bart")}"')
    output = system.generate(requests)[0]
    expected = "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    assert (system.loaded.device.type, output.decoding["dtype"]) == ("cuda", expected)


def test_a_static_cache_writes_the_same_texts(folder_of, system_of, requests):
    options = f'weights = "{folder_of("bart")}"\ndtype = "float32"'
    texts = [
        [output.text for output in system_of("seq2seq", f"{options}\n{more}").generate(requests)]
        for more in ("", "static_cache = true")
    ]
    assert texts[0] == texts[1]


def test_a_batch_that_does_not_fit_is_halved_until_it_does(folder_of, system_of, request_of):
    folder = folder_of("bart", width=512, feed_forward=4096, layers=3)
    requests = [request_of(number, turns=12) for number in range(64)]
    options = f'weights = "{folder}"\ndtype = "float32"\nmost_at_once = 64\nbatch_size = 64'
    system = system_of("seq2seq", options, "beams = 4\nmax_tokens = 16\nmin_tokens = 16")
    weights = system.loaded.model.get_memory_footprint() // MIB
    with limited_memory(weights // 20 + 120):
        outputs = system.generate(requests)
    assert system._batcher.most < 64
    assert all(output.text for output in outputs)


@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16"])
def test_a_training_lowers_its_loss(room, tmp_path, precision):
    import torch

    config = config_of(
        room, "hp", steps=80, evaluate_every=40, batch_size=24, learning_rate=3e-3, precision=f'"{precision}"'
    )
    result = train(config, tmp_path / precision)

    rows = [json.loads(line) for line in (result.folder / "metrics.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in rows if row["split"] == "train"]
    assert losses[-1] < 0.7 * losses[0]
    assert result.about["precision"] == precision
    assert result.about["device"] == torch.cuda.get_device_name()
    assert {str(weight.dtype) for weight in read_weights(result.folder).values()} == {"torch.float32"}


@pytest.mark.parametrize(
    ("architecture", "method", "more"),
    [
        ("bart", "hp+sp", {}),
        ("bart", "hp", {"gradient_checkpointing": "true"}),
        ("bart", "hp", {"batch_tokens": 512, "label_smoothing": 0.1}),
        ("t5", "sp", {"gradient_checkpointing": "true"}),
        ("t5", "lora", {"weights_dtype": '"bfloat16"'}),
        ("llama", "lora", {"gradient_checkpointing": "true", "precision": '"float16"'}),
    ],
)
def test_every_method_trains_and_evaluates(room, folder_of, tmp_path, architecture, method, more):
    config = config_of(room, method, folder_of(architecture), LORA, steps=4, evaluate_every=2, **more)
    result = train(config, tmp_path / "trained")
    assert result.about["steps"] == 4
    assert 0 < result.best["loss"] < 20


@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16"])
def test_a_killed_training_ends_with_the_same_weights(room, tmp_path, precision):
    """Its random numbers, for dropout, and the scale of its gradients are the GPU's own state."""
    config = config_of(
        room, "hp+sp", steps=12, evaluate_every=4, dropout=0.1, accumulation=2, precision=f'"{precision}"'
    )
    file = room / f"{precision}.toml"
    file.write_text(config.text)
    undisturbed = train(config, tmp_path / "undisturbed")
    command = [sys.executable, "-c", KILLED, str(file), str(tmp_path / "killed")]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    result = train(config, tmp_path / "killed")

    assert result.about["resumed_from"] == 8
    expected, weights = read_weights(undisturbed.folder), read_weights(result.folder)
    difference = max(float((weights[name] - expected[name]).abs().max()) for name in expected)
    print(f"{precision}: the greatest difference of a weight is {difference:.2g}")
    assert difference < 1e-6
    assert result.best["loss"] == pytest.approx(undisturbed.best["loss"], abs=1e-5)


def test_a_training_that_does_not_fit_says_what_to_change(room, folder_of, tmp_path):
    base = folder_of("bart", width=512, feed_forward=2048, layers=4)
    config = config_of(room, "hp", base, steps=4, batch_size=6, accumulation=4)
    with limited_memory(300), pytest.raises(SystemFault, match="tiny: memory ran out with batch_size = 6") as fault:
        train(config, tmp_path / "large")
    assert "batch_size = 3 with accumulation = 8" in str(fault.value)
    assert "gradient_checkpointing = true" in str(fault.value)
    assert train(config, tmp_path / "large").about["steps"] == 4


def test_the_cost_of_an_update_names_the_gpu_and_its_memory(room, folder_of):
    import torch

    from epitome.training.data import read_examples
    from epitome.training.step_cost import measure_step

    config = config_of(room, "hp", folder_of("bart"))
    step = measure_step(config, *read_examples(config.data, config.schema))
    assert step.device == torch.cuda.get_device_name()
    assert step.update > 0 and step.memory > 0
    large = config_of(room, "hp", folder_of("bart", width=512, feed_forward=2048, layers=4))
    with limited_memory(300), pytest.raises(SystemFault, match="tiny: memory ran out"):
        measure_step(large, *read_examples(large.data, large.schema))


def test_a_systems_process_meters_the_gpu(folder_of, request_of, schema):
    import torch

    text = preset_text("macsum-dial")
    config = f'[system]\nkey = "metered"\nkind = "seq2seq"\n[options]\nweights = "{folder_of("bart")}"\n'
    requests = [request_as_json(request_of(number), content_hash(text)) for number in range(4)]
    messages = [{"config": config, "name": "metered"}, {"schemas": [text], "requests": requests}]
    command = [sys.executable, "-m", "epitome.systems.host", str(os.getpid())]
    completed = subprocess.run(command, cwd=ROOT, input=b"".join(map(encode_message, messages)), stdout=subprocess.PIPE)
    answers = [json.loads(line) for line in completed.stdout.splitlines()]
    assert [len(answer.get("results", ())) for answer in answers] == [0, 4]
    assert all(result["text"] for result in answers[1]["results"])
    meter = answers[1]["meter"]
    assert meter["device"] == torch.cuda.get_device_name()
    assert 0 < meter["peak_memory"] < torch.cuda.get_device_properties(0).total_memory
    assert meter["worked"] > 0 and meter["waited"] >= 0
