"""Parses one [[attribute]] table: the keys of each kind, and the checks across keys."""

from dataclasses import replace
from typing import cast, get_args

from epitome.schema.attribute_kinds import ATTRIBUTE_KINDS, AttributeKind
from epitome.schema.declaration import Attribute, Band, BandOf, Domain, FilledBy
from epitome.schema.errors import describe_value, list_options
from epitome.schema.tables import Table

MAX_VALUES = 100  # more than a person can choose from or read about
VALUE_LENGTH = 60
_COMMON_KEYS = ("key", "label", "code", "kind", "filled_by", "measure", "guide", "question", "prompt")
_VALUE_KEYS = (
    "values",
    "value_labels",
    "value_guides",
    "value_examples",
    "aliases",
    "bands",
    "weights",
    "prompt_values",
)
_ORDER_KEYS = ("anchor",)
_PICK_KEYS = ("min_picks", "max_picks")
ATTRIBUTE_KEYS = (*_COMMON_KEYS, *_VALUE_KEYS, *_ORDER_KEYS, "edges", *_PICK_KEYS)
# Names used next to attributes in forms, prompts and exports.
RESERVED = ("source", "value", "summary", "title", "text", "segments", "spans")


def parse_attribute(table: Table, domain: Domain) -> Attribute:
    """The attribute of one table. Raises SchemaError."""
    key = _parse_key(table)
    kind = ATTRIBUTE_KINDS[table.choice("kind", tuple(ATTRIBUTE_KINDS))]
    known = _list_keys(kind)
    for name in table.data:
        if name not in known:
            table.fail(name, f"does not go with the kind {kind.name}; it has {', '.join(known)}")
    if kind.needs_dialogue and domain != "dialogue":
        table.fail("kind", f"{kind.name} need the domain dialogue")
    common = Attribute(
        key=key,
        label=table.text("label", most=60, blank=False),
        code=table.word("code", r"[^\W_]{1,6}", "1 to 6 letters or digits", key[:3].capitalize()),
        kind=kind.name,
        filled_by=_parse_filled_by(table, kind),
        measure=table.word("measure", r"[a-z][a-z0-9_]*", "the name of a measure", ""),
        guide=table.text("guide", most=4_000, blank=False),
        question=table.text("question", ""),
        prompt=table.template("prompt", ("value",), ""),
    )
    return _with_values(table, common) if kind.has_values else _with_picks(table, common)


def _list_keys(kind: AttributeKind) -> tuple[str, ...]:
    """The keys that a table of this kind may have."""
    if not kind.has_values:
        return (*_COMMON_KEYS, *_PICK_KEYS)
    order_keys = _ORDER_KEYS if kind.has_order else ()
    return (*_COMMON_KEYS, *_VALUE_KEYS, *order_keys, *(["edges"] if kind.has_edges else []))


def _parse_key(table: Table) -> str:
    key = table.word("key", r"[a-z][a-z0-9_]{0,39}", "lower-case letters, digits and _, beginning with a letter")
    if key in RESERVED:
        table.fail("key", f'"{key}" is reserved; reserved are {", ".join(RESERVED)}')
    return key


def _parse_filled_by(table: Table, kind: AttributeKind) -> FilledBy:
    """Values are filled by the sampler, picks by annotators."""
    expected: FilledBy = "sampler" if kind.has_values else "annotator"
    filled_by = cast(FilledBy, table.choice("filled_by", get_args(FilledBy), expected))
    if filled_by != expected:
        table.fail("filled_by", f"must be {expected} for the kind {kind.name}, is {filled_by}")
    return filled_by


def _with_picks(table: Table, common: Attribute) -> Attribute:
    min_picks = table.whole("min_picks", 0, least=0, most=MAX_VALUES)
    max_picks = table.whole("max_picks", max(5, min_picks), least=1, most=MAX_VALUES)
    if min_picks > max_picks:
        table.fail("min_picks", f"is {min_picks}, above max_picks, which is {max_picks}")
    return replace(common, min_picks=min_picks, max_picks=max_picks)


