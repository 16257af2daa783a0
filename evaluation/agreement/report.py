"""The agreement of a file of judgements: per question and pooled, over all and per system."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.measures.signature import Signature
from evaluation.agreement.alpha import MAX_ORDINAL, alpha_parts, ordinal_parts
from evaluation.agreement.fleiss import fleiss_parts
from evaluation.agreement.gwet import gwet_parts
from evaluation.agreement.indices import index_parts
from evaluation.agreement.intervals import LEVEL, Estimate, Parts, estimates, without
from evaluation.agreement.judgements_file import Judgements
from evaluation.agreement.kappa import kappa_parts, pairs_mean_parts
from evaluation.agreement.percent import percent_parts
from evaluation.agreement.rates import YesRates, yes_rates
from evaluation.agreement.scales import Floats, disagreement
from evaluation.agreement.table import Label, Ratings, label_key

VERSION = "1"
MAX_LABELS = 101  # a slider from 0 to 100
MAX_PAIR_RATERS = 20
# A warning is due where the commonest answer has this share and AC1 is this much above kappa.
COMMON, GAP = 0.8, 0.1


TWO_BY_TWO = ("prevalence_index", "bias_index")
ALWAYS = ("percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", *TWO_BY_TWO)


@dataclass(frozen=True)
class Group:
    """The agreement on one set of judgements.

    items: items with a rating (pooled: questions about items with one); distinct_items: how many items that are.
    missing: share of the items x raters without a rating. answers: how often each was given.
    """

    items: int
    distinct_items: int
    raters: tuple[str, ...]
    judgements: int
    missing: float
    answers: dict[str, int]
    statistics: dict[str, Estimate]
    yes: YesRates
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """Agreement by question, pooled, and the same for each system's items."""

    questions: dict[str, Group]
    pooled: Group
    systems: dict[str, tuple[dict[str, Group], Group]]
    signature: Signature

    def as_dict(self) -> dict[str, Any]:
        """What `agreement --json` prints."""
        return {
            "questions": {name: group_dict(group) for name, group in self.questions.items()},
            "pooled": group_dict(self.pooled),
            "systems": {
                system: {
                    "questions": {name: group_dict(group) for name, group in questions.items()},
                    "pooled": group_dict(pooled),
                }
                for system, (questions, pooled) in self.systems.items()
            },
            "signature": str(self.signature),
        }


def report(judgements: Judgements, *, replicates: int, seed: int) -> Report:
    """All numbers of a file; replicates, seed: of the bootstrap over sources, or over items where those are not told.

    Raises ValueError for unusable ones.
    """
    clusters = "items" if judgements.source_of_item is None else "sources"
    options = (("clusters", clusters), ("level", str(LEVEL)), ("missing", "gwet2014"))
    signature = Signature("agreement", VERSION, options)
    return Report(
        _by_question(judgements, None, replicates, seed),
        group(judgements, None, None, replicates, seed),
        {
            name: (
                _by_question(judgements, system, replicates, seed),
                group(judgements, None, system, replicates, seed),
            )
            for system, name in enumerate(judgements.systems)
        },
        signature.with_(
            items=len(judgements.items),
            raters=len(judgements.raters),
            n=len(judgements),
            bootstrap=replicates,
            seed=seed,
        ),
    )


def _by_question(judgements: Judgements, system: int | None, replicates: int, seed: int) -> dict[str, Group]:
    about = judgements.system_of_item[judgements.item]
    asked = np.unique(judgements.question if system is None else judgements.question[about == system])
    return {judgements.questions[code]: group(judgements, int(code), system, replicates, seed) for code in asked}


def group(judgements: Judgements, question: int | None, system: int | None, replicates: int, seed: int) -> Group:
    """The agreement on one question (None: all, pooled) about one system's items (None: about all)."""
    ratings, raters = judgements.ratings(question, system)
    found = estimates(statistics(ratings), ratings.clusters, replicates=replicates, seed=seed)
    return Group(
        items=ratings.n_units,
        distinct_items=len(np.unique(judgements.item[judgements.kept(question, system)])),
        raters=raters,
        judgements=len(ratings.units),
        missing=ratings.missing,
        answers=answers_of(ratings),
        statistics=found,
        yes=yes_rates(ratings, raters, replicates=replicates, seed=seed),
        notes=notes_of(ratings, found),
    )


def statistics(ratings: Ratings) -> dict[str, Parts]:
    """Every statistic that these ratings call for, by the name it is printed under."""
    if ratings.n_raters < 2:
        return {name: without("only one rater") for name in ALWAYS}
    n_labels = len(ratings.labels)
    if n_labels > MAX_LABELS:
        why = f"{n_labels} different answers, more than the {MAX_LABELS} that are compared as categories"
        return {name: without(why) for name in ALWAYS}
    apart, counts = disagreement("nominal", n_labels), ratings.counts()
    found = {
        "percent": percent_parts(counts),
        "cohen_kappa": _cohen(ratings, apart),
        "fleiss_kappa": fleiss_parts(counts, apart),
        "krippendorff_alpha": alpha_parts(counts, apart),
        "gwet_ac1": gwet_parts(counts, apart),
    }
    if ratings.n_raters > 2:
        found["cohen_kappa_pairs_mean"] = _pairs_mean(ratings, apart)
    return found | _indices(ratings) | _on_a_scale(ratings)


