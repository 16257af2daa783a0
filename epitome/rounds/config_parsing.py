"""Parses a round's configuration from TOML, under a project's schema. Raises SchemaError."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from epitome.rounds import certainty_parsing, extra_rating_parsing
from epitome.rounds.answer_texts import FEWEST_TEXTS, MOST_TEXTS
from epitome.rounds.config import (
    APART,
    By,
    Count,
    Draw,
    Foil,
    Kind,
    Pace,
    PaidPer,
    Pairs,
    Pay,
    Quality,
    RoundConfig,
    Selection,
    Target,
)
from epitome.rounds.questions import Question
from epitome.rounds.rater_rules_parsing import read_exclusion, read_pausing
from epitome.rounds.template_writing import build_template_toml
from epitome.rounds.templates import (
    TEMPLATE_KEYS,
    RoundTemplate,
    attribute_question,
    fits_form,
    parse_template,
    read_questions,
    read_template,
    read_texts,
    template_keys,
    template_text,
)
from epitome.schema import Attribute, Schema
from epitome.schema.tables import Table, TomlFile

TOP = (
    *("round", "template", "selection", "target", "questions", "question", "pairs", "reference"),
    *("quality", "exclusion", "pausing", "foil", "pay", "crowd", "judge", "stopping"),
)
ROUND = (
    *("name", "template", "seed", "raters_per_item", "raters", "apart", "show", "qualification", "shown_as"),
    extra_rating_parsing.KEY,
)
COUNTED = ("n", "count", "draw", "stratify", "floor", "require_nonempty", "asks", *certainty_parsing.FOR_PEOPLE)
PER_RULE = ("per_rule", "not_dodged_by")
SELECTION = (*COUNTED, "split", "domain_from", *PER_RULE)
USUAL_PER_RULE = 25
"""Contrastive examples of each rule, as in the paper's check of 200."""
TARGET = ("kind", "key", "system", "run", "no_control")
QUESTIONS = ("attributes", "length", "extra", "note")


@dataclass(frozen=True)
class _ChosenTemplate:
    """The template of a round; toml: its text, "" for a shipped one."""

    template: RoundTemplate
    toml: str = ""


def parse_round(
    text: str, schema: Schema, name: str = "round.toml", templates: Mapping[str, str] | None = None
) -> RoundConfig:
    """Parses a round from TOML text, under a project's schema. templates: texts of templates of one's own, by the name
    that [round] template gives. Raises SchemaError naming file, line and key."""
    file = TomlFile(text, name)
    top = Table(file, (), file.data, TOP)
    head = top.table("round", ROUND)
    chosen = _choose_template(top, head, templates or {})
    template = chosen.template
    pairs = _read_pairs(top, schema)
    targets = _read_targets(top)
    selection = _read_selection(top, schema, template, is_contrastive=targets[0].is_contrastive)
    config = RoundConfig(
        name=head.text("name", most=120, blank=False),
        template=template.key,
        seed=head.whole("seed", 1, least=0, most=2**53),
        raters_per_item=head.whole("raters_per_item", template.raters_per_item, least=1, most=50),
        raters=tuple(_read_unique_texts(head, "raters")),
        apart=head.whole("apart", APART, least=1, most=1000),
        show=cast(Pace, head.choice("show", get_args(Pace), "all")),
        qualification=head.number("qualification", 0.0, most=1.0),
        shown_as=head.text("shown_as", "", most=60),
        selection=selection,
        targets=targets,
        questions=_collect_questions(top, schema, template, len(targets)),
        pairs=pairs,
        reference=_read_reference(top, template, is_contrastive=targets[0].is_contrastive),
        quality=_read_quality(top, schema),
        exclusion=read_exclusion(top),
        template_toml=chosen.toml,
        pay=_read_pay(top),
        items_per_person=_read_crowd(top),
        judging=certainty_parsing.read_judging(top),
        stopping=certainty_parsing.read_stopping(top),
        extra_ratings=extra_rating_parsing.read_extra_ratings(head),
        pausing=read_pausing(top),
    )
    _check_contrastives(top, config)
    _check_combination(top, head, config)
    _check_texts(top, config)
    certainty_parsing.check_certainty(top, _selection_table(top), config)
    extra_rating_parsing.check_extra_ratings(head, config)
    return config


