"""The agreement of a file of judgements: per question and pooled, over all and per system."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epitome.agreement.alpha import MAX_ORDINAL, alpha_statistic, ordinal_alpha_statistic
from epitome.agreement.compared import compare_ratings
from epitome.agreement.fleiss import fleiss_statistic
from epitome.agreement.gwet import gwet_statistic
from epitome.agreement.indices import index_statistics
from epitome.agreement.intervals import LEVEL, Estimate, Statistic, estimate_statistics, undefined_statistic
from epitome.agreement.judgements_file import Judgements
from epitome.agreement.kappa import kappa_statistic, pairs_mean_statistic
from epitome.agreement.notes import build_notes, count_answers
from epitome.agreement.percent import percent_statistic
from epitome.agreement.rates import YesRates, yes_rates
from epitome.agreement.scales import Floats, disagreement_matrix
from epitome.agreement.table import Ratings
from epitome.measures.signature import Signature
from epitome.results import Compared

VERSION = "3"
MAX_LABELS = 101  # a slider from 0 to 100
MAX_PAIR_RATERS = 20
TWO_BY_TWO = ("prevalence_index", "bias_index")
ALWAYS = ("percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", *TWO_BY_TWO)


@dataclass(frozen=True)
class Group:
    """The agreement on one set of judgements.

    items: items with a rating (pooled: questions about items with one); distinct_items: number of different items.
    missing: share of the items x raters without a rating. answers: how often each was given. compared: what other
    libraries give instead, None where that was not asked.
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
    compared: tuple[Compared, ...] | None = None


@dataclass(frozen=True)
class Report:
    """Agreement by question, pooled, and the same for each system's items. left_out: additional ratings in the file."""

    questions: dict[str, Group]
    pooled: Group
    systems: dict[str, tuple[dict[str, Group], Group]]
    signature: Signature
    left_out: int = 0

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
            **({"left_out": self.left_out} if self.left_out else {}),
        }


