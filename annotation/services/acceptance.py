"""What inspections found, counted: acceptance per annotator, part and week, and the agreement of two looks."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotation.models import Inspection, Project, Verdict
from annotation.services.inspection_weeks import week_of
from annotation.services.pseudonyms import Pseudonyms


@dataclass(slots=True)
class Tally:
    """Verdicts of some inspections, overall and by part (an attribute, or the marked segments)."""

    overall: Counter[str] = field(default_factory=Counter)
    parts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, verdict: str, verdicts: dict[str, dict[str, str]]) -> None:
        self.overall[verdict] += 1
        for key, one in verdicts.items():
            self.parts[key][one["verdict"]] += 1

    @property
    def n(self) -> int:
        return self.overall.total()

    @property
    def accepted(self) -> int:
        return self.overall[Verdict.ACCEPT]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Tallies of first looks. A week is the one in which the inspected revision was handed in."""

    rows: list[tuple[str, str, Tally]]
    total: Tally
    keys: list[str]


def acceptance(project: Project) -> Acceptance:
    """(week, annotator's pseudonym, tally), the newest week first. Two queries."""
    names = Pseudonyms(project)
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    total = Tally()
    rows = Inspection.objects.filter(project=project, second=False).order_by("pk")
    told = rows.values_list(
        "annotation__assignment__annotator_id", "annotation__created_at", "verdict", "verdicts"
    ).iterator()
    for annotator, created_at, verdict, verdicts in told:
        found[week_of(created_at, project), str(names.of(annotator))].add(verdict, verdicts)
        total.add(verdict, verdicts)
    ordered = sorted(found.items(), key=lambda item: item[0][1])
    ordered.sort(key=lambda item: item[0][0], reverse=True)
    return Acceptance([(week, who, tally) for (week, who), tally in ordered], total, in_order(project, total.parts))


def in_order(project: Project, keys: Iterable[str]) -> list[str]:
    """Parts in the order of the newest schema; what it does not know, and the marked segments, at the end."""
    known = [one.key for one in project.schema_version.schema.attributes]
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two reviewers gave the same verdict: (same, pairs), overall and by part."""

    overall: tuple[int, int]
    parts: dict[str, tuple[int, int]]


def agreement(project: Project) -> Agreement:
    """Over all summaries that two reviewers inspected. One query."""
    pairs: dict[int, dict[bool, tuple[str, dict[str, dict[str, str]]]]] = defaultdict(dict)
    twice = Inspection.objects.filter(project=project, second=True).values("annotation_id")
    rows = Inspection.objects.filter(project=project, annotation_id__in=twice)
    for annotation, second, verdict, verdicts in rows.values_list("annotation_id", "second", "verdict", "verdicts"):
        pairs[annotation][second] = verdict, verdicts
    same = 0
    parts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    for pair in whole:
        (one, ones), (other, others) = pair[False], pair[True]
        same += one == other
        for key in ones:
            if key in others:
                parts[key][0] += ones[key]["verdict"] == others[key]["verdict"]
                parts[key][1] += 1
    return Agreement((same, len(whole)), {key: (hits, n) for key, (hits, n) in parts.items()})