def _choose_template(top: Table, head: Table, templates: Mapping[str, str]) -> _ChosenTemplate:
    """The template inside the file, or the one that [round] names: shipped, or one's own."""
    if "template" in top.data:
        if "template" in head.data:
            head.fail("template", "is named although the file holds a [template] itself; leave one of them out")
        inner = top.table("template", TEMPLATE_KEYS)
        return _ChosenTemplate(read_template(inner), build_template_toml(inner.data))
    shipped = template_keys()
    key = head.choice("template", (*shipped, *templates))
    toml = templates.get(key, "") if key not in shipped else ""
    file_name = key if key.endswith(".toml") else f"{key}.toml"
    return _ChosenTemplate(parse_template(toml or template_text(key), file_name), toml)


def _check_texts(top: Table, config: RoundConfig) -> None:
    """Whether pairs and lists of summaries come about. Raises SchemaError."""
    if config.pairs.by == "value" and config.selection.draw == "independent":
        _selection_table(top).fail("draw", 'pairs by value take both summaries of one source: use "same"')
    if config.form != "pair" and "pairs" in top.data:
        shows = "one summary" if config.form == "single" else "a list of summaries"
        top.fail("pairs", f"the template {config.template} shows {shows}")
    if config.form == "pair" and config.pairs.by == "targets" and len(config.targets) < 2:
        top.fail("target", "a pair needs two targets; declare another one")
    if config.form != "single" and config.quality.foils:
        top.fail("quality", "foils are made for one summary with its request; use repeats with pairs and lists")
    if config.form == "list":
        if not FEWEST_TEXTS <= len(config.targets) <= MOST_TEXTS:
            top.fail(
                "target",
                f"a list shows the summaries of all targets, {FEWEST_TEXTS} to {MOST_TEXTS}; "
                f"declared: {len(config.targets)}",
            )
        if config.selection.draw == "independent":
            _selection_table(top).fail("draw", 'a list takes all summaries of one sample: use "same"')


def _check_combination(top: Table, head: Table, config: RoundConfig) -> None:
    """Checks that involve several tables. Raises SchemaError."""
    shows = config.round_template.shows
    if 0 < len(config.raters) < config.raters_per_item and not config.items_per_person:
        head.fail("raters", f"names {len(config.raters)}, but every item needs {config.raters_per_item}")
    if config.qualification and not any(example.qualifies for example in config.round_template.examples):
        head.fail("qualification", f"the template {config.template} has no example to answer beforehand")
    if "reference" in shows and not config.reference:
        top.fail("reference", 'is missing: this form shows a reference; set from = "gold" or "metadata:FIELD"')
    if "reference" not in shows and config.reference:
        top.fail("reference", f"the template {config.template} shows no reference; leave it out")
    if config.reference == "gold" and any(target.is_gold for target in config.targets):
        top.fail("reference", "the shown reference would be a target itself; leave the target gold out")
    if config.quality.foils and "request" not in shows:
        top.fail("quality", "foils need a request that is shown")


def _check_contrastives(top: Table, config: RoundConfig) -> None:
    """Whether the target and the template fit contrastive examples. Raises SchemaError."""
    if not config.is_contrastive:
        if "mark" in config.round_template.shows:
            top.fail("target", 'the template marks changed words: use one [[target]] with kind = "contrastive"')
        for key in PER_RULE:
            if key in _selection_table(top).data:
                _selection_table(top).fail(key, 'goes with a target of kind = "contrastive", and only with it')
        return
    if len(config.targets) > 1:
        top.fail("target", "contrastive examples are the only target of their round")
    if config.form != "single":
        top.fail("target", f"contrastive examples are rated one at a time; {config.template} shows several texts")
    if config.quality.foils:
        top.fail("quality", "there are no foils of contrastive examples; use repeats")


def _read_unique_texts(table: Table, key: str) -> list[str]:
    values = read_texts(table, key, max_items=500, max_length=150)
    if len(set(values)) != len(values):
        table.fail(key, "names somebody twice")
    return values


def _find_attribute(table: Table, key: str, value: str, schema: Schema) -> Attribute:
    attribute = schema.find(value)
    if attribute is None:
        table.fail(key, f'"{value[:40]}" is no attribute of the schema; there are '
                        f"{', '.join(known.key for known in schema.attributes)}")  # fmt: skip
    return attribute


