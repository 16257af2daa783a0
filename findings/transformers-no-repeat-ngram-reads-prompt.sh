#!/usr/bin/env bash
# transformers: no_repeat_ngram_size of a decoder-only model forbids the n-grams of its prompt.
#
# Expected: the option keeps a text from repeating itself, as with encoder-decoder models, whose source is not counted:
# BART with no_repeat_ngram_size=3 may copy any three words of an article.
# Seen with transformers 5.23.0: of a decoder-only model the prompt counts as text that was written. A summary then
# cannot hold three tokens in a row of its source, so that names of several tokens come out wrong and nothing is quoted,
# with the setting that papers give for their encoder-decoder systems. Nothing warns. The library's own processor,
# called with what is behind the prompt, does what is meant.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.23.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessorList, NoRepeatNGramLogitsProcessor
from transformers.utils import logging

logging.set_verbosity_error()
torch.manual_seed(3)
shape = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
model = LlamaForCausalLM(LlamaConfig(bos_token_id=1, eos_token_id=None, pad_token_id=0, **shape)).eval()


def write(prompt, n_new, **options):
    ids = torch.tensor([prompt])
    more = {"attention_mask": torch.ones_like(ids), "do_sample": False, "max_new_tokens": n_new, **options}
    return model.generate(ids, **more)[0, len(prompt) :].tolist()


def trigrams(ids):
    return {tuple(ids[place : place + 3]) for place in range(len(ids) - 2)}


class BehindPrompt(NoRepeatNGramLogitsProcessor):
    def __init__(self, n, n_prompt):
        super().__init__(n)
        self.n_prompt = n_prompt

    def __call__(self, input_ids, scores):
        return super().__call__(input_ids[:, self.n_prompt :], scores)


prompt = [1, 7, 8, 9]
prompt += write(prompt, 40)  # greedy decoding of such a model goes round in a circle, which the text goes on with
text = write(prompt, 3)
behind = LogitsProcessorList([BehindPrompt(3, len(prompt))])
seen = {
    "left alone, the text copies three tokens of its prompt": bool(trigrams(text) & trigrams(prompt)),
    "with no_repeat_ngram_size=3, 40 tokens hold none": not (
        trigrams(write(prompt, 40, no_repeat_ngram_size=3)) & trigrams(prompt)
    ),
    "the same rule behind the prompt lets them be copied": write(prompt, 3, logits_processor=behind) == text,
}
for name, holds in seen.items():
    print(f"{name}: {holds}")
sys.exit(0 if all(seen.values()) else "changed: not all of these hold any more")
PYTHON
