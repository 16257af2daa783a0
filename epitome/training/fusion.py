"""What a training of `adapter-fusion` does beside that of every method: the pull on V, and the attention on dev."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epitome.systems.attention_means import mean_attention
from epitome.systems.neural.bottleneck import AdapterStack
from epitome.systems.neural.fusion_attention import KEY
from epitome.systems.neural.libraries import import_library
from epitome.training import folders
from epitome.training.data import Example, pick_evenly
from epitome.training.methods import Trainee
from epitome.training.systems import system_in_training

SAMPLES = 200
"""At most this many dev samples, evenly spread, show the attention to the adapters."""


def fusion_callbacks(trainee: Trainee) -> list[Any]:
    """Of transformers' Trainer: adds the gradient of value_decay * |V - I|^2 once per update, after the clipping, so
    that it does not depend on the accumulation. The loss that is reported leaves it out."""
    factor = trainee.config.adapter.fusion.value_decay
    if trainee.stack is None or not trainee.stack.shape.has_fusion or not factor:
        return []
    stack: AdapterStack = trainee.stack

    class ValueDecay(import_library("transformers").TrainerCallback):  # type: ignore[misc]
        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            add_value_gradient(stack, factor)

    return [ValueDecay()]


def add_value_gradient(stack: AdapterStack, factor: float) -> None:
    """Add that of factor * |V - I|^2 to the gradients of every V."""
    (factor * stack.value_penalty()).backward()


def describe_dev_attention(trainee: Trainee, dev: Sequence[Any], folder: Path) -> dict[str, Any]:
    """{"attention": means over dev samples} of the best weights; {} for other methods and without dev samples."""
    examples = [example for example in dev if isinstance(example, Example)]
    if trainee.config.method != "adapter-fusion" or not examples:
        return {}
    trainee.read(folder / folders.WEIGHTS)
    trainee.model.train(False)
    chosen = pick_evenly(examples, SAMPLES)
    system = system_in_training(trainee, record_attention=True)
    outputs = system.generate([example.request for example in chosen])
    pairs = [
        (example.request.values, output.scores[KEY]) for example, output in zip(chosen, outputs, strict=True)
        if KEY in output.scores
    ]  # fmt: skip
    return {"attention": mean_attention(pairs)}
