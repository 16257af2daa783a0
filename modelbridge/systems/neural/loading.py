"""A model and its tokenizer from a folder of safetensors, complete or not at all."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from modelbridge.systems.neural.libraries import pick_device, pick_dtype, quiet_transformers
from modelbridge.systems.neural.settings import Settings
from modelbridge.systems.neural.weights import find_weights, read_json, weights_hash
from modelbridge.systems.protocol import MissingWeights, SystemFault

Family = Literal["seq2seq", "causal"]
_CLASSES = {"seq2seq": "AutoModelForSeq2SeqLM", "causal": "AutoModelForCausalLM"}


@dataclass
class LoadedModel:
    """hash: SHA-256 of all weights in use. folders: where they came from; prefixes and adapters append theirs."""

    model: Any
    tokenizer: Any
    device: Any
    hash: str
    folders: tuple[Path, ...]


def load_for_inference(settings: Settings, family: Family) -> LoadedModel:
    """The model in evaluation mode on its device. Raises MissingLibrary, MissingWeights, SystemFault."""
    folder = find_weights(settings.weights, settings.revision)
    device = pick_device(settings.device)
    model = load_model(folder, family, pick_dtype(settings.dtype, device)).to(device)
    model.train(False)
    return LoadedModel(model, load_tokenizer(folder), device, weights_hash(folder), (folder,))


def family_of(folder: Path) -> Family:
    """Whether a folder's model has an encoder. Raises SystemFault."""
    config = read_json(folder / "config.json")
    if not config:
        raise MissingWeights(f"{folder} has no config.json")
    return "seq2seq" if config.get("is_encoder_decoder") else "causal"


def load_model(folder: Path, family: Family, dtype: Any) -> Any:
    """All weights must be in the files: a missing one would be initialized at random. Raises SystemFault."""
    transformers = quiet_transformers()
    had = family_of(folder)
    if had != family:
        other = "has an encoder" if had == "seq2seq" else "has no encoder"
        raise SystemFault(f'{folder.name} {other}; its kind is "{had}", not "{family}"')
    try:
        model, report = getattr(transformers, _CLASSES[family]).from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False, dtype=dtype,
            output_loading_info=True,
        )  # fmt: skip
    except Exception as error:
        raise SystemFault(f"{folder}: the weights cannot be loaded: {_first_line(error)}") from error
    if lacking := sorted(map(str, report["missing_keys"])):
        raise SystemFault(f"{folder}: {len(lacking)} weights are missing, such as {lacking[0]}")
    return model


def load_tokenizer(folder: Path) -> Any:
    """Raises MissingWeights."""
    transformers = quiet_transformers()
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise MissingWeights(f"{folder}: no tokenizer can be loaded: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().partition("\n")[0] or type(error).__name__)[:200]
