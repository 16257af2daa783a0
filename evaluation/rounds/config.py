"""A round's configuration: what a researcher writes, with everything left open filled in. Raises SchemaError."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from annotation.schema import Attribute, Schema
from annotation.schema.tables import Table, TomlFile
from evaluation.rounds.protocols import KEY, Protocol, names, of_attribute, protocol, questions_of, texts
from evaluation.rounds.questions import Question

ALGORITHM = "rounds@1"
APART = 10
TOP = ("round", "selection", "target", "questions", "question", "pairs", "reference", "quality", "exclusion", "foil")
ROUND = ("name", "template", "seed", "raters_per_item", "raters", "apart", "show", "qualification", "shown_as")
SELECTION = ("n", "count", "draw", "split", "stratify", "floor", "require_nonempty", "domain_from")
TARGET = ("kind", "key", "system", "run", "no_control")
QUESTIONS = ("attributes", "length", "extra", "note")
Kind = Literal["gold", "run"]
Count = Literal["samples", "questions"]
Draw = Literal["same", "independent"]
Pace = Literal["all", "one"]
By = Literal["targets", "value"]


@dataclass(frozen=True)
class Target:
    """What is judged. key: its name in the design and in exports. run: a run's id; system: a system's key, its newest
    finished run is meant. no_control: its outputs are shown under the request of another sample."""

    key: str
    kind: Kind
    system: str = ""
    run: str = ""
    no_control: bool = False


@dataclass(frozen=True)
class Selection:
    """Which samples. n: per target and domain; with count = "questions" at least n questions of every asked attribute.

    draw: the same samples for all targets, or others for each. floor: least samples for each value of `stratify`.
    require_nonempty: attributes that must ask for something. domain_from: a field of the sources' metadata that tells
    domains apart; the project's own domain where empty.
    """

    n: int = 30
    count: Count = "samples"
    draw: Draw = "same"
    split: str = ""
    stratify: str = ""
    floor: int = 0
    require_nonempty: tuple[str, ...] = ()
    domain_from: str = ""


@dataclass(frozen=True)
class Pairs:
    """How two summaries come side by side: every two targets for one sample, or one target's summaries of a source that
    were asked for different values of an attribute."""

    by: By = "targets"
    attribute: str = ""


@dataclass(frozen=True)
class Foil:
    """A topic or speaker that is absent from source and summary, confirmed by two members of the staff."""

    sample: str
    attribute: str
    values: tuple[str, ...]
    confirmed_by: tuple[str, str]


@dataclass(frozen=True)
class Quality:
    """Items that check raters: how many of each kind a rater meets. `copied`: the most copied n-grams (a share) that a
    paraphrase may have to be shown under a request to copy everything."""

    other_source: int = 0
    paraphrase: int = 0
    repeats: int = 0
    copied: float = 0.05
    absent: tuple[Foil, ...] = ()

    @property
    def foils(self) -> int:
        return self.other_source + self.paraphrase + len(self.absent)


@dataclass(frozen=True)
class Exclusion:
    """When a rater's answers are left out of all figures; fixed before the first answer. 0 and 1 switch a rule off.

    foils_failed: more than this share of foil answers wrong. self_agreement: less than this share of repeats answered
    alike. seconds: a median time per item below this.
    """

    foils_failed: float = 1.0
    self_agreement: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class RoundConfig:
    """One round. raters: user names; empty means every rater of the project. qualification: share of right answers on
    the worked examples that lets a rater begin, 0 for none."""

    name: str
    template: str
    seed: int
    raters_per_item: int
    raters: tuple[str, ...]
    apart: int
    show: Pace
    qualification: float
    shown_as: str
    selection: Selection
    targets: tuple[Target, ...]
    questions: tuple[Question, ...]
    pairs: Pairs
    reference: str
    quality: Quality
    exclusion: Exclusion
    algorithm: str = ALGORITHM

    @property
    def protocol(self) -> Protocol:
        return protocol(self.template)

    @property
    def form(self) -> str:
        return self.protocol.form

    @property
    def asked_attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.attribute for one in self.questions if one.attribute))

    def question(self, key: str) -> Question:
        """Raises KeyError."""
        for one in self.questions:
            if one.key == key:
                return one
        raise KeyError(key)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON values, in an order that does not change."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found


def parse_round(text: str, schema: Schema, name: str = "round.toml") -> RoundConfig:
    """The round that a TOML text asks for under a project's schema. Raises SchemaError naming file, line and key."""
    file = TomlFile(text, name)
    top = Table(file, (), file.data, TOP)
    head = top.table("round", ROUND)
    chosen = protocol(head.choice("template", names()))
    pairs = _pairs(top, schema)
    selection = _selection(top, schema, chosen)
    if pairs.by == "value" and selection.draw == "independent":
        top.table("selection", SELECTION).fail("draw", 'pairs by value take both summaries of one source: use "same"')
    config = RoundConfig(
        name=head.text("name", most=120, blank=False),
        template=chosen.key,
        seed=head.whole("seed", 1, least=0, most=2**53),
        raters_per_item=head.whole("raters_per_item", chosen.raters_per_item, least=1, most=50),
        raters=tuple(_unique(head, "raters")),
        apart=head.whole("apart", APART, least=1, most=1000),
        show=cast(Pace, head.choice("show", get_args(Pace), "all")),
        qualification=head.number("qualification", 0.0, most=1.0),
        shown_as=head.text("shown_as", "", most=60),
        selection=selection,
        targets=_targets(top),
        questions=_questions(top, schema, chosen),
        pairs=pairs,
        reference=top.table("reference", ("from",)).word(
            "from", r"gold|metadata:[A-Za-z0-9_-]{1,60}", "gold or metadata:FIELD", ""
        ),
        quality=_quality(top, schema),
        exclusion=_exclusion(top),
    )
    _check_whole(top, head, config)
    return config