def _read_reference(top: Table, template: RoundTemplate, *, is_contrastive: bool) -> str:
    """Where the shown reference is from; of contrastive examples it is their gold."""
    table = top.table("reference", ("from",))
    usual = "gold" if is_contrastive and "reference" in template.shows else ""
    reference = table.word("from", r"gold|metadata:[A-Za-z0-9_-]{1,60}", "gold or metadata:FIELD", usual)
    if is_contrastive and reference not in ("", "gold"):
        table.fail("from", "must be gold: contrastive examples are shown beside the gold that they were made from")
    return reference


def _selection_table(top: Table) -> Table:
    return top.table("selection", SELECTION)


def _read_rules_selection(table: Table) -> Selection:
    """The selection of contrastive examples."""
    for key in COUNTED:
        if key in table.data:
            table.fail(key, "does not go with contrastive examples: per_rule says how many of each rule there are")
    return Selection(
        split=table.text("split", "", most=20),
        domain_from=table.text("domain_from", "", most=60),
        per_rule=table.whole("per_rule", USUAL_PER_RULE, least=1, most=10_000),
        not_dodged_by=table.text("not_dodged_by", "", most=200),
    )


def _read_selection(top: Table, schema: Schema, template: RoundTemplate, *, is_contrastive: bool) -> Selection:
    table = _selection_table(top)
    if is_contrastive:
        return _read_rules_selection(table)
    stratify = table.text("stratify", "", most=60)
    if stratify and not _find_attribute(table, "stratify", stratify, schema).has_values:
        table.fail("stratify", "must be an attribute with fixed values")
    needed = read_texts(table, "require_nonempty", max_items=20, max_length=60)
    for key in needed:
        if not _find_attribute(table, "require_nonempty", key, schema).candidate_kind:
            table.fail("require_nonempty", f'"{key}" always has a value; name attributes that people pick')
    asks = read_texts(table, "asks", max_items=20, max_length=60)
    for key in asks:
        _find_attribute(table, "asks", key, schema)
    n = table.whole("n", template.n, least=1, most=100_000)
    floor = table.whole("floor", 0, least=0, most=n)
    if floor and not stratify:
        table.fail("floor", 'needs "stratify": the attribute whose values are counted')
    return Selection(
        n=n,
        count=cast(Count, table.choice("count", get_args(Count), "samples")),
        draw=cast(Draw, table.choice("draw", get_args(Draw), "same")),
        split=table.text("split", "", most=20),
        stratify=stratify,
        floor=floor,
        require_nonempty=tuple(needed),
        domain_from=table.text("domain_from", "", most=60),
        asks=tuple(asks),
        for_people=certainty_parsing.read_for_people(table),
    )


def _read_targets(top: Table) -> tuple[Target, ...]:
    targets: list[Target] = []
    for table in top.tables("target", TARGET, most=40):
        target = _read_target(table)
        if any(target.key == other.key for other in targets):
            table.fail("key", f'"{target.key}" stands twice; give each target a key of its own')
        targets.append(target)
    if not targets:
        top.fail("", "has no [[target]]; declare at least one")
    return tuple(targets)


def _read_target(table: Table) -> Target:
    kind = cast(Kind, table.choice("kind", get_args(Kind), "run" if {"system", "run"} & set(table.data) else "gold"))
    system, run = table.text("system", "", most=60), table.text("run", "", most=60)
    no_control = table.flag("no_control", False)
    if kind != "run" and (system or run):
        table.fail("kind", f"{kind} has neither a system nor a run")
    if kind == "contrastive" and no_control:
        table.fail("no_control", "contrastive examples have no request of their own")
    if kind == "run" and bool(system) == bool(run):
        table.fail("", 'needs either "system" or "run"')
    usual = (system or run[:40] if kind == "run" else kind) + ("-no-control" if no_control else "")
    return Target(table.text("key", usual, most=60, blank=False), kind, system, run, no_control)


def _collect_questions(top: Table, schema: Schema, template: RoundTemplate, n_targets: int) -> tuple[Question, ...]:
    table = top.table("questions", QUESTIONS)
    questions = [*_attribute_questions(table, schema, template), *template.questions]
    known = {question.key: question for question in extra_questions()}
    for key in read_texts(table, "extra", max_items=20, max_length=60):
        if key not in known:
            table.fail("extra", f'there is no question "{key[:40]}"; there are {", ".join(known)}')
        questions.append(known[key])
    questions += read_questions(top)
    keys = [question.key for question in questions]
    for key in keys:
        if keys.count(key) > 1:
            table.fail("", f'the question "{key}" would be asked twice')
    for question in questions:
        if not fits_form(question, template.form):
            top.fail("question", f'"{question.key}" is about {question.about}, which this form does not show')
    if not questions:
        table.fail("attributes", "leaves nothing to ask")
    return tuple(question.for_texts(n_targets) for question in questions)


