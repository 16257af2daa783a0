"""The check of a design before launch: items per cell, missing outputs, cost, and expected interval widths."""

import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.combined.judged_items import TooFew
from epitome.rounds import costing
from epitome.rounds import power as round_power
from epitome.rounds.config import Pay, RoundConfig
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.designing import plan_round
from epitome.rounds.plans import Plan
from epitome.rounds.selecting import NotEnough
from epitome.schema import SchemaError
from epitome.text.words import n_words
from evaluation.models import Round
from evaluation.services.rounds import own_templates, rater_eligibility
from evaluation.services.rounds.certainty_check import check_certainty, list_people_items
from evaluation.services.rounds.certainty_plan import CertaintyPlan, plan_certainty
from evaluation.services.rounds.frozen_judges import find_judges
from evaluation.services.rounds.material_check import (
    MAX_LISTED,
    check_instances,
    check_metadata,
    check_questions,
    check_reference,
    list_names,
    list_unasked,
)
from evaluation.services.rounds.remedies import Remedy, find_enough
from evaluation.services.rounds.round_material import Material
from modelbridge.models import SystemRevision

FEW_SOURCES = 20
"""Below this many sources intervals are rough; the tables of the report say so too."""
"""Question types without a share, whose precision depends on the spread of the answers."""


@dataclass(frozen=True)
class MissingOutputs:
    """Counts of samples with and without a text of the target; the first missing samples are named."""

    target: str
    has: int
    lacks: int
    samples: tuple[str, ...]


@dataclass(frozen=True)
class CellCount:
    """How many items ask one question about one target (or pair) in one domain."""

    target: str
    domain: str
    question: str
    n: int


