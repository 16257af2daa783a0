"""A model and its tokenizer from a folder of safetensors, complete or not at all."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from epitome.systems.neural.libraries import pick_device, pick_dtype, quiet_transformers
from epitome.systems.neural.quantized import quantization_arguments
from epitome.systems.neural.settings import Settings
from epitome.systems.neural.weights import find_weights, read_json, weights_hash
from epitome.systems.protocol import MissingWeights, SystemFault

Family = Literal["seq2seq", "causal"]
Head = Literal["seq2seq", "causal", "classifier"]
_CLASSES = {
    "seq2seq": "AutoModelForSeq2SeqLM",
    "causal": "AutoModelForCausalLM",
    "classifier": "AutoModelForSequenceClassification",
}


HEADS = ("classification_head.", "score.", "classifier.")
"""What the names of a classifier's own weights begin with."""


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


def load_classifier(settings: Settings) -> LoadedModel:
    """A model with a head of two classes, in evaluation mode. Raises MissingLibrary, MissingWeights, SystemFault."""
    folder = find_weights(settings.weights, settings.revision)
    device = pick_device(settings.device)
    model = load_model(folder, "classifier", pick_dtype(settings.dtype, device)).to(device)
    model.train(False)
    return LoadedModel(model, load_tokenizer(folder), device, weights_hash(folder), (folder,))


def family_of(folder: Path) -> Family:
    """Whether a folder's model has an encoder. Raises SystemFault."""
    config = read_json(folder / "config.json")
    if not config:
        raise MissingWeights(f"{folder} has no config.json")
    return "seq2seq" if config.get("is_encoder_decoder") else "causal"


def load_quantized(folder: Path, family: Family, dtype: str, device: Any) -> Any:
    """A model with weights of 8 or 4 bits, on its device. Raises MissingLibrary, SystemFault."""
    return load_model(folder, family, "auto", **quantization_arguments(dtype, device))


def load_model(folder: Path, family: Head, dtype: Any, *, new_head: bool = False, **changes: Any) -> Any:
    """All weights must be in the files: a missing one would be initialized at random. new_head: except a classifier's
    head, which is to be trained. changes: to the model's configuration, such as dropout. Raises SystemFault."""
    transformers = quiet_transformers()
    had = family_of(folder)
    if family != "classifier" and had != family:
        other = "has an encoder" if had == "seq2seq" else "has no encoder"
        raise SystemFault(f'{folder.name} {other}; its kind is "{had}", not "{family}"')
    try:
        model, report = getattr(transformers, _CLASSES[family]).from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False, dtype=dtype,
            output_loading_info=True, **changes,
        )  # fmt: skip
    except Exception as error:
        raise SystemFault(f"{folder}: the weights cannot be loaded: {_first_line(error)}") from error
    missing = [name for name in map(str, report["missing_keys"]) if not (new_head and name.startswith(HEADS))]
    if unlike := sorted(str(mismatch[0]) for mismatch in report["mismatched_keys"]):
        raise SystemFault(
            f"{folder}: {len(unlike)} weights are of another shape than its config.json says: {unlike[0]}"
        )
    if lacking := sorted(missing):
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
