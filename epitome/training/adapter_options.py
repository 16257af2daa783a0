"""The tables of a training configuration about adapters: [lora], [bottleneck], [adapters], [search], [fusion]."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from epitome.schema.tables import Table

ADAPTER_TABLES = ("lora", "bottleneck", "adapters", "search", "fusion")
COMBINING_METHODS = ("lorahub", "adapter-fusion")
"""Methods that start from several trained adapters, which stay as they are."""


@dataclass(frozen=True)
class Lora:
    """targets: name suffixes of the layers that get an adapter; empty: peft's default for the model."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """How `lorahub` finds one weight per adapter. examples: drawn from the training examples by the training's seed.
    budget: evaluations of the objective. bound: largest absolute weight. l1: factor of the mean absolute weight. The
    defaults are those of LoRAHub's released code."""

    examples: int = 5
    budget: int = 40
    bound: float = 1.5
    l1: float = 0.05


@dataclass(frozen=True)
class Bottleneck:
    """reduction: the width of the model divided by the width inside an adapter."""

    reduction: int = 16


@dataclass(frozen=True)
class Fusion:
    """value_decay: factor of |V - I|^2, which keeps the value matrices near the identity."""

    value_decay: float = 1e-2


@dataclass(frozen=True)
class AdapterOptions:
    """folders: name -> folder of each trained adapter that is combined."""

    lora: Lora = field(default_factory=Lora)
    bottleneck: Bottleneck = field(default_factory=Bottleneck)
    folders: Mapping[str, str] = field(default_factory=dict)
    search: Search = field(default_factory=Search)
    fusion: Fusion = field(default_factory=Fusion)


def read_adapter_options(top: Table, method: str, resolve: Callable[[Table, str], str]) -> AdapterOptions:
    """resolve: (table, key) -> folder, as for `base`. Raises SchemaError."""
    return AdapterOptions(
        lora=_read_lora(top),
        bottleneck=_read_bottleneck(top),
        folders=_read_folders(top, method, resolve),
        search=_read_search(top),
        fusion=_read_fusion(top),
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


def _read_search(top: Table) -> Search:
    table, usual = top.table("search", Search.__dataclass_fields__), Search()
    return Search(
        examples=table.whole("examples", usual.examples, least=1, most=10_000),
        budget=table.whole("budget", usual.budget, least=1, most=100_000),
        bound=table.number("bound", usual.bound, least=1e-3, most=100),
        l1=table.number("l1", usual.l1, most=100),
    )


def _read_bottleneck(top: Table) -> Bottleneck:
    table = top.table("bottleneck", Bottleneck.__dataclass_fields__)
    return Bottleneck(table.whole("reduction", Bottleneck().reduction, least=1, most=10_000))


def _read_fusion(top: Table) -> Fusion:
    table = top.table("fusion", Fusion.__dataclass_fields__)
    return Fusion(table.number("value_decay", Fusion().value_decay, most=1e6))


def _read_folders(top: Table, method: str, resolve: Callable[[Table, str], str]) -> Mapping[str, str]:
    if "adapters" not in top.data:
        if method in COMBINING_METHODS:
            top.fail("adapters", f"{method} combines trained adapters; name at least two as name = folder")
        return {}
    table = top.table("adapters", None)
    if method not in COMBINING_METHODS:
        table.fail("", f"has no meaning for {method}; it is for {' and '.join(COMBINING_METHODS)}")
    if len(table.data) < 2:
        table.fail("", "must name at least two adapters as name = folder")
    for name in table.data:
        if not name.isidentifier() or not name.isascii():
            table.fail(name, "is no name of an adapter: letters, digits and _, beginning with a letter")
    return {name: resolve(table, name) for name in table.data}
