"""What is kept of a suggested text: worked out by hand."""

import pytest

from epitome.text.kept_words import compute_kept_shares

SEVEN = "one two three four five six seven"
TAIWAN = "區議會以十四票對九票通過支付渡輪費用直到明年四月"


def test_an_unchanged_text_is_kept_whatever_its_white_space():
    assert compute_kept_shares(SEVEN, SEVEN) == (1.0, 1.0, True)
    assert compute_kept_shares(SEVEN, " one two\nthree  four five\tsix seven ") == (1.0, 1.0, True)


def test_a_replaced_word_takes_itself_out():
    # 23 of 27 letters stand in "one two three" and "five six seven".
    assert compute_kept_shares(SEVEN, "one two three FOUR five six seven") == (0.8519, 0.8519, False)


def test_a_rest_of_two_words_in_a_row_is_not_kept():
    # "three" went: "one two" is no run of three words, "four five six seven" is one: 16 of 27, 16 of 22 letters.
    assert compute_kept_shares(SEVEN, "one two four five six seven") == (0.5926, 0.7273, False)


def test_moved_sentences_are_kept_and_words_by_chance_are_not():
    assert compute_kept_shares("a b c d e f", "d e f a b c") == (1.0, 1.0, False)
    assert compute_kept_shares("the end of the road", "of the many who drove the end") == (0.0, 0.0, False)


def test_added_words_lower_the_share_of_the_text_alone():
    assert compute_kept_shares("aa bb cc", "aa bb cc dddd ee") == (1.0, 0.5, False)
    assert compute_kept_shares("aa bb cc dddd ee", "aa bb cc") == (0.5, 1.0, False)


def test_case_and_marks_count():
    assert compute_kept_shares("The boat is back.", "the boat is back!") == (0.0, 0.0, False)


@pytest.mark.parametrize(("suggestion", "text"), [("", ""), ("a b c", " \n"), ("", "a b c")])
def test_an_empty_text_shares_nothing(suggestion, text):
    assert compute_kept_shares(suggestion, text) == (0.0, 0.0, False)


def test_a_shorter_text_is_its_own_run():
    # "Yes" is 3 of 19 characters of the longer one.
    assert compute_kept_shares("Yes", "Yes and more words here") == (1.0, 0.1579, False)


def test_scripts_without_blanks_are_cut_into_words():
    kept_shares = compute_kept_shares(TAIWAN, TAIWAN.replace("明年", "今年"))
    assert 0.3 < kept_shares.kept < 1 and not kept_shares.identical


def test_long_texts_of_one_word_are_compared_too():
    assert compute_kept_shares("a " * 50_000, "a " * 49_999) == (1.0, 1.0, False)