def _with_values(table: Table, common: Attribute) -> Attribute:
    edges = _parse_edges(table) if common.traits.has_edges else ()
    values = _parse_values(table, edges)
    return replace(
        common,
        values=values,
        value_labels=table.texts_by("value_labels", values, most=60),
        value_guides=table.texts_by("value_guides", values),
        value_examples=table.texts_by("value_examples", values),
        aliases=_parse_aliases(table, values),
        bands=_parse_bands(table, values) or _bin_bands(values, edges),
        weights=table.numbers_by("weights", values),
        anchor=_parse_anchor(table, values) if common.traits.has_order else "",
        edges=edges,
        prompt_values=table.texts_by("prompt_values", values, most=200),
    )


def _parse_anchor(table: Table, values: tuple[str, ...]) -> str:
    anchor = table.text("anchor", values[0])
    if anchor not in values:
        table.fail("anchor", f"must be one of {list_options(values)}, is {describe_value(anchor)}")
    return anchor


def _parse_edges(table: Table) -> tuple[int, ...]:
    entries = table.items("edges", most=MAX_VALUES)
    last = 0
    for edge in entries:
        if not isinstance(edge, int) or isinstance(edge, bool) or not last < edge <= 1_000_000:
            table.fail(
                "edges", f"must be whole numbers above 0 that rise; {describe_value(edge)} does not fit after {last}"
            )
        last = edge
    if not entries:
        table.fail("edges", "must not be empty")
    return tuple(entries)


def _parse_values(table: Table, edges: tuple[int, ...]) -> tuple[str, ...]:
    default_argument = {"default": [str(number) for number in range(len(edges))]} if edges else {}
    entries = table.items("values", most=MAX_VALUES, **default_argument)
    folded_values: list[str] = []
    for value in entries:
        if not isinstance(value, str) or not value.strip() or value != value.strip() or "\n" in value:
            table.fail(
                "values", f"must be texts on one line without blanks around them, one is {describe_value(value)}"
            )
        table.check_text("values", value, VALUE_LENGTH)
        if value.casefold() in folded_values:
            table.fail("values", f"{describe_value(value)} stands twice")
        folded_values.append(value.casefold())
    if not entries:
        table.fail("values", "must not be empty")
    if edges and len(entries) != len(edges):
        table.fail("values", f"has {len(entries)} entries, but there are {len(edges)} edges")
    return tuple(entries)


def _parse_aliases(table: Table, values: tuple[str, ...]) -> dict[str, str]:
    """Other spellings accepted on import: spelling -> value."""
    data = table.data.get("aliases", {})
    inner = table.table("aliases", data if isinstance(data, dict) else ())
    used_names = {value.casefold() for value in values}
    for alias in inner.data:
        inner.check_text(alias, alias, VALUE_LENGTH)
        if alias.casefold() in used_names:
            inner.fail(alias, f"{describe_value(alias)} is a value or an alias already")
        used_names.add(alias.casefold())
    return {alias: inner.choice(alias, values) for alias in inner.data}


def _parse_bands(table: Table, values: tuple[str, ...]) -> dict[str, Band]:
    outer = table.table("bands", values)
    bands: dict[str, Band] = {}
    for value in outer.data:
        inner = outer.table(value, ("of", "low", "high"))
        of = cast(BandOf, inner.choice("of", get_args(BandOf)))
        upper_limit = 10.0 if of == "relevant_words" else 1e6
        low = inner.number("low", 0.0, most=upper_limit)
        high = inner.number("high", most=upper_limit) if "high" in inner.data else None
        if high is not None and low > high:
            inner.fail("low", f"is {low:g}, above high, which is {high:g}")
        bands[value] = Band(of, low, high)
    return bands


def _bin_bands(values: tuple[str, ...], edges: tuple[int, ...]) -> dict[str, Band]:
    """The bins as bands in words, used when the file declares no bands."""
    lows = [0, *(edge + 1 for edge in edges)]
    return {value: Band("words", low, edge) for value, low, edge in zip(values, lows, edges, strict=False)}
