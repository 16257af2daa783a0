"""Round templates, read from templates/*.toml: what a rater sees, the questions and the instructions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, cast, get_args

from annotation.schema import Attribute
from annotation.schema.tables import Table, TomlFile
from evaluation.rounds.questions import ABOUT, TYPES, About, Question

Form = Literal["single", "pair"]
Shows = Literal["source", "request", "reference"]
TEMPLATE_FOLDER = Path(__file__).parent / "templates"
MAX_QUESTIONS = 20
KEY = r"[a-z][a-z0-9-]{0,39}"
QUESTION_KEYS = ("key", "type", "text", "about", "hint", "values", "labels", "required")
MAX_TEXT = 4_000
TOP = (
    *("key", "name", "about", "form", "shows", "n", "raters_per_item", "per_attribute", "attribute_text"),
    *("intro", "source", "question", "definition", "example", "value_examples"),
)


@dataclass(frozen=True)
class Definition:
    term: str
    text: str


@dataclass(frozen=True)
class Example:
    """A worked example: what is shown, the right answers and why. `qualifies`: may be asked before the first item."""

    title: str
    source: str
    request: str
    summaries: tuple[str, ...]
    reference: str
    answers: Mapping[str, str]
    why: str
    qualifies: bool


@dataclass(frozen=True)
class RoundTemplate:
    """One template. per_attribute: the type of the question asked for each attribute, "" for none."""

    key: str
    name: str
    about: str
    form: Form
    shows: tuple[Shows, ...]
    n: int
    raters_per_item: int
    per_attribute: str
    attribute_text: str
    intro: str
    source: str
    questions: tuple[Question, ...]
    definitions: tuple[Definition, ...]
    examples: tuple[Example, ...]
    value_examples: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def template_keys() -> tuple[str, ...]:
    """The keys of the shipped templates, sorted."""
    return tuple(sorted(path.stem for path in TEMPLATE_FOLDER.glob("*.toml")))


@cache
def load_template(key: str) -> RoundTemplate:
    """Loads a shipped template. Raises KeyError for an unknown key."""
    return parse_template(template_text(key), f"{key}.toml")


def template_text(key: str) -> str:
    """The TOML text of a shipped template. Raises KeyError for an unknown key."""
    if key not in template_keys():
        raise KeyError(key)
    return (TEMPLATE_FOLDER / f"{key}.toml").read_text(encoding="utf-8")


@lru_cache(64)
def parse_template(text: str, name: str) -> RoundTemplate:
    """Parses a template from its TOML text (cached). Raises SchemaError naming file, line and key."""
    file = TomlFile(text, name)
    top = Table(file, (), file.data, TOP)
    return RoundTemplate(
        key=top.word("key", KEY, "lower-case letters, digits and hyphens"),
        name=top.text("name", most=200, blank=False),
        about=top.text("about", most=MAX_TEXT),
        form=cast(Form, top.choice("form", get_args(Form))),
        shows=tuple(_read_shows(top)),
        n=top.whole("n", 30, least=1, most=100_000),
        raters_per_item=top.whole("raters_per_item", 2, least=1, most=50),
        per_attribute=top.choice("per_attribute", ("", *TYPES), ""),
        attribute_text=top.template("attribute_text", ("label",), ""),
        intro=top.text("intro", most=MAX_TEXT),
        source=top.text("source", ""),
        questions=read_questions(top),
        definitions=tuple(
            Definition(entry.text("term", most=200), entry.text("text", most=MAX_TEXT))
            for entry in top.tables("definition", ("term", "text"), most=40)
        ),
        examples=tuple(_read_example(entry) for entry in top.tables("example", EXAMPLE_KEYS, most=40)),
        value_examples=_read_value_examples(top),
    )


def _read_shows(top: Table) -> list[Shows]:
    shows: list[Shows] = []
    for entry in top.items("shows", most=3):
        if entry not in get_args(Shows):
            top.fail("shows", f"may hold {', '.join(get_args(Shows))}, has {entry!r}"[:200])
        shows.append(cast(Shows, entry))
    return shows


def _read_value_examples(top: Table) -> dict[str, dict[str, str]]:
    """attribute -> value -> one example, for the line under a question."""
    data = top.data.get("value_examples", {})
    outer = top.table("value_examples", data if isinstance(data, dict) else ())
    examples = {}
    for attribute in outer.data:
        values = outer.data[attribute]
        examples[attribute] = outer.texts_by(attribute, values if isinstance(values, dict) else (), most=600)
    return examples


EXAMPLE_KEYS = ("title", "source", "request", "summaries", "reference", "answers", "why", "qualifies")


def _read_example(table: Table) -> Example:
    answers = table.data.get("answers", {})
    return Example(
        title=table.text("title", most=200),
        source=table.text("source", "", most=MAX_TEXT),
        request=table.text("request", "", most=600),
        summaries=tuple(read_texts(table, "summaries", max_items=2)),
        reference=table.text("reference", "", most=MAX_TEXT),
        answers=table.texts_by("answers", answers if isinstance(answers, dict) else (), most=200),
        why=table.text("why", most=MAX_TEXT),
        qualifies=table.flag("qualifies", False),
    )


def read_texts(table: Table, key: str, *, max_items: int, max_length: int = MAX_TEXT) -> list[str]:
    """A list of texts under a key; empty where it is absent."""
    entries: list[str] = []
    for entry in table.items(key, [], most=max_items):
        if not isinstance(entry, str):
            table.fail(key, "must hold texts only")
        table.check_text(key, entry, max_length)
        entries.append(entry)
    return entries


def read_questions(top: Table) -> tuple[Question, ...]:
    """The [[question]] tables of a file."""
    questions: list[Question] = []
    for table in top.tables("question", QUESTION_KEYS, most=MAX_QUESTIONS):
        question = _read_question(table)
        if any(question.key == other.key for other in questions):
            table.fail("key", f'"{question.key}" stands twice; every question needs a key of its own')
        questions.append(question)
    return tuple(questions)


def _read_question(table: Table) -> Question:
    kind = TYPES[table.choice("type", tuple(TYPES))]
    values = tuple(read_texts(table, "values", max_items=20, max_length=60)) or kind.default_values(None)
    if kind.needs_values and len(set(values)) < 2:
        table.fail("values" if "values" in table.data else "", f'needs at least two "values" for the type {kind.name}')
    labels = table.data.get("labels", {})
    return Question(
        key=table.word("key", KEY, "lower-case letters, digits and hyphens"),
        type=kind.name,
        text=table.text("text", most=600, blank=False),
        about=cast(About, table.choice("about", ABOUT, "summary")),
        hint=table.text("hint", "", most=600),
        values=values if kind.needs_values else (),
        labels=table.texts_by("labels", labels if isinstance(labels, dict) else (), most=200),
        required=table.flag("required", not kind.free),
    )


def attribute_question(attribute: Attribute, template: RoundTemplate, *, text: str = "") -> Question:
    """The question that a template asks for one attribute."""
    kind = TYPES[template.per_attribute]
    default_text = (
        template.attribute_text.format(label=attribute.label) if template.attribute_text else attribute.question
    )
    return Question(
        key=attribute.key,
        type=kind.name,
        text=text or default_text or f"Does the summary follow the requested {attribute.label.lower()}?",
        attribute=attribute.key,
        hint=attribute.guide,
        values=kind.default_values(attribute) if kind.needs_values else (),
        labels=kind.default_labels(attribute),
    )
