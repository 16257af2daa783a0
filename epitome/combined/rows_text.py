"""Estimates of rows as text for a terminal and as JSON."""

from typing import Any

from epitome.combined.estimates import Estimate
from epitome.combined.group_estimates import GroupEstimate
from epitome.combined.summary import Summary

WAYS = ("people", "judge", "combined")
BIASED = "The judge alone says what the judge would say of all items; its bias is not in its interval."


def estimates_text(summary: Summary, name: str, *, formulas: bool = False) -> str:
    """Tables with one line per estimate, and notes."""
    lines = [f"{name}: items {summary.n_items}, sources {summary.n_sources}"]
    for judge in summary.judges:
        lines += ["", f"Judge: {judge}"]
        lines += _table_lines([estimate for estimate in summary.estimates if estimate.judge_key == judge])
        differences = [estimate for estimate in summary.differences if estimate.judge_key == judge]
        if differences:
            lines += ["", "Differences, first minus second"]
            lines += _table_lines(differences)
    lines += ["", BIASED, *summary.notes]
    if formulas:
        lines += ["", *summary.formulas]
    lines += ["", *_signature_lines(summary)]
    return "\n".join(lines)


def _table_lines(estimates: list[GroupEstimate]) -> list[str]:
    head = ["question", "system", "people", "judge (biased)", "combined", "l", "n", "N", "effective n", "p (Holm)"]
    rows = [head, *map(_table_row, estimates)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(head))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _table_row(estimate: GroupEstimate) -> list[str]:
    number = estimate.combined
    subject = f"{estimate.first}, {estimate.second}" if estimate.second else estimate.first
    row = [estimate.question, subject, _interval_text(estimate.people, estimate.undefined)]
    row += [_interval_text(estimate.judge, estimate.judge_undefined), _interval_text(number, estimate.undefined)]
    if number is None:
        return [*row, "", "", "", "", ""]
    p = "" if estimate.p_combined is None else f"{estimate.p_combined:.4f}"
    return [*row, f"{number.weight:.2f}", f"{number.n_human}", f"{number.n_judge}", f"{number.effective_n:.0f}", p]


def _interval_text(number: Estimate | None, undefined: str) -> str:
    return f"{number.value:.3f} [{number.low:.3f}, {number.high:.3f}]" if number else f"n/a ({undefined})"


def _signature_lines(summary: Summary) -> list[str]:
    return [f"signature: {estimate.sign('combined')}" for estimate in summary.all[:1] if estimate.combined]


def estimates_json(summary: Summary) -> dict[str, Any]:
    """Every estimate with its signature; undefined ones are null with the reason."""
    return {
        "items": summary.n_items,
        "sources": summary.n_sources,
        "judges": list(summary.judges),
        "estimates": [estimate_json(estimate) for estimate in summary.estimates],
        "differences": [estimate_json(estimate) for estimate in summary.differences],
        "notes": [BIASED, *summary.notes],
        "formulas": list(summary.formulas),
    }


def estimate_json(estimate: GroupEstimate) -> dict[str, Any]:
    """One question about one system, one comparison, or one difference of two systems."""
    values: dict[str, Any] = {"question": estimate.question, "judge": estimate.judge_key, "scale": estimate.scale}
    values |= {"first": estimate.first, "second": estimate.second} if estimate.second else {"system": estimate.first}
    for way in WAYS:
        number: Estimate | None = {
            "people": estimate.people,
            "judge": estimate.judge,
            "combined": estimate.combined,
        }[way]
        key = "judge_only" if way == "judge" else way
        values[key] = _numbers_of(number, estimate, way)
        if number is None:
            values[f"{key}_undefined"] = estimate.judge_undefined if way == "judge" else estimate.undefined
    tested = {"p_holm_people": estimate.p_people, "p_holm_combined": estimate.p_combined}
    values |= {key: p for key, p in tested.items() if p is not None}
    return {**values, "saved": estimate.saved, "unanswered": estimate.unanswered, "unjudged": estimate.unjudged}


def _numbers_of(number: Estimate | None, estimate: GroupEstimate, way: str) -> dict[str, Any] | None:
    if number is None:
        return None
    numbers: dict[str, Any] = {"value": number.value, "ci95": [number.low, number.high], "error": number.error}
    if way == "judge":
        numbers |= {"N": number.n_judge, "biased": True}
    else:
        numbers |= {"n": number.n_human}
    if way == "combined":
        numbers |= {"N": number.n_judge, "weight": number.weight, "effective_n": number.effective_n}
    if estimate.second:
        numbers["p"] = number.p_value
    return {**numbers, "sources": number.sources, "signature": str(estimate.sign(way))}
