"""Bottleneck adapters after the feed-forward of every layer, and fusion layers over several of them.

Sources: Houlsby et al., "Parameter-Efficient Transfer Learning for NLP", ICML 2019, in the placement of Pfeiffer et
al., "AdapterFusion: Non-Destructive Task Composition for Transfer Learning", EACL 2021. With h the output of a layer
for one token, an adapter computes a(h) = W_up relu(W_down h + b) + b'. One adapter: the layer gives h + a(h).
Several with fusion: q = h Q, k_i = a_i(h) K, v_i = a_i(h) V, s = softmax_i(q . k_i), and the layer gives h + the sum of
s_i v_i.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from epitome.systems.neural.bottleneck_layers import make_adapter, make_fusion
from epitome.systems.neural.libraries import import_library
from epitome.systems.protocol import MissingWeights, SystemFault

FILE = "adapters.safetensors"
MODULE = "bottleneck_adapters"
"""The name of the adapters' submodule in the model."""
SITES = ("encoder", "decoder")
ABOUT = "epitome"
_FORMAT = "epitome-bottleneck-adapters-1"


@dataclass(frozen=True)
class AdapterShape:
    """names: of the adapters, in the order of the attention weights. reduction: the model's width divided by theirs.
    Fusion layers are there with more than one."""

    names: tuple[str, ...]
    reduction: int = 16

    @property
    def has_fusion(self) -> bool:
        return len(self.names) > 1


@dataclass
class AttentionRecord:
    """Collects the attention weights of the fusion layers while a batch is read. masks: site -> 1 for each token that
    counts, shape (rows, tokens). means: (site, layer) -> mean weights of its tokens, shape (rows, adapters)."""

    masks: Mapping[str, Any]
    means: dict[tuple[str, int], Any] = field(default_factory=dict)

    def add(self, site: str, layer: int, weights: Any) -> None:
        """weights: shape (rows, tokens, adapters)."""
        mask = self.masks[site].to(weights.dtype)[:, :, None]
        self.means[site, layer] = (weights * mask).sum(1) / mask.sum(1).clamp(min=1)


class AdapterStack:
    """The adapters of one model. `module` holds their weights and is a submodule of the model named MODULE, so that
    moving the model moves them; the model's own weights are not changed. They work from then on, by hooks."""

    def __init__(self, model: Any, shape: AdapterShape) -> None:
        nn = import_library("torch").nn
        self.shape, self.width = shape, int(model.config.d_model)
        self.layers = adapter_sites(model)
        middle = max(1, self.width // shape.reduction)
        parts = {
            site: nn.ModuleList(self._make_layer(middle) for _layer in layers) for site, layers in self.layers.items()
        }
        self.module = nn.ModuleDict(parts)
        self.record: AttentionRecord | None = None
        model.add_module(MODULE, self.module.to(model.device))
        for site, layers in self.layers.items():
            for index, layer in enumerate(layers):
                layer.register_forward_hook(partial(self._adapt, site, index))

    def _make_layer(self, middle: int) -> Any:
        nn = import_library("torch").nn
        adapters = nn.ModuleDict({_module_name(name): make_adapter(self.width, middle) for name in self.shape.names})
        fusion = {"fusion": make_fusion(self.width)} if self.shape.has_fusion else {}
        return nn.ModuleDict({"adapters": adapters, **fusion})

    def _adapt(self, site: str, number: int, _layer: Any, _inputs: Any, output: Any) -> Any:
        """The hook: the layer's output with what the adapters add."""
        if isinstance(output, tuple):
            return (self._add_adapters(site, number, output[0]), *output[1:])
        return self._add_adapters(site, number, output)

    def _add_adapters(self, site: str, number: int, hidden: Any) -> Any:
        torch = import_library("torch")
        part = self.module[site][number]
        adapters = part["adapters"]
        inside = hidden.to(next(part.parameters()).dtype)
        added = [adapters[_module_name(name)](inside) for name in self.shape.names]
        if not self.shape.has_fusion:
            return hidden + added[0].to(hidden.dtype)
        mixed, weights = part["fusion"](inside, torch.stack(added, dim=2))
        if self.record is not None:
            self.record.add(site, number, weights)
        return hidden + mixed.to(hidden.dtype)

    @property
    def fusions(self) -> list[Any]:
        """The fusion layers, those of the encoder first."""
        return [part["fusion"] for site in self.layers for part in self.module[site] if "fusion" in part]

    def train_fusion_only(self) -> None:
        """Only Q, K and V of the fusion layers get gradients."""
        self.module.requires_grad_(False)
        for fusion in self.fusions:
            fusion.requires_grad_(True)

    def value_penalty(self) -> Any:
        """The sum over layers of |V - I|^2 (squared Frobenius norm)."""
        return sum(fusion.value_distance() for fusion in self.fusions)

    def save(self, folder: Path) -> Path:
        """Write FILE into the folder: all weights, and names and shape in its header."""
        # A single entry: the order of several would vary from run to run and change the file's hash.
        about = {"format": _FORMAT, "names": list(self.shape.names), "reduction": self.shape.reduction}
        path = folder / FILE
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in self.module.state_dict().items()}
        header = {ABOUT: json.dumps(about, sort_keys=True)}
        import_library("safetensors.torch").save_file(tensors, str(path), metadata=header)
        return path

    def read(self, path: Path) -> None:
        """Load the weights from a file of the same shape. Raises SystemFault."""
        try:
            self.module.load_state_dict(import_library("safetensors.torch").load_file(str(path)))
        except Exception as error:
            first = str(error).strip().partition("\n")[0][:200]
            raise SystemFault(f"{path}: these adapters do not fit the model: {first}") from error

    def read_single(self, name: str, path: Path) -> None:
        """Load one of the adapters from the file of a single one, whatever its name there. Raises SystemFault."""
        (stored_name,) = read_adapter_shape(path).names
        tensors = import_library("safetensors.torch").load_file(str(path))
        theirs, ours_part = (f".adapters.{_module_name(one)}." for one in (stored_name, name))
        ours = {key.replace(theirs, ours_part): value for key, value in tensors.items()}
        try:
            unfit = self.module.load_state_dict(ours, strict=False)
        except RuntimeError as error:
            raise SystemFault(f"{path}: this adapter does not fit the model: {str(error)[:200]}") from error
        lacking = [key for key in unfit.missing_keys if ours_part in key]
        if lacking or unfit.unexpected_keys:
            raise SystemFault(f"{path}: this adapter does not fit the model: {[*lacking, *unfit.unexpected_keys][0]}")


