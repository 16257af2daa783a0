"""Epitome's own share of the work with a real model: `python -m benchmarks.real_model causal|chat|training FOLDER`.

FOLDER: SmolLM2-135M-Instruct, as `python -m tools.local_adapter base FOLDER` writes it; `chat` needs only what
`make install-local` brings. Documents are those of MACSum's news dev file (--data, a folder with macdoc/val.json),
evenly spread by length.
Both ways take turns in one run (--rounds), so that what else the machine does hits both; the processor's seconds,
which it disturbs less, stand beside the clock's. One JSON line; exits 1 when a goal is missed.

causal: tokens of new text, the kind `causal` in float32 against `transformers.pipeline` at the best of --batches, on
the same conversations, greedy, as many tokens for each (--tokens). training: an update of LoRA by Epitome's trainer
against transformers' Trainer around a peft model, on the same rows. chat: the kind `chat` with four requests at once
against four threads that post the same bodies to the same server of llama.cpp; the processor's seconds are those of
this process, the server has its own.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.generation import Took, default_data, read_articles, timed
from epitome.schema import load_preset
from epitome.site.supervise import find_free_port
from epitome.systems import local_model
from epitome.systems.chat import ChatSystem
from epitome.systems.chat_client import ChatClient
from epitome.systems.chat_servers import read_servers
from epitome.systems.config import parse_config
from epitome.systems.protocol import Output, Request
from epitome.systems.registry import config_of, make_system
from epitome.training.config import parse_training
from epitome.training.data import Example
from epitome.training.shipped import shipped_text
from epitome.training.watching import NullWatch, Record

OVER_PIPELINE = 3.0
"""How many times as many tokens per second as the pipeline."""
OF_SERVER = 0.9
"""The share of what the server gives to requests without Epitome."""
OWN_SECONDS = 0.002
"""Of this process's processor, per request."""
OVER_PLAIN = 1.1
"""The longest step, in those of peft and transformers alone."""
AT_ONCE = 4
VALUES = {"length": "normal", "extractiveness": "normal", "specificity": "normal", "topic": ()}
SEED = 42


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=WORK)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=60, help="of each summary")
    parser.add_argument("--source-tokens", type=int, default=1024, help="sources are cut there, but for chat")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 4, 8], help="batch sizes of the pipeline")
    parser.add_argument("--batch-size", type=int, default=4, help="of training")
    parser.add_argument("--updates", type=int, default=4, help="of each round of training")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of MACSum's files")
    options = parser.parse_args()
    line = WORK[options.work](options)
    print(json.dumps({"benchmark": f"real_model {options.work}", **line}))
    return 0 if line["is_met"] else 1


def read_requests(options: argparse.Namespace) -> list[Request]:
    schema = load_preset("macsum-doc")
    _corpus, articles = read_articles(options.data, options.samples)
    return [
        Request(id=str(number), segments=({"speaker": "", "text": text},), values=VALUES, schema=schema)
        for number, text in enumerate(articles)
    ]


