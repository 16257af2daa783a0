"""The libraries of the `models` extra, imported on demand, with a clear message when they are missing."""

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from epitome.systems.protocol import MissingLibrary, SystemFault

INSTALL_COMMAND = 'make install-models, or pip install "epitome[models]"'
LIBRARIES = ("torch", "transformers")


def import_library(name: str) -> Any:
    """Import a library or submodule ("transformers.cache_utils"). Raises MissingLibrary with install instructions."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibrary(
            f"{name.partition('.')[0]} is not installed; install it with: {INSTALL_COMMAND}"
        ) from error


def import_peft() -> Any:
    """peft, without the warning about a name that it still uses and transformers renamed (peft 0.21.2)."""
    peft = import_library("peft")
    warnings.filterwarnings("ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning)
    return peft


def quiet_transformers() -> Any:
    """transformers without progress bars, which would clutter a worker's log."""
    transformers = import_library("transformers")
    transformers.utils.logging.disable_progress_bar()
    return transformers


def pick_device(name: str) -> Any:
    """The torch device: `auto` is the GPU where there is one. Raises SystemFault if the machine has no such device."""
    torch = import_library("torch")
    has_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if has_cuda else "cpu") if name == "auto" else torch.device(name)
    if device.type == "cuda" and not has_cuda:
        raise SystemFault(f'device = "{name}", but this machine has no GPU that torch can use; use "auto" or "cpu"')
    if device.type == "cuda":
        _avoid_planned_attention(torch)
    return device


def _avoid_planned_attention(torch: Any) -> None:
    """Leave cuDNN's attention out, in this process: it plans again for every length of a batch, which takes longer than
    an update of BART-large, and lengths of texts hardly repeat. torch then takes its flash or memory-efficient one."""
    torch.backends.cuda.enable_cudnn_sdp(False)


def has_gpu() -> bool:
    """Whether torch is installed and can use a GPU."""
    return find_spec("torch") is not None and bool(import_library("torch").cuda.is_available())


def pick_dtype(name: str, device: Any) -> Any:
    """The number format of weights: `auto` is bfloat16 on a GPU that computes in it, else float32."""
    torch = import_library("torch")
    if name == "auto":
        return torch.bfloat16 if device.type == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
    return getattr(torch, name)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of torch says that memory ran out, on a GPU or on the CPU."""
    if type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def free_memory() -> None:
    """Release the GPU memory cached by torch."""
    torch = import_library("torch")
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