def _cohen(ratings: Ratings, apart: Floats) -> Parts:
    if ratings.n_raters != 2:
        return without(f"{ratings.n_raters} raters; Cohen's kappa is for exactly two, see the mean over pairs")
    return kappa_parts(ratings.column(0), ratings.column(1), apart)


def _pairs_mean(ratings: Ratings, apart: Floats) -> Parts:
    if ratings.n_raters > MAX_PAIR_RATERS:
        return without(f"{ratings.n_raters} raters, more than the {MAX_PAIR_RATERS} that are compared pair by pair")
    return pairs_mean_parts(ratings, apart)


def _indices(ratings: Ratings) -> dict[str, Parts]:
    """Prevalence and bias of two raters with two answers; the answer that sorts last (yes, true, 1) is the positive."""
    if ratings.n_raters != 2 or len(ratings.labels) != 2:
        why = f"needs two raters and two answers, here {ratings.n_raters} and {len(ratings.labels)}"
        return {name: without(why) for name in TWO_BY_TWO}
    found = index_parts(ratings.column(0), ratings.column(1))
    return {name: found[name] for name in (*TWO_BY_TWO, "pabak")}


def _on_a_scale(ratings: Ratings) -> dict[str, Parts]:
    """Weighted statistics, where all answers are numbers and there are more than two of them."""
    points = [float(label) for label in ratings.labels if not isinstance(label, str | bool)]
    if len(points) != len(ratings.labels) or len(points) < 3:
        return {}
    counts, found = ratings.counts(), {}
    linear, square = (disagreement(name, len(points), points) for name in ("linear", "quadratic"))
    if ratings.n_raters == 2:
        found["cohen_kappa_linear"] = _cohen(ratings, linear)
        found["cohen_kappa_quadratic"] = _cohen(ratings, square)
    if len(points) <= MAX_ORDINAL:
        found["krippendorff_alpha_ordinal"] = ordinal_parts(counts)
    found["krippendorff_alpha_interval"] = alpha_parts(counts, square)
    found["gwet_ac2_linear"] = gwet_parts(counts, linear)
    found["gwet_ac2_quadratic"] = gwet_parts(counts, square)
    return found


def answers_of(ratings: Ratings) -> dict[str, int]:
    """How often each answer was given, in the order of the scale."""
    common = np.bincount(ratings.answers, minlength=len(ratings.labels))
    return {label_text(label): int(n) for label, n in zip(ratings.labels, common, strict=True)}


def notes_of(ratings: Ratings, found: dict[str, Estimate]) -> tuple[str, ...]:
    """What a reader should know before quoting these numbers."""
    notes = []
    labels, answers = ratings.labels, answers_of(ratings)
    kappa = found["cohen_kappa"] if found["cohen_kappa"].value.defined else found["fleiss_kappa"]
    label, most = max(answers.items(), key=lambda pair: pair[1])
    share = most / sum(answers.values())
    low, ac1, percent = kappa.value.value, found["gwet_ac1"].value.value, found["percent"].value.value
    if low is not None and ac1 is not None and percent is not None and share >= COMMON and ac1 - low >= GAP:
        notes.append(
            f"{share:.0%} of the answers are {label:.40}: so common an answer makes chance agreement high, and kappa "
            f"is only {low:.2f} although two raters agree on {percent:.0%}; AC1 ({ac1:.2f}) suffers less from it"
        )
    if len({label_key(label)[0] for label in labels}) > 1:
        notes.append("questions with answers of different kinds are pooled here; read them one by one")
    folded: dict[str, str] = {}
    for name in answers:
        if (other := folded.setdefault(" ".join(name.casefold().split()), name)) != name:
            notes.append(f"the answers {other:.40} and {name:.40} differ only in case or blanks and count as different")
    return tuple(notes)


def label_text(label: Label) -> str:
    """A label as JSON shows it: true, 3, 2.5, or the text."""
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, str):
        return label
    return str(int(label)) if label.is_integer() else repr(label)


def estimate_dict(found: Estimate) -> dict[str, Any]:
    """{"value", "ci95"}, or {"value": null, "undefined"}; a value without an interval has "ci95": null and why."""
    if not found.value.defined:
        return {"value": None, "undefined": found.value.undefined}
    interval = found.interval
    shown: dict[str, Any] = {"value": found.value.value, "ci95": [interval.low, interval.high]}
    if interval.low is None:
        shown |= {"ci95": None, "ci95_undefined": interval.undefined}
    if interval.left_out:
        shown["replicates_left_out"] = interval.left_out
    return shown


def group_dict(found: Group) -> dict[str, Any]:
    """One group as `agreement --json` prints it."""
    return {
        "items": found.items,
        "distinct_items": found.distinct_items,
        "raters": len(found.raters),
        "judgements": found.judgements,
        "missing": found.missing,
        "answers": found.answers,
        **{name: estimate_dict(estimate) for name, estimate in found.statistics.items()},
        "yes_rate": {
            "raters": {
                name: {**estimate_dict(rate), "n": found.yes.answers_of[name]}
                for name, rate in found.yes.raters.items()
            },
            "pooled": estimate_dict(found.yes.pooled),
            "all_yes": estimate_dict(found.yes.all_yes),
        },
        "notes": list(found.notes),
    }
