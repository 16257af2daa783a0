"""The grade level, its syllables, and keyword success."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import Undefined, syllables
from epitome.measures.keywords import match_keywords, success_rate
from epitome.measures.readability import fkgl, fkgl_of_counts
from epitome.measures.syllables import count_syllables, syllable_id


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


@pytest.mark.parametrize("method", ["vowel-groups", "pyphen"])
@given(word=st.text())
def test_every_word_has_a_syllable(word, method):
    assert count_syllables(word, method) >= 1


@pytest.mark.parametrize(
    ("word", "wanted"),  # places where a line may break, plus one
    [("information", 4), ("analysis", 3), ("table", 2), ("table-tennis", 4), ("ago", 1), ("even", 1), ("don't", 1)],
)
def test_syllables_by_break_points(word, wanted):
    assert count_syllables(word, "pyphen") == wanted


def test_the_method_of_the_syllables_changes_the_grade_and_its_signature():
    text = "Even so, she left an hour ago."
    assert float(fkgl(text)) - float(fkgl(text, syllables="pyphen")) == pytest.approx(11.8 * (9 - 7) / 7)
    assert syllable_id() == "vowel-groups@1"
    assert re.fullmatch(r"pyphen@[0-9.]+\+en_US", syllable_id("pyphen"))
    with pytest.raises(ValueError, match="vowel-groups or pyphen, not 'cmu'"):
        syllable_id("cmu")


def test_without_pyphen_its_method_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyphen", None)
    syllables._load_pyphen.cache_clear()
    with pytest.raises(ImportError, match=r'pip install "epitome\[analysis\]"'):
        fkgl("A text.", syllables="pyphen")
    assert fkgl("A text.").defined


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

    from epitome.measures.keywords import stem_words

    text = """caresses ponies relational conditional summarization generalizations oscillators hopefulness adoption
        networks learning models encoding decoder attention multilingual biases hypotheses"""
    original = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    assert stem_words(text) == [original.stem(word) for word in text.split()]
