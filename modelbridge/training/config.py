"""A training configuration in TOML: model, data, method and resulting system. Errors name the key and the line."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from annotation.formats.fields import MAPPED_FIELDS
from annotation.formats.records import check_column_mapping
from annotation.formats.request_values import SEPARATORS
from annotation.schema import PRESETS, Schema, load_preset, parse_schema
from annotation.schema.load import SLUG
from annotation.schema.tables import Table, TomlFile
from modelbridge.systems.neural.decoding import Decoding, read_decoding
from modelbridge.systems.neural.prefixes import SITES
from modelbridge.systems.neural.settings import PICKS
from modelbridge.training.scratch import ARCHITECTURES, Scratch

Method = Literal["vanilla", "hp", "sp", "hp+sp", "lora"]
Selection = Literal["cer-rouge", "loss"]
METHODS = ("vanilla", "hp", "sp", "hp+sp", "lora")
SELECTIONS = ("cer-rouge", "loss")
TABLES = ("training", "scratch", "data", "prompt", "prefix", "lora", "optimisation", "decoding")
TRAINING_PREFIX = "training:"
PRECISIONS = ("auto", "bfloat16", "float32")


@dataclass(frozen=True)
class Data:
    """train, dev: files of samples (see annotation.formats.sample_files). dataset: one file with both splits instead,
    such as an export. dev_samples: how many of the dev samples are generated at each evaluation, evenly spread; 0: all.
    mapping, list_separator, text_from: of tables, see SampleFileOptions."""

    train: Path | None = None
    dev: Path | None = None
    dataset: Path | None = None
    dev_samples: int = 0
    mapping: Mapping[str, str] | None = None
    list_separator: str = SEPARATORS[0]
    text_from: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        paths = (self.train, self.dev, self.dataset, self.text_from)
        return tuple(path for path in paths if path is not None)


@dataclass(frozen=True)
class Prompt:
    """attributes: those in the prompt. without: those removed from it."""

    attributes: tuple[str, ...] = PICKS
    without: tuple[str, ...] = ()
    release_compat: bool = False
    max_source_tokens: int = 1024
    ending: str = "\nSummary:"

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(name for name in self.attributes if name not in self.without)


@dataclass(frozen=True)
class Prefix:
    """attributes: those whose values have vectors (the paper's HP+SP for documents has none for the length, which the
    prompt tells). length: vectors per value."""

    attributes: tuple[str, ...] = ()
    length: int = 50
    middle: int = 512
    combine: Literal["sum", "concat"] = "sum"
    sites: tuple[str, ...] = SITES


@dataclass(frozen=True)
class Lora:
    """targets: name suffixes of the layers that get an adapter; empty: peft's default for the model."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Optimisation:
    """learning_rate, weight_decay: of the model (or its adapters). prefix_...: of soft prefixes. steps:
    maximum updates; 0: limited by epochs only. evaluate_every: updates between evaluations and checkpoints. patience:
    evaluations without improvement until training stops; 0: never. selection: which weights are the best, see
    modelbridge.training.selection. precision: `auto` is bfloat16 if the device
    supports it."""

    learning_rate: float = 3e-5
    prefix_learning_rate: float = 3e-5
    weight_decay: float = 0.0
    prefix_weight_decay: float = 0.0
    warmup_steps: int = 500
    schedule: Literal["linear", "constant"] = "linear"
    batch_size: int = 6
    accumulation: int = 4
    epochs: int = 300
    steps: int = 0
    evaluate_every: int = 150
    log_every: int = 10
    patience: int = 0
    selection: Selection = "cer-rouge"
    checkpoints: int = 2
    max_grad_norm: float = 1.0
    label_smoothing: float = 0.0
    precision: str = "auto"
    gradient_checkpointing: bool = False
    device: str = "auto"


@dataclass(frozen=True)
class TrainingConfig:
    """One training. base: weights to start from, "" with a `scratch` model. schema: what the attributes mean."""

    key: str
    name: str
    method: Method
    seed: int
    schema: Schema
    base: str = ""
    revision: str = ""
    scratch: Scratch | None = None
    data: Data = field(default_factory=Data)
    prompt: Prompt = field(default_factory=Prompt)
    prefix: Prefix = field(default_factory=Prefix)
    lora: Lora = field(default_factory=Lora)
    optimisation: Optimisation = field(default_factory=Optimisation)
    decoding: Decoding = field(default_factory=Decoding)
    text: str = ""

    @property
    def has_prefix(self) -> bool:
        return self.method in {"sp", "hp+sp"}

    @property
    def trains_model(self) -> bool:
        """Whether the model's own weights change."""
        return self.method in {"vanilla", "hp", "hp+sp"}


