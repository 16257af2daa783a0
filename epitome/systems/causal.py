"""`causal`: decoder-only models. The input is the hard prompt, the source and `ending`; the model continues it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.neural.batching import pad_rows
from epitome.systems.neural.encoding import Encoded, encode_texts, pad_id, position_limit
from epitome.systems.neural.generating import NeuralGenerator
from epitome.systems.neural.loading import LoadedModel, load_for_inference
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.protocol import Follows, Request, SystemFault

ENDING = "\nSummary:"
SENTENCEPIECE_BLANK = "▁"


@dataclass(frozen=True)
class CausalSettings(Settings):
    """ending: the text between source and summary; a source that is too long is cut, the ending is kept."""

    ending: str = ENDING


class Causal(NeuralGenerator):
    def load(self) -> LoadedModel:
        return load_for_inference(self.settings, "causal")

    @property
    def ending(self) -> str:
        return getattr(self.settings, "ending", ENDING)

    def source_limit(self) -> int:
        positions = position_limit(self.loaded.model.config)
        limit = self.settings.max_source_tokens
        if positions is None:
            return limit
        room = positions - self.settings.decoding.max_tokens
        if room < 8:
            raise SystemFault(
                f"max_tokens = {self.settings.decoding.max_tokens} leaves no room for a source: "
                f"the model has {positions} positions"
            )
        return min(limit, room)

    def encode(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_with_ending(self.loaded.tokenizer, prompts, self.ending, self.source_limit())

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        loaded = self.loaded
        # Padded on the left, so that the next token of every row is in the same column.
        ids, mask = pad_rows([row.ids for row in rows], pad_id(loaded.tokenizer), loaded.device, pad_left=True)
        arguments = self.decode_arguments(prompt=ids.shape[1])
        generated = loaded.model.generate(input_ids=ids, attention_mask=mask, **arguments)
        written: list[list[int]] = generated[:, ids.shape[1] :].tolist()
        return written


def encode_with_ending(tokenizer: Any, prompts: Sequence[str], ending: str, limit: int) -> list[Encoded]:
    """Ids of each prompt and the ending, at most `limit` in all; the ending is never cut."""
    tail = tuple(tokenizer(ending, add_special_tokens=False)["input_ids"])
    rows = []
    for row in encode_texts(tokenizer, prompts, max(1, limit - len(tail))):
        ids = row.ids
        while ids and ids[-1] == tokenizer.eos_token_id:  # an end mark here would end the text before the summary
            ids = ids[:-1]
        rows.append(Encoded((*ids, *tail), row.truncated))
    return rows


def encode_continuation(tokenizer: Any, text: str) -> list[int]:
    """Ids of a text after one blank. Tokenizers such as Llama-2's and Mistral's put a blank before every text: there a
    text with one of its own would begin with two."""
    ids = list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    if ids and str(tokenizer.convert_ids_to_tokens(ids[0])).startswith(SENTENCEPIECE_BLANK):
        return ids
    return list(tokenizer(f" {text}", add_special_tokens=False, verbose=False)["input_ids"])


def parse_options(table: Table) -> CausalSettings:
    settings = read_settings(table, (*KNOWN, "ending"))
    return CausalSettings(**vars(settings), ending=table.text("ending", ENDING, most=200))


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> Causal:
    return Causal(config, config.settings)
