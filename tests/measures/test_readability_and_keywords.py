"""The grade level, its syllables, and keyword success."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.measures import Undefined
from annotation.measures.keywords import match_keywords, success_rate
from annotation.measures.readability import count_syllables, fkgl, fkgl_of_counts


@pytest.mark.parametrize(
    ("words", "sentences", "n_syllables", "wanted"),
    [(100, 5, 150, 9.91), (6, 1, 6, -1.45), (13, 1, 24, 11.26)],
)
def test_the_grade_of_counts(words, sentences, n_syllables, wanted):
    assert fkgl_of_counts(words, sentences, n_syllables) == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize("counts", [(0, 1, 1), (1, 0, 1), (-1, 1, 1)])
def test_a_grade_needs_words_and_sentences(counts):
    with pytest.raises(Undefined, match="words and sentences"):
        fkgl_of_counts(*counts)


def test_the_grade_of_texts():
    assert float(fkgl("The cat sat on the mat.")) == pytest.approx(0.39 * 6 + 11.8 * 1 - 15.59)
    # the formula's well-known example: 13 words, 24 syllables, one sentence
    text = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature"
    assert float(fkgl(text)) == pytest.approx(11.26, abs=0.005)
    assert float(fkgl("We met. We left.")) == pytest.approx(0.39 * 2 + 11.8 * 1 - 15.59)


@pytest.mark.parametrize("text", ["", " ", "?!", "🚢"])
def test_without_words_there_is_no_grade(text):
    assert fkgl(text).undefined == "the text has no word"


SYLLABLES = {
    1: "the a make makes walked eye yes day typed blue free don't can't read school through queue whole sea",
    2: "table tables boxes wanted handled lovely statement nation doing being player beyond trying movie doesn't "
    "people's well-known café quiet science prism before million language rhythm creature",
    3: "radio idea video tourism employee actual syllable beautiful government created twenty-one different area",
    4: "information education analysis industrial experience interesting society",
    5: "university investigation",
}


@pytest.mark.parametrize(("wanted", "word"), [(n, word) for n, words in SYLLABLES.items() for word in words.split()])
def test_syllables(wanted, word):
    assert count_syllables(word) == wanted


@given(st.text())
def test_every_word_has_a_syllable(word):
    assert count_syllables(word) >= 1


@pytest.mark.parametrize(
    ("text", "keywords", "wanted"),
    [
        ("We summarize with neural networks.", ["neural network", "summarization"], [True, True]),
        ("Network of neural cells", ["neural network"], [False]),  # in order
        ("neural deep networks", ["neural network"], [False]),  # side by side
        ("Multi-scale features", ["multi-scale", "multi scale", "MULTISCALE"], [True, True, False]),
        ("relational learning", ["relation", "relate"], [True, True]),  # Porter: relat
        ("the university", ["universe"], [True]),  # Porter: univers
        ("catalog", ["cat", "--", ""], [False, False, False]),
        ("", ["x"], [False]),
    ],
)
def test_keyword_success(text, keywords, wanted):
    assert match_keywords(text, keywords) == wanted


def test_the_rate_is_the_share_found():
    assert float(success_rate("deep neural networks", ["neural network", "transformers"])) == 0.5
    assert float(success_rate("deep neural networks", "neural network , transformers")) == 0.5
    assert success_rate("deep", []).undefined == "no keywords requested"


def test_stems_are_porters_as_nltk_has_them():
    from nltk.stem.porter import PorterStemmer

    from annotation.measures.keywords import stem_words

    text = """caresses ponies relational conditional summarization generalizations oscillators hopefulness adoption
        networks learning models encoding decoder attention multilingual biases hypotheses"""
    original = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    assert stem_words(text) == [original.stem(word) for word in text.split()]
