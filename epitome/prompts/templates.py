"""The template files, and how their {places} are filled."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

SCHEMAS = (("macsum", "macsum"), ("ccsbench", "ccsbench"))
"""Prefix of a schema's key -> name of the template for it."""
TEMPLATES = ("macsum", "ccsbench", "plain")
_PLACE = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Template:
    """One template file. texts: by name; words: place -> word, for each domain."""

    name: str
    texts: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]

    def fill(self, name: str, /, **places: str) -> str:
        """A text of the template with its places filled. Raises KeyError for an unknown text or an unfilled place."""
        return fill_places(self.texts[name], places)


def fill_places(text: str, places: Mapping[str, str]) -> str:
    """The text with every {place} replaced, in one pass: inserted text is not scanned again."""
    return _PLACE.sub(lambda match: places[match[1]], text)


@cache
def load_template(name: str) -> Template:
    """The template file of a name. Raises FileNotFoundError."""
    file = resources.files("epitome.prompts") / "chat" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    words = data.pop("words")
    return Template(
        name, {key: text.strip("\n") if key != "definitions" else text for key, text in data.items()}, words
    )


PLACES: Mapping[str, tuple[str, ...]] = {
    "system": ("explanations", "source", "requests"),
    "user": ("explanations", "source", "requests"),
    "explanation": ("name", "guide"),
    "value": ("value", "guide"),
    "request": ("request", "band"),
    "band": ("low", "high"),
    "pick": ("pick",),
    "none": (),
}
"""Texts of a template for summaries, and the places that each may have."""

REWRITE_PLACES: Mapping[str, tuple[str, ...]] = {
    "system": (),
    "readability": ("text",),
    "identification": ("text",),
    "paraphrase": ("text",),
    "retry": ("fault",),
}
"""Texts of the template for rewriting, and the places that each may have."""
NEEDED_PLACES: Mapping[str, str] = {"readability": "text", "identification": "text"}
"""Texts that would ask for a rewrite of nothing without this place."""


def own_template(base: str, texts: Mapping[str, str]) -> Template:
    """A shipped template with some of its texts replaced, by name in PLACES."""
    shipped = load_template(base)
    return Template(f"{base}, own prompt", {**shipped.texts, **texts}, shipped.words)


def template_name_for(schema_key: str) -> str:
    """The name of the template for a schema, "plain" for an unknown one."""
    return next((name for start, name in SCHEMAS if schema_key.startswith(start)), "plain")
