"""Scores many texts of one source while the model reads the source once.

A contrastive tuple has about 51 texts of one source. An encoder-decoder model encodes the source once and computes the
keys and values of its cross-attention once; a decoder-only model reads the prompt once and continues from its cache.
Both go through transformers' cache classes; a model that gives no such cache is read the plain way.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from epitome.systems.neural.batching import pad_rows
from epitome.systems.neural.caches import cache_argument, cache_of
from epitome.systems.neural.encoding import Encoded, pad_id
from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.loading import LoadedModel

IGNORED = -100
CACHE_BYTES = 2**31
"""Memory that the copies of a prompt's cache may take, one for each text of a batch; at least one text fits."""
UNSHARED = ("led",)
"""Types of encoder-decoder models whose encoder takes more than ids and mask."""


@dataclass(frozen=True)
class ReadSource:
    """A source as the model has read it. cache: its keys and values. states: of the encoder. first: log-probabilities
    of the first token after a prompt. bytes_per_token: of the cache that each text needs for itself."""

    ids: tuple[int, ...]
    cache: Any
    states: Any = None
    first: Any = None
    bytes_per_token: int = 0


def read_encoder_source(loaded: LoadedModel, source: Encoded) -> ReadSource | None:
    """The source, encoded; None where the model cannot share it between texts."""
    model = loaded.model
    if model.config.model_type in UNSHARED:
        return None
    caches = import_library("transformers.cache_utils")
    ids, mask = pad_rows([source.ids], pad_id(loaded.tokenizer), loaded.device)
    encoded = model.get_encoder()(input_ids=ids, attention_mask=mask)
    start = ids.new_full((1, 1), model.config.decoder_start_token_id or 0)
    read = model(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=start, use_cache=True)
    cache = cache_of(read)
    if not isinstance(cache, caches.EncoderDecoderCache):
        return None
    return ReadSource(source.ids, cache.cross_attention_cache, states=encoded.last_hidden_state)


def score_decoder_texts(loaded: LoadedModel, source: ReadSource, targets: Sequence[list[int]]) -> tuple[Any, Any]:
    """(logits, labels) of the texts of one source; labels are IGNORED where a text has ended."""
    torch, caches = import_library("torch"), import_library("transformers.cache_utils")
    outputs = import_library("transformers.modeling_outputs")
    n = len(targets)
    labels, _mask = pad_rows(targets, IGNORED, loaded.device)
    shared = copy.copy(source.cache)
    shared.layers = [_repeat_layer(layer, n) for layer in source.cache.layers]
    states = source.states.expand(n, -1, -1)  # a view: no copy for each text
    read = loaded.model(
        encoder_outputs=outputs.BaseModelOutput(last_hidden_state=states),
        attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=loaded.device),
        labels=labels,
        use_cache=True,
        **cache_argument(loaded.model, caches.EncoderDecoderCache(caches.DynamicCache(), shared)),
    )
    return read.logits, labels


def _repeat_layer(layer: Any, n: int) -> Any:
    """The keys and values of a source for n texts, as views of the same memory."""
    repeated = copy.copy(layer)
    repeated.keys = layer.keys.expand(n, -1, -1, -1)
    repeated.values = layer.values.expand(n, -1, -1, -1)
    return repeated


def read_prompt(loaded: LoadedModel, source: Encoded) -> ReadSource | None:
    """The prompt, read once; None where the model gives no cache that can be copied for several texts."""
    torch, caches = import_library("torch"), import_library("transformers.cache_utils")
    ids, mask = pad_rows([source.ids], pad_id(loaded.tokenizer), loaded.device)
    only_last = {"logits_to_keep": 1} if "logits_to_keep" in signature(loaded.model.forward).parameters else {}
    read = loaded.model(input_ids=ids, attention_mask=mask, use_cache=True, **only_last)
    cache = cache_of(read)
    plain_layers = (caches.DynamicLayer, caches.DynamicSlidingWindowLayer)
    if not isinstance(cache, caches.DynamicCache) or any(type(layer) not in plain_layers for layer in cache.layers):
        return None
    first = torch.log_softmax(read.logits[0, -1].float(), dim=-1)
    size = sum(states.nbytes for layer in cache.layers for states in (layer.keys, layer.values))
    return ReadSource(source.ids, cache, first=first, bytes_per_token=max(1, size // len(source.ids)))


def count_texts_that_fit(source: ReadSource, longest: int) -> int:
    """How many texts may continue from copies of a prompt's cache at once, at least 1."""
    per_text = source.bytes_per_token * (len(source.ids) + longest)
    return max(1, CACHE_BYTES // per_text) if per_text else 1


def continue_prompt(loaded: LoadedModel, source: ReadSource, targets: Sequence[list[int]]) -> list[list[float]]:
    """Log-probabilities of every token of texts that follow one prompt: the first from the prompt's own last place,
    the others from the places of their predecessors."""
    torch = import_library("torch")
    firsts = [source.first[target[0]].item() for target in targets]
    if max(map(len, targets)) == 1:
        return [[first] for first in firsts]
    cache = copy.deepcopy(source.cache)
    cache.batch_repeat_interleave(len(targets))
    rows = [target[:-1] or [target[0]] for target in targets]
    ids, mask = pad_rows(rows, pad_id(loaded.tokenizer), loaded.device)
    prompt_mask = mask.new_ones((len(rows), len(source.ids)))
    whole_mask = torch.cat([prompt_mask, mask], dim=1)
    again = cache_argument(loaded.model, cache)
    logits = loaded.model(input_ids=ids, attention_mask=whole_mask, use_cache=True, **again).logits
    scored = []
    for row, (first, target) in enumerate(zip(firsts, targets, strict=True)):
        rest = target[1:]
        log_probabilities = torch.log_softmax(logits[row, : len(rest)].float(), dim=-1)
        chosen = torch.tensor(rest, dtype=torch.long, device=loaded.device)
        scored.append([first, *log_probabilities.gather(1, chosen[:, None])[:, 0].tolist()])
    return scored
