"""A small model with random weights and a tokenizer trained on the given texts, to try out a training.

Such a model has no pretraining. It learns from a few hundred examples, which is enough to see that control works.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from epitome.systems.neural.libraries import import_library, quiet_transformers

Architecture = Literal["bart", "t5", "pegasus", "led", "gpt2", "llama"]
ARCHITECTURES = ("bart", "t5", "pegasus", "led", "gpt2", "llama")
MARKS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BOS, PAD, EOS = 0, 1, 2


@dataclass(frozen=True)
class Scratch:
    """width: of the hidden states. layers: of each of encoder and decoder. positions: the longest input in tokens."""

    architecture: Architecture = "bart"
    width: int = 64
    layers: int = 2
    heads: int = 4
    feed_forward: int = 128
    positions: int = 1024
    vocabulary: int = 2000
    dropout: float = 0.0


def build_model(folder: Path, texts: Iterable[str], shape: Scratch, seed: int) -> Path:
    """Write a model and its tokenizer into the folder. texts: what the tokenizer is trained on."""
    torch, transformers = import_library("torch"), quiet_transformers()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = train_tokenizer(texts, shape)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = model_config(shape, len(tokenizer))
        kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
        model = getattr(transformers, kind).from_config(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def train_tokenizer(texts: Iterable[str], shape: Scratch) -> Any:
    """Byte-level BPE, as BART's: covers any text. `</s>` in a text becomes the special token, as between turns."""
    tokenizers, transformers = import_library("tokenizers"), import_library("transformers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=shape.vocabulary,
        special_tokens=list(MARKS),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if shape.architecture in {"bart", "led"}:
        template = "<s> $A </s>"
    else:
        template = "$A" if shape.architecture in {"gpt2", "llama"} else "$A </s>"
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=template, special_tokens=[("<s>", BOS), ("</s>", EOS)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",  # noqa: S106  # marks of the vocabulary, no secrets
        pad_token="<pad>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        mask_token="<mask>",  # noqa: S106
        model_max_length=shape.positions,
    )


def model_config(shape: Scratch, vocabulary: int) -> Any:
    """transformers' configuration of an architecture in this shape."""
    transformers = import_library("transformers")
    marks = {"bos_token_id": BOS, "pad_token_id": PAD, "eos_token_id": EOS, "vocab_size": vocabulary}
    width, layers, heads, inner = shape.width, shape.layers, shape.heads, shape.feed_forward
    if shape.architecture == "t5":
        return transformers.T5Config(
            d_model=width, d_kv=width // heads, d_ff=inner, num_layers=layers, num_heads=heads,
            dropout_rate=shape.dropout, decoder_start_token_id=PAD, feed_forward_proj="gated-gelu", **marks,
        )  # fmt: skip
    if shape.architecture == "gpt2":
        return transformers.GPT2Config(
            n_embd=width, n_layer=layers, n_head=heads, n_inner=inner, n_positions=shape.positions,
            resid_pdrop=shape.dropout, embd_pdrop=shape.dropout, attn_pdrop=shape.dropout, **marks,
        )  # fmt: skip
    if shape.architecture == "llama":
        return transformers.LlamaConfig(
            hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads,
            num_key_value_heads=heads, max_position_embeddings=shape.positions, tie_word_embeddings=True, **marks,
        )  # fmt: skip
    both = {
        "d_model": width, "encoder_layers": layers, "decoder_layers": layers, "encoder_attention_heads": heads,
        "decoder_attention_heads": heads, "encoder_ffn_dim": inner, "decoder_ffn_dim": inner,
        "dropout": shape.dropout, "decoder_start_token_id": EOS,
    }  # fmt: skip
    if shape.architecture == "led":
        return transformers.LEDConfig(
            max_encoder_position_embeddings=shape.positions, max_decoder_position_embeddings=shape.positions,
            attention_window=[16] * layers, **both, **marks,
        )  # fmt: skip
    if shape.architecture == "pegasus":
        return transformers.PegasusConfig(max_position_embeddings=shape.positions, **both, **marks)
    return transformers.BartConfig(
        max_position_embeddings=shape.positions, forced_eos_token_id=EOS, forced_bos_token_id=None, **both, **marks
    )