def _check_whole(top: Table, head: Table, config: RoundConfig) -> None:
    """What only the parts together can tell."""
    shown = config.protocol.shows
    if 0 < len(config.raters) < config.raters_per_item:
        head.fail("raters", f"names {len(config.raters)}, but every item needs {config.raters_per_item}")
    if config.qualification and not any(each.qualifies for each in config.protocol.examples):
        head.fail("qualification", f"the template {config.template} has no example to answer beforehand")
    if "reference" in shown and not config.reference:
        top.fail("reference", 'is missing: this form shows a reference; set from = "gold" or "metadata:FIELD"')
    if "reference" not in shown and config.reference:
        top.fail("reference", f"the template {config.template} shows no reference; leave it out")
    if config.reference == "gold" and any(each.kind == "gold" for each in config.targets):
        top.fail("reference", "the shown reference would be a target itself; leave the target gold out")
    if config.form == "single" and "pairs" in top.data:
        top.fail("pairs", f"the template {config.template} shows one summary")
    if config.form == "pair" and config.pairs.by == "targets" and len(config.targets) < 2:
        top.fail("target", "a pair needs two targets; declare another one")
    if config.form == "pair" and config.quality.foils:
        top.fail("quality", "foils are made for one summary with its request; use repeats with pairs")
    if config.quality.foils and "request" not in shown:
        top.fail("quality", "foils need a request that is shown")


def _unique(table: Table, key: str) -> list[str]:
    found = texts(table, key, most=500, longest=150)
    if len(set(found)) != len(found):
        table.fail(key, "names somebody twice")
    return found


def _attribute(table: Table, key: str, value: str, schema: Schema) -> Attribute:
    found = schema.find(value)
    if found is None:
        table.fail(key, f'"{value[:40]}" is no attribute of the schema; there are '
                        f"{', '.join(each.key for each in schema.attributes)}")  # fmt: skip
    return found


def _selection(top: Table, schema: Schema, chosen: Protocol) -> Selection:
    table = top.table("selection", SELECTION)
    stratify = table.text("stratify", "", most=60)
    if stratify and _attribute(table, "stratify", stratify, schema).kind not in ("ordinal", "bins"):
        table.fail("stratify", "must be an attribute with fixed values")
    needed = texts(table, "require_nonempty", most=20, longest=60)
    for key in needed:
        if not _attribute(table, "require_nonempty", key, schema).candidate_kind:
            table.fail("require_nonempty", f'"{key}" always has a value; name attributes that people pick')
    n = table.whole("n", chosen.n, least=1, most=100_000)
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
    )


def _targets(top: Table) -> tuple[Target, ...]:
    found: list[Target] = []
    for table in top.tables("target", TARGET, most=40):
        target = _target(table)
        if any(target.key == other.key for other in found):
            table.fail("key", f'"{target.key}" stands twice; give each target a key of its own')
        found.append(target)
    if not found:
        top.fail("", "has no [[target]]; declare at least one")
    return tuple(found)


def _target(table: Table) -> Target:
    kind = cast(Kind, table.choice("kind", get_args(Kind), "run" if {"system", "run"} & set(table.data) else "gold"))
    system, run = table.text("system", "", most=60), table.text("run", "", most=60)
    no_control = table.flag("no_control", False)
    if kind == "gold" and (system or run):
        table.fail("kind", "gold has neither a system nor a run")
    if kind == "run" and bool(system) == bool(run):
        table.fail("", 'needs either "system" or "run"')
    usual = ("gold" if kind == "gold" else system or run[:40]) + ("-no-control" if no_control else "")
    return Target(table.text("key", usual, most=60, blank=False), kind, system, run, no_control)


