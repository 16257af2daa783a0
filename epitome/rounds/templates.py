"""Round templates, read from templates/*.toml: what a rater sees, the questions and the instructions."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from epitome.rounds.answer_texts import KEYS, MOST_TEXTS, NONE, BadAnswer
from epitome.rounds.marks import OMISSION
from epitome.rounds.question_traits import QuestionType
from epitome.rounds.question_types import ATTRIBUTE_TYPES, TYPES
from epitome.rounds.questions import ABOUT, About, Question, Why
from epitome.schema import Attribute
from epitome.schema.tables import Table, TomlFile

Form = Literal["single", "pair", "list"]
"""What a rater compares: one summary, two, or three and more."""
SHOWS = ("source", "request", "reference", "mark", "entities", "context")
"""mark: the changed words of a contrastive example; entities and context: those of an aggregation task."""
METADATA = "metadata:"
METADATA_FIELD = re.compile(METADATA + r"[A-Za-z0-9_-]{1,60}")
TEMPLATE_FOLDER = Path(__file__).parent / "templates"
PRESET_FOLDER = Path(__file__).parent / "presets"
"""Rounds that are written ready for a project."""
MAX_QUESTIONS = 20
KEY = r"[a-z][a-z0-9-]{0,39}"
QUESTION_KEYS = (
    *("key", "type", "text", "about", "hint", "values", "labels", "required"),
    *("why", "least", "most", "step", "severities", "omission"),
)
DEFAULT_SEVERITIES = {"minor": 1.0, "major": 5.0, "critical": 10.0}
"""The weights of MQM (Freitag et al. 2021), with critical errors apart."""
MOST_SEVERITIES = 5
MOST_STEPS = 1_000
MAX_TEXT = 4_000
TEMPLATE_KEYS = (
    *("key", "name", "about", "form", "shows", "n", "raters_per_item", "per_attribute", "attribute_text"),
    *("intro", "source", "question", "definition", "example", "value_examples"),
)


@dataclass(frozen=True)
class Definition:
    """attribute: only rounds that ask about it tell this term; "" for all rounds."""

    term: str
    text: str
    attribute: str = ""


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
    """One template. per_attribute: the type of the question asked for each attribute, "" for none.

    shows: what raters see beside the summaries: SHOWS, or metadata:FIELD of the source.
    """

    key: str
    name: str
    about: str
    form: Form
    shows: tuple[str, ...]
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

    @property
    def names_values(self) -> bool:
        """Whether raters name the value of each attribute, so that only attributes with values are asked about."""
        return bool(self.per_attribute) and TYPES[self.per_attribute].names_value

    def list_terms(self, asked: Collection[str]) -> list[Definition]:
        """The definitions that a round needs. asked: the attributes that its questions are about."""
        return [entry for entry in self.definitions if not entry.attribute or entry.attribute in asked]


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
    return read_template(Table(file, (), file.data, TEMPLATE_KEYS))


def read_template(top: Table) -> RoundTemplate:
    """A template from its table: the whole of a file, or [template] of a round's file. Raises SchemaError."""
    template = RoundTemplate(
        key=top.word("key", KEY, "lower-case letters, digits and hyphens"),
        name=top.text("name", most=200, blank=False),
        about=top.text("about", "", most=MAX_TEXT),
        form=cast(Form, top.choice("form", get_args(Form))),
        shows=tuple(_read_shows(top)),
        n=top.whole("n", 30, least=1, most=100_000),
        raters_per_item=top.whole("raters_per_item", 2, least=1, most=50),
        per_attribute=top.choice("per_attribute", ("", *ATTRIBUTE_TYPES), ""),
        attribute_text=top.template("attribute_text", ("label",), ""),
        intro=top.text("intro", most=MAX_TEXT),
        source=top.text("source", ""),
        questions=read_questions(top),
        definitions=tuple(
            Definition(
                entry.text("term", most=200), entry.text("text", most=MAX_TEXT), entry.text("attribute", "", most=60)
            )
            for entry in top.tables("definition", ("term", "text", "attribute"), most=40)
        ),
        examples=tuple(_read_example(entry) for entry in top.tables("example", EXAMPLE_KEYS, most=40)),
        value_examples=_read_value_examples(top),
    )
    _check_template(top, template)
    return template


def _check_template(top: Table, template: RoundTemplate) -> None:
    """Checks that involve several keys. Raises SchemaError."""
    if template.per_attribute and template.form != "single":
        top.fail("per_attribute", 'asks about one summary: use form = "single"')
    if "mark" in template.shows and template.form != "single":
        top.fail("shows", 'mark is for one text: use form = "single"')
    for table, question in zip(
        top.tables("question", QUESTION_KEYS, most=MAX_QUESTIONS), template.questions, strict=True
    ):
        if not fits_form(question, template.form):
            table.fail("about", f"is {question.about}, which the form {template.form} does not show")
        if question.asks.marks and "mark" in template.shows:
            table.fail("type", "span-errors does not go with the marks of contrastive examples")
    for table, example in zip(top.tables("example", EXAMPLE_KEYS, most=40), template.examples, strict=True):
        for question in template.questions:
            if question.key in example.answers:
                if question.asks.marks:
                    table.fail("answers", f'marks cannot be the answer of an example ("{question.key}"); use why')
                fitting = question.for_texts(len(example.summaries))
                try:
                    fitting.asks.read(fitting, example.answers[question.key])
                except BadAnswer as error:
                    table.fail("answers", f'"{question.key}" {error}')


