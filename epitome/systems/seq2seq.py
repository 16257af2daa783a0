"""`seq2seq`: encoder-decoder models (BART, T5 and Flan-T5, Pegasus, LED), controlled by a hard prompt.

input = "vanilla": the prompt holds topics and speakers; "hp": also the ordered attributes, in the schema's format.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.neural.batching import pad_rows
from epitome.systems.neural.beams import shared_source
from epitome.systems.neural.decoding import generation_config
from epitome.systems.neural.encoding import Encoded, pad_id
from epitome.systems.neural.generating import Hypothesis, NeuralGenerator
from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.loading import LoadedModel, load_for_inference
from epitome.systems.neural.settings import Settings, read_settings
from epitome.systems.neural.shared_sources import IGNORED, read_encoder_source, score_decoder_texts
from epitome.systems.protocol import Follows, Request


class Seq2Seq(NeuralGenerator):
    def load(self) -> LoadedModel:
        return load_for_inference(self.settings, "seq2seq")

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        loaded = self.loaded
        ids, mask = pad_rows([row.ids for row in rows], pad_id(loaded.tokenizer), loaded.device)
        more = model_inputs(loaded.model, mask) | self.decode_arguments()
        with self._cache() as cache, self.steer(batch):
            generated = loaded.model.generate(input_ids=ids, attention_mask=mask, **more, **cache)
        rows_out: list[list[int]] = generated.tolist()
        return rows_out

    def write_hypotheses(
        self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]
    ) -> list[list[Hypothesis]]:
        n = self.settings.decoding.hypotheses
        if n == 1:
            return super().write_hypotheses(rows, batch, decoding)
        ids, mask = pad_rows([row.ids for row in rows], pad_id(self.loaded.tokenizer), self.loaded.device)
        more = model_inputs(self.loaded.model, mask) | self.decode_arguments()
        with self._cache() as cache, self.steer(batch):
            generated = self.loaded.model.generate(input_ids=ids, attention_mask=mask, **more, **cache)
        scored = []
        for index, (row, request) in enumerate(zip(rows, batch, strict=True)):
            with self.steer([request]):
                scored.append(self._score_hypotheses(row, generated[n * index : n * (index + 1)]))
        return scored

    def steer(self, batch: Sequence[Request]) -> AbstractContextManager[None]:
        """What makes the model follow these requests beside their prompts, while it reads and writes them."""
        return nullcontext()

    def _cache(self) -> AbstractContextManager[dict[str, Any]]:
        """The cache of one call, which the beams of a source share."""
        settings, model = self.settings, self.loaded.model
        is_static = settings.static_cache or settings.compile
        longest = generation_config(model, settings.decoding).max_length if is_static else 0
        return shared_source(model, settings.decoding.beams, longest)

    def _score_hypotheses(self, row: Encoded, sequences: Any) -> list[Hypothesis]:
        """The sequences of one source with the log-probability that the model gives their tokens, likeliest first. The
        source is read once for all of them."""
        pad = pad_id(self.loaded.tokenizer)
        source = read_encoder_source(self.loaded, row)
        if source is None:
            logits, targets = self._read_with_source(row, sequences), sequences[:, 1:]
        else:
            written = [_strip_padding(ids[1:], pad) for ids in sequences.tolist()]
            logits, targets = score_decoder_texts(self.loaded, source, written)
        kept = (targets != pad) & (targets != IGNORED)
        by_token = import_library("torch").log_softmax(logits.float(), dim=-1)
        by_token = by_token.gather(2, targets.clamp(min=0)[:, :, None])[:, :, 0]
        totals = (by_token * kept).sum(dim=1).tolist()
        hypotheses = [Hypothesis(ids, total) for ids, total in zip(sequences.tolist(), totals, strict=True)]
        return sorted(hypotheses, key=lambda hypothesis: -(hypothesis.log_probability or 0.0))

    def _read_with_source(self, row: Encoded, sequences: Any) -> Any:
        """The logits of sequences, with the source read for each: for models that cannot share it."""
        model, n = self.loaded.model, len(sequences)
        ids, mask = pad_rows([row.ids] * n, pad_id(self.loaded.tokenizer), self.loaded.device)
        return model(
            input_ids=ids, attention_mask=mask, decoder_input_ids=sequences[:, :-1], use_cache=False,
            **model_inputs(model, mask),
        ).logits  # fmt: skip


def _strip_padding(ids: list[int], pad: int) -> list[int]:
    """Without padding at the end; one token at least."""
    while len(ids) > 1 and ids[-1] == pad:
        ids = ids[:-1]
    return ids


def model_inputs(model: Any, mask: Any) -> dict[str, Any]:
    """Extra inputs of specific models: LED needs global attention on the first token."""
    if model.config.model_type != "led":
        return {}
    everywhere = mask.new_zeros(mask.shape)
    everywhere[:, 0] = 1
    return {"global_attention_mask": everywhere}


def parse_options(table: Table) -> Settings:
    return read_settings(table)


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> Seq2Seq:
    return Seq2Seq(config, config.settings)
