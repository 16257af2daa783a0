"""`seq2seq`: encoder-decoder models (BART, T5 and Flan-T5, Pegasus, LED), controlled by a hard prompt.

input = "vanilla": the prompt holds topics and speakers; "hp": also the ordered attributes, in the schema's format.
"""

from collections.abc import Sequence
from typing import Any

from annotation.schema.tables import Table
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.batching import pad_rows
from modelbridge.systems.neural.beams import shared_source
from modelbridge.systems.neural.encoding import Encoded, pad_id
from modelbridge.systems.neural.generating import NeuralGenerator
from modelbridge.systems.neural.loading import LoadedModel, load_for_inference
from modelbridge.systems.neural.settings import Settings, read_settings
from modelbridge.systems.protocol import Follows, Request


class Seq2Seq(NeuralGenerator):
    def load(self) -> LoadedModel:
        return load_for_inference(self.settings, "seq2seq")

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        loaded = self.loaded
        ids, mask = pad_rows([row.ids for row in rows], pad_id(loaded.tokenizer), loaded.device)
        more = model_inputs(loaded.model, mask) | self.decode_arguments()
        with shared_source(loaded.model, self.settings.decoding.beams) as cache:
            generated = loaded.model.generate(input_ids=ids, attention_mask=mask, **more, **cache)
        rows_out: list[list[int]] = generated.tolist()
        return rows_out


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
