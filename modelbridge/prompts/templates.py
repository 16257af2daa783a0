"""The template files, and how their {places} are filled."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

SCHEMAS = (("macsum", "macsum"), ("ccsbench", "ccsbench"))
"""Beginning of a schema's key -> the template made for it."""
TEMPLATES = ("macsum", "ccsbench", "plain")
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Template:
    """One template file. parts: its texts by name; words: the same for each domain."""

    name: str
    parts: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]

    def fill(self, part: str, **places: str) -> str:
        """A part with its places filled. Raises KeyError for a part or place that the file has and nobody fills."""
        return fill_places(self.parts[part], places)


def fill_places(text: str, places: Mapping[str, str]) -> str:
    """The text with every {place} replaced, in one pass: what is filled in is not looked at again."""
    return _PLACE.sub(lambda match: places[match[1]], text)


@cache
def load_template(name: str) -> Template:
    """The template file of a name. Raises FileNotFoundError."""
    file = resources.files("modelbridge.prompts") / "chat" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    words = data.pop("words")
    return Template(
        name, {key: text.strip("\n") if key != "definitions" else text for key, text in data.items()}, words
    )


def template_name_for(schema_key: str) -> str:
    """The template made for a schema, "plain" for one that is not known."""
    return next((name for start, name in SCHEMAS if schema_key.startswith(start)), "plain")
