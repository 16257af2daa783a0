"""A weights file: relative frequencies for the samplers `weighted` and `macsum-release`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

from epitome.schema.declaration import Schema
from epitome.schema.tables import Table, TomlFile

Values = Mapping[str, str]


@dataclass(frozen=True)
class Variant:
    """The values of one variant and how often it is drawn, relative to the others."""

    values: Values
    weight: float


@dataclass(frozen=True)
class Weights:
    """marginals: attribute -> value -> weight. opening: the samples of a group without topic, in order. anchor: the
    first sample of every other group; variants: the pool of its later samples. Attributes missing from a set of
    values get their anchor (opening, anchor) or a uniformly drawn value (variants)."""

    marginals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    opening: tuple[Values, ...] = ()
    anchor: Values = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()


def parse_weights(toml_text: str, schema: Schema, name: str = "weights.toml") -> Weights:
    """Parses the TOML text of weights for a schema. Raises SchemaError with file, line and key."""
    file = TomlFile(toml_text, name)
    top = Table(file, (), file.data, ("marginals", "release"))
    sampled = {attribute.key: attribute for attribute in schema.sampled}
    marginals = top.table("marginals", sampled)
    release = top.table("release", ("opening", "anchor", "variants"))
    variants = release.tables("variants", ("values", "weight"), most=10_000)
    parsed_variants = tuple(
        Variant(_parse_values(table, schema), table.number("weight", most=1e9)) for table in variants
    )
    if parsed_variants and not any(variant.weight for variant in parsed_variants):
        release.fail("variants", "needs a weight above 0")
    return Weights(
        marginals={key: marginals.numbers_by(key, sampled[key].values) for key in marginals.data},
        opening=tuple(_check_values(table, schema) for table in release.tables("opening", sampled, most=100)),
        anchor=_check_values(release.table("anchor", sampled), schema),
        variants=parsed_variants,
    )


def _parse_values(table: Table, schema: Schema) -> Values:
    return _check_values(table.table("values", [attribute.key for attribute in schema.sampled]), schema)


def _check_values(table: Table, schema: Schema) -> Values:
    return {key: table.choice(key, schema.attribute(key).values) for key in table.data}


def load_weights(name: str, schema: Schema) -> Weights:
    """A weights file shipped with the program, parsed for a schema. Raises ValueError for an unknown name, and
    SchemaError (a ValueError) when it does not fit the schema."""
    folder = resources.files("epitome.schema") / "presets" / "weights"
    known = sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))
    if name not in known:
        raise ValueError(f'there is no weights file "{name}"; there are {", ".join(known)}')
    text = folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse_weights(text, schema, name=f"weights/{name}.toml")
