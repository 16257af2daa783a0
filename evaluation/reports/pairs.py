"""Preferences between two summaries: win rates with ties, and Bradley-Terry strengths of all systems.

Sources: Bradley and Terry (1952), "Rank Analysis of Incomplete Block Designs"; Ford (1957), on when strengths exist;
Hunter (2004), "MM algorithms for generalized Bradley-Terry models".
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from annotation.figures.tables import Cell, Column, Table
from evaluation.agreement.intervals import Estimate, draw_resamples, interval_of
from evaluation.agreement.scales import Floats
from evaluation.reports.answers import Answers, Frame, ReportQuestion
from evaluation.reports.cells import estimate_cell, estimate_means, few_sources_notes, source_codes, table_signature

TIE = "tie"
MAX_ITERATIONS, TOLERANCE = 1000, 1e-9
NOTE = (
    "Shares of all answers about a pair, each answer counted once; ties are shown and not split. 95 % intervals by a "
    "bootstrap that draws whole sources."
)
STRENGTH_NOTE = (
    "Strengths are logarithms with mean 0: a difference of d means the first is preferred with odds e^d. A tie counts "
    "as half a win for each. Intervals leave out replicates in which the strengths do not exist."
)
NO_STRENGTH = "some system, or group of systems, always wins or never does: its strength has no finite estimate"


def pair_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Win and strength tables of each question about a pair whose answer is a side."""
    tables = []
    for question in frame.of_type("preference", "side"):
        subset = answers.questions([question.key])
        if len(subset):
            tables.append(_win_table(frame, question, subset))
            table = _strength_table(frame, question, subset)
            tables += [table] if table is not None else []
    return tables


def _win_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("First", kind="text"), Column("Second", kind="text"), Column("Domain", kind="text")]
    columns += [Column("First wins", interval=True, count=True)]
    columns += [Column("Tie", interval=True), Column("Second wins", interval=True)]
    rows = []
    for first, second in combinations(frame.systems, 2):
        for domain, name in frame.domains:
            subset = answers.where(
                lambda row, pair={first, second}, domain=domain: (
                    row.domain == domain  # type: ignore[misc]
                    and {row.system, row.other} == pair
                )
            )
            if len(subset):
                shares = _win_shares(frame, subset, first)
                rows.append([Cell(first), Cell(second), Cell(name), estimate_cell(shares["first"], len(subset))])
                rows[-1] += [estimate_cell(shares["tie"]), estimate_cell(shares["second"])]
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("wins", frame, answers, question=question.key)
    return Table(
        f"wins-{question.key}", f"{question.label}: wins", columns, rows, notes=notes, signature=signature_text
    )


def _win_shares(frame: Frame, answers: Answers, first: str) -> dict[str, Estimate]:
    winners = [_preferred_system(row.answer, row.system, row.other) for row in answers.rows]
    flags = {
        "first": [float(winner == first) for winner in winners],
        "tie": [float(winner == "") for winner in winners],
        "second": [float(winner not in (first, "")) for winner in winners],
    }
    return estimate_means(frame, flags, [row.source for row in answers.rows])


def _preferred_system(answer: str, first: str, second: str) -> str:
    """The system that an answer prefers; "" for a tie."""
    return {"1": first, "2": second}.get(answer, "")


def _strength_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table | None:
    systems = [name for name in frame.systems if any(name in (row.system, row.other) for row in answers.rows)]
    if len(systems) < 3:
        return None  # for two systems the win rate is sufficient
    wins = count_wins(answers, systems)
    strengths = bradley_terry(wins.sum(axis=0))
    replicates = _bootstrap_strengths(wins, frame)
    rows = []
    for place, name in enumerate(systems):
        if strengths is None:
            rows.append([Cell(name), Cell(None, NO_STRENGTH)])
            continue
        interval = interval_of(replicates[:, place], len(wins))
        rows.append([Cell(name), Cell(float(strengths[place]), low=interval.low, high=interval.high)])
    columns = [Column("System", kind="text"), Column("Strength", interval=True)]
    signature_text = table_signature("bradley-terry", frame, answers, question=question.key, ties="half")
    title = f"{question.label}: Bradley–Terry strengths"
    notes = (STRENGTH_NOTE, *few_sources_notes(answers.names("source")))
    return Table(f"strengths-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def count_wins(answers: Answers, systems: Sequence[str]) -> Floats:
    """Wins of row over column per source, shape (sources, systems, systems); a tie counts as half a win for each."""
    place = {name: number for number, name in enumerate(systems)}
    codes = source_codes([row.source for row in answers.rows])
    wins = np.zeros((int(codes.max(initial=-1)) + 1, len(systems), len(systems)))
    for code, row in zip(codes, answers.rows, strict=True):
        first, second = place[row.system], place[row.other]
        if row.answer == TIE:
            wins[code, first, second] += 0.5
            wins[code, second, first] += 0.5
        elif row.answer == "1":
            wins[code, first, second] += 1
        else:
            wins[code, second, first] += 1
    return wins


def bradley_terry(wins: Floats) -> Floats | None:
    """Log strengths with mean 0, shape (systems,); None if they do not exist (Ford's condition).

    wins: shape (systems, systems), wins of row over column.
    """
    if not _is_connected(wins > 0):
        return None
    games = wins + wins.T
    won = wins.sum(axis=1)
    strength = np.ones(len(wins))
    for _round in range(MAX_ITERATIONS):
        below = np.divide(games, strength[:, None] + strength[None, :])
        np.fill_diagonal(below, 0)
        new = won / below.sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new) - np.log(strength)).max() < TOLERANCE:
            strength = new
            break
        strength = new
    logs = np.log(strength)
    return np.asarray(logs - logs.mean())


def _is_connected(beats: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    """Whether every system is reachable from every other one along wins."""
    reach = beats | np.eye(len(beats), dtype=bool)
    for _step in range(len(beats).bit_length()):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    return bool(reach.all())


def _bootstrap_strengths(wins: Floats, frame: Frame) -> Floats:
    """Strengths of every bootstrap replicate, NaN if they do not exist, shape (replicates, systems)."""
    flat = wins.reshape(len(wins), -1)
    rows = []
    for block in draw_resamples(len(wins), frame.replicates, frame.seed):
        for sums in block @ flat:
            strengths = bradley_terry(sums.reshape(wins.shape[1:]))
            rows.append(np.full(wins.shape[1], np.nan) if strengths is None else strengths)
    return np.array(rows)
