"""How much attention each layer of a model with AdapterFusion gives to each adapter, for the summaries it writes.

The summary is written as always; then source and summary are read once more in one pass, which gives the same weights
without those of padding and of beams that were dropped. Each layer's weights are averaged over its tokens: of the
source in the encoder, of the summary in the decoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epitome.systems.neural.batching import pad_rows
from epitome.systems.neural.bottleneck import SITES, AdapterStack, AttentionRecord
from epitome.systems.neural.encoding import Encoded, pad_id
from epitome.systems.neural.loading import LoadedModel

KEY = "fusion"
"""Under which an output's scores hold it."""
DIGITS = 5


@dataclass(frozen=True)
class SampleAttention:
    """adapters: their names. encoder, decoder: one row per layer, one weight per adapter; a row sums to 1."""

    adapters: tuple[str, ...]
    encoder: Sequence[Sequence[float]]
    decoder: Sequence[Sequence[float]]

    def as_dict(self) -> dict[str, Any]:
        """As an output's `scores`."""
        rows = {site: [[round(share, DIGITS) for share in row] for row in getattr(self, site)] for site in SITES}
        return {KEY: {"adapters": list(self.adapters), **rows}}


def read_fusion_attention(
    loaded: LoadedModel, stack: AdapterStack, rows: Sequence[Encoded], written: Sequence[Sequence[int]]
) -> list[SampleAttention]:
    """One per row. written: the ids that the decoder wrote, with its start token."""
    pad = pad_id(loaded.tokenizer)
    ids, mask = pad_rows([row.ids for row in rows], pad, loaded.device)
    inputs = [_decoder_inputs(row, pad) for row in written]
    decoder_ids, decoder_mask = pad_rows(inputs, pad, loaded.device)
    stack.record = AttentionRecord({"encoder": mask, "decoder": decoder_mask})
    try:
        loaded.model(
            input_ids=ids, attention_mask=mask, decoder_input_ids=decoder_ids,
            decoder_attention_mask=decoder_mask, use_cache=False,
        )  # fmt: skip
        means = {place: weights.tolist() for place, weights in stack.record.means.items()}
    finally:
        stack.record = None
    by_site = {site: [means[site, layer] for layer in range(len(stack.layers[site]))] for site in SITES}
    return [
        SampleAttention(stack.shape.names, *([layer[row] for layer in by_site[site]] for site in SITES))
        for row in range(len(rows))
    ]


def _decoder_inputs(ids: Sequence[int], pad: int) -> list[int]:
    """What the decoder read while it wrote: the start token and all that it wrote but the last token."""
    end = len(ids)
    while end > 1 and ids[end - 1] == pad:
        end -= 1
    return list(ids[: max(1, end - 1)])