def make_report(judgements: Judgements, *, replicates: int, seed: int, compare: bool = False) -> Report:
    """All numbers of a file; replicates, seed: of the bootstrap over sources, or over items where sources are unknown.
    compare: also what other libraries give for each question.

    Raises ValueError for unusable ones.
    """
    clusters = "items" if judgements.source_of_item is None else "sources"
    options = (("clusters", clusters), ("level", str(LEVEL)), ("missing", "gwet2014"))
    signature = Signature("agreement", VERSION, options)
    return Report(
        _groups_by_question(judgements, None, replicates, seed, compare=compare),
        build_group(judgements, None, None, replicates, seed),
        {
            name: (
                _groups_by_question(judgements, system, replicates, seed),
                build_group(judgements, None, system, replicates, seed),
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
        judgements.left_out,
    )


def _groups_by_question(
    judgements: Judgements, system: int | None, replicates: int, seed: int, *, compare: bool = False
) -> dict[str, Group]:
    system_of_judgement = judgements.system_of_item[judgements.item]
    codes = np.unique(judgements.question if system is None else judgements.question[system_of_judgement == system])
    groups = {
        judgements.questions[code]: build_group(judgements, int(code), system, replicates, seed) for code in codes
    }
    return {name: _add_compared(judgements, name, group) for name, group in groups.items()} if compare else groups


def _add_compared(judgements: Judgements, question: str, group: Group) -> Group:
    ratings, _raters = judgements.ratings(judgements.questions.index(question))
    values = {name: estimate.value for name, estimate in group.statistics.items()}
    return replace(group, compared=tuple(compare_ratings(ratings, values)))


def build_group(judgements: Judgements, question: int | None, system: int | None, replicates: int, seed: int) -> Group:
    """The agreement on one question (None: all, pooled) about one system's items (None: about all)."""
    ratings, raters = judgements.ratings(question, system)
    estimates_by_name = estimate_statistics(
        build_statistics(ratings), ratings.clusters, replicates=replicates, seed=seed
    )
    return Group(
        items=ratings.n_units,
        distinct_items=len(np.unique(judgements.item[judgements.kept(question, system)])),
        raters=raters,
        judgements=len(ratings.units),
        missing=ratings.missing,
        answers=count_answers(ratings),
        statistics=estimates_by_name,
        yes=yes_rates(ratings, raters),
        notes=build_notes(ratings, estimates_by_name),
    )


def build_statistics(ratings: Ratings) -> dict[str, Statistic]:
    """Every statistic that applies to these ratings, by its printed name."""
    if ratings.n_raters < 2:
        return {name: undefined_statistic("only one rater") for name in ALWAYS}
    n_labels = len(ratings.labels)
    if n_labels > MAX_LABELS:
        why = f"{n_labels} different answers, more than the {MAX_LABELS} that are compared as categories"
        return {name: undefined_statistic(why) for name in ALWAYS}
    apart, counts = disagreement_matrix("nominal", n_labels), ratings.counts()
    statistics_by_name = {
        "percent": percent_statistic(counts),
        "cohen_kappa": _cohen_statistic(ratings, apart),
        "fleiss_kappa": fleiss_statistic(counts, apart),
        "krippendorff_alpha": alpha_statistic(counts, apart),
        "gwet_ac1": gwet_statistic(counts, apart),
    }
    if ratings.n_raters > 2:
        statistics_by_name["cohen_kappa_pairs_mean"] = _pairs_mean_statistic(ratings, apart)
    return statistics_by_name | _two_by_two_indices(ratings) | _scale_statistics(ratings)


def _cohen_statistic(ratings: Ratings, apart: Floats) -> Statistic:
    if ratings.n_raters != 2:
        return undefined_statistic(
            f"{ratings.n_raters} raters; Cohen's kappa is for exactly two, see the mean over pairs"
        )
    return kappa_statistic(ratings.column(0), ratings.column(1), apart)


def _pairs_mean_statistic(ratings: Ratings, apart: Floats) -> Statistic:
    if ratings.n_raters > MAX_PAIR_RATERS:
        return undefined_statistic(
            f"{ratings.n_raters} raters, more than the {MAX_PAIR_RATERS} that are compared pair by pair"
        )
    return pairs_mean_statistic(ratings, apart)


def _two_by_two_indices(ratings: Ratings) -> dict[str, Statistic]:
    """Prevalence and bias of two raters with two answers; the answer that sorts last (yes, true, 1) is the positive."""
    if ratings.n_raters != 2 or len(ratings.labels) != 2:
        why = f"needs two raters and two answers, here {ratings.n_raters} and {len(ratings.labels)}"
        return {name: undefined_statistic(why) for name in TWO_BY_TWO}
    statistics_by_name = index_statistics(ratings.column(0), ratings.column(1))
    return {name: statistics_by_name[name] for name in (*TWO_BY_TWO, "pabak")}


def _scale_statistics(ratings: Ratings) -> dict[str, Statistic]:
    """Weighted statistics, where all answers are numbers and there are more than two of them."""
    points = [float(label) for label in ratings.labels if not isinstance(label, str | bool)]
    if len(points) != len(ratings.labels) or len(points) < 3:
        return {}
    counts, statistics_by_name = ratings.counts(), {}
    linear, square = (disagreement_matrix(name, len(points), points) for name in ("linear", "quadratic"))
    if ratings.n_raters == 2:
        statistics_by_name["cohen_kappa_linear"] = _cohen_statistic(ratings, linear)
        statistics_by_name["cohen_kappa_quadratic"] = _cohen_statistic(ratings, square)
    if len(points) <= MAX_ORDINAL:
        statistics_by_name["krippendorff_alpha_ordinal"] = ordinal_alpha_statistic(counts)
    statistics_by_name["krippendorff_alpha_interval"] = alpha_statistic(counts, square)
    statistics_by_name["gwet_ac2_linear"] = gwet_statistic(counts, linear)
    statistics_by_name["gwet_ac2_quadratic"] = gwet_statistic(counts, square)
    return statistics_by_name


def estimate_dict(estimate: Estimate) -> dict[str, Any]:
    """{"value", "ci95"}, or {"value": null, "undefined"}; a value without an interval has "ci95": null and why."""
    if not estimate.value.defined:
        return {"value": None, "undefined": estimate.value.undefined}
    interval = estimate.interval
    result: dict[str, Any] = {"value": estimate.value.value, "ci95": [interval.low, interval.high]}
    if interval.low is None:
        result |= {"ci95": None, "ci95_undefined": interval.undefined}
    if interval.left_out:
        result["replicates_left_out"] = interval.left_out
    return result


def group_dict(agreement: Group) -> dict[str, Any]:
    """One group as `agreement --json` prints it."""
    return {
        "items": agreement.items,
        "distinct_items": agreement.distinct_items,
        "raters": len(agreement.raters),
        "judgements": agreement.judgements,
        "missing": agreement.missing,
        "answers": agreement.answers,
        **{name: estimate_dict(estimate) for name, estimate in agreement.statistics.items()},
        "yes_rate": {
            "raters": {
                name: {**estimate_dict(rate), "n": agreement.yes.answers_of[name]}
                for name, rate in agreement.yes.raters.items()
            },
            "pooled": estimate_dict(agreement.yes.pooled),
            "all_yes": estimate_dict(agreement.yes.all_yes),
        },
        "notes": list(agreement.notes),
        **({} if agreement.compared is None else {"compared": [row.as_dict() for row in agreement.compared]}),
    }
