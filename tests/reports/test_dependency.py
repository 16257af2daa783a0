"""What one changed request does: drawn by seed, measured against the system's own first output."""

import pytest

from annotation.measures import spacy_tagger
from annotation.schema import load_preset
from evaluation.reports.dependency import draw_changes, study
from modelbridge.systems.protocol import Request

SCHEMA = load_preset("macsum-doc")
WORDS = {"short": 4, "normal": 8, "long": 16}


def request(number: int, source: int, length: str, topic: str) -> Request:
    values = {"length": length, "extractiveness": "normal", "specificity": "normal", "topic": (topic,) if topic else ()}
    segments = ({"speaker": "", "text": "The budget was cut and the roof leaks in many rooms of the old town hall."},)
    return Request(f"s{source}#{number}", segments, values, SCHEMA)


REQUESTS = [
    request(number, number // 2, ("short", "normal", "long")[number % 3], ("budget", "roof")[number % 2])
    for number in range(12)
] + [request(12, 99, "short", "")]


def by_length(_system, requests):
    """A system that follows length and nothing else."""
    return [" ".join(["word"] * (WORDS[one.value("length")] - 1)) + " budget." for one in requests]


def test_draws_depend_on_the_seed_alone_and_change_one_attribute():
    first = draw_changes(REQUESTS, n=5, seed=3)
    assert first == draw_changes(REQUESTS, n=5, seed=3)
    assert first != draw_changes(REQUESTS, n=5, seed=4)
    for change in first:
        differing = [key for key in change.before.values if change.before.values[key] != change.after.values[key]]
        assert differing == [change.attribute]
    assert {change.attribute for change in first} == {"length", "extractiveness", "specificity", "topic"}


def test_a_topic_is_changed_to_one_of_the_same_source_and_never_where_none_was_asked():
    topics = [change for change in draw_changes(REQUESTS, n=50, seed=1) if change.attribute == "topic"]
    assert len(topics) == 12
    assert {change.after.picks("topic") for change in topics} == {("budget",), ("roof",)}


def test_only_what_the_system_follows_moves():
    found = study(None, draw_changes(REQUESTS, n=50, seed=1), spacy_tagger(), by_length, name="fake", seed=1)
    at = {row[0].value: [cell.value for cell in row[2:]] for row in found.table.rows}
    assert at["Len"][0] > 0.3
    for code in ("Ext", "Spe"):
        assert at[code] == [0, 0, 0, 0]
    assert found.figure.cells[0][0] == pytest.approx(at["Len"][0])
    assert found.amplitudes.rows[1][1].value == 0