def fits_form(question: Question, form: Form) -> bool:
    """Whether a form shows what a question is about."""
    return question.about in {"single": ("summary",), "pair": ("a", "b", "pair"), "list": ("list",)}[form]


def _read_shows(top: Table) -> list[str]:
    shows: list[str] = []
    for entry in top.items("shows", [], most=10):
        if not isinstance(entry, str) or not (entry in SHOWS or METADATA_FIELD.fullmatch(entry)):
            top.fail("shows", f"may hold {', '.join(SHOWS)} and {METADATA}FIELD, has {entry!r}"[:200])
        if entry in shows:
            top.fail("shows", f"names {entry} twice")
        shows.append(entry)
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
        summaries=tuple(read_texts(table, "summaries", max_items=MOST_TEXTS)),
        reference=table.text("reference", "", most=MAX_TEXT),
        answers=table.texts_by("answers", answers if isinstance(answers, dict) else (), most=200),
        why=table.text("why", "", most=MAX_TEXT),
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
    labels = table.data.get("labels", {})
    return Question(
        key=table.word("key", KEY, "lower-case letters, digits and hyphens"),
        type=kind.name,
        text=table.text("text", most=600, blank=False),
        about=_read_about(table, kind),
        hint=table.text("hint", "", most=600),
        values=_read_values(table, kind),
        labels=table.texts_by("labels", labels if isinstance(labels, dict) else (), most=200),
        required=table.flag("required", not kind.free),
        why=_read_why(table, kind),
        **_read_ends(table, kind),
        **_read_severities(table, kind),
    )


def _read_about(table: Table, kind: QuestionType) -> About:
    about = cast(About, table.choice("about", ABOUT, "list" if kind.arranges else "summary"))
    if kind.marks and about != "summary":
        table.fail("about", f'must be summary for the type {kind.name}, in a template with form = "single"')
    if kind.arranges and about != "list":
        table.fail("about", f'must be list for the type {kind.name}, in a template with form = "list"')
    if kind.compares_pairs and about == "list":
        table.fail("type", f"{kind.name} is for two summaries; use best-worst or ranking for a list")
    return about


def _read_values(table: Table, kind: QuestionType) -> tuple[str, ...]:
    values = tuple(read_texts(table, "values", max_items=20, max_length=60)) or kind.default_values(None)
    if kind.marks:
        return _check_categories(table, values)
    if not kind.needs_values:
        return ()
    if len(set(values)) < 2 or len(set(values)) < len(values):
        table.fail(
            "values" if "values" in table.data else "",
            f'needs at least two "values" for the type {kind.name}, all different',
        )
    if any(kind.refuses_value(value) for value in values):
        table.fail("values", f'hold no ";", and "{NONE}" is offered anyway')
    return values


def _check_categories(table: Table, values: tuple[str, ...]) -> tuple[str, ...]:
    """Categories of errors: none, or as many as there are digit keys."""
    if len(set(values)) < len(values) or len(values) > len(KEYS) or {"", OMISSION} & set(values):
        table.fail("values", f'are at most {len(KEYS)} different categories; "{OMISSION}" comes with omission = true')
    return values


def _read_severities(table: Table, kind: QuestionType) -> dict[str, Any]:
    """Severities of errors with their weights, and whether omissions are asked for; {} for other types."""
    if not kind.marks:
        for key in ("severities", "omission"):
            if key in table.data:
                table.fail(key, "goes with the type span-errors, and only with it")
        return {}
    declared = table.data.get("severities", DEFAULT_SEVERITIES)
    weights = table.numbers_by("severities", declared if isinstance(declared, dict) else ()) or DEFAULT_SEVERITIES
    if len(weights) > MOST_SEVERITIES or "" in weights or min(weights.values()) < 0:
        table.fail("severities", f"are a table of at most {MOST_SEVERITIES} names, each with a weight of 0 or more")
    return {"severities": tuple(weights.items()), "omission": table.flag("omission", False)}


def _read_why(table: Table, kind: QuestionType) -> Why:
    why = cast(Why, table.choice("why", get_args(Why), ""))
    if why and kind.free:
        table.fail("why", "does not go with a note, which is text itself")
    return why


def _read_ends(table: Table, kind: QuestionType) -> dict[str, Any]:
    """The ends and the step of a number; {} for other types, which must not have them."""
    if not kind.has_ends:
        for key in ("least", "most", "step"):
            if key in table.data:
                table.fail(key, "goes with the type number, and only with it")
        return {}
    minimum = table.number("least", 0.0, least=-1e6, most=1e6)
    maximum = table.number("most", 100.0, least=-1e6, most=1e6)
    step = table.number("step", 1.0, most=1e6)
    if minimum >= maximum:
        table.fail("most", f"must be above least, which is {minimum:g}")
    n_steps = (maximum - minimum) / step if step >= 1e-6 else 0.0
    if not 1 <= n_steps <= MOST_STEPS or abs(n_steps - round(n_steps)) > 1e-6:
        table.fail("step", f"must cut the scale into whole steps, at most {MOST_STEPS:,}")
    return {"minimum": minimum, "maximum": maximum, "step": step}


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
