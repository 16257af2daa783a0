"""Parses the TOML text of a schema; errors name file, line and key."""

from dataclasses import replace
from typing import cast

from epitome.schema.attributes import ATTRIBUTE_KEYS, parse_attribute
from epitome.schema.declaration import (
    CODE_LENGTH,
    MOST_PER_SOURCE,
    Attribute,
    Domain,
    Grouping,
    Limits,
    Prompts,
    Schema,
    check_shares,
)
from epitome.schema.tables import Table, TomlFile

ALGORITHMS = ("uniform", "one-step", "macsum-release", "weighted", "balanced")
MAX_ATTRIBUTES = 30
_TOP_KEYS = ("key", "name", "domain", "language", "overlap", "sampling", "limits", "split", "prompt", "attribute")
SLUG = r"[a-z][a-z0-9-]{0,59}"


def parse_schema(toml_text: str, name: str = "schema.toml", *, needs_attributes: bool = True) -> Schema:
    """The schema declared by a TOML text. name: file name for error messages. needs_attributes: refuse a schema that
    declares none; some kinds of task have none. Raises SchemaError."""
    file = TomlFile(toml_text, name)
    top = Table(file, (), file.data, _TOP_KEYS)
    domain = cast(Domain, top.choice("domain", ("document", "dialogue")))
    schema = Schema(
        key=top.word("key", SLUG, "lower-case letters, digits and hyphens"),
        name=top.text("name", most=200, blank=False),
        domain=domain,
        language=top.word("language", r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", "a language tag such as en", "en"),
        attributes=_parse_attributes(top, domain, needs_attributes),
        sampling=_parse_sampling(top),
        limits=_parse_limits(top),
        shares=_parse_shares(top),
        overlap=top.whole("overlap", 1, least=1, most=50) if "overlap" in top.data else None,
    )
    if schema.longest_code > CODE_LENGTH:
        message = f"codes of a combination get {schema.longest_code} characters long, more than {CODE_LENGTH}"
        top.fail("attribute", f"{message}: declare fewer attributes, or values that begin differently")
    return _with_prompts(top, schema)


def _parse_attributes(top: Table, domain: Domain, needed: bool) -> tuple[Attribute, ...]:
    if "attribute" not in top.data:
        if not needed:
            return ()
        top.fail("", "has no [[attribute]]; declare at least one")
    attributes: list[Attribute] = []
    for table in top.tables("attribute", ATTRIBUTE_KEYS, most=MAX_ATTRIBUTES):
        attribute = parse_attribute(table, domain)
        for other in attributes:
            if other.key == attribute.key:
                table.fail("key", f'"{attribute.key}" stands twice; every attribute needs a key of its own')
            if other.code.casefold() == attribute.code.casefold():
                table.fail("code", f'"{attribute.code}" is the code of {other.key} already')
        attributes.append(attribute)
    if not attributes and needed:
        top.fail("attribute", "is empty; declare at least one")
    return tuple(attributes)


def _parse_sampling(top: Table) -> Grouping:
    known = ("algorithm", "group_size", "no_topic_group", "no_topic_size", "whole_groups")
    table = top.table("sampling", (*known, "samples_per_2000_words", "samples_per_source", "weights"))
    defaults = Grouping()
    if "samples_per_source" in table.data and "samples_per_2000_words" in table.data:
        table.fail("samples_per_source", "cannot stand beside samples_per_2000_words; give one of them")
    return Grouping(
        algorithm=table.choice("algorithm", ALGORITHMS, defaults.algorithm),
        group_size=table.whole("group_size", defaults.group_size, least=1, most=100),
        no_topic_group=table.flag("no_topic_group", defaults.no_topic_group),
        no_topic_size=table.whole("no_topic_size", defaults.no_topic_size, least=1, most=100),
        whole_groups=table.flag("whole_groups", defaults.whole_groups),
        per_2000_words=table.number("samples_per_2000_words", defaults.per_2000_words, least=0.01, most=2000),
        weights=table.word("weights", SLUG, "the name of a weights file", defaults.weights),
        per_source=table.whole("samples_per_source", 1, least=1, most=MOST_PER_SOURCE)
        if "samples_per_source" in table.data
        else None,
    )


def _parse_limits(top: Table) -> Limits:
    table = top.table("limits", ("summary_characters", "title_characters", "pick_characters"))
    defaults = Limits()
    return Limits(
        summary=table.whole("summary_characters", defaults.summary, least=1, most=1_000_000),
        title=table.whole("title_characters", defaults.title, least=1, most=10_000),
        pick=table.whole("pick_characters", defaults.pick, least=1, most=1_000),
    )


def _parse_shares(top: Table) -> tuple[int, int, int]:
    table = top.table("split", ("shares",))
    shares = table.items("shares", [80, 10, 10], most=100)
    if message := check_shares(shares):
        table.fail("shares", message)
    train, dev, test = shares
    return train, dev, test


def _with_prompts(top: Table, schema: Schema) -> Schema:
    """The schema with its prompts: their placeholders are the attributes just parsed."""
    table = top.table("prompt", ("hp", "segment_joiner"))
    places = (*(attribute.key for attribute in schema.attributes), "source")
    joiner = table.text("segment_joiner", Prompts().segment_joiner, most=40)
    return replace(schema, prompts=Prompts(hp=table.template("hp", places, ""), segment_joiner=joiner))
