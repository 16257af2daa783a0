"""Base class of generating systems with weights: batches by length, outputs with their provenance."""

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.batching import Batcher
from modelbridge.systems.neural.decoding import NoRepeatNgram, generation_config
from modelbridge.systems.neural.encoding import Encoded, encode_texts, position_limit
from modelbridge.systems.neural.libraries import LIBRARIES, free_memory, import_library
from modelbridge.systems.neural.loading import LoadedModel
from modelbridge.systems.neural.prompts import prompt_text
from modelbridge.systems.neural.settings import Settings
from modelbridge.systems.protocol import Follows, Output, Request, RequestValue, Role, followed_values
from modelbridge.systems.provenance import library_versions

LARGE_MODEL_WEIGHTS = 50_000_000
"""Number of weights from which a model counts as large."""


def _is_slow(loaded: LoadedModel) -> bool:
    """Whether computation dominates the overhead of a call: a large model on a CPU."""
    return bool(loaded.device.type == "cpu" and loaded.model.num_parameters() >= LARGE_MODEL_WEIGHTS)


class NeuralGenerator:
    """A system with weights, which are loaded for the first batch and released by `close`."""

    role: ClassVar[Role] = "generate"
    libraries: ClassVar[tuple[str, ...]] = LIBRARIES

    def __init__(self, config: SystemConfig, settings: Settings) -> None:
        self.key, self.kind, self.settings = config.key, config.kind, settings
        self.follows: Follows = settings.follows
        self.batch_size = settings.batch_size
        self._loaded: LoadedModel | None = None
        self._batcher = Batcher(settings.batch_tokens, settings.most_at_once)

    def load(self) -> LoadedModel:
        """The weights from their files. Raises SystemFault."""
        raise NotImplementedError

    def write(self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]) -> list[list[int]]:
        """The token ids of one summary per row."""
        raise NotImplementedError

    @property
    def loaded(self) -> LoadedModel:
        if self._loaded is None:
            self._loaded = self.load()
        return self._loaded

    def adopt(self, loaded: LoadedModel) -> None:
        """Use a model that is already in memory, as training does."""
        self._loaded = loaded

    def close(self) -> None:
        self._loaded = None
        free_memory()

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        """One output per request, in the same order. Raises SystemFault; OutOfMemory if one alone is too large."""
        if not batch:
            return []
        began = time.perf_counter()
        loaded = self.loaded
        requests = [followed_values(self.follows, request) for request in batch]
        prompts = [self.prompt(request, values) for request, values in zip(batch, requests, strict=True)]
        rows = self.encode(prompts)
        decoding = self.decoding()

        def work(places: list[int]) -> list[list[int]]:
            with import_library("torch").inference_mode():
                return self.write([rows[place] for place in places], [batch[place] for place in places], decoding)

        self._batcher.even = _is_slow(loaded)
        ids = self._batcher.run([len(row.ids) for row in rows], work)
        texts = loaded.tokenizer.batch_decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        share = (time.perf_counter() - began) / len(batch)
        return [
            self._output(*item, decoding, share) for item in zip(batch, texts, requests, prompts, rows, strict=True)
        ]

    def prompt(self, request: Request, values: dict[str, RequestValue]) -> str:
        """The input of the model as one text."""
        compat = self.settings.release_compat
        return prompt_text(request, values, self.settings.attributes, release_compat=compat)

    def encode(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_texts(self.loaded.tokenizer, prompts, self.source_limit())

    def source_limit(self) -> int:
        """Maximum input tokens: as configured, but never more than the model has positions for."""
        positions = position_limit(self.loaded.model.config)
        return min(self.settings.max_source_tokens, positions or self.settings.max_source_tokens)

    def decoding(self) -> dict[str, Any]:
        """The parameters stored with every output."""
        return {**self.settings.decoding.as_dict(), "max_source_tokens": self.source_limit(),
                "dtype": str(self.loaded.model.dtype).removeprefix("torch.")}  # fmt: skip

    def _output(
        self,
        request: Request,
        text: str,
        values: dict[str, RequestValue],
        prompt: str,
        row: Encoded,
        decoding: dict[str, Any],
        seconds: float,
    ) -> Output:
        return Output(
            text=text.strip(),
            told=values,
            prompt=prompt,
            decoding=decoding,
            seed=request.seed,
            weights=self.loaded.hash,
            versions=library_versions(*self.libraries),
            truncated=row.truncated,
            seconds=seconds,
        )

    def decode_arguments(self) -> dict[str, Any]:
        """The keywords of `model.generate` that all kinds share."""
        decoding = self.settings.decoding
        arguments: dict[str, Any] = {"generation_config": generation_config(self.loaded.model, decoding)}
        if decoding.no_repeat_ngram:
            block = NoRepeatNgram(decoding.no_repeat_ngram)
            arguments["logits_processor"] = import_library("transformers").LogitsProcessorList([block])
        return arguments
