"""The system that results from a training: as TOML, and during training around the model in memory."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from epitome.systems.causal import CausalSettings
from epitome.systems.config import SystemConfig, parse_config
from epitome.systems.neural.generating import NeuralGenerator
from epitome.systems.neural.loading import LoadedModel
from epitome.training.config import TrainingConfig
from epitome.training.methods import Trainee

LORA_METHODS = ("lora", "lorahub")
"""Methods whose result is one LoRA adapter; lorahub's is the merged one."""


def system_text(config: TrainingConfig, base: str, weights: Path, fingerprint: str) -> str:
    """The TOML of the trained system. base: the folder or hub name its base weights come from. fingerprint: the hash
    of the trained weights, so that another training gives a new revision."""
    weights_path = str(weights)
    if config.ranks:
        return _ranker_text(config, weights_path, fingerprint)
    options: dict[str, Any] = {
        "weights": weights_path if config.trains_model else base,
        "attributes": list(config.prompt.told),
        "release_compat": config.prompt.release_compat,
        "max_source_tokens": config.prompt.max_source_tokens,
    }
    kind = "seq2seq"
    if config.revision and not config.trains_model:
        options["revision"] = config.revision
    if config.has_prefix:
        kind = "soft-prefix"
        options |= {
            "prefixes": weights_path,
            "prefix_attributes": list(config.prefix.attributes),
        }
    if config.has_bottleneck:
        kind = "adapter-fusion"
        options["fused"] = weights_path
    tables = {"options.decoding": config.decoding.as_dict()}
    if config.method in LORA_METHODS:
        kind = "lora"
        options |= {"ending": config.prompt.ending, "template": config.prompt.template}
        tables = {"options.adapters": {"trained": weights_path}, **tables}
        if config.prompt.texts:
            tables["options.prompt"] = dict(config.prompt.texts)
    head = {"key": config.key, "kind": kind, "name": config.name}
    lines = [
        f"# trained weights: sha256 {fingerprint}",
        *format_table("system", head),
        *format_table("options", options),
    ]
    for name, values in tables.items():
        lines += format_table(name, values)
    return "\n".join(lines) + "\n"


def _ranker_text(config: TrainingConfig, weights: str, fingerprint: str) -> str:
    """A classifier, or a ranker by the likelihood that the trained generator gives each candidate."""
    options: dict[str, Any] = {"weights": weights, **_ranker_options(config)}
    kind = "rank-classifier"
    if config.method == "rank-generative":
        kind, options = "likelihood", {"scorer": "seq2seq-scorer", "by": "sum", **options}
    head = {"key": config.key, "kind": kind, "name": config.name}
    lines = [f"# trained weights: sha256 {fingerprint}", *format_table("system", head)]
    return "\n".join([*lines, *format_table("options", options)]) + "\n"


def _ranker_options(config: TrainingConfig) -> dict[str, Any]:
    prompt = config.prompt
    return {"aggregation_input": prompt.aggregation_input, "max_source_tokens": prompt.max_source_tokens}


def generator_text(config: TrainingConfig, weights: Path, fingerprint: str) -> str:
    """The TOML of the system that writes with the weights of a generative ranker; "" for other methods."""
    if config.method != "rank-generative":
        return ""
    head = {"key": f"{config.key}-writer"[:60], "kind": "seq2seq", "name": f"{config.name}, writing"[:200]}
    lines = [
        f"# trained weights: sha256 {fingerprint}",
        *format_table("system", head),
        *format_table("options", {"weights": str(weights), **_ranker_options(config)}),
        *format_table("options.decoding", config.decoding.as_dict()),
    ]
    return "\n".join(lines) + "\n"


def format_table(name: str, values: dict[str, Any]) -> list[str]:
    return [f"[{name}]", *(f"{key} = {format_toml_value(value)}" for key, value in values.items())]


def format_toml_value(value: Any) -> str:
    """A text, number, flag, list or table of them as TOML: JSON's form, except for tables."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key, ensure_ascii=False)} = {format_toml_value(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value, ensure_ascii=False)


def system_in_training(trainee: Trainee, *, record_attention: bool = False) -> NeuralGenerator:
    """The system around the current model. Its weights have no hash yet. record_attention: that to fused adapters."""
    config = trainee.config
    nowhere = Path("in-training")
    parsed = parse_config(system_text(config, str(trainee.base), nowhere, "none"), "system.toml")
    system = _make_generator(trainee, parsed, record_attention)
    system.adopt(LoadedModel(trainee.model, trainee.tokenizer, trainee.device, "", ()))
    return system


def _make_generator(trainee: Trainee, parsed: SystemConfig, record_attention: bool) -> NeuralGenerator:
    from epitome.systems.adapter_fusion import AdapterFused
    from epitome.systems.causal import Causal
    from epitome.systems.seq2seq import Seq2Seq
    from epitome.systems.soft_prefix import SoftPrefixed

    if trainee.prefix is not None:
        return SoftPrefixed.around(parsed, trainee.prefix)
    if trainee.stack is not None:
        return AdapterFused.around(parsed, trainee.stack, record_attention=record_attention)
    if isinstance(parsed.settings, CausalSettings) and trainee.family == "causal":
        return Causal(parsed, replace(parsed.settings, template=trainee.prompts.template))
    return Seq2Seq(parsed, parsed.settings)
