"""What to know before quoting numbers of agreement; the command, the library and the reports say the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from epitome.agreement.intervals import Estimate
from epitome.agreement.table import Label, Ratings, label_key

# A warning is due where the commonest answer has this share and AC1 is this much above kappa.
COMMON, GAP = 0.8, 0.1
SINGLE = 0.1
"""A warning is due where this share of the rated units has one rating only."""


def build_notes(ratings: Ratings, estimates_by_name: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The notes on one group of ratings; estimates_by_name: its coefficients."""
    notes = [_describe_common_answer(ratings, estimates_by_name), _describe_single_ratings(ratings)]
    if len({label_key(label)[0] for label in ratings.labels}) > 1:
        notes.append("questions with answers of different kinds are pooled here; read them one by one")
    folded: dict[str, str] = {}
    for name in count_answers(ratings):
        if (other := folded.setdefault(" ".join(name.casefold().split()), name)) != name:
            notes.append(f"the answers {other:.40} and {name:.40} differ only in case or blanks and count as different")
    return tuple(note for note in notes if note)


def _describe_common_answer(ratings: Ratings, estimates_by_name: Mapping[str, Estimate]) -> str:
    """Why kappa is low where one answer is common; "" where it is not."""
    answers = count_answers(ratings)
    kappa = estimates_by_name.get("cohen_kappa")
    if kappa is None or not kappa.value.defined:
        kappa = estimates_by_name["fleiss_kappa"]
    if "gwet_ac1" not in estimates_by_name:  # weighted: a scale, where no answer is right or wrong
        return ""
    label, top_count = max(answers.items(), key=lambda pair: pair[1])
    share = top_count / sum(answers.values())
    low = kappa.value.value
    ac1, percent = (estimates_by_name[name].value.value for name in ("gwet_ac1", "percent"))
    if low is None or ac1 is None or percent is None or share < COMMON or ac1 - low < GAP:
        return ""
    return (
        f"{share:.0%} of the answers are {label:.40}: so common an answer makes chance agreement high, and kappa "
        f"is only {low:.2f} although two raters agree on {percent:.0%}; AC1 ({ac1:.2f}) suffers less from it"
    )


def _describe_single_ratings(ratings: Ratings) -> str:
    """That some coefficients count what only one rater answered and others do not; "" where few are."""
    n_ratings = np.bincount(ratings.units, minlength=ratings.n_units)
    single, rated = int((n_ratings == 1).sum()), int((n_ratings >= 1).sum())
    if ratings.n_raters < 2 or single == rated or single < SINGLE * rated:
        return ""
    return (
        f"{single} of {rated} have one rating only: Fleiss' kappa and Gwet's coefficients count those in the chance "
        "agreement and move with them, Krippendorff's alpha, Cohen's kappa and percent leave them out"
    )


def count_answers(ratings: Ratings) -> dict[str, int]:
    """How often each answer was given, in the order of the scale; answers that read the same count together."""
    counts: dict[str, int] = {}
    common = np.bincount(ratings.answers, minlength=len(ratings.labels))
    for label, n in zip(ratings.labels, common, strict=True):
        counts[label_text(label)] = counts.get(label_text(label), 0) + int(n)
    return counts


def label_text(label: Label) -> str:
    """A label as JSON shows it: true, 3, 2.5, or the text."""
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, str):
        return label
    return str(int(label)) if label.is_integer() else repr(label)
