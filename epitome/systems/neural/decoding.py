"""Decoding: beam search with blocked n-grams; every parameter is stored with the output."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from epitome.schema.tables import Table
from epitome.systems.neural.libraries import import_library

COMPILE_BACKEND = "inductor"


@dataclass(frozen=True)
class Decoding:
    """max_tokens and min_tokens count as transformers' max_length and min_length do for encoder-decoder models, with
    the start token; for decoder-only models they count new tokens. no_repeat_ngram: of the text that is written, never
    of what a decoder-only model reads. The defaults are those of MACSum's released code
    for documents; it leaves early_stopping to the checkpoint, where bart-large-cnn's is true. There is no sampling:
    the same input and weights give the same text. hypotheses: how many of the beams to return, the best one first, with
    the log-probability of each; encoder-decoder models only."""

    beams: int = 4
    max_tokens: int = 350
    min_tokens: int = 20
    length_penalty: float = 1.0
    no_repeat_ngram: int = 3
    early_stopping: bool = False
    hypotheses: int = 1

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_decoding(table: Table) -> Decoding:
    """The `[options.decoding]` table. Raises SchemaError."""
    inner = table.table("decoding", Decoding.__dataclass_fields__)
    usual = Decoding()
    max_tokens = inner.whole("max_tokens", usual.max_tokens, least=2, most=8192)
    min_tokens = inner.whole("min_tokens", min(usual.min_tokens, max_tokens), least=0, most=8192)
    if min_tokens > max_tokens:
        inner.fail("min_tokens", f"is above max_tokens, which is {max_tokens}")
    beams = inner.whole("beams", usual.beams, least=1, most=64)
    return Decoding(
        beams=beams,
        max_tokens=max_tokens,
        min_tokens=min_tokens,
        length_penalty=inner.number("length_penalty", usual.length_penalty, least=-10, most=10),
        no_repeat_ngram=inner.whole("no_repeat_ngram", usual.no_repeat_ngram, least=0, most=20),
        early_stopping=inner.flag("early_stopping", usual.early_stopping),
        hypotheses=inner.whole("hypotheses", usual.hypotheses, least=1, most=beams),
    )


MARKS = (
    *("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"),
    "forced_eos_token_id",
)
"""Of a model's own generation settings, what is used."""
_NO_DECODING = ("transformers_version", "use_cache", "cache_implementation")


def overridden_settings(model: Any) -> dict[str, Any]:
    """What the model's own file says about generation and is not used: sampling, penalties, lengths."""
    own_settings: dict[str, Any] = model.generation_config.to_diff_dict()
    return {
        name: setting
        for name, setting in own_settings.items()
        if name not in MARKS and name not in _NO_DECODING and not name.startswith(("_", "output_", "return_"))
    }


@contextmanager
def without_own_settings(model: Any) -> Iterator[None]:
    """Inside the block `model.generate` takes nothing from the model's own generation settings: transformers fills in
    from them whatever a call leaves open, such as a repetition penalty."""
    holders = [model, model.get_base_model()] if hasattr(model, "get_base_model") else [model]
    usual = [holder.generation_config for holder in holders]
    marks = {name: getattr(usual[-1], name, None) for name in MARKS}
    bare = import_library("transformers").GenerationConfig(**marks)
    for holder in holders:
        holder.generation_config = bare
    try:
        yield
    finally:
        for holder, own_settings in zip(holders, usual, strict=True):
            holder.generation_config = own_settings


def generation_config(model: Any, decoding: Decoding, more_stops: Sequence[int] = ()) -> Any:
    """transformers' GenerationConfig for one call: the model's special tokens and nothing else of its defaults.
    more_stops: further tokens that end a text."""
    model_defaults = model.generation_config
    values = {name: _token_id(model_defaults, model.config, name) for name in MARKS}
    if more_stops:
        ends = values["eos_token_id"]
        known_ends = [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
        values["eos_token_id"] = [*known_ends, *(token for token in more_stops if token not in known_ends)]
    if values["pad_token_id"] is None and values["eos_token_id"] is not None:
        end = values["eos_token_id"]
        values["pad_token_id"] = end[0] if isinstance(end, list) else end
    if model.config.is_encoder_decoder:
        limits: dict[str, Any] = {
            "max_length": _within_positions(model, decoding.max_tokens),
            "min_length": decoding.min_tokens,
        }
    else:
        limits = {"max_new_tokens": decoding.max_tokens, "min_new_tokens": decoding.min_tokens}
    if decoding.beams > 1:
        limits |= {"length_penalty": decoding.length_penalty, "early_stopping": decoding.early_stopping}
        limits["num_return_sequences"] = decoding.hypotheses
    return import_library("transformers").GenerationConfig(
        num_beams=decoding.beams, do_sample=False, use_cache=True, **limits, **values
    )


def compile_config() -> Any:
    """How transformers compiles the decoder, on any device; the sizes of batches may differ."""
    make_config = import_library("transformers").CompileConfig
    config = make_config(backend=COMPILE_BACKEND, fullgraph=False, dynamic=True, mode=None)
    config._compile_all_devices = True
    return config


def _token_id(model_defaults: Any, config: Any, name: str) -> Any:
    """The id of a special token: old models keep it in their configuration."""
    token = getattr(model_defaults, name, None)
    return getattr(config, name, None) if token is None else token


def _within_positions(model: Any, length: int) -> int:
    config = model.config
    for name in ("max_decoder_position_embeddings", "max_position_embeddings"):
        limit = getattr(config, name, None)
        if isinstance(limit, int):
            return min(length, limit)
    return length


class NoRepeatNgram:
    """Forbids every token that would complete an n-gram that its text already contains. prompt: how many tokens at the
    beginning of each row are no part of the text: a decoder-only model reads its source there, and may copy it.

    Equivalent to transformers' NoRepeatNGramLogitsProcessor over the text alone, but for all rows at once on the
    model's device; that one loops over every row in Python at every step, which leaves a GPU idle.
    """

    def __init__(self, n: int, prompt: int = 0) -> None:
        self.n = n
        self.prompt = prompt

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """input_ids: rows x tokens so far. scores: rows x vocabulary. Returns new scores, -inf where forbidden."""
        torch = import_library("torch")
        input_ids = input_ids[:, self.prompt :]
        length = input_ids.shape[1]
        if self.n < 1 or length < self.n:
            return scores
        grams = input_ids.unfold(1, self.n, 1)
        last = input_ids[:, length - self.n + 1 :]
        again = (grams[:, :, :-1] == last[:, None, :]).all(-1)
        infinite = torch.tensor(torch.inf, dtype=scores.dtype, device=scores.device)
        return scores.scatter_reduce(1, grams[:, :, -1], torch.where(again, -infinite, infinite), "amin")
