"""The adapter of the built-in system `smollm2-macsum`, from the package of weights to the shipped files.

    python -m tools.local_adapter base FOLDER          the package's GGUF file as a folder that trainings start from
    manage.py train_system smollm2-macsum --train annotation/example/notices-train.json \\
        --dev annotation/example/notices-dev.json --output TRAINED
    python -m tools.local_adapter ship TRAINED         the kept adapter as safetensors and as GGUF, beside its card

Both need the package gguf, which nothing else here does, and the `models` extra.
"""

import argparse
import json
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

from epitome.systems.local_model import ADAPTER, ADAPTER_FOLDER, WEIGHTS_FILE, find_weights
from epitome.systems.neural.decoder_prompts import ADAPTER_NOTE

MODULES = {"q_proj": "attn_q", "v_proj": "attn_v"}
ROTATED = ("q_proj",)
"""Modules whose output llama.cpp stores with the two halves of each head's dimensions interleaved."""
SIDES = {"lora_A": "lora_a", "lora_B": "lora_b"}
RECORDS = ("metrics.jsonl", "texts.jsonl", "result.json")


def make_base(folder: Path) -> None:
    """The package's 4-bit weights in float32, with tokenizer and chat template."""
    transformers, torch = import_module("transformers"), import_module("torch")
    where = {"gguf_file": WEIGHTS_FILE, "local_files_only": True}
    source = find_weights().parent
    model = transformers.AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32, **where)
    config = model.config
    for name in ("quantization_config", "_pre_quantization_dtype"):
        if hasattr(config, name):
            delattr(config, name)
    # A model that was read from a GGUF file refuses to be saved; a new one of the same shape takes its weights.
    fresh = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    fresh.load_state_dict(model.state_dict())
    fresh.generation_config = model.generation_config
    fresh.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(source, **where).save_pretrained(folder)


def ship_adapter(trained: Path) -> None:
    """Write the adapter of a finished training in float16, in both forms, with its curve."""
    numpy_files, numpy = import_module("safetensors.numpy"), import_module("numpy")
    ADAPTER_FOLDER.mkdir(parents=True, exist_ok=True)
    weights = trained / "weights"
    tensors = {
        name: tensor.astype(numpy.float16)
        for name, tensor in numpy_files.load_file(weights / "adapter_model.safetensors").items()
    }
    numpy_files.save_file(tensors, ADAPTER_FOLDER / "adapter_model.safetensors", {"format": "pt"})
    config = json.loads((weights / "adapter_config.json").read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = "smollm2-135m"
    (ADAPTER_FOLDER / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(weights / ADAPTER_NOTE, ADAPTER_FOLDER / ADAPTER_NOTE)
    for name in RECORDS:
        shutil.copyfile(trained / name, ADAPTER_FOLDER / name)
    write_gguf(tensors, config["lora_alpha"], ADAPTER_FOLDER / ADAPTER)


def write_gguf(tensors: dict[str, Any], alpha: float, path: Path) -> None:
    """The adapter as llama.cpp reads it: per module A (rank x inputs) and B (outputs x rank), and alpha."""
    gguf = import_module("gguf")
    reader = gguf.GGUFReader(find_weights())
    n_heads = int(reader.fields["llama.attention.head_count"].contents())
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(alpha))
    for name, tensor in sorted(tensors.items()):
        # base_model.model.model.layers.3.self_attn.q_proj.lora_A.weight
        _, layer, _, module, side, _ = name.rsplit(".", 5)
        stored = interleave_heads(tensor, n_heads) if module in ROTATED and side == "lora_B" else tensor
        writer.add_tensor(f"blk.{layer}.{MODULES[module]}.weight.{SIDES[side]}", stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def interleave_heads(tensor: Any, n_heads: int) -> Any:
    """Rows of each head in the order of llama.cpp's rotary positions: 0, half, 1, half + 1, ..."""
    outputs, rank = tensor.shape
    return tensor.reshape(n_heads, 2, outputs // n_heads // 2, rank).swapaxes(1, 2).reshape(outputs, rank).copy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=("base", "ship"))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    (make_base if options.work == "base" else ship_adapter)(options.folder)


if __name__ == "__main__":
    main()
