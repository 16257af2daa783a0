"""LoRA adapters of one model merged by one weight each, as LoRAHub does.

Source: Huang et al., "LoRAHub: Efficient Cross-Task Generalization via Dynamic LoRA Composition", COLM 2024. For every
module, A = sum of w_i A_i and B = sum of w_i B_i; the update of the module is scale * B A, so products of different
adapters arise. It is not the sum of the single updates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.weights import check_weights_folder, find_file, read_json
from epitome.systems.protocol import MissingWeights, SystemFault

CONFIG_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapter_model.safetensors"
RESULT_FILE = "result.json"
"""Beside the folder of an adapter that was trained here; it names the hash of the base model."""
_COMPARED = {
    "r": "rank",
    "lora_alpha": "alpha",
    "target_modules": "target modules",
    "use_rslora": "use_rslora",
    "use_dora": "use_dora",
}


@dataclass(frozen=True)
class AdapterAbout:
    """What must agree in adapters that are merged. base: the model's name; base_hash: "" where it is not known.
    shapes: of every tensor."""

    folder: Path
    base: str
    base_hash: str
    settings: Mapping[str, object]
    shapes: Mapping[str, tuple[int, ...]]


def find_adapters(folders: Mapping[str, str]) -> dict[str, Path]:
    """The folder of each adapter. Raises MissingWeights."""
    paths = {name: check_weights_folder(find_file(folder)) for name, folder in folders.items()}
    for path in paths.values():
        if not read_json(path / CONFIG_FILE):
            raise MissingWeights(f"{path} has no {CONFIG_FILE}")
    return paths


def describe_adapter(folder: Path) -> AdapterAbout:
    """Raises MissingWeights, SystemFault."""
    config = read_json(folder / CONFIG_FILE)
    settings = {ours: _as_comparable(config.get(theirs)) for theirs, ours in _COMPARED.items()}
    base_hash = str(read_json(folder.parent / RESULT_FILE).get("base_hash", ""))
    file = folder / WEIGHTS_FILE
    if not file.is_file():
        raise MissingWeights(f"{folder} has no {WEIGHTS_FILE}")
    with import_library("safetensors").safe_open(str(file), framework="pt") as opened:
        shapes = {name: tuple(opened.get_slice(name).get_shape()) for name in opened.keys()}  # noqa: SIM118
    return AdapterAbout(folder, _model_name(config.get("base_model_name_or_path")), base_hash, settings, shapes)


def _as_comparable(value: object) -> object:
    return tuple(sorted(map(str, value))) if isinstance(value, list) else value


def _model_name(path: object) -> str:
    """The last part of a model's name, also of its copy in the hub's cache (models--OWNER--NAME/snapshots/...)."""
    copies = [step for step in Path(str(path or "")).parts if step.startswith("models--")]
    return copies[-1].rpartition("--")[2] if copies else Path(str(path or "")).name


def check_mergeable(adapters: Mapping[str, Path]) -> None:
    """Refuse adapters that cannot be merged, naming the first difference. Raises SystemFault, MissingWeights."""
    (first_name, first), *others = ((name, describe_adapter(folder)) for name, folder in adapters.items())
    for name, about in others:
        pair = f"the adapters {first_name} and {name} cannot be merged"
        both_known = bool(first.base_hash and about.base_hash)
        bases = (first.base_hash, about.base_hash) if both_known else (first.base, about.base)
        if bases[0] != bases[1]:
            raise SystemFault(f"{pair}: they are of different base models ({first.base}, {about.base})")
        for setting, value in first.settings.items():
            if about.settings[setting] != value:
                raise SystemFault(f"{pair}: {setting} {_show(value)} against {_show(about.settings[setting])}")
        if about.shapes != first.shapes:
            unlike = sorted(set(first.shapes.items()) ^ set(about.shapes.items()))[0][0]
            sizes = f"{first.shapes.get(unlike, 'absent')} against {about.shapes.get(unlike, 'absent')}"
            raise SystemFault(f"{pair}: the weight {unlike} is {sizes}")


def _show(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def read_states(adapters: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """The tensors of each adapter by name, on the CPU."""
    tensors = import_library("safetensors.torch")
    return {name: tensors.load_file(str(folder / WEIGHTS_FILE)) for name, folder in adapters.items()}


def merge_states(states: Sequence[Mapping[str, Any]], weights: Sequence[float]) -> dict[str, Any]:
    """The weighted sum of every tensor in float32: of the matrices A and of the matrices B, each by itself.

    With weights (1, 0, ...) it is exactly the first state. Raises ValueError where the numbers differ.
    """
    if len(states) != len(weights):
        raise ValueError(f"{len(states)} adapters, but {len(weights)} weights")
    used = [(state, weight) for state, weight in zip(states, weights, strict=True) if weight != 0]
    merged = {}
    for name, tensor in states[0].items():
        total = tensor.new_zeros(tensor.shape).float()
        for state, weight in used:
            total = total + state[name].to(total.device).float() * weight
        merged[name] = total
    return merged
