"""Questions on which raters disagree, for a third person to decide. A decision changes no answer."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epitome.reports.answers import Answer, Answers


@dataclass(frozen=True)
class Disagreement:
    """One question about one item with differing answers; answers: (rater, answer, unsure), sorted by rater."""

    item: str
    question: str
    system: str
    domain: str
    answers: tuple[tuple[str, str, bool], ...]


def have_differing(question: str, answers: Sequence[str]) -> bool:
    """Whether answers differ at all."""
    return len(set(answers)) > 1


def find_disagreements(
    answers: Answers, disagrees: Callable[[str, Sequence[str]], bool] = have_differing
) -> list[Disagreement]:
    """Disagreements sorted by evenness of the votes (most even first), item and question. disagrees: whether the
    planned answers to a question, by its key, are apart; additional ones are votes only where these are."""
    units: dict[tuple[str, str], list[Answer]] = {}
    for row in answers.rows:
        units.setdefault((row.item, row.question), []).append(row)
    results = []
    for (item, question), rows in units.items():
        if disagrees(question, [row.answer for row in rows if not row.extra]):
            votes = tuple(sorted((row.rater, row.answer, row.unsure) for row in rows))
            results.append(Disagreement(item, question, rows[0].system, rows[0].domain, votes))
    return sorted(
        results,
        key=lambda entry: (majority_share([answer for _, answer, _ in entry.answers]), entry.item, entry.question),
    )


def majority_share(answers: Sequence[str]) -> float:
    """Share of the most frequent answer: .5 for a tie of two, close to 1 if a single rater deviates."""
    return max(Counter(answers).values()) / len(answers)