def _attribute_questions(table: Table, schema: Schema, template: RoundTemplate) -> list[Question]:
    """One question for each attribute that the file names, by default for each that has a question in the schema."""
    if not template.per_attribute:
        for key in ("attributes", "length"):
            if key in table.data:
                table.fail(key, f"the template {template.key} asks nothing of single attributes")
        return []
    values_only = template.names_values
    requested_keys = read_texts(table, "attributes", max_items=30, max_length=60)
    attributes = [_find_attribute(table, "attributes", key, schema) for key in requested_keys]
    if "attributes" not in table.data:
        counted = {"length"} if table.flag("length", False) else set()
        attributes = [
            attribute for attribute in schema.attributes if attribute.question or attribute.measure in counted
        ]
        attributes = [attribute for attribute in attributes if attribute.values or not values_only]
    for attribute in attributes:
        if values_only and not attribute.values:
            table.fail("attributes", f'"{attribute.key}" has no fixed values to choose from')
    return [attribute_question(attribute, template) for attribute in attributes]


def extra_questions() -> tuple[Question, ...]:
    """Optional questions that any round may add to those of its template."""
    path = Path(__file__).parent / "extras.toml"
    file = TomlFile(path.read_text(encoding="utf-8"), path.name)
    return read_questions(Table(file, (), file.data, ("question",)))


def _read_pairs(top: Table, schema: Schema) -> Pairs:
    table = top.table("pairs", ("by", "attribute"))
    by = cast(By, table.choice("by", get_args(By), "targets"))
    attribute = table.text("attribute", "", most=60)
    if (by == "value") != bool(attribute):
        table.fail("attribute", 'goes with by = "value", and only with it')
    values = _find_attribute(table, "attribute", attribute, schema).values if attribute else ()
    if attribute and not values:
        table.fail("attribute", "must have fixed values")
    return Pairs(by, attribute, tuple(values))


PAY = ("amount", "currency", "per")


def _read_pay(top: Table) -> Pay:
    """What raters are paid; without [pay] nothing is stated."""
    table = top.table("pay", PAY)
    if not table.data:
        return Pay()
    return Pay(
        amount=table.number("amount", least=0.01, most=1e6),
        currency=table.word("currency", "[A-Z]{3}", "a currency code such as USD"),
        per=cast(PaidPer, table.choice("per", get_args(PaidPer), "item")),
    )


def _read_crowd(top: Table) -> int:
    """Items of each person who comes by a crowd link; 0 without [crowd]."""
    if "crowd" not in top.data:
        return 0
    return top.table("crowd", ("items_per_person",)).whole("items_per_person", 0, least=1, most=100_000)


def _read_quality(top: Table, schema: Schema) -> Quality:
    table = top.table("quality", ("other_source", "paraphrase", "repeats", "copied"))
    return Quality(
        other_source=table.whole("other_source", 0, least=0, most=1000),
        paraphrase=table.whole("paraphrase", 0, least=0, most=1000),
        repeats=table.whole("repeats", 0, least=0, most=1000),
        copied=table.number("copied", 0.05, most=0.2),
        absent=tuple(_read_foil(foil_table, schema) for foil_table in top.tables("foil", FOIL, most=200)),
    )


FOIL = ("sample", "attribute", "values", "confirmed_by")


def _read_foil(table: Table, schema: Schema) -> Foil:
    attribute = table.text("attribute", most=60)
    if not _find_attribute(table, "attribute", attribute, schema).candidate_kind:
        table.fail("attribute", "must be topics or speakers")
    values = read_texts(table, "values", max_items=10, max_length=200)
    if not values:
        table.fail("values", "must name what is absent")
    by = _read_unique_texts(table, "confirmed_by")
    if len(by) != 2:
        table.fail("confirmed_by", f"must name two members of the staff, names {len(by)}")
    return Foil(table.text("sample", most=250, blank=False), attribute, tuple(values), (by[0], by[1]))