def parse_training(
    text: str,
    name: str,
    folder: Path,
    *,
    data: Data | None = None,
    schema: Schema | None = None,
    trained: Mapping[str, Path] | None = None,
) -> TrainingConfig:
    """The training a TOML text declares.

    folder: base of relative paths of data, schema and base. data: replaces the files named in the text. schema: a
    project's schema, replaces the named one. trained: weights of earlier trainings by key, for
    `base = "training:KEY"`. Raises SchemaError.
    """
    file = TomlFile(text, name)
    top = Table(file, (), file.data, TABLES)
    if "training" not in top.data:
        top.fail("", "has no [training] table")
    known = ("key", "name", "method", "seed", "schema", "base", "revision")
    training = top.table("training", known)
    key = training.word("key", SLUG, "lower-case letters, digits and hyphens, beginning with a letter")
    method: Any = training.choice("method", METHODS)
    base = training.text("base", "", most=500)
    scratch = _read_scratch(top) if "scratch" in top.data else None
    if bool(base) == (scratch is not None):
        training.fail("base", "name the weights to start from, or describe a new model in [scratch], and not both")
    base = _resolve_base(training, base, folder, trained or {})
    schema = schema or _read_schema(training, folder)
    return TrainingConfig(
        key=key,
        name=training.text("name", key, most=200, blank=False),
        method=method,
        seed=training.whole("seed", 42, least=0, most=2**31 - 1),
        schema=schema,
        base=base,
        revision=training.word("revision", r"[\w./-]{1,100}", "a branch, tag or commit", ""),
        scratch=scratch,
        data=_read_data(top, folder, data),
        prompt=_read_prompt(top, method, schema),
        prefix=_read_prefix(top, schema),
        lora=_read_lora(top),
        optimisation=_read_optimisation(top),
        decoding=read_decoding(top),
        text=text,
    )


def _resolve_base(table: Table, name: str, folder: Path, trained: Mapping[str, Path]) -> str:
    """Weights on the hub or in a folder, or those of an earlier training."""
    if name.startswith(TRAINING_PREFIX):
        key = name.removeprefix(TRAINING_PREFIX)
        if key not in trained:
            table.fail("base", f'there is no finished training "{key[:60]}" to start from; train it first')
        return str(trained[key])
    return str(folder / name) if name and (folder / name).is_dir() else name


def _read_schema(table: Table, folder: Path) -> Schema:
    """A preset by its key, or a file with a schema of its own."""
    name = table.text("schema", blank=False)
    if name in PRESETS:
        return load_preset(name)
    path = folder / name
    if path.suffix != ".toml" or not path.is_file():
        table.fail("schema", f"is neither one of {', '.join(PRESETS)} nor a schema file: {name[:100]}")
    return parse_schema(path.read_text(encoding="utf-8"), path.name)


def _read_data(top: Table, folder: Path, override: Data | None) -> Data:
    table = top.table("data", ("train", "dev", "dataset", "dev_samples", "map", "list_separator", "text_from"))
    some = table.whole("dev_samples", 0, least=0, most=1_000_000)
    mapping, separator = _read_mapping(table), table.choice("list_separator", SEPARATORS, SEPARATORS[0])
    text_from = _resolve_file(table, "text_from", folder) if "text_from" in table.data else None
    if override is not None:
        text_from = override.text_from or text_from
        return replace(override, dev_samples=some, mapping=override.mapping or mapping, text_from=text_from)
    paths = {name: _resolve_file(table, name, folder) for name in ("train", "dev", "dataset") if name in table.data}
    if "dataset" in paths and len(paths) > 1:
        table.fail("dataset", "stands for both splits; leave out train and dev")
    return Data(dev_samples=some, mapping=mapping, list_separator=separator, text_from=text_from, **paths)


def _read_mapping(table: Table) -> dict[str, str] | None:
    """`map = { summary = "abstract" }`: our field -> column."""
    mapping = table.data.get("map")
    if mapping is None:
        return None
    try:
        return check_column_mapping(mapping, MAPPED_FIELDS)
    except (ValueError, TypeError) as error:
        table.fail("map", str(error))


def _resolve_file(table: Table, name: str, folder: Path) -> Path:
    path = folder / table.text(name, most=1000, blank=False)
    if not path.is_file():
        table.fail(name, f"there is no file {path}")
    return path


