"""What instances are extracted from: an article, and the entities that it names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

EntityType = Literal["person", "location", "org"]
TYPES: tuple[EntityType, ...] = ("person", "location", "org")
ABSTRACT = -1
"""The number of the segment of a mention in the abstract."""
MAX_NAME = 200

_TYPE_NAMES: dict[str, EntityType] = {
    **dict.fromkeys(("person", "persons", "people", "per"), "person"),
    **dict.fromkeys(("location", "locations", "loc", "gpe", "place", "places"), "location"),
    **dict.fromkeys(("org", "orgs", "organization", "organizations", "organisation", "organisations"), "org"),
}


class Mention(NamedTuple):
    """Half-open range of code points in one segment, or in the abstract (segment -1)."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True)
class Entity:
    """aliases: other texts by which the article may call it."""

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Article:
    """key: unique in its project. sentences: its segments, in order."""

    key: str
    sentences: tuple[str, ...]
    abstract: str
    entities: tuple[Entity, ...]


class BadEntities(ValueError):
    """Entities in the metadata of an article that cannot be read; the message names the place."""


def parse_entity_type(value: object) -> EntityType | None:
    """person, location or org, from the usual names of these types; None for any other type."""
    return _TYPE_NAMES.get(value.strip().casefold()) if isinstance(value, str) else None


def read_entities(value: object) -> list[Entity]:
    """Entities of an article's metadata: a list of {name, type}. Other types are left out, a name counts once per type.

    Raises BadEntities for another shape.
    """
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadEntities("entities: must be a list of objects with name and type")
    entities: dict[tuple[str, str], Entity] = {}
    for index, row in enumerate(value):
        name = row.get("name") if isinstance(row, Mapping) else None
        if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME:
            raise BadEntities(f"entities[{index}].name: must be a text of 1 to {MAX_NAME} characters")
        if not isinstance(row.get("type"), str):
            raise BadEntities(f"entities[{index}].type: must be person, location or org")
        entity_type = parse_entity_type(row["type"])
        if entity_type is not None:
            clean = " ".join(name.split())
            entities.setdefault((clean, entity_type), Entity(clean, entity_type))
    return list(entities.values())


def read_abstract(metadata: Mapping[str, Any]) -> str:
    """The abstract in an article's metadata; "" where there is none."""
    abstract = metadata.get("abstract")
    return abstract if isinstance(abstract, str) else ""


# Words that open or close a name without being it.
_HONORIFICS = frozenset(
    (
        *("mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "president", "minister"),
        *("senator", "judge", "mayor", "captain", "rev", "father", "sister", "brother", "general", "colonel", "king"),
        *("queen", "prince", "princess", "pope", "saint", "st"),
    )
)
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "phd", "md"))
_COMPANY_WORDS = frozenset(
    ("inc", "ltd", "plc", "corp", "co", "gmbh", "ag", "llc", "company", "corporation", "limited", "group")
)
_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "di", "da", "del", "la", "le", "du", "bin", "al", "ter", "ten", "dos", "das")
)


def add_part_names(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities of one article, each with the parts of its name that nobody else's name could mean."""
    rows = list(entities)
    name_parts = [list_name_parts(entity.name, entity.type) for entity in rows]
    owners: dict[str, set[int]] = {}
    for index, entity in enumerate(rows):
        for text in {entity.name, *entity.aliases, *name_parts[index]}:
            owners.setdefault(text, set()).add(index)
    full_names = {entity.name for entity in rows}
    return tuple(
        Entity(
            entity.name,
            entity.type,
            tuple(
                dict.fromkeys(
                    text
                    for text in (*entity.aliases, *name_parts[position])
                    if owners[text] == {position} and text not in full_names
                )
            ),
        )
        for position, entity in enumerate(rows)
    )


def list_name_parts(name: str, entity_type: EntityType) -> list[str]:
    """Other texts that mean the same: a person's surname and name without title, an organization without "Ltd", a place
    without what follows its comma. "Lindqvist, Mara" is also looked for as "Mara Lindqvist"."""
    plain = re.sub(r"\s*\([^)]*\)\s*$", "", name).strip()
    if entity_type == "person":
        return _list_person_parts(plain, name)
    if entity_type == "location":
        texts = [plain, plain.split(",")[0].strip()]
    else:
        words = plain.replace(",", " ").split()
        while len(words) > 1 and words[-1].strip(".").casefold() in _COMPANY_WORDS:
            words.pop()
        texts = [plain, " ".join(words)]
    if plain.startswith("The "):
        texts.append(plain[4:])
    return [text for text in dict.fromkeys(texts) if len(text) > 1 and text != name]


def _list_person_parts(plain: str, name: str) -> list[str]:
    surname_first = plain.split(",")
    if len(surname_first) == 2 and surname_first[1].strip().strip(".").casefold() not in _SUFFIXES:
        plain = f"{surname_first[1].strip()} {surname_first[0].strip()}"
    words = plain.replace(",", " ").split()
    while len(words) > 1 and words[0].strip(".").casefold() in _HONORIFICS:
        words.pop(0)
    while len(words) > 1 and words[-1].strip(".").casefold() in _SUFFIXES:
        words.pop()
    texts = [plain, " ".join(words)]
    without_initials = [word for word in words if len(word.strip(".")) > 1]
    texts.append(" ".join(without_initials))
    if len(words) > 1:
        start = len(words) - 1
        while start > 1 and words[start - 1].casefold() in _PARTICLES:
            start -= 1
        texts += [" ".join(words[start:]), words[-1]]
    return [text for text in dict.fromkeys(texts) if len(text) > 1 and text != name]
