"""Soft prefixes per attribute value: vectors that are trained while the model itself may stay frozen.

Source: Zhang et al., "MACSum: Controllable Summarization with Mixed Attributes", TACL 2023, after Li and Liang,
"Prefix-Tuning", ACL 2021: every value has its own vectors; those of the requested values are summed per position (or
are one after the other) and a small network makes keys and values for every layer of them. Encoder self-attention,
decoder self-attention and cross-attention have separate sets.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.prefix_attention import NAME, SLOT, LayerPrefix, register_attention
from epitome.systems.protocol import MissingWeights, RequestValue, SystemFault

Combine = Literal["sum", "concat"]
SITES = ("encoder", "decoder", "cross")
FILE = "soft_prefix.safetensors"
MODULE = "soft_prefix"
"""The name of the prefixes' submodule in the model."""
ABOUT = "epitome"
_FORMAT = "epitome-soft-prefix-1"


@dataclass(frozen=True)
class PrefixShape:
    """values: "attribute=value" of each that has vectors. length: vectors per value. middle: the width of the network
    between them and the keys. combine: sum the vectors of the requested values, or put them one after the other.
    The defaults are the paper's."""

    values: tuple[str, ...]
    length: int = 50
    middle: int = 512
    combine: Combine = "sum"
    sites: tuple[str, ...] = SITES

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value.partition("=")[0] for value in self.values))

    @property
    def slots(self) -> int:
        """Prefix vectors that a query sees."""
        return self.length * (len(self.attributes) if self.combine == "concat" else 1)


class SoftPrefix:
    """The prefixes of one model. `module` holds their weights and is a submodule of the model named MODULE, so that
    moving the model moves them; the model's own weights are not changed."""

    def __init__(self, model: Any, shape: PrefixShape) -> None:
        torch = import_library("torch")
        self.shape = shape
        self.width = model.config.d_model
        self.attention = attention_sites(model, shape.sites)
        self.module = torch.nn.ModuleDict({site: self._site(layers) for site, layers in self.attention.items()})
        self._places = {value: index for index, value in enumerate(shape.values)}
        register_attention()
        for part in (model, model.get_encoder(), model.get_decoder()):  # T5's parts have copies of the configuration
            part.set_attn_implementation(NAME)
        self._check_that_prefixes_count(model)
        model.add_module(MODULE, self.module.to(model.device))

    def _check_that_prefixes_count(self, model: Any) -> None:
        """Raises SystemFault where an attention module computes its output without its prefix, as T5's do in older
        versions of transformers: the output of one token has a gradient for every prefix that is used."""
        torch = import_library("torch")
        layers = [layer for site in self.attention.values() for layer in site]
        probes = []
        for layer in layers:
            heads, size = heads_of(layer)
            keys, values = torch.zeros(2, 1, heads, 1, size, dtype=model.dtype, device=model.device)
            probes.append(values.requires_grad_())
            setattr(layer, SLOT, LayerPrefix(keys, values))
        token = torch.zeros(1, 1, dtype=torch.long, device=model.device)
        try:
            with torch.enable_grad():
                logits = model(input_ids=token, decoder_input_ids=token, use_cache=False).logits
                used = torch.autograd.grad(logits.sum(), probes, allow_unused=True) if logits.requires_grad else [None]
        finally:
            self.remove_prefixes()
        if any(gradient is None for gradient in used):
            version = import_library("transformers").__version__
            raise SystemFault(
                f"soft prefixes change nothing in {model.config.model_type} under transformers {version}: "
                'install a newer one (pip install "transformers>=5.15.1")'
            )

    def _site(self, layers: Sequence[Any]) -> Any:
        nn = import_library("torch").nn
        heads, size = heads_of(layers[0])
        network = nn.Sequential(
            nn.Linear(self.width, self.shape.middle),
            nn.Tanh(),
            nn.Linear(self.shape.middle, len(layers) * 2 * heads * size),
        )
        return nn.ModuleDict(
            {"vectors": nn.Embedding(len(self.shape.values), self.shape.length * self.width), "network": network}
        )

    def ids(self, requests: Sequence[Mapping[str, RequestValue]]) -> list[list[int]]:
        """For each request, the embedding row of each attribute's value; -1 if none with vectors is requested."""
        return [
            [self._places.get(f"{name}={request.get(name, '')}", -1) for name in self.shape.attributes]
            for request in requests
        ]

    def put(self, ids: Any) -> None:
        """Apply the prefixes of these rows (requests x attributes, -1: none) to the next calls of the model.

        Gradients flow into them. They stay until `put` or `remove_prefixes` is called.
        """
        torch = import_library("torch")
        ids = torch.as_tensor(ids, device=next(self.module.parameters()).device)
        for site, layers in self.attention.items():
            for layer, prefix in zip(layers, self._made(site, layers, ids), strict=True):
                setattr(layer, SLOT, prefix)

    def remove_prefixes(self) -> None:
        """Remove the prefixes from the attention modules."""
        for layers in self.attention.values():
            for layer in layers:
                setattr(layer, SLOT, None)

    @contextmanager
    def applied_prefixes(self, ids: Any) -> Iterator[None]:
        """Apply the prefixes of these rows inside the block and remove them afterwards."""
        self.put(ids)
        try:
            yield
        finally:
            self.remove_prefixes()

    def _made(self, site: str, layers: Sequence[Any], ids: Any) -> list[LayerPrefix]:
        """One prefix per layer."""
        site_module = self.module[site]
        rows, attributes = ids.shape
        known = ids >= 0
        vectors = site_module["vectors"](ids.clamp(min=0)).view(rows, attributes, self.shape.length, self.width)
        vectors = vectors * known[:, :, None, None]
        vectors = vectors.sum(1) if self.shape.combine == "sum" else vectors.flatten(1, 2)
        heads, size = heads_of(layers[0])
        layer_states = site_module["network"](vectors).view(rows, self.shape.slots, len(layers), 2, heads, size)
        layer_states = layer_states.permute(2, 3, 0, 4, 1, 5)  # layers, key or value, rows, heads, slots, size
        visible = None if bool(known.all()) else self._visible(known)
        return [LayerPrefix(keys, values, visible) for keys, values in layer_states]

    def _visible(self, known: Any) -> Any:
        if self.shape.combine == "concat":
            return known.repeat_interleave(self.shape.length, 1)
        return known.any(1, keepdim=True).expand(-1, self.shape.length)

    def save(self, folder: Path) -> Path:
        """Write FILE into the folder: the weights, and the shape in its header."""
        # A single entry: the order of several would vary from run to run and change the file's hash.
        about = {ABOUT: json.dumps({"format": _FORMAT, "shape": asdict(self.shape)}, sort_keys=True)}
        path = folder / FILE
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in self.module.state_dict().items()}
        import_library("safetensors.torch").save_file(tensors, str(path), metadata=about)
        return path

    def read(self, path: Path) -> None:
        """Load the weights from a file of the same shape. Raises SystemFault."""
        try:
            self.module.load_state_dict(import_library("safetensors.torch").load_file(str(path)))
        except Exception as error:
            first = str(error).strip().partition("\n")[0][:200]
            raise SystemFault(f"{path}: these prefixes do not fit the model: {first}") from error


