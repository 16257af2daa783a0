"""Every private name of transformers that is used, checked alone: the failed test names what changed."""

import inspect

import pytest

pytestmark = pytest.mark.models


def parameters(function) -> list[str]:
    return list(inspect.signature(function).parameters)


def expands_by_method() -> bool:
    from transformers import GenerationMixin

    expand = GenerationMixin._expand_inputs_for_generation
    return parameters(expand)[1:] == [
        "expand_size",
        "is_encoder_decoder",
        "input_ids",
        "model_kwargs",
    ] and "self._expand_inputs_for_generation(" in inspect.getsource(GenerationMixin.generate)


def loads_by_method() -> bool:
    from transformers import Trainer

    return parameters(Trainer._load_from_checkpoint) == ["self", "resume_from_checkpoint", "model"] and (
        "self._load_from_checkpoint(resume_from_checkpoint" in inspect.getsource(Trainer)
    )


def knows_attention() -> bool:
    from transformers import BartConfig

    return BartConfig(attn_implementation="sdpa")._attn_implementation == "sdpa"


def compiles_everywhere() -> bool:
    from transformers import CompileConfig
    from transformers.generation import GenerationMixin

    return hasattr(CompileConfig(), "_compile_all_devices") and "compile_config._compile_all_devices" in (
        inspect.getsource(GenerationMixin)
    )


def counts_gpus(folder) -> bool:
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir=str(folder), use_cpu=True)
    arguments._n_gpu = 7
    return arguments.n_gpu == 7


USED = {
    "GenerationMixin._expand_inputs_for_generation": expands_by_method,
    "Trainer._load_from_checkpoint": loads_by_method,
    "PretrainedConfig._attn_implementation": knows_attention,
    "CompileConfig._compile_all_devices": compiles_everywhere,
}


@pytest.mark.parametrize("name", USED)
def test_transformers_has_it_still(name):
    assert USED[name](), f"transformers changed {name}"


def test_transformers_counts_gpus_in_n_gpu_still(tmp_path):
    assert counts_gpus(tmp_path), "transformers changed TrainingArguments._n_gpu"
