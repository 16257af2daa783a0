"""Answers made so that the printed table of MACSum's human evaluation comes out, and small rounds by hand."""

from itertools import product

import numpy as np

from epitome.agreement.kappa import kappa_of_table
from epitome.reports.answers import Answer, Frame, ReportQuestion

N = 30
QUESTIONS = {"document": ("topic", "extractiveness", "specificity")}
QUESTIONS["dialogue"] = ("topic", "speaker", "extractiveness", "specificity")
CODES = {"topic": "Tpc", "speaker": "Spk", "extractiveness": "Ext", "specificity": "Spe"}
# (yes of one rater per question, kappa pooled over them), as printed.
PRINTED = {
    ("Gold", "document"): ((0.83, 0.77, 0.80), 0.87),
    ("HP", "document"): ((0.67, 0.73, 0.57), 0.77),
    ("HP+SP", "document"): ((0.53, 0.60, 0.60), 0.70),
    ("Gold", "dialogue"): ((0.87, 0.80, 0.73, 0.73), 0.84),
    ("HP", "dialogue"): ((0.67, 0.70, 0.67, 0.70), 0.79),
    ("HP+SP", "dialogue"): ((0.60, 0.57, 0.53, 0.40), 0.69),
}
DOMAINS = (("document", "MAC-Doc"), ("dialogue", "MAC-Dial"))


def make_frame(**changes) -> Frame:
    items = tuple(
        ReportQuestion(key, key.capitalize(), code, "yes-no", key, ("normal", "high") if key == "specificity" else ())
        for key, code in CODES.items()
    )
    fields = {
        "name": "as printed",
        "systems": ("Gold", "HP", "HP+SP"),
        "questions": items,
        "raters": ("one", "two"),
        "domains": DOMAINS,
        "replicates": 200,
    }
    return Frame(**{**fields, **changes})


def printed_answers() -> list[Answer]:
    """2 raters x 3 targets x 2 domains x 30 samples."""
    items = []
    for (system, domain), (rates, kappa) in PRINTED.items():
        yes = [round(rate * N) for rate in rates]
        lost, won = count_flips(sum(yes), N * len(yes), kappa)
        cells = [(place, number) for place, count in enumerate(yes) for number in range(count)]
        other = [(place, number) for place, count in enumerate(yes) for number in range(count, N)]
        changed = {*cells[:: max(1, len(cells) // lost)][:lost], *other[:: max(1, len(other) // max(won, 1))][:won]}
        for (place, question), number in product(enumerate(QUESTIONS[domain]), range(N)):
            first = number < yes[place]
            second = first != ((place, number) in changed)
            for rater, answer in (("one", first), ("two", second)):
                items.append(
                    Answer(
                        item=f"{system}-{domain}-{number}",
                        rater=rater,
                        question=question,
                        answer="yes" if answer else "no",
                        system=system,
                        domain=domain,
                        source=f"{domain}-{number // 2}",
                        sample=f"{domain}-{number}",
                        requested="high" if number % 3 == 0 and question == "specificity" else "normal",
                    )
                )
    return items


def count_flips(yes: int, n: int, kappa: float) -> tuple[int, int]:
    """How many of one rater's yes and no the other must change, so that kappa prints as wanted."""
    for total in range(1, n):
        for lost in range(total + 1):
            won = total - lost
            table = [[yes - lost, lost], [won, n - yes - won]]
            if 1 <= lost <= yes and won <= n - yes:
                other_kappa = kappa_of_table(np.array(table))
                if other_kappa.defined and round(float(other_kappa), 2) == kappa:
                    return lost, won
    raise AssertionError(f"no table with {yes} yes of {n} has kappa {kappa}")