def _module_name(name: str) -> str:
    """Of an adapter's module: torch refuses names of its own attributes, such as "keys"."""
    return f"of_{name}"


def load_adapter_stack(model: Any, path: Path) -> AdapterStack:
    """Load adapters from a file, or from FILE in a folder, into the model. Raises MissingWeights, SystemFault."""
    file = find_adapter_file(path)
    stack = AdapterStack(model, read_adapter_shape(file))
    stack.read(file)
    return stack


def fuse_adapters(model: Any, folders: Mapping[str, Path]) -> AdapterStack:
    """New fusion layers over stored single adapters, which are frozen. Raises MissingWeights, SystemFault."""
    files = {name: find_adapter_file(folder) for name, folder in folders.items()}
    shapes = {name: read_adapter_shape(file) for name, file in files.items()}
    for name, shape in shapes.items():
        if shape.has_fusion:
            raise SystemFault(f"{files[name]}: holds {len(shape.names)} adapters with fusion; name single ones")
    reductions = {name: shape.reduction for name, shape in shapes.items()}
    if len(set(reductions.values())) > 1:
        differ = ", ".join(f"{name} {reduction}" for name, reduction in reductions.items())
        raise SystemFault(f"the adapters cannot be fused: their reductions differ ({differ})")
    stack = AdapterStack(model, AdapterShape(tuple(folders), next(iter(reductions.values()))))
    for name, file in files.items():
        stack.read_single(name, file)
    stack.train_fusion_only()
    return stack


def find_adapter_file(path: Path) -> Path:
    """The file, or FILE in a folder. Raises MissingWeights."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise MissingWeights(f"there are no adapters at {file}")
    return file


def read_adapter_shape(file: Path) -> AdapterShape:
    """The shape in a file's header. Raises SystemFault."""
    try:
        with import_library("safetensors").safe_open(str(file), framework="pt") as opened:
            about = json.loads((opened.metadata() or {}).get(ABOUT, "{}"))
        if about.get("format") != _FORMAT:
            raise ValueError("it was not written by this program")
        return AdapterShape(tuple(about["names"]), int(about["reduction"]))
    except Exception as error:
        raise SystemFault(f"{file}: no adapters can be read: {str(error)[:150]}") from error


def adapter_sites(model: Any) -> dict[str, list[Any]]:
    """The modules whose output is a layer's output, by site. Raises SystemFault for models without an encoder."""
    if not model.config.is_encoder_decoder:
        raise SystemFault("bottleneck adapters need an encoder-decoder model")
    return {"encoder": _layers_of(model.get_encoder()), "decoder": _layers_of(model.get_decoder())}


def _layers_of(stack: Any) -> list[Any]:
    """T5's feed-forward sub-layers, which end a block and add the residual; elsewhere the layers themselves."""
    if hasattr(stack, "block"):
        return [block.layer[-1] for block in stack.block]
    return list(stack.layers)


def is_adapter_weight(name: str) -> bool:
    """Whether a name of the model's state is one of the adapters'."""
    return name.startswith(f"{MODULE}.")
