"""The system that results from a training: as TOML, and during training around the model in memory."""

import json
from pathlib import Path
from typing import Any

from modelbridge.systems.causal import CausalSettings
from modelbridge.systems.config import SystemConfig, parse_config
from modelbridge.systems.neural.generating import NeuralGenerator
from modelbridge.systems.neural.loading import LoadedModel
from modelbridge.training.config import TrainingConfig
from modelbridge.training.methods import Trainee


def system_text(config: TrainingConfig, base: str, weights: Path, fingerprint: str) -> str:
    """The TOML of the trained system. base: the folder or hub name its base weights come from. fingerprint: the hash
    of the trained weights, so that another training gives a new revision."""
    weights_path = str(weights)
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
    tables = {"options.decoding": config.decoding.as_dict()}
    if config.method == "lora":
        kind = "lora"
        options["ending"] = config.prompt.ending
        tables = {"options.adapters": {"trained": weights_path}, **tables}
    head = {"key": config.key, "kind": kind, "name": config.name}
    lines = [
        f"# trained weights: sha256 {fingerprint}",
        *_format_table("system", head),
        *_format_table("options", options),
    ]
    for name, values in tables.items():
        lines += _format_table(name, values)
    return "\n".join(lines) + "\n"


def _format_table(name: str, values: dict[str, Any]) -> list[str]:
    # A JSON text, number, flag or list of them is also a TOML one.
    return [f"[{name}]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())]


def system_in_training(trainee: Trainee) -> NeuralGenerator:
    """The system around the current model. Its weights have no hash yet."""
    config = trainee.config
    nowhere = Path("in-training")
    parsed = parse_config(system_text(config, str(trainee.base), nowhere, "none"), "system.toml")
    system = _make_generator(trainee, parsed)
    system.adopt(LoadedModel(trainee.model, trainee.tokenizer, trainee.device, "", ()))
    return system


def _make_generator(trainee: Trainee, parsed: SystemConfig) -> NeuralGenerator:
    from modelbridge.systems.causal import Causal
    from modelbridge.systems.seq2seq import Seq2Seq
    from modelbridge.systems.soft_prefix import SoftPrefixed

    if trainee.prefix is not None:
        return SoftPrefixed.around(parsed, trainee.prefix)
    if isinstance(parsed.settings, CausalSettings) and trainee.family == "causal":
        return Causal(parsed, parsed.settings)
    return Seq2Seq(parsed, parsed.settings)
