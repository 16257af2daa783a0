"""`soft-prefix`: an encoder-decoder model steered by soft prefixes (SP), or by both prompt and prefixes (HP+SP)."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.neural.loading import LoadedModel, load_for_inference
from epitome.systems.neural.prefixes import SoftPrefix, load_prefixes
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.neural.weights import find_file, weights_hash
from epitome.systems.protocol import Follows, Request, followed_values
from epitome.systems.seq2seq import Seq2Seq

DEFAULT_PREFIX_ATTRIBUTES = ("length", "extractiveness", "specificity")


@dataclass(frozen=True)
class PrefixSettings(Settings):
    """prefixes: the file of trained prefixes, or its folder. prefix_attributes: those they steer."""

    prefixes: str = ""
    prefix_attributes: tuple[str, ...] = DEFAULT_PREFIX_ATTRIBUTES

    @property
    def follows(self) -> Follows:
        return dict.fromkeys([*self.attributes, *self.prefix_attributes])


class SoftPrefixed(Seq2Seq):
    _prefix: SoftPrefix

    @classmethod
    def around(cls, config: SystemConfig, prefix: SoftPrefix) -> "SoftPrefixed":
        """The system for prefixes attached to a model in memory; call `adopt` with that model."""
        system = cls(config, config.settings)
        system._prefix = prefix
        return system

    def load(self) -> LoadedModel:
        settings: Any = self.settings
        base = load_for_inference(settings, "seq2seq")
        path = find_file(settings.prefixes)
        self._prefix = load_prefixes(base.model, path)
        self._prefix.module.to(device=base.device, dtype=base.model.dtype)
        return LoadedModel(base.model, base.tokenizer, base.device, weights_hash(*base.folders, path),
                      (*base.folders, path))  # fmt: skip

    def steer(self, batch: Sequence[Request]) -> AbstractContextManager[None]:
        _ = self.loaded
        return self._prefix.applied_prefixes(
            self._prefix.ids([followed_values(self.follows, request) for request in batch])
        )


def parse_options(table: Table) -> PrefixSettings:
    settings = read_settings(table, (*KNOWN, "prefixes", "prefix_attributes"))
    attributes = table.items("prefix_attributes", list(DEFAULT_PREFIX_ATTRIBUTES), most=50)
    if not all(isinstance(name, str) for name in attributes):
        table.fail("prefix_attributes", "must be a list of texts")
    prefixes = table.text("prefixes", most=500, blank=False)
    return PrefixSettings(**vars(settings), prefixes=prefixes, prefix_attributes=tuple(attributes))


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> SoftPrefixed:
    return SoftPrefixed(config, config.settings)
