"""The formulas by which every combined number follows from the exported rows, printed in reports and by the command."""

from typing import Literal

EXPORTED = (
    "Rows: one per item, question, system and judge, with pi (the chance with which the item was drawn for people), H "
    "(the mean of people's values, none where nobody judged it), G (the judge's value), source_id. Values go from 0 "
    "to 1: no 0, yes 1; step s of k steps (s - 1) / (k - 1); of a comparison 1 where the first system wins, 0.5 for a "
    "tie. A missing G is replaced by the mean of the judge's values; each pi is multiplied by the share of drawn "
    "items that were judged. A difference of two systems takes H_A - H_B and G_A - G_B of each sample_id, and "
    "people's value is known where both are."
)
EQUAL = (
    "Equal chances: n items with H and G, N items with G alone. theta = mean_n(H) - l (mean_n(G) - mean_N(G)). Of "
    "each source s, U_s sums (H - mean_n(H)) / n over its items with H, and V_s sums (G - mean_n(G)) / n over these "
    "minus (G - mean_N(G)) / N over its other items. l = sum U_s V_s / sum V_s^2, cut to 0 and 1. SE^2 = k / (k - 2) "
    "sum (U_s - l V_s)^2, k the sources with H; people alone: l = 0 and SE^2 = k / (k - 1) sum U_s^2."
)
UNEQUAL = (
    "Unequal chances: over all T items, x = 1 where H is known, a = H x / pi and b = G (x / pi - 1). theta = mean(a - "
    "l b), l = sum A_s B_s / sum B_s^2, cut to 0 and 1, with A_s, B_s the sums over source s of a - mean(a), b - "
    "mean(b). SE^2 = k / (k - 2) sum_s (sum (a - l b - theta) / T)^2. People alone: the mean of H weighted by 1 / pi "
    "(Hajek), SE^2 = k / (k - 1) sum_s (sum (H - mean) / pi / sum(1 / pi))^2."
)
INTERVAL = (
    "Interval of a mean from 0 to 1 (Wilson's, by the effective number of judgements): (x + c / 2 +- sqrt(c x (1 - x) "
    "+ c^2 / 4)) / (1 + c), x = theta cut to 0 and 1, c = t^2 f SE^2 / (m (1 - m)), m people's mean (of the judge "
    "alone: its mean). t is the 0.975 quantile of Student's t with v degrees of freedom, 2 / v = the sum over the K "
    "sources that SE rests on of (D_s^2 / sum D^2 - 1 / K - (1 - 2 m) E_s / (m (1 - m)))^2, with D_s the sum of "
    "source s within SE^2, E_s the same of people alone, 0 where it has no H; v is rounded down, at least k - 2 "
    "(people or judge alone: k - 1), at most 1000. With j = (sum E_s^2)^2 / sum E_s^4, f = 1 from j = 5 on; below, f "
    "= max(1, S^2 sum w_s^2 / SE_people^2), S^2 the mean of (H - m)^2, w_s the share of source s in the items with H "
    "(unequal chances: in 1 / pi, also within S^2). A difference has theta +- t SE, cut at -1 and 1, with k - 2 (k - "
    "1) degrees of freedom. Where all values are the same: theta - (theta - a) q to theta + (b - theta) q, q = t^2 / "
    "(1 / sum w_s^2 + t^2), a and b the ends of the scale. Where the combined interval is no narrower than people's, "
    "or j < 3, people's estimate stands and l = 0. Effective n = n (SE of people / SE)^2."
)
TESTS = (
    "p is two-sided by the same t: of a difference theta / SE, of comparisons (theta - 0.5) / sqrt(0.25 f SE^2 / (m "
    "(1 - m))). Where all values are the same, t^2 = (h / (1 - h)) / sum w_s^2, h = |theta - null| / |theta - the end "
    "of the scale on the side of null|. Holm's correction is over all pairs of systems under one question."
)
SEQUENCE = (
    "Sequence: one value y_t from 0 to 1 per source, the mean over its items with H (of a difference d: (1 + d) / 2), "
    "in the order of look. The capital of the bets that the mean is above m is the product of 1 + c_t (y_t - m), "
    "below m of 1 - d_t (y_t - m), with c_t = min(g_t, 0.75 / m), d_t = min(g_t, 0.75 / (1 - m)), g_t = sqrt(2 ln(2 / "
    "alpha) / (v_t t ln(1 + t))), v_t = (1/4 + sum over i < t of (y_i - u_i)^2) / t, u_i = (1/2 + y_1 + ... + y_i) / "
    "(i + 1). The interval holds the m of a grid of 1000 steps, one step wider at each end, for which neither capital "
    "has reached 2 / alpha at this or an earlier look."
)
SOURCES = (
    "Prediction-powered inference: Angelopoulos et al., Science 382 (2023), 669-674; its tuning: Angelopoulos, Duchi "
    "and Zrnic, arXiv 2311.01453 (2023). Intervals: Wilson, JASA 22 (1927), 209-212; Korn and Graubard, Survey "
    "Methodology 24 (1998), 193-201; Satterthwaite, Biometrics Bulletin 2 (1946), 110-114. Chosen items: Zrnic and "
    "Candes, Active statistical inference, ICML 2024. Sequences: Waudby-Smith and Ramdas, JRSS B 86 (2024), 1-27. "
    "Correction: Holm, Scand. J. Statist. 6 (1979), 65-70."
)


def list_formulas(chances: Literal["equal", "unequal", ""] = "", *, sequence: bool = False) -> tuple[str, ...]:
    """The formulas that a report needs, with their sources. chances: of items drawn for people; "": none
    is combined."""
    estimates = {"equal": (EXPORTED, EQUAL, INTERVAL, TESTS), "unequal": (EXPORTED, UNEQUAL, INTERVAL, TESTS), "": ()}
    return (*estimates[chances], *((SEQUENCE,) if sequence else ()), SOURCES)
