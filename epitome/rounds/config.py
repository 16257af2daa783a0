"""A round's configuration: the researcher's TOML with all defaults filled in."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from epitome.rounds.certainty import (
    ForPeople,
    Judging,
    Stopping,
    read_frozen_judging,
    read_frozen_stopping,
)
from epitome.rounds.questions import Question
from epitome.rounds.templates import RoundTemplate, load_template, parse_template

ALGORITHM = "rounds@1"
APART = 10
Kind = Literal["gold", "run", "contrastive"]
Count = Literal["samples", "questions"]
Draw = Literal["same", "independent"]
Pace = Literal["all", "one"]
By = Literal["targets", "value"]
PaidPer = Literal["item", "hour"]


@dataclass(frozen=True)
class Target:
    """What is judged. key: its name in the design and in exports. run: a run's id; system: a system's key, meaning its
    newest finished run. no_control: its outputs are shown under the request of another sample. contrastive: examples
    made from golds, each an item of its own."""

    key: str
    kind: Kind
    system: str = ""
    run: str = ""
    no_control: bool = False

    @property
    def is_gold(self) -> bool:
        return self.kind == "gold"

    @property
    def is_run(self) -> bool:
        return self.kind == "run"

    @property
    def is_contrastive(self) -> bool:
        return self.kind == "contrastive"


@dataclass(frozen=True)
class Selection:
    """Samples to select. n: per target and domain; with count = "questions" at least n questions of every attribute.

    draw: the same samples for all targets, or separate ones for each. floor: minimum for each value of `stratify`.
    require_nonempty: attributes that must ask for something. domain_from: a field of the sources' metadata that names
    the domain; the project's own domain where empty.

    Of contrastive examples there are per_rule of every rule, and none of the counts above. not_dodged_by: id or label
    of the run of a scorer; only examples that it did not dodge are drawn.
    """

    n: int = 30
    count: Count = "samples"
    draw: Draw = "same"
    split: str = ""
    stratify: str = ""
    floor: int = 0
    require_nonempty: tuple[str, ...] = ()
    domain_from: str = ""
    per_rule: int = 0
    not_dodged_by: str = ""
    asks: tuple[str, ...] = ()
    """Only samples that ask for exactly these attributes; empty: whatever they ask for."""
    for_people: ForPeople = field(default_factory=ForPeople)


@dataclass(frozen=True)
class Pairs:
    """How pairs of summaries are formed: every two targets for one sample, or one target's summaries of a source with
    different requested values of an attribute. values: of the attribute in the schema's order, the lowest first."""

    by: By = "targets"
    attribute: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Foil:
    """A topic or speaker that is absent from source and summary, confirmed by two members of the staff."""

    sample: str
    attribute: str
    values: tuple[str, ...]
    confirmed_by: tuple[str, str]


@dataclass(frozen=True)
class Quality:
    """Quality-control items: how many of each kind a rater sees. `copied`: maximum share of copied n-grams of a
    paraphrase that is shown under a request to copy everything."""

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
class Pausing:
    """When a rater gets no more items until staff resume them; their answers count all the same. 0 switches a rule off.

    foils_wrong: this many wrong answers to foils. seconds: a median active time of the latest `window` items below
    this. same_answers: this many items in a row with the same answer to each question.
    """

    foils_wrong: int = 0
    seconds: float = 0.0
    same_answers: int = 0
    window: int = 10


@dataclass(frozen=True)
class Pay:
    """What raters are paid: an amount of a currency for each item, or for each hour; amount 0: not stated."""

    amount: float = 0.0
    currency: str = ""
    per: PaidPer = "item"


@dataclass(frozen=True)
class RoundConfig:
    """One round. raters: user names; empty means every rater of the project. qualification: share of right answers on
    the worked examples that lets a rater begin, 0 for none. template_toml: the text of a template of one's own, "" for
    a shipped one. items_per_person: of raters who come by a crowd link; 0: nobody comes by one. extra_ratings: items at
    most that get one more rating because their raters disagree; 0: none does."""

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
    template_toml: str = ""
    pay: Pay = field(default_factory=Pay)
    items_per_person: int = 0
    judging: Judging = field(default_factory=Judging)
    stopping: Stopping = field(default_factory=Stopping)
    extra_ratings: int = 0
    pausing: Pausing = field(default_factory=Pausing)

    @property
    def round_template(self) -> RoundTemplate:
        if self.template_toml:
            return parse_template(self.template_toml, f"{self.template}.toml")
        return load_template(self.template)

    @property
    def n_texts(self) -> int:
        """Summaries that an item shows."""
        return {"single": 1, "pair": 2}.get(self.form, len(self.targets))

    @property
    def form(self) -> str:
        return self.round_template.form

    @property
    def is_contrastive(self) -> bool:
        """Whether the items are contrastive examples."""
        return any(target.is_contrastive for target in self.targets)

    @property
    def asked_attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(question.attribute for question in self.questions if question.attribute))

    @property
    def certain_questions(self) -> tuple[Question, ...]:
        """The questions of combined estimates: those that models are asked too and whose answers have an order."""
        return tuple(question for question in self.questions if question.asks.ascending(question.values))

    @property
    def decidable_questions(self) -> dict[str, Question]:
        """The questions on which raters can disagree so that a third person decides, by the key that sides share."""
        return {question.shared_key: question for question in self.questions if question.asks.decidable}

    @property
    def waits_for_judges(self) -> bool:
        """Whether the items for people are chosen after the judges have answered."""
        return self.selection.for_people.choice == "active"

    def question(self, key: str) -> Question:
        """Raises KeyError."""
        for question in self.questions:
            if question.key == key:
                return question
        raise KeyError(key)

    def as_dict(self) -> dict[str, Any]:
        """The configuration as JSON values, in a fixed order."""
        values: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return values


def _read_frozen_question(values: Mapping[str, Any]) -> Question:
    severities = tuple((str(name), float(weight)) for name, weight in values.get("severities", ()))
    return Question(**{**values, "values": tuple(values["values"]), "severities": severities})


def config_from_dict(values: Mapping[str, Any]) -> RoundConfig:
    """The configuration of a frozen design, as `as_dict` gave it."""
    fields = dict(values)
    lists = {name: tuple(fields["selection"].get(name, ())) for name in ("require_nonempty", "asks")}
    for_people = ForPeople(**fields["selection"].get("for_people", {}))
    fields["selection"] = Selection(**{**fields["selection"], **lists, "for_people": for_people})
    fields["judging"] = read_frozen_judging(fields.get("judging", {}))
    fields["stopping"] = read_frozen_stopping(fields.get("stopping", {}))
    fields["targets"] = tuple(Target(**target) for target in fields["targets"])
    fields["questions"] = tuple(_read_frozen_question(question) for question in fields["questions"])
    fields["pairs"] = Pairs(**{**fields["pairs"], "values": tuple(fields["pairs"].get("values", ()))})
    fields["pay"] = Pay(**fields.get("pay", {}))
    quality = dict(fields["quality"])
    quality["absent"] = tuple(
        Foil(
            foil["sample"], foil["attribute"], tuple(foil["values"]), (foil["confirmed_by"][0], foil["confirmed_by"][1])
        )
        for foil in quality["absent"]
    )
    fields["quality"] = Quality(**quality)
    fields["exclusion"] = Exclusion(**fields["exclusion"])
    fields["pausing"] = Pausing(**fields.get("pausing", {}))
    fields["raters"] = tuple(fields["raters"])
    return RoundConfig(**fields)
