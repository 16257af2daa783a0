"""`lora`: a model with low-rank adapters (LoRA, by peft), encoder-decoder or decoder-only.

Several adapters may be named; `adapter` selects the active one. Ways to combine them are functions of type `Mixing`;
`lorahub` merges them by weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.causal import Causal, CausalSettings, read_causal_settings
from epitome.systems.config import SystemConfig
from epitome.systems.neural.generating import NeuralGenerator
from epitome.systems.neural.libraries import LIBRARIES, import_peft
from epitome.systems.neural.loading import Family, LoadedModel, family_of, load_for_inference
from epitome.systems.neural.settings import KNOWN, Settings
from epitome.systems.neural.weights import check_weights_folder, find_file, find_weights, read_json, weights_hash
from epitome.systems.protocol import Follows, MissingWeights, SystemFault
from epitome.systems.seq2seq import Seq2Seq

Mixing = Callable[[Any, Sequence[str]], None]
"""(peft model, names of its adapters): activates or combines the loaded adapters."""


@dataclass(frozen=True)
class LoraSettings(CausalSettings):
    """adapter: the active one; "" where there is none, or another way to combine them."""

    adapter: str = ""


def use_one_adapter(name: str) -> Mixing:
    """The mixing that activates a single adapter."""

    def mix(model: Any, names: Sequence[str]) -> None:
        model.set_adapter(name)

    return mix


def load_adapters(settings: LoraSettings, family: Family, mixing: Mixing) -> LoadedModel:
    """The base model with all adapters. Raises MissingLibrary, MissingWeights, SystemFault."""
    peft = import_peft()
    base = load_for_inference(settings, family)
    folders = {name: check_weights_folder(find_file(path)) for name, path in settings.adapters.items()}
    model: Any = None
    for name, folder in folders.items():
        if not read_json(folder / "adapter_config.json"):
            raise MissingWeights(f"{folder} has no adapter_config.json")
        try:
            if model is None:
                model = peft.PeftModel.from_pretrained(base.model, folder, adapter_name=name, local_files_only=True)
            else:
                model.load_adapter(folder, adapter_name=name, local_files_only=True)
        except Exception as error:
            first = str(error).strip().partition("\n")[0][:200]
            raise SystemFault(f"{folder}: the adapter does not fit the model: {first}") from error
    mixing(model, list(folders))
    model.train(False)
    places = (*base.folders, *folders.values())
    return LoadedModel(model, base.tokenizer, base.device, weights_hash(*places), places)


class LoraSeq2Seq(Seq2Seq):
    libraries = (*LIBRARIES, "peft")

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        return load_adapters(settings, "seq2seq", use_one_adapter(settings.adapter))


class LoraCausal(Causal):
    libraries = (*LIBRARIES, "peft")

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        return load_adapters(settings, "causal", use_one_adapter(settings.adapter))


def read_adapter_table(table: Table) -> dict[str, str]:
    """Name -> folder, at least one. Raises SchemaError."""
    inner = table.table("adapters", None)
    adapters = {name: inner.text(name, most=500, blank=False) for name in inner.data}
    if not adapters:
        table.fail("adapters", "names no adapter; write [options.adapters] and name = folder")
    return adapters


def read_active_adapter(table: Table) -> dict[str, Any]:
    """adapters, and the adapter that is active. Raises SchemaError."""
    adapters = read_adapter_table(table)
    chosen = table.text("adapter", next(iter(adapters)) if len(adapters) == 1 else "")
    if chosen not in adapters:
        table.fail("adapter", f"must be one of {', '.join(adapters)}")
    return {"adapters": adapters, "adapter": chosen}


def parse_options(table: Table) -> LoraSettings:
    settings = read_causal_settings(table, (*KNOWN, "adapters", "adapter"))
    return LoraSettings(**{**vars(settings), **read_active_adapter(table)})


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> NeuralGenerator:
    """Encoder-decoder or decoder-only, depending on the base model. Raises SystemFault."""
    base = find_weights(config.settings.weights, config.settings.revision)
    kind = LoraSeq2Seq if family_of(base) == "seq2seq" else LoraCausal
    return kind(config, config.settings)
