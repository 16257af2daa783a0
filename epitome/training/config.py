"""A training configuration in TOML: model, data, method and resulting system. Errors name the key and the line."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from epitome.formats.fields import MAPPED_FIELDS
from epitome.formats.records import check_column_mapping
from epitome.formats.request_values import SEPARATORS
from epitome.schema import PRESETS, Schema, load_preset, parse_schema
from epitome.schema.load import SLUG
from epitome.schema.tables import Table, TomlFile
from epitome.systems.chat_judge import parse_options
from epitome.systems.chat_options import ChatOptions, read_prompt_texts
from epitome.systems.neural.decoder_prompts import ENDING, Template
from epitome.systems.neural.decoder_prompts import TEMPLATES as PROMPT_TEMPLATES
from epitome.systems.neural.decoding import Decoding, read_decoding
from epitome.systems.neural.prefixes import SITES
from epitome.systems.neural.settings import PICKS
from epitome.systems.ranking.inputs import INPUT_FORMS
from epitome.training.adapter_options import ADAPTER_TABLES, AdapterOptions, read_adapter_options
from epitome.training.optimisation import Optimisation, read_optimisation
from epitome.training.scratch import ARCHITECTURES, Scratch

Method = Literal[
    "vanilla", "hp", "sp", "hp+sp", "lora", "lorahub", "adapter", "adapter-fusion",
    "rank-logistic", "rank-generative", "rank-classifier",
]  # fmt: skip
METHODS: tuple[Method, ...] = get_args(Method)
RANK_METHODS = ("rank-logistic", "rank-generative", "rank-classifier")
"""Those that learn from ranking lists."""
MODEL_METHODS = ("vanilla", "hp", "hp+sp", "rank-generative", "rank-classifier")
"""Those that change the model's own weights."""
HARD_PROMPT_METHODS = ("hp", "hp+sp", "lora", "lorahub", "adapter", "adapter-fusion")
"""Those whose input holds every attribute, unless [prompt] says otherwise."""
TABLES = ("training", "scratch", "data", "prompt", "prefix", "optimisation", "decoding", "judge", *ADAPTER_TABLES)
TRAINING_PREFIX = "training:"
SHOWN_SAMPLES = 3


@dataclass(frozen=True)
class Data:
    """train, dev: files of samples (see epitome.formats.sample_files). dataset: one file with both splits instead,
    such as an export. dev_samples: how many of the dev samples are generated at each evaluation, evenly spread; 0: all.
    mapping, list_separator, text_from: of tables, see SampleFileOptions. lists: ranking lists as JSON lines, for the
    methods that rank. asks: only samples that ask for exactly these attributes; (): all. asks_at_least: only samples
    that ask for that many. shown_samples: dev samples whose summaries are kept at each evaluation, to be read."""

    train: Path | None = None
    dev: Path | None = None
    dataset: Path | None = None
    dev_samples: int = 0
    mapping: Mapping[str, str] | None = None
    list_separator: str = SEPARATORS[0]
    text_from: Path | None = None
    lists: Path | None = None
    asks: tuple[str, ...] = ()
    asks_at_least: int = 0
    shown_samples: int = SHOWN_SAMPLES

    @property
    def files(self) -> tuple[Path, ...]:
        paths = (self.train, self.dev, self.dataset, self.text_from, self.lists)
        return tuple(path for path in paths if path is not None)


@dataclass(frozen=True)
class Prompt:
    """attributes: those in the prompt. without: those removed from it. ending, template, texts: of decoder-only models,
    see CausalSettings, where `texts` is called prompt. aggregation_input: which parts of an aggregation task are
    read."""

    attributes: tuple[str, ...] = PICKS
    without: tuple[str, ...] = ()
    release_compat: bool = False
    max_source_tokens: int = 1024
    ending: str = ENDING
    template: Template = "auto"
    texts: Mapping[str, str] = field(default_factory=dict)
    aggregation_input: str = "full"

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(name for name in self.attributes if name not in self.without)


@dataclass(frozen=True)
class Prefix:
    """attributes: those whose values have vectors (the paper's HP+SP for documents has none for the length, which the
    prompt holds). length: vectors per value. none: further vectors for an attribute that is not asked for."""

    attributes: tuple[str, ...] = ()
    length: int = 50
    none: bool = False
    middle: int = 512
    combine: Literal["sum", "concat"] = "sum"
    sites: tuple[str, ...] = SITES


@dataclass(frozen=True)
class TrainingConfig:
    """One training. base: weights to start from, "" with a `scratch` model. schema: what the attributes mean.
    judge: the chat model that reads the focus of dev summaries; None: nobody does."""

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
    adapter: AdapterOptions = field(default_factory=AdapterOptions)
    optimisation: Optimisation = field(default_factory=Optimisation)
    decoding: Decoding = field(default_factory=Decoding)
    judge: ChatOptions | None = None
    text: str = ""

    @property
    def has_prefix(self) -> bool:
        return self.method in {"sp", "hp+sp"}

    @property
    def has_bottleneck(self) -> bool:
        return self.method in {"adapter", "adapter-fusion"}

    @property
    def trains_model(self) -> bool:
        """Whether the model's own weights change."""
        return self.method in MODEL_METHODS

    @property
    def ranks(self) -> bool:
        """Whether it learns from ranking lists."""
        return self.method in RANK_METHODS


