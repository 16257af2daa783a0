"""`soft-prefix`: an encoder-decoder model steered by soft prefixes (SP), or by both prompt and prefixes (HP+SP)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.schema.tables import Table
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.encoding import Encoded
from modelbridge.systems.neural.loading import Loaded, load
from modelbridge.systems.neural.prefixes import SoftPrefix, load_prefixes
from modelbridge.systems.neural.settings import KNOWN, Settings, read_settings
from modelbridge.systems.neural.weights import find_file, weights_hash
from modelbridge.systems.protocol import Follows, Request, told
from modelbridge.systems.seq2seq import Seq2Seq

PREFIXED = ("length", "extractiveness", "specificity")


@dataclass(frozen=True)
class PrefixSettings(Settings):
    """prefixes: the file of trained prefixes, or its folder. prefix_attributes: those they steer."""

    prefixes: str = ""
    prefix_attributes: tuple[str, ...] = PREFIXED

    @property
    def follows(self) -> Follows:
        return dict.fromkeys([*self.attributes, *self.prefix_attributes])


class SoftPrefixed(Seq2Seq):
    _prefix: SoftPrefix

    @classmethod
    def around(cls, config: SystemConfig, prefix: SoftPrefix) -> "SoftPrefixed":
        """The system of prefixes that hang in a model in memory; the model is to be adopted."""
        system = cls(config, config.settings)
        system._prefix = prefix
        return system

    def load(self) -> Loaded:
        settings: Any = self.settings
        found = load(settings, "seq2seq")
        path = find_file(settings.prefixes)
        self._prefix = load_prefixes(found.model, path)
        self._prefix.module.to(device=found.device, dtype=found.model.dtype)
        return Loaded(found.model, found.tokenizer, found.device, weights_hash(*found.folders, path),
                      (*found.folders, path))  # fmt: skip

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        _ = self.loaded
        ids = self._prefix.ids([told(self.follows, request) for request in batch])
        with self._prefix.using(ids):
            return super().write(rows, batch, decoding)


def options(table: Table) -> PrefixSettings:
    settings = read_settings(table, (*KNOWN, "prefixes", "prefix_attributes"))
    named = table.items("prefix_attributes", list(PREFIXED), most=50)
    if not all(isinstance(name, str) for name in named):
        table.fail("prefix_attributes", "must be a list of texts")
    prefixes = table.text("prefixes", most=500, blank=False)
    return PrefixSettings(**vars(settings), prefixes=prefixes, prefix_attributes=tuple(named))


def follows(settings: Settings) -> Follows:
    return settings.follows


def make(config: SystemConfig) -> SoftPrefixed:
    return SoftPrefixed(config, config.settings)
