"""Weights of 8 or 4 bits by bitsandbytes, an extra of its own: for models that stay as they are while adapters learn.

Source of nf4 with double quantization: Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs", NeurIPS 2023.
"""

from importlib.util import find_spec
from typing import Any

from epitome.systems.neural.libraries import import_library
from epitome.systems.protocol import MissingLibrary, SystemFault

QUANTIZED = ("int8", "nf4")
INSTALL = 'pip install "epitome[models,quantized]"'


def quantization_arguments(dtype: str, device: Any) -> dict[str, Any]:
    """What transformers' from_pretrained takes for weights of this format on this device.

    Raises MissingLibrary without bitsandbytes, SystemFault without a GPU.
    """
    if find_spec("bitsandbytes") is None:
        raise MissingLibrary(
            f"weights of {dtype} need bitsandbytes, which is not installed; install it with: {INSTALL}"
        )
    if device.type != "cuda":
        raise SystemFault(f"weights of {dtype} need a GPU; on a CPU use float32 or bfloat16")
    torch, transformers = import_library("torch"), import_library("transformers")
    options: dict[str, Any] = {"load_in_8bit": True}
    if dtype == "nf4":
        options = {
            "load_in_4bit": True,
            "bnb_4bit_quant_type": "nf4",
            "bnb_4bit_use_double_quant": True,
            "bnb_4bit_compute_dtype": torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16,
        }
    return {"quantization_config": transformers.BitsAndBytesConfig(**options), "device_map": {"": device}}
