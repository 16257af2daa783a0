"""Before a round is launched: what it will ask, what is missing, what it costs, and how wide its intervals will be."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.schema import SchemaError
from annotation.services.errors import BadInput
from evaluation.rounds import costing
from evaluation.rounds.config import RoundConfig, parse_round
from evaluation.rounds.designing import Plan, plan
from evaluation.rounds.selecting import NotEnough
from evaluation.services import barring
from evaluation.services.targets import Material, reference_of, text_hash

LISTED = 20


@dataclass(frozen=True)
class Missing:
    """Samples that a target has no text for; the first are named."""

    target: str
    has: int
    lacks: int
    samples: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """How many items ask one question about one target (or pair) in one domain."""

    target: str
    domain: str
    question: str
    n: int


@dataclass
class Check:
    """What a configuration would become. faults: why it cannot be launched. plan: None where there is none."""

    config: RoundConfig
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    power: list[costing.Power] = field(default_factory=list)
    cost: costing.Cost | None = None
    raters: list[User] = field(default_factory=list)
    plan: Plan | None = None
    material: Material | None = None

    @property
    def can_launch(self) -> bool:
        return not self.faults and self.plan is not None

    @property
    def minutes_each(self) -> float | None:
        """Minutes for each rater."""
        return self.cost.minutes / len(self.raters) if self.cost and self.raters else None

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "can_launch": self.can_launch,
            "faults": self.faults,
            "warnings": self.warnings,
            "missing": [
                {"target": one.target, "has": one.has, "lacks": one.lacks, "samples": list(one.samples)}
                for one in self.missing
            ],
            "cells": [
                {"target": one.target, "domain": one.domain, "question": one.question, "n": one.n} for one in self.cells
            ],
            "power": [
                {
                    "n": one.n,
                    "rates": {f"{rate:g}": half for rate, half in one.rates.items()},
                    "kappas": {f"{kappa:g}": half for kappa, half in one.kappas.items()},
                }
                for one in self.power
            ],
            "items": self.cost.items if self.cost else 0,
            "judgements": self.cost.judgements if self.cost else 0,
            "minutes": round(self.cost.minutes, 1) if self.cost else 0.0,
            "raters": [one.get_username() for one in self.raters],
            "apart": self.plan.apart if self.plan else None,
            "hash": self.plan.hash() if self.plan else "",
        }


def parsed(project: Project, text: str, name: str = "round.toml") -> RoundConfig:
    """Raises BadInput naming the file, the line and the key."""
    try:
        return parse_round(text, project.schema_version.schema, name)
    except SchemaError as error:
        raise BadInput(str(error), field="config") from error


def check(project: Project, config: RoundConfig) -> Check:
    """Try the whole design; nothing is stored. Raises BadInput for a target that there is not."""
    found = Check(config)
    found.material = material = Material(project, config)
    found.missing = [
        Missing(key, len(one.rows), len(one.missing), tuple(one.missing[:LISTED]))
        for key, one in material.targets.items()
        if one.missing
    ]
    found.raters = _raters(project, config, found)
    try:
        found.plan = plan(config, material.pools, material)
    except NotEnough as error:
        found.faults.append(_("Not enough to show: %(why)s.") % {"why": str(error)})
        return found
    _count(found, material)
    _check_distance(found)
    _check_people(found, material)
    _check_reference(found, material)
    return found


def _raters(project: Project, config: RoundConfig, found: Check) -> list[User]:
    """Those the file names, or all who may rate; who may not is a fault."""
    able = {one.get_username(): one for one in barring.may_rate(project).order_by("pk")}
    names = config.raters or tuple(able)
    for name in names:
        if name not in able:
            found.faults.append(
                _("%(name)s cannot rate here: raters have the role rater, and no role that shows systems' names.")
                % {"name": name}
            )
    raters = [able[name] for name in names if name in able]
    if len(raters) < config.raters_per_item:
        found.faults.append(
            _("Every item needs %(n)d raters, there are %(found)d.")
            % {"n": config.raters_per_item, "found": len(raters)}
        )
    return raters


def _count(found: Check, material: Material) -> None:
    """Cells, power and cost."""
    assert found.plan is not None
    config, items = found.config, found.plan.items
    counted: Counter[tuple[str, str, str]] = Counter()
    for one in items:
        if one.kind == "real":
            counted.update((one.cell, one.domain, question) for question in one.questions)
    order = {each.key: place for place, each in enumerate(config.questions)}
    found.cells = [Cell(*key, n) for key, n in sorted(counted.items(), key=lambda row: (row[0][:2], order[row[0][2]]))]
    found.power = [costing.power(n) for n in sorted({cell.n for cell in found.cells}, reverse=True)]
    words = {row.candidate.source: row.n_words for row in material.samples.values()}
    shown = [(each.target, each.sample) for one in items for each in one.texts]
    material.load_texts(shown)
    usual = statistics.median(len(material.text(*one).split()) for one in shown)
    found.cost = costing.cost(
        items,
        config.raters_per_item,
        source_words=words,
        summary_words=round(usual),
        shows_source="source" in config.protocol.shows,
    )


def _check_distance(found: Check) -> None:
    assert found.plan is not None
    if found.plan.apart < found.config.apart:
        found.warnings.append(
            _("With so few sources the outputs of one source lie %(n)d items apart, not %(wanted)d.")
            % {"n": found.plan.apart, "wanted": found.config.apart}
        )


def _check_people(found: Check, material: Material) -> None:
    """Items that fewer people can take than are needed are named, not forced."""
    assert found.plan is not None
    sources = {one.source: material.samples[one.sample].document_id for one in found.plan.items}
    hands = barring.barred([one.pk for one in found.raters], list(sources.values()))
    by_document: defaultdict[int, int] = defaultdict(int)
    for _rater, document in hands:
        by_document[document] += 1
    short = sorted(
        source
        for source, document in sources.items()
        if len(found.raters) - by_document[document] < found.config.raters_per_item
    )
    if short and len(found.raters) >= found.config.raters_per_item:
        found.faults.append(
            _("Too few raters have had no hand in these sources: %(sources)s.") % {"sources": _listed(short)}
        )


def _check_reference(found: Check, material: Material) -> None:
    """A reference that is shown must be there, and be no target itself."""
    assert found.plan is not None
    if not found.config.reference:
        return
    lacking, same = [], []
    for one in found.plan.items:
        told = reference_of(material, one.sample)
        if told is None:
            lacking.append(one.sample)
        elif text_hash(told) in {text_hash(material.text(each.target, each.sample)) for each in one.texts}:
            same.append(one.sample)
    if lacking:
        found.faults.append(_("There is no reference for: %(samples)s.") % {"samples": _listed(lacking)})
    if same:
        found.faults.append(
            _("The shown reference is one of the judged texts: %(samples)s.") % {"samples": _listed(same)}
        )


def _listed(names: Sequence[str]) -> str:
    more = _(" and %(n)d more") % {"n": len(names) - LISTED} if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
