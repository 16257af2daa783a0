"""The options of a system that refines the drafts of another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, cast

from epitome.prompts.refinement import PLACES
from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.kinds import KINDS, Kind

Plan = Literal["all", "by-attribute", "search", "guide"]
PLANS: tuple[Plan, ...] = ("all", "by-attribute", "search", "guide")
Keep = Literal["last", "best"]
Range = tuple[float, float]
ANY = "any"
"""In place of a value: the range of every request of an attribute, such as topics, which have no fixed values."""
MOST_CALLS = 100


@dataclass(frozen=True)
class Budget:
    """What one sample may use, its first draft included. tokens: read and written; 0: no limit. cost: in the currency
    of the base's price; 0: no limit."""

    calls: int = 6
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True)
class RefineOptions:
    """base: the configuration of the system that writes. order: the attributes to begin with, by key; the others follow
    in the schema's order. keep: which draft is the output. bands: attribute -> value (or ANY) -> range of its measure,
    for attributes to which the schema gives none. prompt: own texts of what is said about a draft, by name."""

    base: SystemConfig
    plan: Plan = "all"
    order: tuple[str, ...] = ()
    keep: Keep = "last"
    budget: Budget = Budget()
    bands: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)
    prompt: Mapping[str, str] = field(default_factory=dict)

    @property
    def base_settings(self) -> Any:
        """The options of the base, for what looks for weights in settings."""
        return self.base.settings

    @property
    def base_kind(self) -> Kind:
        return KINDS[self.base.kind]

    @property
    def price(self) -> Any:
        """The price of the base's tokens; None where it states none."""
        return getattr(self.base.settings, "price", None)

    @property
    def examples(self) -> Any:
        """The worked examples that the base is shown; None where there are none."""
        return getattr(self.base.settings, "examples", None)


def parse_options(table: Table) -> RefineOptions:
    """The `[options]` of a configuration. Raises SchemaError."""
    table.only(("system", "base", "plan", "order", "keep", "budget", "bands", "prompt"))
    base = _read_base(table)
    plan = cast(Plan, table.choice("plan", PLANS, "all"))
    options = RefineOptions(
        base=base,
        plan=plan,
        order=_read_order(table),
        keep=cast(Keep, table.choice("keep", ("last", "best"), "best" if plan == "search" else "last")),
        budget=_read_budget(table.table("budget", ("calls", "tokens", "cost"))),
        bands=_read_bands(table),
        prompt=_read_prompt(table),
    )
    _check_together(table, options)
    return options


def _read_base(table: Table) -> SystemConfig:
    """A shipped configuration by its key, or one that is written here."""
    # `get`, not `in`: a form then offers the system as what has to be chosen, for a base written here needs the text.
    has_key, is_inline = table.data.get("system") is not None, table.data.get("base") is not None
    base = table.table("base", None)
    if has_key == is_inline:
        table.fail("system" if has_key else "", "names the system that writes the drafts: system or [options.base]")
    if not is_inline:
        return _find_shipped(table)
    base.only(("kind", "options"))
    kind = base.choice("kind", _list_refinable(base.data.get("kind")))
    options = base.table("options", None)
    settings = import_module(KINDS[kind].module).parse_options(options)
    return SystemConfig("base", kind, kind, options.data, table.file.text, settings)


def _list_refinable(given: object) -> list[str]:
    """The kinds whose drafts can be refined; those for tests are accepted, but not suggested."""
    return [kind.name for kind in KINDS.values() if kind.adjusts_by and (kind.listed or kind.name == given)]


def _find_shipped(table: Table) -> SystemConfig:
    from epitome.systems.registry import config_of, shipped_kinds

    refinable = _list_refinable(None)
    keys = [key for key, kind in shipped_kinds().items() if kind in refinable]
    return config_of(table.choice("system", keys))


def _read_order(table: Table) -> tuple[str, ...]:
    keys = table.items("order", [], most=30)
    if not all(isinstance(key, str) for key in keys):
        table.fail("order", "must list keys of attributes")
    if len(set(keys)) < len(keys):
        table.fail("order", "names an attribute twice")
    return tuple(keys)


def _read_budget(table: Table) -> Budget:
    return Budget(
        calls=table.whole("calls", Budget.calls, least=1, most=MOST_CALLS),
        tokens=table.whole("tokens", 0, least=0, most=1_000_000_000),
        cost=table.number("cost", 0.0, most=1e6),
    )


def _read_bands(table: Table) -> dict[str, dict[str, Range]]:
    bands = table.table("bands", None)
    return {key: _read_ranges(bands.table(key, None)) for key in bands.data}


def _read_ranges(table: Table) -> dict[str, Range]:
    ranges: dict[str, Range] = {}
    for value in table.data:
        limits = table.items(value, most=2)
        is_pair = len(limits) == 2 and all(type(limit) in (int, float) for limit in limits)
        if not is_pair or not 0 <= limits[0] <= limits[1] < 1e9:
            table.fail(value, "must be two numbers from 0, the lower first: [low, high]")
        ranges[value] = (float(limits[0]), float(limits[1]))
    return ranges


def _read_prompt(table: Table) -> dict[str, str]:
    prompt = table.table("prompt", tuple(PLACES))
    return {name: prompt.template(name, places).strip("\n") for name, places in PLACES.items() if name in prompt.data}


def _check_together(table: Table, options: RefineOptions) -> None:
    """Refuse what cannot work with the base or the plan. Raises SchemaError."""
    kind = options.base_kind
    in_words = kind.adjusts_by == "turns"
    if options.plan == "guide" and not in_words:
        table.fail("plan", f'"guide" asks the model to explain itself, and {kind.name} is asked nothing in words')
    if options.prompt and not in_words:
        table.fail("prompt", f"is for models that are asked in words, which {kind.name} is not")
    if options.plan == "search" and options.keep == "last":
        table.fail("keep", 'plan = "search" tries several drafts side by side, of which only the best is one to keep')
    if options.budget.tokens and not kind.counts_tokens:
        table.fail("budget", f"limits tokens, which {kind.name} does not count; limit the calls")
    if options.budget.cost and options.price is None:
        table.fail("budget", "limits the cost, but the base states no price ([options.base.options.price])")
