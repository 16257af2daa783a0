#!/usr/bin/env bash
# transformers serve: a temperature above 0 changes nothing, unless the model's own settings say that it samples.
#
# Expected: a chat completion with "temperature": 1.5 is drawn at random, another one for another "seed", as of every
# server of OpenAI's protocol; or the server refuses what it does not do, as it refuses "top_k" (422).
# Seen with transformers 5.23.0: "temperature" is taken with status 200 and stored, but `do_sample` stays that of the
# model's generation_config.json, which is false where the file does not name it: every seed gives the greedy text. Only
# "temperature": 0 sets it, to false. So "five samples per source" of such a model are five times the same. With
# do_sample in the model's file the same request gives other texts.
set -euo pipefail
folder=$(mktemp -d)
server=0
trap '[ "$server" = 0 ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'transformers[serving]==5.23.0' fastapi==0.165.0 openai==3.57.0
cd "$folder"
export HF_HUB_OFFLINE=1
"$folder/venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

words = {word: place for place, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", *(f"w{n}" for n in range(96))])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
fast = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>",
    chat_template="{% for message in messages %}{{ message['content'] }} {% endfor %}",
)  # fmt: skip
torch.manual_seed(3)
shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
model = LlamaForCausalLM(LlamaConfig(vocab_size=100, bos_token_id=1, eos_token_id=2, pad_token_id=0, **shape))
for name in ("silent", "sampling"):
    model.generation_config.do_sample = name == "sampling"
    model.save_pretrained(name)
    fast.save_pretrained(name)
file = Path("silent/generation_config.json")
file.write_text(json.dumps({key: value for key, value in json.loads(file.read_text()).items() if key != "do_sample"}))
PYTHON
port=$("$folder/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/transformers" serve --host 127.0.0.1 --port "$port" --device cpu >"$folder/log" 2>&1 &
server=$!
"$folder/venv/bin/python" - "$port" "$folder" <<'PYTHON'
import json
import sys
import time
import urllib.error
import urllib.request

port, folder = sys.argv[1:]


def ask(model, **more):
    body = {"model": f"{folder}/{model}", "messages": [{"role": "user", "content": "w1 w2"}], "max_tokens": 8, **more}
    address, headers = f"http://127.0.0.1:{port}/v1/chat/completions", {"Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    for _ in range(240):
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return json.load(answer)["choices"][0]["message"]["content"]
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(1)
    sys.exit("the server did not start")


greedy = ask("silent", temperature=0)
hot = {ask("silent", temperature=1.5, seed=seed) for seed in range(4)}
drawn = {ask("sampling", temperature=1.5, seed=seed) for seed in range(4)}
seen = {
    "at temperature 1.5 four seeds give the greedy text": hot == {greedy},
    "with do_sample in the model's file they give several": len(drawn) > 1,
    "top_k is refused with 422": ask("silent", top_k=5) == 422,
}
for name, holds in seen.items():
    print(f"{name}: {holds}")
sys.exit(0 if all(seen.values()) else "changed: not all of these hold any more")
PYTHON
