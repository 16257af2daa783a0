import pytest

from epitome.aggregations.normal import is_conforming, normalize_answer, normalize_answers


@pytest.mark.parametrize(
    ("written", "normalized"),
    [
        ("The two cities", "cities"),
        ("THE TWO CITIES", "cities"),
        ("the French politicians.", "french politicians"),
        ("In this article, Paris and Lyon are discussed. The two cities", "cities"),
        ("In this article, A. Blum and B. Roy ARE DISCUSSED. The French leaders. ", "french leaders"),
        ("five", "five"),
        ("the", "the"),
        ("The six", "six"),
        ("seven cities", "seven cities"),
        ("two the cities", "the cities"),
        ("  the   old  towns ", "old towns"),
        ("U.S. senators", "u.s. senators"),
        ("", ""),
        ("...", ""),
    ],
)
def test_an_answer_is_normalised_in_the_order_of_the_rules(written: str, normalized: str) -> None:
    assert normalize_answer(written) == normalized


@pytest.mark.parametrize("answer", ["french cities", "rock-and-roll singers", "orators", "sandy areas", "the arts"])
def test_a_phrase_that_says_more_than_the_type_conforms(answer: str) -> None:
    assert is_conforming(answer)


LISTS = ("cities and towns", "cities, and towns", "cities or towns", "cities/towns", "and")
SENTENCES = ("they are cities", "people who have cars")
NUMBERS = ("two", "2", "1,000", "twelve", "both")
TYPES = ("", "the", "na", "people", "areas", "organizations")


@pytest.mark.parametrize("answer", [*LISTS, *SENTENCES, *TYPES, *NUMBERS])
def test_lists_sentences_numbers_and_bare_types_do_not_conform(answer: str) -> None:
    assert not is_conforming(answer)


def test_doubles_of_one_person_count_once_and_refused_answers_go() -> None:
    assert normalize_answers(["The two", "The two cities", "cities.", "people", "old towns"]) == ["cities", "old towns"]
