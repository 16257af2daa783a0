"""`lorahub`: adapters of one model, merged by a fixed weight each (LoRAHub).

The weights are given here; the training method `lorahub` searches for them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.causal import Causal, read_causal_settings
from epitome.systems.config import SystemConfig
from epitome.systems.lora import LoraSettings, Mixing, load_adapters, read_adapter_table
from epitome.systems.neural.adapter_merging import check_mergeable, find_adapters, merge_states
from epitome.systems.neural.generating import NeuralGenerator
from epitome.systems.neural.libraries import LIBRARIES, import_peft
from epitome.systems.neural.loading import Family, LoadedModel, family_of
from epitome.systems.neural.settings import KNOWN, Settings
from epitome.systems.neural.weights import find_weights
from epitome.systems.protocol import Follows
from epitome.systems.seq2seq import Seq2Seq

MERGED = "merged"
"""The name of the merged adapter in the model."""


@dataclass(frozen=True)
class LorahubSettings(LoraSettings):
    """mixture: the weight of each adapter, by its name."""

    mixture: Mapping[str, float] = field(default_factory=dict)


def merge_adapters(mixture: Mapping[str, float]) -> Mixing:
    """The mixing that leaves one adapter, merged from the loaded ones by their weights."""

    def mix(model: Any, names: Sequence[str]) -> None:
        peft = import_peft()
        states = [peft.get_peft_model_state_dict(model, adapter_name=name) for name in names]
        merged = merge_states(states, [mixture[name] for name in names])
        model.add_adapter(MERGED, model.peft_config[names[0]])
        peft.set_peft_model_state_dict(model, merged, adapter_name=MERGED)
        model.set_adapter(MERGED)
        for name in names:
            model.delete_adapter(name)

    return mix


def load_merged(settings: LorahubSettings, family: Family) -> LoadedModel:
    """The base model with the merged adapter; its hash covers the weights of the merge."""
    check_mergeable(find_adapters(settings.adapters))
    loaded = load_adapters(settings, family, merge_adapters(settings.mixture))
    mixture = json.dumps([settings.mixture[name] for name in settings.adapters])
    combined = hashlib.sha256(f"{loaded.hash}\n{mixture}".encode()).hexdigest()
    return LoadedModel(loaded.model, loaded.tokenizer, loaded.device, combined, loaded.folders)


class LorahubSeq2Seq(Seq2Seq):
    libraries = (*LIBRARIES, "peft")

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        return load_merged(settings, "seq2seq")


class LorahubCausal(Causal):
    libraries = (*LIBRARIES, "peft")

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        return load_merged(settings, "causal")


def parse_options(table: Table) -> LorahubSettings:
    settings = read_causal_settings(table, (*KNOWN, "adapters", "mixture"))
    adapters = read_adapter_table(table)
    inner = table.table("mixture", tuple(adapters))
    for name in adapters:
        if name not in inner.data:
            inner.fail("", f"has no weight for the adapter {name}")
    mixture = {name: inner.number(name, least=-100, most=100) for name in adapters}
    return LorahubSettings(**{**vars(settings), "adapters": adapters, "mixture": mixture})


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> NeuralGenerator:
    """Encoder-decoder or decoder-only, depending on the base model. Raises SystemFault."""
    base = find_weights(config.settings.weights, config.settings.revision)
    kind = LorahubSeq2Seq if family_of(base) == "seq2seq" else LorahubCausal
    return kind(config, config.settings)
