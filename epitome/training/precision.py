"""Number formats of a training: of its computation by autocast, and of weights that stay as they are."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from epitome.systems.neural.libraries import import_library
from epitome.systems.protocol import SystemFault
from epitome.training.methods import Trainee


def compute_precision(trainee: Trainee) -> str:
    """bfloat16, float16 or float32: as configured, or bfloat16 with `auto` on a GPU that computes in it. Weights that
    learn stay in float32. Raises SystemFault for float16 without a GPU."""
    torch = import_library("torch")
    precision, on_gpu = trainee.config.optimisation.precision, trainee.device.type == "cuda"
    if precision == "auto":
        return "bfloat16" if on_gpu and torch.cuda.is_bf16_supported() else "float32"
    if precision == "float16" and not on_gpu:
        raise SystemFault('precision = "float16" needs a GPU; on a CPU use "bfloat16", "float32" or "auto"')
    return precision


def autocast_context(trainee: Trainee) -> AbstractContextManager[Any]:
    """torch's autocast in the precision of the training; nothing where that is float32."""
    torch = import_library("torch")
    precision = compute_precision(trainee)
    if precision == "float32":
        return nullcontext()
    mixed: AbstractContextManager[Any] = torch.autocast(trainee.device.type, getattr(torch, precision))
    return mixed
