"""Parses the rules of a round about its raters: whose answers are left out, and who gets no more items."""

from epitome.rounds.config import Exclusion, Pausing
from epitome.schema.tables import Table


def read_exclusion(top: Table) -> Exclusion:
    table = top.table("exclusion", ("foils_failed", "self_agreement", "seconds"))
    return Exclusion(
        foils_failed=table.number("foils_failed", 1.0, most=1.0),
        self_agreement=table.number("self_agreement", 0.0, most=1.0),
        seconds=table.number("seconds", 0.0, most=3600),
    )


def read_pausing(top: Table) -> Pausing:
    table = top.table("pausing", ("foils_wrong", "seconds", "same_answers", "window"))
    return Pausing(
        foils_wrong=table.whole("foils_wrong", 0, least=0, most=1000),
        seconds=table.number("seconds", 0.0, most=3600),
        same_answers=table.whole("same_answers", 0, least=0, most=1000),
        window=table.whole("window", Pausing.window, least=1, most=1000),
    )