def _read_prompt(top: Table, method: Method, schema: Schema) -> Prompt:
    table = top.table("prompt", ("attributes", "without", "release_compat", "max_source_tokens", "ending"))
    known = [attribute.key for attribute in schema.attributes]
    hard = method in {"hp", "hp+sp", "lora"}
    usual = known if hard else [attribute.key for attribute in schema.chosen]
    return Prompt(
        attributes=_read_keys(table, "attributes", usual, known),
        without=_read_keys(table, "without", [], known),
        release_compat=table.flag("release_compat", False),
        max_source_tokens=table.whole("max_source_tokens", 1024, least=8, most=1_000_000),
        ending=table.text("ending", "\nSummary:", most=200),
    )


def _read_keys(table: Table, name: str, usual: list[str], known: list[str]) -> tuple[str, ...]:
    keys = table.items(name, usual, most=50)
    for entry in keys:
        if entry not in known:
            table.fail(name, f"{str(entry)[:40]!r} is no attribute of the schema; it has {', '.join(known)}")
    return tuple(keys)


def _read_prefix(top: Table, schema: Schema) -> Prefix:
    table = top.table("prefix", Prefix.__dataclass_fields__)
    ordered = [attribute.key for attribute in schema.sampled]
    attributes = _read_keys(table, "attributes", ordered, ordered)
    if ordered and not attributes:
        table.fail("attributes", f"must be some of {', '.join(ordered)}")
    sites = table.items("sites", list(SITES), most=3)
    if not sites or any(site not in SITES for site in sites):
        table.fail("sites", f"must be some of {', '.join(SITES)}")
    combine: Any = table.choice("combine", ("sum", "concat"), "sum")
    return Prefix(
        attributes=attributes,
        length=table.whole("length", 50, least=0, most=1000),
        middle=table.whole("middle", 512, least=1, most=100_000),
        combine=combine,
        sites=tuple(sites),
    )


def _read_lora(top: Table) -> Lora:
    table = top.table("lora", ("rank", "alpha", "dropout", "targets"))
    targets = table.items("targets", [], most=50)
    if not all(isinstance(name, str) for name in targets):
        table.fail("targets", "must be a list of texts")
    return Lora(
        rank=table.whole("rank", 16, least=1, most=4096),
        alpha=table.whole("alpha", 32, least=1, most=100_000),
        dropout=table.number("dropout", 0.0, most=0.99),
        targets=tuple(targets),
    )


def _read_scratch(top: Table) -> Scratch:
    table = top.table("scratch", Scratch.__dataclass_fields__)
    usual = Scratch()
    architecture: Any = table.choice("architecture", ARCHITECTURES, usual.architecture)
    sizes = {
        name: table.whole(name, getattr(usual, name), least=1, most=1_000_000)
        for name in ("width", "layers", "heads", "feed_forward", "positions", "vocabulary")
    }
    if sizes["width"] % sizes["heads"]:
        table.fail("width", f"must be a multiple of heads, which is {sizes['heads']}")
    return Scratch(architecture=architecture, dropout=table.number("dropout", 0.0, most=0.99), **sizes)


def _read_optimisation(top: Table) -> Optimisation:
    table = top.table("optimisation", Optimisation.__dataclass_fields__)
    usual = Optimisation()
    rates: Mapping[str, float] = {
        "learning_rate": 10, "prefix_learning_rate": 10, "weight_decay": 1, "prefix_weight_decay": 1,
        "max_grad_norm": 1e6, "label_smoothing": 0.99,
    }  # fmt: skip
    counts: Mapping[str, tuple[int, int]] = {
        "warmup_steps": (0, 10**7), "batch_size": (1, 4096), "accumulation": (1, 4096), "epochs": (1, 100_000),
        "steps": (0, 10**8), "evaluate_every": (1, 10**7), "log_every": (1, 10**6), "patience": (0, 10_000),
        "checkpoints": (1, 100),
    }  # fmt: skip
    schedule: Any = table.choice("schedule", ("linear", "constant"), usual.schedule)
    selection: Any = table.choice("selection", SELECTIONS, usual.selection)
    numbers: dict[str, Any] = {
        name: table.number(name, getattr(usual, name), most=high) for name, high in rates.items()
    }
    numbers |= {
        name: table.whole(name, getattr(usual, name), least=low, most=high) for name, (low, high) in counts.items()
    }
    return Optimisation(
        schedule=schedule,
        selection=selection,
        precision=table.choice("precision", PRECISIONS, usual.precision),
        gradient_checkpointing=table.flag("gradient_checkpointing", False),
        device=table.word("device", r"auto|cpu|cuda(:\d{1,2})?", '"auto", "cpu" or "cuda"', "auto"),
        **numbers,
    )
