#!/usr/bin/env bash
# transformers: a GenerationConfig that is passed to generate() is filled in from the model's own, sampling included.
#
# Expected: `model.generate(..., generation_config=config)` decodes as `config` says, greedily where it says nothing of
# sampling; the model's own generation_config.json counts where no config is passed.
# Seen with transformers 5.23.0: whatever the passed config leaves open is taken from `model.generation_config`. A
# repetition penalty there changes a text of a config that names none; `do_sample` there makes greedy decoding random.
# A value that is stated, even the neutral 1.0, is kept. So the same call writes other texts with other model folders:
# state every parameter, or empty `model.generation_config` before.
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
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM
from transformers.utils import logging

logging.set_verbosity_error()
torch.manual_seed(3)
shape = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
model = LlamaForCausalLM(LlamaConfig(bos_token_id=1, eos_token_id=2, pad_token_id=0, **shape)).eval()
prompt = torch.tensor([[1, 7, 8, 9]])


def write(config, **of_model):
    """What is written by a call with `config`, with a model whose own settings are `of_model`."""
    model.generation_config = GenerationConfig(**of_model)
    options = {"attention_mask": torch.ones_like(prompt), "generation_config": config}
    return model.generate(prompt, **options)[0, prompt.shape[1] :].tolist()


silent = GenerationConfig(max_new_tokens=12, pad_token_id=0)
stated = GenerationConfig(max_new_tokens=12, pad_token_id=0, repetition_penalty=1.0)
greedy = write(silent)
seen = {
    "greedy again": write(silent) == greedy,
    "the model's penalty counts": write(silent, repetition_penalty=5.0) != greedy,
    "a stated penalty is kept": write(stated, repetition_penalty=5.0) == greedy,
    "the model's do_sample counts": len({tuple(write(silent, do_sample=True)) for _ in range(5)}) > 1,
}
for name, holds in seen.items():
    print(f"{name}: {holds}")
sys.exit(0 if all(seen.values()) else "changed: not all of these hold any more")
PYTHON
