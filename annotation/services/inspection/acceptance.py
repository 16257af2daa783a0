"""Inspection results: acceptance per annotator, part and week, and the agreement of first and second inspections."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from annotation.models import Inspection, Project, Verdict
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.inspection.weekly_sample import week_of


@dataclass(slots=True)
class Tally:
    """Verdicts of some inspections, overall and by part (an attribute, or the marked segments)."""

    overall: Counter[str] = field(default_factory=Counter)
    parts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, verdict: str, verdicts: dict[str, dict[str, str]]) -> None:
        self.overall[verdict] += 1
        for key, part_verdict in verdicts.items():
            self.parts[key][part_verdict["verdict"]] += 1

    @property
    def n(self) -> int:
        return self.overall.total()

    @property
    def accepted(self) -> int:
        return self.overall[Verdict.ACCEPT]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Tallies of first inspections. The week is the one in which the inspected revision was submitted."""

    rows: list[tuple[str, str, Tally]]
    total: Tally
    keys: list[str]


def count_acceptance(project: Project) -> Acceptance:
    """(week, annotator's pseudonym, tally), the newest week first. Two queries."""
    pseudonyms = Pseudonyms(project)
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    total = Tally()
    rows = Inspection.objects.filter(project=project, second=False).order_by("pk")
    verdict_rows = rows.values_list(
        "annotation__assignment__annotator_id", "annotation__created_at", "verdict", "verdicts"
    ).iterator()
    for annotator, created_at, verdict, verdicts in verdict_rows:
        tallies[week_of(created_at, project), str(pseudonyms.of(annotator))].add(verdict, verdicts)
        total.add(verdict, verdicts)
    ordered = sorted(tallies.items(), key=lambda item: item[0][1])
    ordered.sort(key=lambda item: item[0][0], reverse=True)
    return Acceptance(
        [(week, pseudonym, tally) for (week, pseudonym), tally in ordered], total, sort_parts(project, total.parts)
    )


def sort_parts(project: Project, keys: Iterable[str]) -> list[str]:
    """Sort parts in the order of the newest schema; unknown parts and the marked segments come last."""
    known = [attribute.key for attribute in project.schema_version.schema.attributes]
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two reviewers gave the same verdict: (same, pairs), overall and by part."""

    overall: tuple[int, int]
    parts: Mapping[str, tuple[int, int]]


def count_agreement(project: Project) -> Agreement:
    """Over all summaries that two reviewers inspected. One query."""
    pairs: dict[int, dict[bool, tuple[str, dict[str, dict[str, str]]]]] = defaultdict(dict)
    inspected_twice = Inspection.objects.filter(project=project, second=True).values("annotation_id")
    rows = Inspection.objects.filter(project=project, annotation_id__in=inspected_twice)
    for annotation, second, verdict, verdicts in rows.values_list("annotation_id", "second", "verdict", "verdicts"):
        pairs[annotation][second] = verdict, verdicts
    same = 0
    counts_by_part: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    complete_pairs = [pair for pair in pairs.values() if len(pair) == 2]
    for pair in complete_pairs:
        (first_verdict, first_parts), (second_verdict, second_parts) = pair[False], pair[True]
        same += first_verdict == second_verdict
        for key in first_parts:
            if key in second_parts:
                counts_by_part[key][0] += first_parts[key]["verdict"] == second_parts[key]["verdict"]
                counts_by_part[key][1] += 1
    parts = {key: (hits, n) for key, (hits, n) in counts_by_part.items()}
    return Agreement((same, len(complete_pairs)), MappingProxyType(parts))
