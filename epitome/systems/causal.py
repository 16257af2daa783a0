"""`causal`: decoder-only models, asked through their own chat template or by plain text that they continue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from epitome.schema.tables import Table
from epitome.systems.chat_options import read_prompt_texts
from epitome.systems.chat_text import THINKING, cut_reasoning, left_open
from epitome.systems.config import SystemConfig
from epitome.systems.neural.batching import pad_rows
from epitome.systems.neural.decoder_prompts import (
    ENDING,
    TEMPLATES,
    PlainPrompts,
    PromptStyle,
    Template,
    make_prompts,
    template_of_adapters,
)
from epitome.systems.neural.encoding import Encoded, pad_id, position_limit
from epitome.systems.neural.generating import NeuralGenerator
from epitome.systems.neural.loading import LoadedModel, load_for_inference
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.protocol import Follows, Output, Request, RequestValue, SystemFault

OPTIONS = ("ending", "template", "prompt")
"""What decoder-only models and their scorers have beside the options of every model."""


@dataclass(frozen=True)
class CausalSettings(Settings):
    """template: how the model is asked. ending: of plain text, between source and summary; a source that is too long is
    cut, the ending is kept. prompt: own texts of the chat prompt, by name. clean: whether reasoning at the beginning of
    a text is cut. adapters: name -> folder, of the kinds that have some."""

    template: Template = "auto"
    ending: str = ENDING
    prompt: Mapping[str, str] = field(default_factory=dict)
    clean: bool = True
    adapters: Mapping[str, str] = field(default_factory=dict)

    def prompts(self, tokenizer: Any) -> PlainPrompts:
        """How a model with this tokenizer is asked. Raises SystemFault."""
        style = PromptStyle(self.attributes, self.ending, self.prompt, self.release_compat, self.aggregation_input)
        return make_prompts(tokenizer, style, template_of_adapters(self.template, self.adapters.values()))


class Causal(NeuralGenerator):
    def load(self) -> LoadedModel:
        return load_for_inference(self.settings, "causal")

    @property
    def prompts(self) -> PlainPrompts:
        return cast(CausalSettings, self.settings).prompts(self.loaded.tokenizer)

    def prompt(self, request: Request, values: dict[str, RequestValue]) -> str:
        """As `prompts` writes it; of a conversation with marks."""
        return self.prompts.text(request, values)

    def room(self) -> int | None:
        """Tokens of a prompt that leave max_tokens of the model's positions; None: any number. Raises SystemFault."""
        positions = position_limit(self.loaded.model.config)
        if positions is None:
            return None
        room = positions - self.settings.decoding.max_tokens
        if room < 8:
            raise SystemFault(
                f"max_tokens = {self.settings.decoding.max_tokens} leaves no room for a source: "
                f"the model has {positions} positions"
            )
        return room

    def source_limit(self) -> int:
        room = self.room()
        limit = self.settings.max_source_tokens
        return limit if room is None else min(limit, room)

    def encode(self, prompts: Sequence[str]) -> list[Encoded]:
        return self.prompts.encode(prompts, self.settings.max_source_tokens, self.room())

    def more_stops(self) -> Sequence[int]:
        return self.prompts.more_stops

    def decoding(self) -> dict[str, Any]:
        return {**super().decoding(), "template": self.prompts.template}

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        loaded = self.loaded
        # Padded on the left, so that the next token of every row is in the same column.
        ids, mask = pad_rows([row.ids for row in rows], pad_id(loaded.tokenizer), loaded.device, pad_left=True)
        arguments = self.decode_arguments(prompt=ids.shape[1])
        generated = loaded.model.generate(input_ids=ids, attention_mask=mask, **arguments)
        written: list[list[int]] = generated[:, ids.shape[1] :].tolist()
        return written

    def clean(self, output: Output, ids: Sequence[int]) -> Output:
        """Without reasoning at the beginning, which `cleaned` then names. Some models mark it by special tokens, and
        some are asked with its mark already open."""
        if not cast(CausalSettings, self.settings).clean:
            return output
        tokenizer = self.loaded.tokenizer
        written = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        text = left_open(output.prompt) + written
        answer = cut_reasoning(text)
        if answer == text:
            return replace(output, decoding={**output.decoding, "cleaned": []})
        for token in tokenizer.all_special_tokens:
            answer = answer.replace(token, "")
        return replace(output, text=answer.strip(), decoding={**output.decoding, "cleaned": [THINKING]})


def read_causal_settings(table: Table, known: Sequence[str] = KNOWN) -> CausalSettings:
    """known: the keys of the kind beside OPTIONS. Raises SchemaError."""
    settings = read_settings(table, (*known, *OPTIONS, "clean"))
    return CausalSettings(**vars(settings), **read_prompt_options(table), clean=table.flag("clean", True))


def read_prompt_options(table: Table) -> dict[str, Any]:
    """template, ending and the texts of `prompt`. Raises SchemaError."""
    return {
        "template": table.choice("template", TEMPLATES, "auto"),
        "ending": table.text("ending", ENDING, most=200),
        "prompt": read_prompt_texts(table, sources=1),
    }


def parse_options(table: Table) -> CausalSettings:
    return read_causal_settings(table)


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_system(config: SystemConfig) -> Causal:
    return Causal(config, config.settings)
