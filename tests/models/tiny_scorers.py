"""Tiny models that learn a few pairs of source and summary by heart, for tests of scorers."""

from collections.abc import Sequence
from pathlib import Path

SOURCE_TOKENS, TEXT_TOKENS = 128, 200


def train_tiny(folder: Path, architecture: str, pairs: Sequence[tuple[str, str]], steps: int) -> Path:
    """A model from nothing, trained on (source, summary) pairs; one pair a step, in turn."""
    import torch

    from epitome.systems.neural.loading import load_model, load_tokenizer
    from epitome.training.scratch import Scratch, build_model

    shape = Scratch(architecture=architecture, width=48, layers=2, feed_forward=96, positions=400, vocabulary=800)
    build_model(folder, [text for pair in pairs for text in pair], shape, 1)
    family = "causal" if architecture == "gpt2" else "seq2seq"
    model, tokenizer = load_model(folder, family, torch.float32), load_tokenizer(folder)
    optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3)
    torch.manual_seed(1)
    model.train()
    for step in range(steps):
        source, text = pairs[step % len(pairs)]
        loss = model(**_encode_pair(tokenizer, source, text, family)).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    model.save_pretrained(folder)
    return folder


def _encode_pair(tokenizer, source: str, text: str, family: str) -> dict:
    import torch

    from epitome.systems.neural.decoder_prompts import ENDING
    from epitome.systems.neural.encoding import encode_texts, encode_with_ending

    if family == "seq2seq":
        source_ids = encode_texts(tokenizer, [source], SOURCE_TOKENS)[0].ids
        labels = tokenizer(text_target=text, truncation=True, max_length=TEXT_TOKENS)["input_ids"]
        return {"input_ids": torch.tensor([source_ids]), "labels": torch.tensor([labels])}
    source_ids = encode_with_ending(tokenizer, [source], ENDING, SOURCE_TOKENS)[0].ids
    text_ids = tokenizer(f" {text}", add_special_tokens=False)["input_ids"][:TEXT_TOKENS]
    ids = [*source_ids, *text_ids, tokenizer.eos_token_id]
    labels = [-100] * len(source_ids) + ids[len(source_ids) :]
    return {"input_ids": torch.tensor([ids]), "labels": torch.tensor([labels])}