def take_turns(ways: dict[str, Callable[[], object]], n: int, rounds: int) -> dict[str, Took]:
    """Of each way the least that a round took, per sample, after one round that is not counted. n: samples."""
    for work in ways.values():
        work()
    taken: dict[str, list[Took]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            taken[name].append(timed(work, n))
    return {name: Took(*map(min, zip(*rows, strict=True))) for name, rows in taken.items()}


def describe_seconds(taken: dict[str, Took]) -> dict[str, Any]:
    return {name: {"wall": round(took.wall, 4), "processor": round(took.processor, 4)} for name, took in taken.items()}


def measure_causal(options: argparse.Namespace) -> dict[str, Any]:
    import transformers

    tokens = options.tokens
    system: Any = make_system(
        parse_config(
            f'[system]\nkey = "bench"\nkind = "causal"\n[options]\nweights = "{options.folder}"\ndevice = "cpu"\n'
            f'dtype = "float32"\nmax_source_tokens = {options.source_tokens}\n[options.decoding]\nbeams = 1\n'
            f"max_tokens = {tokens}\nmin_tokens = {tokens}\nno_repeat_ngram = 0\n"
        )
    )
    requests = read_requests(options)
    outputs: list[Output] = system.generate(requests)
    prompts = [output.prompt for output in outputs]
    loaded = transformers.AutoModelForCausalLM.from_pretrained(options.folder, dtype="float32")
    pipe = transformers.pipeline("text-generation", model=loaded, tokenizer=system.loaded.tokenizer, device="cpu")
    how = {"max_new_tokens": tokens, "min_new_tokens": tokens, "do_sample": False, "return_full_text": False}

    def run_pipe(batch: int) -> list[str]:
        rows = pipe(prompts, batch_size=batch, add_special_tokens=False, **how)
        return [row[0]["generated_text"].strip() for row in rows]

    ways: dict[str, Callable[[], object]] = {"ours": lambda: system.generate(requests)}
    ways |= {f"pipeline {batch}": partial(run_pipe, batch) for batch in options.batches}
    taken = take_turns(ways, len(requests), options.rounds)
    own = taken.pop("ours")
    best = min(taken, key=lambda name: taken[name].processor)
    ratio = taken[best].processor / own.processor
    return {
        "documents": len(requests),
        "tokens_read": [int(output.usage["prompt_tokens"]) for output in outputs],
        "tokens_per_second": {"ours": round(tokens / own.wall, 2), best: round(tokens / taken[best].wall, 2)},
        "seconds": describe_seconds({"ours": own, **taken}),
        "over_pipeline_by_processor": round(ratio, 3),
        "over_pipeline_by_clock": round(min(took.wall for took in taken.values()) / own.wall, 3),
        "same_texts": sum(
            output.text == text for output, text in zip(outputs, run_pipe(options.batches[0]), strict=True)
        ),
        "is_met": ratio >= OVER_PIPELINE,
    }


def measure_chat(options: argparse.Namespace) -> dict[str, Any]:
    text = config_of("smollm2-chat").text.replace("concurrency = 2", f"concurrency = {AT_ONCE}")
    text = text.replace("cache_prompt = false", "cache_prompt = true")  # less of the server's time, so ours shows more
    config = parse_config(text.replace("max_tokens = 120", f"max_tokens = {options.tokens}"))
    port = find_free_port()
    served = subprocess.Popen(local_model.serve_command(port), stderr=subprocess.DEVNULL)
    try:
        server = read_servers(local_model.server_setting(port))[local_model.SERVER]
        system = ChatSystem(config, ChatClient(server))
        requests = read_requests(options)
        bodies = [read_body(system, request) for request in requests]
        ways = {"ours": lambda: system.generate(requests), "requests alone": lambda: post_all(port, bodies)}
        taken = take_turns(ways, len(requests), options.rounds)
    finally:
        served.terminate()
        served.wait(60)
    own, alone = taken["ours"], taken["requests alone"]
    return {
        "documents": len(requests),
        "seconds": describe_seconds(taken),
        "share_of_server": round(alone.wall / own.wall, 3),
        "own_processor_ms": round(own.processor * 1000, 2),
        "is_met": alone.wall / own.wall >= OF_SERVER and own.processor <= OWN_SECONDS,
    }


def read_body(system: ChatSystem, request: Request) -> bytes:
    """The body that the system posts for a request."""
    from epitome.prompts.chat import summary_messages

    settings = system.settings
    messages, _cut = summary_messages(
        request, dict(request.values), words=settings.max_source_words, own_texts=settings.prompt
    )
    return json.dumps({"model": settings.model, "messages": messages, **settings.parameters, "seed": 0}).encode()


def post_all(port: int, bodies: Sequence[bytes]) -> list[int]:
    """The statuses of all answers, as many at once as the system has."""

    def post(body: bytes) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(post, bodies))


def measure_training(options: argparse.Namespace) -> dict[str, Any]:
    from epitome.training.methods import build_features, make_trainee
    from epitome.training.trainer import Evaluation, make_trainer

    config = parse_training(shipped_text("smollm2-macsum"), "bench.toml", options.folder)
    updates = options.updates
    optimisation = replace(
        config.optimisation, steps=updates, epochs=1000, evaluate_every=10**7, log_every=1, patience=0,
        precision="float32", weights_dtype="float32", device="cpu", warmup_steps=0, batch_size=options.batch_size,
    )  # fmt: skip
    prompt = replace(config.prompt, max_source_tokens=options.source_tokens)
    config = replace(config, optimisation=optimisation, prompt=prompt)
    size = optimisation.batch_size
    options.samples = size * updates
    examples = [Example(request, "A short text about it. " * 6, request.id) for request in read_requests(options)]

    def prepare() -> tuple[Any, list[dict[str, Any]]]:
        trainee = make_trainee(config, options.folder)
        return trainee, [dict(row) for row in build_features(trainee, examples)]

    trainee, rows = prepare()

    def train_ours() -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_trainer(trainee, rows, Evaluation(trainee, [], folder, NullWatch(), Record(folder))).train()

    plain = make_plain_trainer(options.folder, config, rows)
    taken = take_turns({"ours": train_ours, "peft and Trainer": plain}, updates, options.rounds)
    own, other = taken["ours"], taken["peft and Trainer"]
    return {
        "updates": updates,
        "batch": size,
        "tokens_of_rows": sorted(len(row["input_ids"]) for row in rows),
        "seconds": describe_seconds(taken),
        "over_plain_by_processor": round(own.processor / other.processor, 3),
        "over_plain_by_clock": round(own.wall / other.wall, 3),
        "is_met": own.processor / other.processor <= OVER_PLAIN,
    }


def make_plain_trainer(folder: Path, config: Any, rows: Sequence[dict[str, Any]]) -> Callable[[], None]:
    """What a script with peft and transformers does for the same updates; it saves nothing."""
    import peft
    import transformers

    optimisation, lora = config.optimisation, config.adapter.lora
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    base = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
    model = peft.get_peft_model(
        base, peft.LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=list(lora.targets))
    )

    def train() -> None:
        with tempfile.TemporaryDirectory() as place:
            arguments = transformers.TrainingArguments(
                output_dir=place, max_steps=optimisation.steps, per_device_train_batch_size=optimisation.batch_size,
                learning_rate=optimisation.learning_rate, save_strategy="no", report_to="none", use_cpu=True,
                logging_steps=1, disable_tqdm=True, seed=SEED,
            )  # fmt: skip
            trainer = transformers.Trainer(
                model=model, args=arguments, train_dataset=list(rows),
                data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, padding=True),
            )  # fmt: skip
            trainer.train()

    return train


WORK = {"causal": measure_causal, "chat": measure_chat, "training": measure_training}


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    sys.exit(main())
