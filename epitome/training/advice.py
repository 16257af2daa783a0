"""What to change when a training does not fit: faults of memory as sentences with settings that would fit better."""

from collections.abc import Iterator
from contextlib import contextmanager

from epitome.systems.neural.libraries import free_memory, is_out_of_memory
from epitome.systems.neural.quantized import QUANTIZED
from epitome.systems.protocol import SystemFault
from epitome.training.config import TrainingConfig


@contextmanager
def explain_memory(config: TrainingConfig) -> Iterator[None]:
    """Turns an error of torch that memory ran out into a SystemFault with advice."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        free_memory()
        raise SystemFault(describe_memory(config)) from error


def describe_memory(config: TrainingConfig) -> str:
    """What did not fit, and what to change, the least harmful first."""
    optimisation, limit = config.optimisation, config.prompt.max_source_tokens
    batch = f"batch_size = {optimisation.batch_size} and sources of up to {limit} tokens"
    if optimisation.batch_tokens:
        batch = f"batch_tokens = {optimisation.batch_tokens}"
    return f"{config.key}: memory ran out with {batch}. To fit: {'; '.join(_list_changes(config))}"


def _list_changes(config: TrainingConfig) -> list[str]:
    optimisation = config.optimisation
    changes = []
    if optimisation.batch_tokens:
        changes.append(f"batch_tokens = {optimisation.batch_tokens // 2}")
    elif optimisation.batch_size > 1:
        half, twice = optimisation.batch_size // 2, optimisation.accumulation * 2
        same = ", which makes the same updates" if optimisation.batch_size % 2 == 0 else ""
        changes.append(f"batch_size = {half} with accumulation = {twice}{same}")
    if not optimisation.gradient_checkpointing:
        changes.append("gradient_checkpointing = true (slower, the same numbers)")
    if not config.trains_model and optimisation.weights_dtype not in QUANTIZED:
        coarser = "bfloat16" if optimisation.weights_dtype == "float32" else "nf4"
        changes.append(f'weights_dtype = "{coarser}" for the weights that stay as they are')
    changes.append(f"a max_source_tokens below {config.prompt.max_source_tokens}, which cuts sources off")
    return changes
