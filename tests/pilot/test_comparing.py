"""Checks of answers to one request."""

import pytest

from annotation.models import Annotation
from annotation.services.pilot import comparison as pilot_comparison
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import pilot_gate
from tests.pilot.factories import hand_in, next_task, with_pilot, write_pilot

pytestmark = pytest.mark.django_db


def compared(project, at=0):
    return pilot_comparison.compare_answers(list(pilot_setup.pilot_samples(pilot_gate.pilot_of(project)))[at])


def answered(*texts: str, **changed):
    """The first pilot sample, answered by one candidate per text."""
    project, people, _admin = with_pilot(samples=1, annotators=len(texts))
    for person, text in zip(people, texts, strict=True):
        hand_in(next_task(project, person), summary=text, **changed)
    result = compared(project)
    by_person = {column.candidate.user_id: column.answer for column in result.columns}
    return [by_person[person.pk] for person in people]


def test_copied_words_are_those_of_runs_of_three_or_more():
    source = "the night ferry left"  # words of the test's sources stand in another order
    (answer,) = answered("Nothing of it is there at all.")
    assert answer.copied == 0
    text = answer.annotation.sample.group.document.source_text.segments[0]["text"]
    run = " ".join(text.split()[:4])
    (copied,) = answered_again(f"{run} and two more.")
    assert copied.copied == pytest.approx(4 / 7)
    assert [piece for is_copied, piece in copied.pieces if is_copied] == [run]
    assert source not in run


def answered_again(text):
    project, (first,), _admin = with_pilot("other", samples=1, annotators=1, start=20)
    hand_in(next_task(project, first), summary=text)
    return [column.answer for column in compared(project).columns]


def test_what_was_named_of_the_topics_is_told():
    name, other = answered("All about Topic 1 here.", "About something else.")
    assert name.mentions == {"topic": (["topic 1"], ["topic 1"])}
    assert other.mentions == {"topic": ([], ["topic 1"])}


def test_each_answer_stands_beside_the_median_of_the_others():
    short, middle, long = answered("One.", "One two three.", "One two three four five six seven.")
    assert [item.words for item in (short, middle, long)] == [1, 3, 7]
    assert [item.apart["words"] for item in (short, middle, long)] == [-4, -1, 5]


def test_equal_answers_are_wholly_alike():
    first, other, third = answered("A late ferry.", "A late ferry.", "Something else entirely.")
    assert first.alike == pytest.approx((1 + 0) / 2) == other.alike
    assert third.alike == 0
    assert first.marked_alike == 1


def test_the_band_is_the_one_the_writer_saw():
    (answer,) = answered("One.")
    Annotation.objects.filter(pk=answer.annotation.pk).update(band_shown={"length": {"from": 2, "to": 9}})
    project = answer.annotation.project.front
    (column,) = compared(project).columns
    assert (column.answer.in_band, column.answer.band.low) == ("below", 2)


def test_a_candidate_without_an_answer_has_a_column():
    project, (first, second), _admin = with_pilot(samples=1)
    write_pilot(project, first)
    next_task(project, second)
    result = compared(project)
    assert sorted((column.answer is None, str(column.state)) for column in result.columns) == [
        (False, "submitted"),
        (True, "claimed"),
    ]


def test_thirty_candidates_cost_the_queries_of_two(django_assert_max_num_queries):
    project, people, _admin = with_pilot(samples=1, annotators=30)
    for person in people:
        hand_in(next_task(project, person))
    row = pilot_setup.pilot_samples(pilot_gate.pilot_of(project))[0]
    with django_assert_max_num_queries(9):
        assert len(pilot_comparison.compare_answers(row).answers) == 30
