"""Attention with soft prefixes: extra keys and values that belong to no token.

Registered with transformers under NAME. A module without prefixes computes what `sdpa` computes, bit for bit.
"""

from dataclasses import dataclass
from typing import Any

from epitome.systems.neural.libraries import import_library

NAME = "epitome_prefix"
SLOT = "epitome_prefix"
"""The attribute of an attention module that holds its prefixes while they are in use."""


@dataclass(frozen=True)
class LayerPrefix:
    """keys, values: batch x heads x prefix length x head size. visible: batch x prefix length, true where a row has
    that prefix; None where all rows have all."""

    keys: Any
    values: Any
    visible: Any = None


def register_attention() -> None:
    """Register the attention with transformers; idempotent."""
    transformers = import_library("transformers")
    masks = import_library("transformers.masking_utils").ALL_MASK_ATTENTION_FUNCTIONS
    transformers.AttentionInterface.register(NAME, attend_with_prefixes)
    transformers.AttentionMaskInterface.register(NAME, masks["sdpa"])


def attend_with_prefixes(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: float | None = None,
    position_bias: Any = None,
    **more: Any,
) -> tuple[Any, None]:
    """transformers' attention interface: query, key and value are batch x heads x tokens x head size.

    Beams repeat each row of a batch in order, so prefixes are repeated accordingly. Prefixes have no position, so
    their position_bias (T5) is 0.
    """
    prefix: LayerPrefix | None = getattr(module, SLOT, None)
    if prefix is None:
        plain = import_library("transformers.modeling_utils").ALL_ATTENTION_FUNCTIONS["sdpa"]
        out: tuple[Any, None] = plain(
            module, query, key, value, attention_mask,
            dropout=dropout, scaling=scaling, position_bias=position_bias, **more,
        )  # fmt: skip
        return out
    torch = import_library("torch")
    prefix = _repeat_prefix(prefix, query.shape[0])
    mask = _attention_mask(module, query, key, attention_mask, prefix, position_bias)
    mixed = torch.nn.functional.scaled_dot_product_attention(
        query,
        torch.cat([prefix.keys.to(key.dtype), key], dim=2),
        torch.cat([prefix.values.to(value.dtype), value], dim=2),
        attn_mask=mask,
        dropout_p=dropout,
        scale=scaling,
    )
    return mixed.transpose(1, 2).contiguous(), None


def _repeat_prefix(prefix: LayerPrefix, rows: int) -> LayerPrefix:
    times, remainder = divmod(rows, prefix.keys.shape[0])
    if remainder:
        raise ValueError(f"prefixes of {prefix.keys.shape[0]} requests, but {rows} rows to attend for")
    if times == 1:
        return prefix
    visible = None if prefix.visible is None else prefix.visible.repeat_interleave(times, 0)
    return LayerPrefix(prefix.keys.repeat_interleave(times, 0), prefix.values.repeat_interleave(times, 0), visible)


def _attention_mask(module: Any, query: Any, key: Any, mask: Any, prefix: LayerPrefix, position_bias: Any) -> Any:
    """The attention mask over prefix and tokens: None (all visible), boolean, or additive."""
    torch = import_library("torch")
    queries, tokens, length = query.shape[2], key.shape[2], prefix.keys.shape[2]
    if mask is None and queries > 1 and getattr(module, "is_causal", False):
        mask = torch.ones(queries, tokens, dtype=torch.bool, device=query.device).tril(tokens - queries)[None, None]
    if mask is None and prefix.visible is None and position_bias is None:
        return None
    if mask is None:
        mask = torch.ones(1, 1, queries, tokens, dtype=torch.bool, device=query.device)
    visible_mask = _prepend_prefix_mask(mask, prefix, length)
    if position_bias is None:
        return visible_mask
    bias = torch.nn.functional.pad(position_bias, (length, 0))
    if visible_mask.dtype == torch.bool:
        return torch.where(visible_mask, bias, torch.finfo(query.dtype).min).to(query.dtype)
    return (bias + visible_mask).to(query.dtype)


def _prepend_prefix_mask(mask: Any, prefix: LayerPrefix, length: int) -> Any:
    """The token mask, extended on the left by a mask over the prefix."""
    torch = import_library("torch")
    additive = mask.dtype != torch.bool
    if prefix.visible is None:
        return torch.nn.functional.pad(mask, (length, 0), value=0.0 if additive else True)
    rows = prefix.visible.shape[0]
    prefix_mask = prefix.visible[:, None, None, :].expand(rows, 1, mask.shape[2], length)
    if additive:
        prefix_mask = torch.zeros_like(prefix_mask, dtype=mask.dtype).masked_fill(
            ~prefix_mask, torch.finfo(mask.dtype).min
        )
    return torch.cat([prefix_mask.expand(-1, mask.shape[1], -1, -1), mask.expand(rows, -1, -1, -1)], dim=3)