RANKING_SCHEMA = parse_schema(
    'key = "ranking"\nname = "Rankings"\ndomain = "document"\nlanguage = "en"\n', needs_attributes=False
)
"""Of trainings on ranking lists, where nothing is controlled."""


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
    base = _resolve_weights(training, "base", folder, trained or {})
    scratch = _read_scratch(top) if "scratch" in top.data else None
    if method == "rank-logistic":
        if base or scratch is not None:
            training.fail("base", "has no meaning for rank-logistic, which starts from nothing")
    elif bool(base) == (scratch is not None):
        training.fail("base", "name the weights to start from, or describe a new model in [scratch], and not both")
    if schema is None:
        schema = RANKING_SCHEMA if method in RANK_METHODS else _read_schema(training, folder)
    return TrainingConfig(
        key=key,
        name=training.text("name", key, most=200, blank=False),
        method=method,
        seed=training.whole("seed", 42, least=0, most=2**31 - 1),
        schema=schema,
        base=base,
        revision=training.word("revision", r"[\w./-]{1,100}", "a branch, tag or commit", ""),
        scratch=scratch,
        data=_read_data(top, folder, data, schema),
        prompt=_read_prompt(top, method, schema),
        prefix=_read_prefix(top, schema),
        adapter=read_adapter_options(top, method, partial(_resolve_weights, folder=folder, trained=trained or {})),
        optimisation=read_optimisation(
            top, method, ranks=method in RANK_METHODS, is_frozen=method not in MODEL_METHODS
        ),
        decoding=read_decoding(top),
        judge=parse_options(top.table("judge", None)) if "judge" in top.data else None,
        text=text,
    )


def _resolve_weights(table: Table, key: str, folder: Path, trained: Mapping[str, Path]) -> str:
    """Weights on the hub or in a folder, or those of an earlier training; "" where none are named."""
    name = table.text(key, "", most=500)
    if name.startswith(TRAINING_PREFIX):
        earlier = name.removeprefix(TRAINING_PREFIX)
        if earlier not in trained:
            table.fail(key, f'there is no finished training "{earlier[:60]}" to start from; train it first')
        return str(trained[earlier])
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


def _read_data(top: Table, folder: Path, override: Data | None, schema: Schema) -> Data:
    known = ("train", "dev", "dataset", "dev_samples", "map", "list_separator", "text_from", "lists")
    table = top.table("data", (*known, "asks", "asks_at_least", "shown_samples"))
    choice: dict[str, Any] = {
        "dev_samples": table.whole("dev_samples", 0, least=0, most=1_000_000),
        "asks": _read_keys(table, "asks", [], [attribute.key for attribute in schema.attributes]),
        "asks_at_least": table.whole("asks_at_least", 0, least=0, most=100),
        "shown_samples": table.whole("shown_samples", SHOWN_SAMPLES, least=0, most=20),
    }
    mapping, separator = _read_mapping(table), table.choice("list_separator", SEPARATORS, SEPARATORS[0])
    text_from = _resolve_file(table, "text_from", folder) if "text_from" in table.data else None
    if override is not None:
        text_from = override.text_from or text_from
        separator = separator if override.list_separator == SEPARATORS[0] else override.list_separator
        columns = override.mapping or mapping
        return replace(override, mapping=columns, list_separator=separator, text_from=text_from, **choice)
    names = ("train", "dev", "dataset", "lists")
    paths: dict[str, Any] = {name: _resolve_file(table, name, folder) for name in names if name in table.data}
    if "dataset" in paths and len(paths) > 1:
        table.fail("dataset", "stands for both splits; leave out train and dev")
    return Data(mapping=mapping, list_separator=separator, text_from=text_from, **paths, **choice)


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
    known_keys = ("attributes", "without", "release_compat", "max_source_tokens", "aggregation_input")
    table = top.table("prompt", (*known_keys, "ending", "template", "texts"))
    known = [attribute.key for attribute in schema.attributes]
    hard = method in HARD_PROMPT_METHODS
    usual = known if hard else [attribute.key for attribute in schema.chosen]
    template: Any = table.choice("template", PROMPT_TEMPLATES, "auto")
    return Prompt(
        attributes=_read_keys(table, "attributes", usual, known),
        without=_read_keys(table, "without", [], known),
        release_compat=table.flag("release_compat", False),
        max_source_tokens=table.whole("max_source_tokens", 1024, least=8, most=1_000_000),
        ending=table.text("ending", ENDING, most=200),
        template=template,
        texts=read_prompt_texts(table, name="texts", sources=1),
        aggregation_input=table.choice("aggregation_input", INPUT_FORMS, "full"),
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
        none=table.flag("none", False),
        middle=table.whole("middle", 512, least=1, most=100_000),
        combine=combine,
        sites=tuple(sites),
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