def _questions(top: Table, schema: Schema, chosen: Protocol) -> tuple[Question, ...]:
    table = top.table("questions", QUESTIONS)
    found = [*_of_attributes(table, schema, chosen), *chosen.questions]
    known = {each.key: each for each in extras()}
    for key in texts(table, "extra", most=20, longest=60):
        if key not in known:
            table.fail("extra", f'there is no question "{key[:40]}"; there are {", ".join(known)}')
        found.append(known[key])
    found += questions_of(top)
    keys = [each.key for each in found]
    for key in keys:
        if keys.count(key) > 1:
            table.fail("", f'the question "{key}" would be asked twice')
    for each in found:
        if (each.about != "summary") != (chosen.form == "pair"):
            top.fail("question", f'"{each.key}" is about {each.about}, which this form does not show')
    if not found:
        table.fail("attributes", "leaves nothing to ask")
    return tuple(found)


def _of_attributes(table: Table, schema: Schema, chosen: Protocol) -> list[Question]:
    """One question for each asked attribute: those with a question of their own, unless the file names others."""
    if not chosen.per_attribute:
        for key in ("attributes", "length"):
            if key in table.data:
                table.fail(key, f"the template {chosen.key} asks nothing of single attributes")
        return []
    values_only = chosen.per_attribute == "value"
    wanted = texts(table, "attributes", most=30, longest=60)
    attributes = [_attribute(table, "attributes", key, schema) for key in wanted]
    if "attributes" not in table.data:
        counted = {"length"} if table.flag("length", False) else set()
        attributes = [each for each in schema.attributes if each.question or each.measure in counted]
        attributes = [each for each in attributes if each.values or not values_only]
    for each in attributes:
        if values_only and not each.values:
            table.fail("attributes", f'"{each.key}" has no fixed values to choose from')
    return [of_attribute(each, chosen) for each in attributes]


def extras() -> tuple[Question, ...]:
    """The questions that any round may ask beside those of its template."""
    path = Path(__file__).parent / "extras.toml"
    file = TomlFile(path.read_text(encoding="utf-8"), path.name)
    return questions_of(Table(file, (), file.data, ("question",)))


def _pairs(top: Table, schema: Schema) -> Pairs:
    table = top.table("pairs", ("by", "attribute"))
    by = cast(By, table.choice("by", get_args(By), "targets"))
    attribute = table.text("attribute", "", most=60)
    if (by == "value") != bool(attribute):
        table.fail("attribute", 'goes with by = "value", and only with it')
    if attribute and not _attribute(table, "attribute", attribute, schema).values:
        table.fail("attribute", "must have fixed values")
    return Pairs(by, attribute)


def _quality(top: Table, schema: Schema) -> Quality:
    table = top.table("quality", ("other_source", "paraphrase", "repeats", "copied"))
    return Quality(
        other_source=table.whole("other_source", 0, least=0, most=1000),
        paraphrase=table.whole("paraphrase", 0, least=0, most=1000),
        repeats=table.whole("repeats", 0, least=0, most=1000),
        copied=table.number("copied", 0.05, most=0.2),
        absent=tuple(_foil(each, schema) for each in top.tables("foil", FOIL, most=200)),
    )


FOIL = ("sample", "attribute", "values", "confirmed_by")


def _foil(table: Table, schema: Schema) -> Foil:
    attribute = table.text("attribute", most=60)
    if not _attribute(table, "attribute", attribute, schema).candidate_kind:
        table.fail("attribute", "must be topics or speakers")
    values = texts(table, "values", most=10, longest=200)
    if not values:
        table.fail("values", "must name what is absent")
    by = _unique(table, "confirmed_by")
    if len(by) != 2:
        table.fail("confirmed_by", f"must name two members of the staff, names {len(by)}")
    return Foil(table.text("sample", most=250, blank=False), attribute, tuple(values), (by[0], by[1]))


def _exclusion(top: Table) -> Exclusion:
    table = top.table("exclusion", ("foils_failed", "self_agreement", "seconds"))
    return Exclusion(
        foils_failed=table.number("foils_failed", 1.0, most=1.0),
        self_agreement=table.number("self_agreement", 0.0, most=1.0),
        seconds=table.number("seconds", 0.0, most=3600),
    )


def config_of(values: Mapping[str, Any]) -> RoundConfig:
    """The configuration of a frozen design, as `as_dict` gave it."""
    own = dict(values)
    own["selection"] = Selection(
        **{**own["selection"], "require_nonempty": tuple(own["selection"]["require_nonempty"])}
    )
    own["targets"] = tuple(Target(**each) for each in own["targets"])
    own["questions"] = tuple(Question(**{**each, "values": tuple(each["values"])}) for each in own["questions"])
    own["pairs"] = Pairs(**own["pairs"])
    quality = dict(own["quality"])
    quality["absent"] = tuple(
        Foil(
            each["sample"], each["attribute"], tuple(each["values"]), (each["confirmed_by"][0], each["confirmed_by"][1])
        )
        for each in quality["absent"]
    )
    own["quality"] = Quality(**quality)
    own["exclusion"] = Exclusion(**own["exclusion"])
    own["raters"] = tuple(own["raters"])
    return RoundConfig(**own)


__all__ = ["APART", "KEY", "RoundConfig", "Target", "config_of", "extras", "parse_round"]
