"""Bradley-Terry strengths of all systems that preferences compare, with intervals that say where they have no end."""

from collections.abc import Sequence

import numpy as np

from epitome.agreement.intervals import MAX_UNDEFINED_SHARE, draw_resamples, expanded_level
from epitome.agreement.scales import Floats
from epitome.figures.numbers import format_decimal, format_percent
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.bradley_terry import NoStrengths, find_ends, fit_strengths
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import few_sources_notes, source_codes, table_signature

TIE = "tie"
NOTE = (
    "Strengths are logarithms with mean 0: a difference of d means the first is preferred with odds e^d. A tie counts "
    "as half a win for each. 95 % intervals by a bootstrap that draws whole sources."
)
NEVER_LOSES = "nothing is ever preferred to it (or to its group): its strength has no upper bound"
NEVER_WINS = "it is (with its group) never preferred to the others: its strength has no lower bound"
NO_STRENGTH = "some system, or group of systems, always wins or never does: strengths have no finite estimate"
ONE_SOURCE = "No intervals: only one source, so nothing to draw from."


def strength_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table | None:
    """None for two systems, where the win rate is sufficient."""
    systems = [name for name in frame.systems if any(name in (row.system, row.other) for row in answers.rows)]
    if len(systems) < 3:
        return None
    rows, open_notes = _strength_rows(frame, systems, count_wins(answers, systems))
    columns = [Column("System", kind="text"), Column("Strength", interval=True)]
    signature_text = table_signature("bradley-terry", frame, answers, question=question.key, ties="half")
    title = f"{question.label}: Bradley–Terry strengths"
    notes = (NOTE, *open_notes, *few_sources_notes(answers.names("source")))
    return Table(f"strengths-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _strength_rows(frame: Frame, systems: Sequence[str], wins: Floats) -> tuple[list[list[Cell]], list[str]]:
    """Rows, and a note for each strength that has no interval with two ends. wins: see `count_wins`."""
    totals = wins.sum(axis=0)
    try:
        strengths = fit_strengths(totals)
        replicates = _draw_strengths(wins, frame)
    except NoStrengths as error:
        return [[Cell(name), Cell(None, str(error))] for name in systems], []
    if np.isnan(strengths).any():
        reasons = [_name_end(end) for end in find_ends(totals).tolist()]
        return [[Cell(name), Cell(None, why)] for name, why in zip(systems, reasons, strict=True)], []
    if len(wins) < 2:
        return [[Cell(name), Cell(float(one))] for name, one in zip(systems, strengths, strict=True)], [ONE_SOURCE]
    rows, notes = [], []
    for name, strength, values in zip(systems, strengths.tolist(), replicates.T, strict=True):
        low, high, why = bound_strength(values, len(wins))
        rows.append([Cell(name), Cell(strength) if why else Cell(strength, low=low, high=high)])
        notes += [f"{name} has no closed interval: {why}."] if why else []
    return rows, notes


def _name_end(end: float) -> str:
    return NEVER_LOSES if end == np.inf else NEVER_WINS if end == -np.inf else NO_STRENGTH


def bound_strength(values: Floats, n_sources: int) -> tuple[float | None, float | None, str]:
    """The expanded percentile interval of one system, or why it has no two ends. values: (replicates,) strengths; inf
    where nothing is preferred to the system, -inf where it never wins, NaN where there is no strength for another
    reason."""
    good = np.sort(values[~np.isnan(values)])
    missing = len(values) - len(good)
    if missing > MAX_UNDEFINED_SHARE * len(values):
        return None, None, f"strengths do not exist in {format_percent(missing / len(values))} of the replicates"
    tail = (1 - expanded_level(n_sources)) / 2
    finite = good[np.isfinite(good)]
    shares = {sign: float((good == sign * np.inf).mean()) for sign in (-1, 1)}
    if not len(finite) or min(shares.values()) > tail:
        return None, None, "in many replicates nothing is preferred to it, and in many it never wins"
    low, high = np.percentile(np.clip(good, finite[0], finite[-1]), [100 * tail, 100 * (1 - tail)])
    often = f"in {format_percent(max(shares.values()))} of the replicates"
    if shares[1] > tail:
        return float(low), None, f"at least {format_decimal(float(low), 2)}; {often} nothing is preferred to it"
    if shares[-1] > tail:
        return None, float(high), f"at most {format_decimal(float(high), 2)}; {often} it never wins"
    return float(low), float(high), ""


def count_wins(answers: Answers, systems: Sequence[str]) -> Floats:
    """Wins of row over column per source, shape (sources, systems, systems); a tie counts as half a win for each."""
    place = {name: index for index, name in enumerate(systems)}
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


def _draw_strengths(wins: Floats, frame: Frame) -> Floats:
    """(replicates, systems) strengths of every bootstrap replicate, as `bound_strength` takes them."""
    flat, parts = wins.reshape(len(wins), -1), []
    for block in draw_resamples(len(wins), frame.replicates, frame.seed):
        tables = (block @ flat).reshape(-1, *wins.shape[1:])
        strengths = fit_strengths(tables)
        parts.append(np.where(np.isnan(strengths), find_ends(tables), strengths))
    return np.concatenate(parts)
