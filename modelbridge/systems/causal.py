"""`causal`: decoder-only models. The hard prompt and the source stand first, then `ending`, then the model writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.schema.tables import Table
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.batching import padded
from modelbridge.systems.neural.encoding import Encoded, encode, pad_id, position_limit
from modelbridge.systems.neural.generating import NeuralGenerator
from modelbridge.systems.neural.loading import Loaded, load
from modelbridge.systems.neural.settings import KNOWN, Settings, read_settings
from modelbridge.systems.protocol import Follows, Request, SystemFault

ENDING = "\nSummary:"


@dataclass(frozen=True)
class CausalSettings(Settings):
    """ending: what stands between the source and the summary; a source that is too long is cut, the ending stays."""

    ending: str = ENDING


class Causal(NeuralGenerator):
    def load(self) -> Loaded:
        return load(self.settings, "causal")

    @property
    def ending(self) -> str:
        return getattr(self.settings, "ending", ENDING)

    def source_limit(self) -> int:
        most = position_limit(self.loaded.model.config)
        wanted = self.settings.max_source_tokens
        if most is None:
            return wanted
        room = most - self.settings.decoding.max_tokens
        if room < 8:
            raise SystemFault(
                f"max_tokens = {self.settings.decoding.max_tokens} leaves no room for a source: "
                f"the model has {most} positions"
            )
        return min(wanted, room)

    def encode(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_with_ending(self.loaded.tokenizer, prompts, self.ending, self.source_limit())

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        loaded = self.loaded
        # On the left, so that every row's next token stands in the same column.
        ids, mask = padded([row.ids for row in rows], pad_id(loaded.tokenizer), loaded.device, left=True)
        found = loaded.model.generate(input_ids=ids, attention_mask=mask, **self.decode_arguments())
        written: list[list[int]] = found[:, ids.shape[1] :].tolist()
        return written


def encode_with_ending(tokenizer: Any, prompts: Sequence[str], ending: str, limit: int) -> list[Encoded]:
    """Ids of each prompt and the ending, at most `limit` in all; the ending is never cut."""
    tail = tuple(tokenizer(ending, add_special_tokens=False)["input_ids"])
    found = []
    for row in encode(tokenizer, prompts, max(1, limit - len(tail))):
        ids = row.ids
        while ids and ids[-1] == tokenizer.eos_token_id:  # an end mark here would end the text before the summary
            ids = ids[:-1]
        found.append(Encoded((*ids, *tail), row.truncated))
    return found


def options(table: Table) -> CausalSettings:
    settings = read_settings(table, (*KNOWN, "ending"))
    return CausalSettings(**vars(settings), ending=table.text("ending", ENDING, most=200))


def follows(settings: Settings) -> Follows:
    return settings.follows


def make(config: SystemConfig) -> Causal:
    return Causal(config, config.settings)