@dataclass
class DesignCheck:
    """The result of checking a configuration. faults: reasons why it cannot be launched. plan: None if none exists.
    remedies: of the faults that belong to a field of the form, with the same words.

    power: by number of items that ask a question about one summary; preference_power: about a choice between two.
    """

    config: RoundConfig
    faults: list[str] = field(default_factory=list)
    remedies: list[Remedy] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[MissingOutputs] = field(default_factory=list)
    pay: costing.PayEstimate | None = None
    cells: list[CellCount] = field(default_factory=list)
    power: list[round_power.Power] = field(default_factory=list)
    preference_power: list[round_power.PreferencePower] = field(default_factory=list)
    cost: costing.Cost | None = None
    raters: list[User] = field(default_factory=list)
    plan: Plan | None = None
    material: Material | None = None
    judges: list[SystemRevision] = field(default_factory=list)
    certainty: CertaintyPlan | None = None

    def add_fault(self, message: str, field_name: str, value: int | None) -> None:
        """A fault of one field of the form, with the nearest right value."""
        self.faults.append(message)
        self.remedies.append(Remedy(field_name, message, value))

    @property
    def can_launch(self) -> bool:
        return not self.faults and self.plan is not None

    @property
    def ratings(self) -> int:
        """Items times raters per item."""
        return self.cost.items * self.config.raters_per_item if self.cost else 0

    @property
    def people_needed(self) -> int | None:
        """How many people by a crowd link fill the round; None if none is planned."""
        n_items, extra = self.config.items_per_person, self.config.extra_ratings
        if not n_items or not self.cost:
            return None
        return max(self.config.raters_per_item + bool(extra), -(-(self.ratings + self.extra_ratings) // n_items))

    @property
    def extra_ratings(self) -> int:
        """Additional ratings at most: one of each item."""
        return min(self.config.extra_ratings, self.cost.items) if self.cost else 0

    @property
    def minutes_each(self) -> float | None:
        """Estimated minutes per rater; None if unknown."""
        if not self.cost or not self.ratings:
            return None
        if self.config.items_per_person:
            return self.cost.minutes / self.ratings * min(self.config.items_per_person, self.cost.items)
        return self.cost.minutes / len(self.raters) if self.raters else None

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "can_launch": self.can_launch,
            "faults": self.faults,
            "warnings": self.warnings,
            "missing": [
                {"target": entry.target, "has": entry.has, "lacks": entry.lacks, "samples": list(entry.samples)}
                for entry in self.missing
            ],
            "cells": [
                {"target": cell.target, "domain": cell.domain, "question": cell.question, "n": cell.n}
                for cell in self.cells
            ],
            "power": [
                {"n": estimate.n, "rates": [_rate_power_dict(rate_power) for rate_power in estimate.rates]}
                for estimate in self.power
            ],
            "preference_power": [
                {"n": estimate.n, "differences": _text_keys(estimate.differences)} for estimate in self.preference_power
            ],
            "needed": {
                "by_rate": {f"{rate:g}": _text_keys(row) for rate, row in round_power.needed_by_rate().items()}
                if self.power
                else {},
                "by_ties": {f"{ties:g}": _text_keys(row) for ties, row in round_power.needed_by_ties().items()}
                if self.preference_power
                else {},
            },
            "items": self.cost.items if self.cost else 0,
            "judgements": self.cost.judgements if self.cost else 0,
            "minutes": round(self.cost.minutes, 1) if self.cost else 0.0,
            "pay": _pay_dict(self.pay),
            "certainty": self.certainty.as_dict() if self.certainty else None,
            "extra_ratings": self.extra_ratings,
            "items_per_person": self.config.items_per_person or None,
            "people_needed": self.people_needed,
            "raters": [rater.get_username() for rater in self.raters],
            "apart": self.plan.apart if self.plan else None,
            "hash": self.plan.hash() if self.plan else "",
        }


def _pay_dict(pay: costing.PayEstimate | None) -> dict[str, Any] | None:
    if pay is None:
        return None
    per_hour = None if pay.per_hour is None else round(pay.per_hour, 2)
    amounts = {"total": round(pay.total, 2), "per_item": round(pay.per_item, 4), "per_hour": per_hour}
    return {"currency": pay.currency, **amounts}


def _rate_power_dict(rate_power: round_power.RatePower) -> dict[str, Any]:
    return {
        "rate": rate_power.rate,
        "half_width": rate_power.half,
        "kappas": _text_keys(rate_power.kappas),
        "difference": rate_power.difference,
    }


def _text_keys(numbers: Mapping[float, float | int | None]) -> dict[str, float | int | None]:
    """The mapping with its keys as JSON needs them."""
    return {f"{key:g}": number for key, number in numbers.items()}


def parse_config(
    project: Project, text: str, name: str = "round.toml", templates: Mapping[str, str] | None = None
) -> RoundConfig:
    """Parse a round with the project's schema and its own templates. templates: further ones, by the name that the
    round gives. Raises BadInput naming the file, the line and the key."""
    texts = {**own_templates.template_texts(project), **(templates or {})}
    try:
        return parse_round(text, project.schema_version.schema, name, texts)
    except SchemaError as error:
        raise BadInput(str(error), field="config") from error


def parse_draft(round_: Round) -> RoundConfig:
    """The configuration of a draft with the project's templates as they are now. A template that came in a file beside
    the round's stays as it was. Raises BadInput."""
    template_name = tomllib.loads(round_.config_toml).get("round", {}).get("template", "")
    beside = {template_name: round_.config.get("template_toml", "")} if str(template_name).endswith(".toml") else {}
    return parse_config(round_.project, round_.config_toml, templates=beside)


def check_design(project: Project, config: RoundConfig) -> DesignCheck:
    """Plan the whole design without storing anything. Raises BadInput for an unknown target."""
    result = DesignCheck(config)
    result.material = material = Material(project, config)
    result.missing = [
        MissingOutputs(key, len(loaded.rows), len(loaded.missing), tuple(loaded.missing[:MAX_LISTED]))
        for key, loaded in material.targets.items()
        if loaded.missing
    ]
    result.raters = _select_raters(project, config, result)
    result.judges, lacking = find_judges(project, config.judging.systems)
    result.faults += lacking
    _check_examples(result, material)
    try:
        result.plan = plan_round(config, material.pools, material)
    except NotEnough as error:
        message = _("Not enough data: %(why)s.") % {"why": str(error)}
        if error.too_large:
            result.add_fault(message, error.too_large, find_enough(config, material, error))
        else:
            result.faults.append(message)
        result.faults += list_unasked(config, material)
        return result
    result.warnings += list_unasked(config, material)
    check_questions(result.plan, result.faults)
    _add_estimates(result, material)
    check_certainty(config, result.plan, result.add_fault, result.warnings)
    try:
        result.certainty = plan_certainty(project, config, result.plan)
    except (BadInput, TooFew) as error:
        result.faults.append(_("The certainty cannot be planned: %(why)s") % {"why": str(error)})
    _check_distance(result)
    _check_sources(result)
    _check_people(result, material)
    check_reference(config, result.plan, material, result.faults)
    check_metadata(config, result.plan, material, result.warnings)
    check_instances(config, result.plan, material, result.faults)
    return result


def _check_examples(result: DesignCheck, material: Material) -> None:
    """Report rules with fewer contrastive examples than are wanted, and a project without any."""
    per_rule = result.config.selection.per_rule
    for loaded in material.targets.values():
        if loaded.examples is None:
            continue
        if not loaded.examples.n_by_rule:
            result.faults.append(
                _("The project has no contrastive examples of these samples. Make or import them first.")
            )
        elif not loaded.examples.rows:
            result.faults.append(_("The run dodged every contrastive example that it scored."))
        short = {rule: n for rule, n in loaded.examples.n_by_rule.items() if n < per_rule}
        if short and loaded.examples.rows:
            counts = join_names(f"{rule} {n}" for rule, n in sorted(short.items()))
            message = ngettext(
                "Less than %(wanted)d contrastive example to draw from, so that all are taken: %(counts)s.",
                "Fewer than %(wanted)d contrastive examples to draw from, so that all are taken: %(counts)s.",
                per_rule,
            )
            result.warnings.append(message % {"wanted": per_rule, "counts": counts})


def _select_raters(project: Project, config: RoundConfig, result: DesignCheck) -> list[User]:
    """The raters named in the file, or all eligible ones. A named rater who is not eligible is a fault."""
    eligible = {user.get_username(): user for user in rater_eligibility.team_raters(project).order_by("pk")}
    names = config.raters or (() if config.items_per_person else tuple(eligible))
    for name in names:
        if name not in eligible:
            result.faults.append(
                _("%(name)s cannot rate here: raters need the role rater and no role that shows system names.")
                % {"name": name}
            )
    raters = [eligible[name] for name in names if name in eligible]
    if len(raters) < config.raters_per_item and not config.items_per_person:
        message = ngettext(
            "Every item needs %(n)d rater, but there are %(found)d.",
            "Every item needs %(n)d raters, but there are %(found)d.",
            config.raters_per_item,
        )
        values = {"n": config.raters_per_item, "found": len(raters)}
        result.add_fault(message % values, "raters_per_item", len(raters) or None)
    elif config.extra_ratings and len(raters) == config.raters_per_item and not config.items_per_person:
        message = _(
            "Additional ratings need a rater who has not rated the item, but all raters rate every item. Add a "
            "rater, or lower the raters per item."
        )
        result.add_fault(message, "extra_ratings", 0)
    return raters


def _add_estimates(result: DesignCheck, material: Material) -> None:
    """Add the counts per cell, the power and the cost to the check."""
    assert result.plan is not None
    config, items = result.config, list_people_items(result.config, result.plan)
    counted: Counter[tuple[str, str, str]] = Counter()
    for item in items:
        if item.is_real:
            counted.update((item.cell, item.domain, question) for question in item.questions)
    order = {config_question.key: index for index, config_question in enumerate(config.questions)}
    result.cells = [
        CellCount(*key, n) for key, n in sorted(counted.items(), key=lambda row: (row[0][:2], order[row[0][2]]))
    ]
    choices = {question.key for question in config.questions if question.asks.compares_pairs}
    graded = {question.key for question in config.questions if not question.asks.is_categorical}
    n_answers = {cell.n for cell in result.cells if cell.question not in choices | graded}
    n_choices = {cell.n for cell in result.cells if cell.question in choices}
    result.power = [round_power.estimate_power(n) for n in sorted(n_answers, reverse=True)]
    result.preference_power = [round_power.estimate_preference_power(n) for n in sorted(n_choices, reverse=True)]
    words = {row.candidate.source: row.n_words for row in material.samples.values()}
    text_keys = [(text.target, text.sample) for item in items for text in item.texts]
    material.load_texts(text_keys)
    median_words = statistics.median(n_words(material.text(*text_key)) for text_key in text_keys)
    result.cost = costing.estimate_cost(
        items,
        config.raters_per_item,
        source_words=words,
        summary_words=round(median_words),
        shows_source="source" in config.round_template.shows,
    )
    pay = config.pay if config.pay.amount else _project_pay(material.project)
    result.pay = costing.estimate_pay(pay, result.cost, config.raters_per_item)


def _project_pay(project: Project) -> Pay:
    """The project's usual pay per hour, which counts where a round states none."""
    return Pay(project.pay_per_hour or 0.0, project.pay_currency, "hour")


def _check_distance(result: DesignCheck) -> None:
    assert result.plan is not None
    if result.plan.apart < result.config.apart:
        result.warnings.append(
            ngettext(
                "With so few sources, outputs of the same source are %(n)d item apart, not %(wanted)d.",
                "With so few sources, outputs of the same source are %(n)d items apart, not %(wanted)d.",
                result.plan.apart,
            )
            % {"n": result.plan.apart, "wanted": result.config.apart}
        )


def _check_sources(result: DesignCheck) -> None:
    assert result.plan is not None
    n_sources = len({item.source for item in result.plan.items if item.is_real})
    if n_sources < FEW_SOURCES:
        result.warnings.append(
            ngettext(
                "All items come from %(n)d source. Below %(few)d sources, intervals are rough and may be too narrow.",
                "All items come from %(n)d sources. Below %(few)d sources, intervals are rough and may be too narrow.",
                n_sources,
            )
            % {"n": n_sources, "few": FEW_SOURCES}
        )


def _check_people(result: DesignCheck, material: Material) -> None:
    """Report sources for which fewer raters are eligible than each item needs."""
    assert result.plan is not None
    sources = {item.source: material.samples[item.sample].document_id for item in result.plan.items}
    involved_pairs = rater_eligibility.barred_pairs([rater.pk for rater in result.raters], list(sources.values()))
    by_document: defaultdict[int, int] = defaultdict(int)
    for _rater, document in involved_pairs:
        by_document[document] += 1
    n_available = {source: len(result.raters) - by_document[document] for source, document in sources.items()}
    needed = result.config.raters_per_item
    short = sorted(source for source, n in n_available.items() if n < needed)
    if short and len(result.raters) >= needed:
        message = _("Too few raters without a conflict of interest for these sources: %(sources)s.")
        fewest = min(n_available[source] for source in short)
        result.add_fault(message % {"sources": list_names(short)}, "raters_per_item", fewest or None)
    exact = sorted(source for source, n in n_available.items() if n == needed)
    if exact and result.config.extra_ratings and len(result.raters) > needed:
        result.warnings.append(
            _("No rater without a conflict of interest is left for additional ratings of these sources: %(sources)s.")
            % {"sources": join_names(exact)}
        )
