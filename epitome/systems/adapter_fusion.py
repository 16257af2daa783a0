"""`adapter-fusion`: an encoder-decoder model with one bottleneck adapter, or with several under fusion layers.

With fusion, each output says how much attention every layer gave to each adapter (`scores`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.neural.bottleneck import AdapterStack, find_adapter_file, load_adapter_stack
from epitome.systems.neural.encoding import Encoded
from epitome.systems.neural.fusion_attention import SampleAttention, read_fusion_attention
from epitome.systems.neural.loading import LoadedModel, load_for_inference
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.neural.weights import find_file, weights_hash
from epitome.systems.protocol import Follows, Output, Request
from epitome.systems.seq2seq import Seq2Seq


@dataclass(frozen=True)
class FusionSettings(Settings):
    """fused: the file of trained adapters, or its folder. record_attention: read each summary once more and return the
    attention to the adapters."""

    fused: str = ""
    record_attention: bool = True


class AdapterFused(Seq2Seq):
    def __init__(self, config: SystemConfig, settings: Settings) -> None:
        super().__init__(config, settings)
        self.records = bool(getattr(settings, "record_attention", False))
        self._stack: AdapterStack | None = None
        self._attention: dict[str, SampleAttention] = {}

    @classmethod
    def around(cls, config: SystemConfig, stack: AdapterStack, *, record_attention: bool) -> "AdapterFused":
        """The system for adapters attached to a model in memory; call `adopt` with that model."""
        system = cls(config, config.settings)
        system._stack, system.records = stack, record_attention
        return system

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        base = load_for_inference(settings, "seq2seq")
        path = find_adapter_file(find_file(settings.fused))
        self._stack = load_adapter_stack(base.model, path)
        self._stack.module.to(device=base.device, dtype=base.model.dtype)
        return LoadedModel(base.model, base.tokenizer, base.device, weights_hash(*base.folders, path),
                      (*base.folders, path))  # fmt: skip

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        self._attention.clear()
        outputs = super().generate(batch)
        return [
            replace(output, scores=self._attention[request.id].as_dict()) if request.id in self._attention else output
            for request, output in zip(batch, outputs, strict=True)
        ]

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        written = super().write(rows, batch, decoding)
        if self.records and self._stack is not None and self._stack.shape.has_fusion:
            attentions = read_fusion_attention(self.loaded, self._stack, rows, written)
            self._attention |= {request.id: row for request, row in zip(batch, attentions, strict=True)}
        return written


def parse_options(table: Table) -> FusionSettings:
    settings = read_settings(table, (*KNOWN, "fused", "record_attention"))
    fused = table.text("fused", most=500, blank=False)
    return FusionSettings(**vars(settings), fused=fused, record_attention=table.flag("record_attention", True))


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> AdapterFused:
    return AdapterFused(config, config.settings)
