"""How much the tokens that a decoder-only system writes attend to each earlier token.

The summary is written as always; then it is read once more after its prompt, which gives the same attentions in one
pass over the written tokens. Heads and layers are averaged at once, so that memory grows with the length of the
summary, not with its square.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epitome.systems.causal import Causal
from epitome.systems.neural.caches import cache_argument, cache_of
from epitome.systems.neural.decoding import without_own_settings
from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.prompts import decoder_joiner, source_text
from epitome.systems.protocol import Request, System, SystemFault, followed_values


@dataclass(frozen=True)
class WrittenAttention:
    """weights: one row per written token, one number per token of prompt and summary, mean of all heads and layers; a
    row sums to 1, what comes after its token is 0. n_prompt: tokens of the prompt. control: places of the tokens of
    the prompt that say what is asked for."""

    weights: Sequence[Sequence[float]]
    n_prompt: int
    control: Sequence[int]


def read_attention(system: System, request: Request) -> WrittenAttention | None:
    """The attentions of the summary that the system writes for a request; None where it writes nothing.

    The model computes its attention eagerly from then on, which is the only way that returns it. Raises SystemFault for
    a system that is not decoder-only.
    """
    if not isinstance(system, Causal):
        raise SystemFault(f"{system.key} is no decoder-only model: its attentions do not run over one sequence")
    torch = import_library("torch")
    system.loaded.model.set_attn_implementation("eager")
    values = followed_values(system.follows, request)
    prompt = system.prompt(request, values)
    (row,) = system.encode([prompt])
    with torch.inference_mode(), without_own_settings(system.loaded.model):
        (written,) = system.write([row], [request], system.decoding())
        summary = _drop_marks(system.loaded.tokenizer, written)
        if not summary:
            return None
        weights = _read_again(system.loaded.model, system.loaded.device, row.ids, summary)
    control = row.requests or _find_control_tokens(system.loaded.tokenizer, prompt, request, len(row.ids))
    return WrittenAttention(weights.tolist(), len(row.ids), control)


def _drop_marks(tokenizer: Any, ids: Sequence[int]) -> list[int]:
    """The written tokens up to the first end mark."""
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
    for index, token in enumerate(ids):
        if token in ends:
            return list(ids[:index])
    return list(ids)


def _read_again(model: Any, device: Any, prompt: Sequence[int], summary: Sequence[int]) -> Any:
    """Mean attention of the summary's tokens, shape (summary, prompt + summary)."""
    torch = import_library("torch")
    prompt_ids = torch.tensor([list(prompt)], device=device)
    summary_ids = torch.tensor([list(summary)], device=device)
    read = model(input_ids=prompt_ids, use_cache=True)
    again = model(
        input_ids=summary_ids,
        attention_mask=torch.ones(1, len(prompt) + len(summary), device=device, dtype=torch.long),
        output_attentions=True,
        **cache_argument(model, cache_of(read)),
    )
    layers = [layer[0].float().mean(dim=0) for layer in again.attentions]
    return torch.stack(layers).mean(dim=0).cpu()


def _find_control_tokens(tokenizer: Any, prompt: str, request: Request, n_prompt: int) -> list[int]:
    """Places of the tokens before the source: the values that were asked for and the words around them."""
    source = source_text(request, decoder_joiner(request.schema))
    end = prompt.rfind(source)
    if end <= 0:
        return []
    offsets = tokenizer(prompt, return_offsets_mapping=True, truncation=False, verbose=False)["offset_mapping"]
    return [
        index
        for index, (first, last) in enumerate(offsets[:n_prompt])
        if first < last and prompt[first:last].strip() and last <= end
    ]
