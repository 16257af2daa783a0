"""The formulas of a report's numbers, as they are printed in its file for checking: by statistic and by interval.

`epitome.check` computes by them without sharing code; a changed formula gets a new name.
"""

from collections.abc import Iterable

from epitome.combined.formulas import EQUAL, EXPORTED, INTERVAL, SEQUENCE, TESTS, UNEQUAL

SELECTION = (
    "`of` says which answers count: those to real items (quality real) by the raters of this line, or by `judge`, to "
    "`questions`, about exactly `systems`, or `includes` among others; `about` one system, a pair or a list; in "
    "`domains`; by `rater`; with this `requested` value or `rule` (true: any). `parts`: [question, part] of answers "
    "that hold several things: whether a value was ticked, or which system was named best or worst. Answers keep the "
    "order of the file, or come question by question (`order`). A share or mean times `times` is printed. A unit is "
    "one question about one item."
)
SCORES = (
    "`score` says what an answer is worth. is: 1 where it is `answer`, else 0. step: its place among the values, from "
    "1. number: itself. ticks: 1 where it ticks `answer`. as-requested, as-labelled: 1 where it is `requested`, or "
    "`expected`. first, second, tie: 1 where `system`, the other, or neither was preferred. wins: 1, .5 for a tie, 0. "
    "prefers: +1, 0, -1. best, worst: 1 where `system` is; best-worst: the first minus the second. rank: its place in "
    "the answer, from 1; leads: 1 where that is 1. errors: minus the weights of the marks per 100 words of the text."
)
INTERVALS = {
    "bootstrap": (
        "k whole sources are drawn from the k sources with replacement, in each of R replicates (R is `replicates`; of "
        "differences `swaps`), by numpy.random.default_rng(seed).integers(0, k, size=(R, k)); sources are numbered "
        "from 0 as they occur first (of differences, in the sorted samples of all systems; of kappa of a judge each "
        "item is one; of all-yes those of all units). The number is computed again in each replicate. The ends are the "
        "percentiles 50 (1 - L) and 50 (1 + L), interpolated linearly, L = 2 Phi(sqrt(k / (k - 1)) t) - 1, t the .975 "
        "quantile of Student's t with k - 1 degrees of freedom. Undefined replicates are left out; none where more "
        "than half are (of correlations more than 5 %), or k = 1."
    ),
    "bootstrap-widened": (
        "As bootstrap. Where fewer than ten sources have a unit with a disagreement (the share of its pairs of ratings "
        "that differ, of alpha-interval their mean squared distance over the largest), it reaches at least from 1 - h "
        "/ E to 1 - l / E, within -1 and 1: l and h Wilson's interval (see wilson) of the mean D of these shares over "
        "units rated twice; E = D / (1 - value), where D is 0 the disagreement expected by chance (percent 1; kappa, "
        "alpha and AC1 the 1 - e of the formula; of several pairs the harmonic mean)."
    ),
    "bootstrap-open": (
        "As bootstrap; a replicate in which nothing is preferred to the system (or to its group) counts as its largest "
        "finite value, one in which it never wins as its smallest. No interval where either is more frequent than the "
        "share of replicates outside of that end, which then is open."
    ),
    "wilson": (
        "Wilson's interval (x + c/2 +- sqrt(c x (1 - x) + c^2 / 4)) / (1 + c), c = 1.95996^2 / m, x the share. m = n / "
        "max(1, D): n answers, D = [k / (k - 1) sum (yes_s - x n_s)^2] / [n x (1 - x) n / (n - 1)] over k sources with "
        "n_s answers each. Where x is 0 or 1, or k is 1: m = n^2 / sum n_s^2."
    ),
    "combined-interval": f"{INTERVAL} {TESTS}",
    "sequence-interval": "See the formula of sequence.",
}
_P = (
    "p is the share of ways to flip the signs of what whole sources add to the sum that give a sum as far from 0 "
    "(within 1e-9 of the sum of sizes). Up to 20 sources that differ from 0: all ways. More: `swaps` random ones, by "
    "numpy.random.default_rng(seed).integers(0, 2, size=(b, k), dtype=int8) in blocks of b = max(1, 2^20 // k) rows, "
    "and p = (1 + as far) / (1 + swaps)."
)
_HOLM = (
    "Holm: of the m defined p of the same `family`, in rising order, the first times m, the next times m - 1 ..., "
    "never below one before it, at most 1."
)
_DIFFERENCE = (
    "Of each sample the mean score of its answers for `first` minus that for `second` (prefers: the mean score); the "
    "mean over the samples that have both."
)
_RATES = (
    "-100 times the weights of the marks over the words, both summed over the samples that both systems have: of "
    "`first` minus of `second`. Sources are numbered as they occur first in the sorted samples of both."
)
_PAIR = "O the mean over units rated twice or more of the share of pairs of ratings that agree"
STATISTICS = {
    "mean": "The sum of the scores over the number of answers.",
    "majority": "Of each unit the mean score of its raters; 1 above .5, 0 below, left out at .5; their mean.",
    "all-yes": "Of the units answered twice or more, the share to which everybody said yes.",
    "median": "The median of the scores.",
    "sd": "The standard deviation of the scores, with n - 1.",
    "count": "The number of answers, or of different values of the field `distinct`.",
    "chance": "The share of the commonest requested value among the answers.",
    "rated": (
        "Of the answers of one person about one item, where all `questions` are answered: 1 where `yes_to` was "
        "answered yes (any: at least one was; none: none was), else 0; their mean."
    ),
    "percent": f"{_PAIR}.",
    "cohen": (
        "Of exactly two raters, over units that both rated: (o - e) / (1 - e), o the share answered alike, e the sum "
        "over answers of the product of both raters' shares. Undefined where e = 1."
    ),
    "cohen-pairs": "Of three to 20 raters: the mean of Cohen's kappa over the pairs for which it is defined.",
    "kappa": "Cohen's kappa of two raters; of three to 20 the mean over the pairs for which it is defined.",
    "fleiss": (
        f"(O - e) / (1 - e), {_PAIR}, e the sum over answers of p^2, p the mean over all rated units of the share of "
        "that answer. Undefined where only one answer was given."
    ),
    "alpha": (
        "1 - (N - 1) sum_u [sum of n_c n_d over c != d / (n_u - 1)] / sum of N_c N_d over c != d: n_c the ratings of "
        "unit u with answer c, n_u all of them, N_c the sum over units; only units rated twice or more."
    ),
    "alpha-interval": "As alpha, with every product times (c - d)^2; answers are numbers.",
    "ac1": (
        f"(O - e) / (1 - e), {_PAIR}, e = sum over answers of p (1 - p) / (q - 1), p as for Fleiss' kappa, q the "
        "number of answers that can be given (`labels`, and any other that was)."
    ),
    "prevalence": (
        "Of two raters and two answers, over units that both rated: (both gave the second of `labels` - both gave the "
        "first) / n."
    ),
    "units": "The number of units with an answer.",
    "raters": "The number of raters with an answer.",
    "missing": "1 - answers / (units times raters).",
    "twice": "The number of units that two or more rated.",
    "kendall-w": (
        "The mean over items that m >= 2 people ranked of 12 S / (m^2 (k^3 - k)), S the sum of squared deviations of "
        "the k rank sums from their mean."
    ),
    "per-100-words": (
        "100 times the sum over answers of the amount, over the sum of the words of their texts. amount: score, minus "
        "the weights of the marks; count, their number; number, those of one severity; weight, the weights of one "
        "category. Invalid answers and texts without words are left out."
    ),
    "without-errors": "The share of answers without a mark; invalid ones and texts without words are left out.",
    "marks": "How many: marks (errors), answers, texts marked by two or more, raters, quotes not found, or invalid.",
    "f1": (
        "2 times the characters that both marked, over the sum of those that each marked, summed over all pairs of "
        "raters of a text (of a judge: with each person); with `alike` only where category or severity is the same."
    ),
    "words-alpha": "As alpha; a unit is a word of a text, its answers are marked (a mark touches it) and not marked.",
    "words-kappa": (
        "The mean of Cohen's kappa over pairs of raters for which it is defined, on the words of the texts that both "
        "marked; undefined for more than 12 raters."
    ),
    "difference": _DIFFERENCE,
    "p": f"{_DIFFERENCE} {_P}",
    "difference-of-rates": _RATES,
    "p-of-rates": (
        f"{_RATES} p as in the formula p, whole sources being swapped between the systems; a swap is as far within "
        f"1e-9 of the sum of the largest rate of a source and the difference. {_P}"
    ),
    "holm": _HOLM,
    "won-lost": "Answers that prefer `system`, and those that prefer the other (`against`, or any).",
    "bradley-terry": (
        "Maximum likelihood of P(a is preferred to b) = e^a / (e^a + e^b), a tie half a win for each; mean 0. "
        "Undefined where not every system is reached from every other along wins (Ford 1957)."
    ),
    "spearman": (
        "Pearson's correlation of the mean ranks of -error and yes over the lines of scores; undefined below three, or "
        "where one side is constant."
    ),
    "p-of-correlation": f"Of the products of both centred ranks: {_P}",
    "holm-of-correlation": _HOLM,
    "judge-accuracy": "The share of items on which the judge gave the answer of most people; ties of people left out.",
    "judge-kappa": "Cohen's kappa of the judge's valid answers with those of most people.",
    "judge-consistency": "The share of answers that were the same when the texts of the pair were exchanged (repeat).",
    "judge-invalid": "The number of the judge's answers that are none.",
    "combined": f"{EXPORTED} {EQUAL} {UNEQUAL} {INTERVAL}",
    "combined-holm": (
        f"{TESTS} From v = 1000 on p is that of the normal distribution. The pairs are those of one question and judge."
    ),
    "sequence": f"{SEQUENCE} Evidence: the greatest mean of both capitals against no difference; 1 / alpha decides.",
}


def list_formulas(names: Iterable[str]) -> dict[str, str]:
    """The texts of these statistics and intervals, in a fixed order. Raises KeyError for one without a text."""
    texts, wanted_names = {**STATISTICS, **INTERVALS}, set(names)
    if unknown := wanted_names.difference(texts):
        raise KeyError(sorted(unknown)[0])
    return {name: text for name, text in texts.items() if name in wanted_names}
