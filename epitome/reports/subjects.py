"""What an answer is about: one system, a pair of systems that a question compares, or a list of them.

A table with a row per system books an answer about a pair on neither of the two: the pair has a row of its own. So has
a list.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from epitome.reports.answers import Answer, Answers, Frame


def compares_systems(row: Answer) -> bool:
    """Whether the answer is about two different systems; two summaries of one system are about that system."""
    return row.other not in ("", row.system)


def name_pairs(frame: Frame, answers: Answers) -> tuple[Frame, Answers]:
    """The frame with the compared pairs and lists after its systems, and the answers with the pair in place of its
    first system.

    Systems that are in pairs or lists alone keep no row of their own. Without answers that compare systems both are
    unchanged.
    """
    lists = tuple(dict.fromkeys(row.system for row in answers.rows if row.systems))
    if not lists and not any(compares_systems(row) for row in answers.rows):
        return frame, answers
    pairs = {frozenset(pair): pair_name(*pair) for pair in combinations(frame.systems, 2)}
    rows = [
        replace(row, system=pairs[frozenset((row.system, row.other))], other="") if compares_systems(row) else row
        for row in answers.rows
    ]
    named = {row.system for row in rows}
    return replace(
        frame, systems=tuple(name for name in (*frame.systems, *pairs.values(), *lists) if name in named)
    ), Answers(rows)


def pair_name(first: str, second: str) -> str:
    return f"{first} / {second}"


def list_name(systems: Sequence[str]) -> str:
    """The name of a list of systems, as that of a pair."""
    return " / ".join(systems)


def subject_words(frame: Frame, subjects: Sequence[str]) -> str:
    """What the rows of a table are, for its title: system, pair of systems, or both; or list of systems."""
    if any(subject.count(" / ") > 1 and subject not in frame.systems for subject in subjects):
        return "list of systems"
    n_systems = sum(subject in frame.systems for subject in subjects)
    if n_systems == len(subjects):
        return "system"
    return "system and pair of systems" if n_systems else "pair of systems"
