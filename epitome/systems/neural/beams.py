"""Beam search in which the beams of one source share its encoder states and cross-attention cache.

transformers repeats the encoder's states for every beam, computes the keys and values of cross-attention for each copy,
and copies all of them at every step when beams are reordered. Beams are only reordered within their own source, so the
copies are always equal: one set per source is enough. The generated text is the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from epitome.systems.neural.caches import cache_argument
from epitome.systems.neural.libraries import import_library

NAME = "epitome_beams"
SHARING = ("bart", "mbart", "pegasus")
"""Types of models whose cross-attention has no position bias and takes its keys from the cache as they are."""


@contextmanager
def shared_source(model: Any, beams: int, static_tokens: int = 0) -> Iterator[dict[str, Any]]:
    """Keyword arguments for `model.generate` inside the block. static_tokens: the longest text, for which memory is
    taken from the start; 0: the cache grows."""
    model = model.get_base_model() if hasattr(model, "get_base_model") else model
    if beams < 2 or not model.config.is_encoder_decoder:
        yield {}
        return
    if not _can_share(model):
        yield cache_argument(model, _make_cache(model, static_tokens))
        return
    usual = model._expand_inputs_for_generation

    def expand(expand_size: int = 1, is_encoder_decoder: bool = False, **inputs: Any) -> Any:
        source = {name: inputs.pop(name) for name in ("encoder_outputs", "attention_mask") if name in inputs}
        ids, expanded = usual(expand_size=expand_size, is_encoder_decoder=False, **inputs)
        return ids, {**expanded, **source}

    model._expand_inputs_for_generation = expand
    try:
        yield cache_argument(model, _make_cache(model, static_tokens))
    finally:
        del model._expand_inputs_for_generation


def _can_share(model: Any) -> bool:
    if model.config.model_type not in SHARING or model.config._attn_implementation not in ("sdpa", NAME):
        return False
    if model.config._attn_implementation != NAME:
        _register_attention()
        model.set_attn_implementation(NAME)
    return True


def _make_cache(model: Any, static_tokens: int) -> Any:
    """transformers' cache, except that the source's keys and values are not moved when beams are reordered."""
    caches = import_library("transformers.cache_utils")

    class SourceCache(caches.DynamicCache):  # type: ignore[misc, name-defined]
        def reorder_cache(self, beam_idx: Any) -> None:
            pass

    config = model.config.get_text_config(decoder=True)
    grows = not static_tokens
    written = caches.DynamicCache(config=config) if grows else caches.StaticCache(config, max_cache_len=static_tokens)
    return caches.EncoderDecoderCache(written, SourceCache(config=config))


def _register_attention() -> None:
    """Register the attention with transformers; idempotent."""
    transformers = import_library("transformers")
    masks = import_library("transformers.masking_utils").ALL_MASK_ATTENTION_FUNCTIONS
    transformers.AttentionInterface.register(NAME, attend_to_shared_source)
    transformers.AttentionMaskInterface.register(NAME, masks["sdpa"])


def attend_to_shared_source(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **more: Any
) -> tuple[Any, Any]:
    """transformers' attention interface: `sdpa`, where several rows of queries (beams x tokens) may share a row of
    keys. query: rows x heads x tokens x head size; key, value: the same with fewer rows, each for as many in order."""
    plain = import_library("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS["sdpa"]
    beams, tokens = query.shape[0] // key.shape[0], query.shape[2]
    if beams == 1:
        out: tuple[Any, Any] = plain(module, query, key, value, attention_mask, **more)
        return out
    sources, heads = key.shape[0], query.shape[1]
    gathered = query.view(sources, beams, heads, tokens, -1).transpose(1, 2).flatten(2, 3)
    mask = None if attention_mask is None else attention_mask[:, :, :1]  # all tokens share one source mask
    mixed, weights = plain(module, gathered, key, value, mask, **{**more, "is_causal": False})
    parted = mixed.view(sources, beams, tokens, heads, -1)
    return parted.flatten(0, 1), weights