def load_prefixes(model: Any, path: Path) -> SoftPrefix:
    """Load prefixes from a file, or from FILE in a folder, into the model. Raises MissingWeights, SystemFault."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise MissingWeights(f"there are no prefixes at {file}")
    prefixes = SoftPrefix(model, read_shape(file))
    prefixes.read(file)
    return prefixes


def read_shape(file: Path) -> PrefixShape:
    """The shape in a file's header. Raises SystemFault."""
    try:
        with import_library("safetensors").safe_open(str(file), framework="pt") as opened:
            about = json.loads((opened.metadata() or {}).get(ABOUT, "{}"))
        if about.get("format") != _FORMAT:
            raise ValueError("it was not written by this program")
        values = about["shape"]
        return PrefixShape(**{**values, "values": tuple(values["values"]), "sites": tuple(values["sites"])})
    except Exception as error:
        raise SystemFault(f"{file}: no soft prefixes can be read: {str(error)[:150]}") from error


def attention_sites(model: Any, sites: Sequence[str] = SITES) -> dict[str, list[Any]]:
    """The attention modules of each site, by layer. Raises SystemFault for unsupported models."""
    kind = getattr(model.config, "model_type", "?")
    if not model.config.is_encoder_decoder or kind in {"led", "longt5", "bigbird_pegasus", "prophetnet"}:
        raise SystemFault(f"soft prefixes need an encoder-decoder model with plain attention; {kind} has none")
    encoder, decoder = model.get_encoder(), model.get_decoder()
    try:
        if hasattr(encoder, "block"):  # T5 and related models
            modules = {
                "encoder": [block.layer[0].SelfAttention for block in encoder.block],
                "decoder": [block.layer[0].SelfAttention for block in decoder.block],
                "cross": [block.layer[1].EncDecAttention for block in decoder.block],
            }
        else:
            modules = {
                "encoder": [layer.self_attn for layer in encoder.layers],
                "decoder": [layer.self_attn for layer in decoder.layers],
                "cross": [layer.encoder_attn for layer in decoder.layers],
            }
    except AttributeError as error:
        raise SystemFault(f"soft prefixes do not know the layers of {kind}") from error
    return {site: modules[site] for site in sites}


def heads_of(attention: Any) -> tuple[int, int]:
    """(heads, size of one head)."""
    if hasattr(attention, "key_value_proj_dim"):
        return attention.n_heads, attention.key_value_proj_dim
    return attention.num_heads, attention.head_dim


def is_prefix_weight(name: str) -> bool:
    """Whether a name of the model's state is one of the prefixes'."""
    return name.startswith(f"{MODULE}.")
