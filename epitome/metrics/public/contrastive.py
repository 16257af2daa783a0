"""Whether a model prefers gold summaries to damaged ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epitome.metrics.contrastive_scores import Case, ScoreKind, contrastive_report
from epitome.results import Scores, score_of


def contrastive(
    cases: Sequence[Mapping[str, Any]],
    *,
    score: ScoreKind = "sum",
) -> Scores:
    """Dodged and escaped shares in percent, higher is better.

    cases: one mapping per (source, gold) with `gold` (the model's score of the gold summary) and `contrastives`, a
        list of `{"rule": ..., "score": ...}` or (rule, score); optionally `id` and `source`, where several cases may
        be about one source (given for all or for none; None: each case has its own). A contrastive is dodged when the
        gold scores higher, a case escapes when all of its contrastives are dodged.
    score: how the scores were made, `sum` or `mean` of the tokens' log-probabilities; goes into the signature.
    Returns `dodged`, `escaped` and `dodged.RULE`; details: `failures` (cases with 0, 1, ... 20 or more contrastives not
    dodged), `empty`, and by rule the cases and the cases that failed. Raises ValueError with the case's position.
    """
    if score not in ("sum", "mean"):
        raise ValueError(f"score {score!r}: give sum or mean")
    read_cases = [_read_case(index, case) for index, case in enumerate(cases)]
    report = contrastive_report(read_cases, score)
    scores = {"dodged": score_of("dodged", report.dodged), "escaped": score_of("escaped", report.escaped)}
    scores |= {f"dodged.{rule}": score_of(f"dodged.{rule}", cell.dodged) for rule, cell in report.by_rule.items()}
    details = {
        "failures": list(report.failures),
        "empty": report.empty,
        "rules": {rule: {"cases": cell.tuples, "failed": cell.tuples_failed} for rule, cell in report.by_rule.items()},
    }
    return Scores(f"Contrastives, in percent, cases: {len(read_cases)}", scores, scores["dodged"].signature, details)


def _read_case(place: int, case: Mapping[str, Any]) -> Case:
    contrastives = case.get("contrastives")
    if not isinstance(contrastives, Sequence) or isinstance(contrastives, str):
        raise ValueError(f"case {place}: contrastives is {contrastives!r:.60}; give a list of rules with scores")
    pairs = [_read_contrastive(place, entry) for entry in contrastives]
    source = case.get("source")
    key = None if source is None else str(source)
    return Case(str(case.get("id", place)), _read_number(place, "gold", case.get("gold")), pairs, key)


def _read_contrastive(place: int, entry: Any) -> tuple[str, float]:
    if isinstance(entry, Mapping):
        rule, score = entry.get("rule", "all"), entry.get("score")
    elif isinstance(entry, Sequence) and not isinstance(entry, str) and len(entry) == 2:
        rule, score = entry
    else:
        raise ValueError(f"case {place}: a contrastive is {entry!r:.60}; give rule and score")
    return str(rule), _read_number(place, "the score of a contrastive", score)


def _read_number(place: int, label: str, number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"case {place}: {label} is {number!r:.60}, not a number")
    return float(number)
