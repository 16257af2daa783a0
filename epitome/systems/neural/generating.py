"""Base class of generating systems with weights: batches by length, outputs with their provenance."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from epitome.systems.config import SystemConfig
from epitome.systems.neural.batching import Batcher
from epitome.systems.neural.decoding import (
    NoRepeatNgram,
    compile_config,
    generation_config,
    overridden_settings,
    without_own_settings,
)
from epitome.systems.neural.encoding import Encoded, encode_texts, pad_id, position_limit
from epitome.systems.neural.growth import GpuGrowth
from epitome.systems.neural.libraries import LIBRARIES, free_memory, import_library
from epitome.systems.neural.loading import LoadedModel
from epitome.systems.neural.prompts import prompt_text
from epitome.systems.neural.settings import Settings
from epitome.systems.protocol import Follows, Output, Request, RequestValue, Role, followed_values
from epitome.systems.provenance import library_versions

LARGE_MODEL_WEIGHTS = 50_000_000
"""Number of weights from which a model counts as large."""


def _is_slow(loaded: LoadedModel) -> bool:
    """Whether computation dominates the overhead of a call: a large model on a CPU."""
    return bool(loaded.device.type == "cpu" and loaded.model.num_parameters() >= LARGE_MODEL_WEIGHTS)


class Hypothesis(NamedTuple):
    """Token ids of one text. log_probability: the sum over its tokens (natural logarithm); None: not computed."""

    ids: list[int]
    log_probability: float | None = None


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

    def write_hypotheses(
        self, rows: Sequence[Encoded], batch: Sequence[Request], decoding: dict[str, Any]
    ) -> list[list[Hypothesis]]:
        """The texts per row, the best one first."""
        return [[Hypothesis(ids)] for ids in self.write(rows, batch, decoding)]

    @property
    def loaded(self) -> LoadedModel:
        if self._loaded is None:
            self._loaded = self.load()
            if self.settings.grows and self._loaded.device.type == "cuda":
                self._batcher.growth = GpuGrowth(self._loaded.device)
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

        def work(places: list[int]) -> list[list[Hypothesis]]:
            with import_library("torch").inference_mode(), without_own_settings(loaded.model):
                return self.write_hypotheses(
                    [rows[index] for index in places], [batch[index] for index in places], decoding
                )

        self._batcher.even = _is_slow(loaded)
        hypotheses = self._batcher.run([len(row.ids) for row in rows], work)
        if self.settings.grows:
            self.batch_size = max(self.settings.batch_size, self._batcher.most)
        texts = [self._decode(row) for row in hypotheses]
        share = (time.perf_counter() - began) / len(batch)
        outputs = [
            self._output(*item, decoding, share) for item in zip(batch, texts, requests, prompts, rows, strict=True)
        ]
        return [
            self.clean(
                replace(
                    output,
                    usage=self._count_tokens(row, written[0]),
                    decoding={**decoding, "finish_reason": "length" if self._is_cut(written[0]) else "stop"},
                ),
                written[0].ids,
            )
            for output, row, written in zip(outputs, rows, hypotheses, strict=True)
        ]

    def clean(self, output: Output, ids: Sequence[int]) -> Output:
        """The output without what is no part of a summary. ids: of its text."""
        return output

    def _is_cut(self, written: Hypothesis) -> bool:
        """Whether a text takes all of max_tokens without an end of its own, and so most likely breaks off."""
        model, ids = self.loaded.model, written.ids
        config = generation_config(model, self.settings.decoding, self.more_stops())
        if model.config.is_encoder_decoder:
            is_full, forced = len(ids) >= config.max_length, config.forced_eos_token_id is not None
        else:
            is_full, forced = len(ids) >= config.max_new_tokens, False
        ends = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
        return is_full and (ids[-1] in ends if forced else not {ids[-1]} & {*ends, pad_id(self.loaded.tokenizer)})

    def more_stops(self) -> Sequence[int]:
        """Tokens that end a text beside those of the model's own settings."""
        return ()

    def _count_tokens(self, row: Encoded, written: Hypothesis) -> dict[str, float]:
        """Tokens read and written, under the names that chat servers use; without padding and the start mark of
        encoder-decoder models."""
        pad = pad_id(self.loaded.tokenizer)
        n_start = int(self.loaded.model.config.is_encoder_decoder)
        n_written = sum(token != pad for token in written.ids[n_start:])
        return {"prompt_tokens": len(row.ids), "completion_tokens": n_written}

    def _decode(self, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[str, float], ...]:
        """The texts with their log-probabilities; 0 where these were not computed."""
        ids = [hypothesis.ids for hypothesis in hypotheses]
        decode = self.loaded.tokenizer.batch_decode
        texts = decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        scores = [hypothesis.log_probability or 0.0 for hypothesis in hypotheses]
        return tuple((text.strip(), score) for text, score in zip(texts, scores, strict=True))

    def prompt(self, request: Request, values: dict[str, RequestValue]) -> str:
        """The input of the model as one text."""
        settings = self.settings
        compat, form = settings.release_compat, settings.aggregation_input
        return prompt_text(request, values, settings.attributes, release_compat=compat, aggregation_input=form)

    def encode(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_texts(self.loaded.tokenizer, prompts, self.source_limit())

    def source_limit(self) -> int:
        """Maximum input tokens: as configured, but never more than the model has positions for."""
        positions = position_limit(self.loaded.model.config)
        return min(self.settings.max_source_tokens, positions or self.settings.max_source_tokens)

    def decoding(self) -> dict[str, Any]:
        """The parameters stored with every output; overridden: what the model's own file says and is not used."""
        overridden = overridden_settings(self.loaded.model)
        return {**self.settings.decoding.as_dict(), "max_source_tokens": self.source_limit(),
                "dtype": str(self.loaded.model.dtype).removeprefix("torch."),
                **({"overridden": overridden} if overridden else {})}  # fmt: skip

    def _output(
        self,
        request: Request,
        texts: tuple[tuple[str, float], ...],
        values: dict[str, RequestValue],
        prompt: str,
        row: Encoded,
        decoding: dict[str, Any],
        seconds: float,
    ) -> Output:
        return Output(
            text=texts[0][0],
            told=values,
            prompt=row.text or prompt,
            decoding=decoding,
            seed=request.seed,
            weights=self.loaded.hash,
            versions=library_versions(*self.libraries),
            truncated=row.truncated,
            seconds=seconds,
            candidates=texts if self.settings.decoding.hypotheses > 1 else (),
        )

    def decode_arguments(self, prompt: int = 0) -> dict[str, Any]:
        """The keywords of `model.generate` that all kinds share. prompt: tokens that a decoder-only model reads."""
        decoding = self.settings.decoding
        config = generation_config(self.loaded.model, decoding, self.more_stops())
        arguments: dict[str, Any] = {"generation_config": config}
        if self.settings.compile:
            arguments["generation_config"].compile_config = compile_config()
        else:
            arguments["generation_config"].disable_compile = True
        if decoding.no_repeat_ngram:
            block = NoRepeatNgram(decoding.no_repeat_ngram, prompt)
            arguments["logits_processor"] = import_library("transformers").LogitsProcessorList([block])
        return arguments
