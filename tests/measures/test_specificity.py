"""Specificity: the formula with known tags, and the shipped tagger."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import NoTagger, spacy_tagger
from epitome.measures.specificity import specificity, specificity_many
from epitome.measures.stopwords import STOP_WORDS
from epitome.text.scripts import OTHER_SCRIPT, is_latin


class ByHand:
    """Tags from a list; NN for the rest. Keeps what it was given."""

    id = "by-hand@1"

    def __init__(self, **tags: str) -> None:
        self.tags = tags
        self.seen: list[list[str]] = []

    def tag(self, batch: Sequence[Sequence[str]]) -> list[list[str]]:
        self.seen += [list(words) for words in batch]
        return [[self.tags.get(word, "NN") for word in words] for words in batch]


TAGS = {"Cats": "NNS", "cats": "NNS", "Ann": "NNP", "are": "VBP", "ate": "VBD", "eating": "VBG", "3": "CD", ".": "."}


def test_the_release_tags_lower_case_words_without_stop_words():
    tagger = ByHand(**TAGS)
    # 1 VBG, 11 tokens, 3 NN (fish, ann, ann), 1 CD, 3 sentences
    value = specificity("Cats are eating 3 fish. Ann ate. Ann ate.", tagger)
    assert tagger.seen == [["cats", "eating", "3", "fish", ".", "ann", "ate", ".", "ann", "ate", "."]]
    assert value == pytest.approx((0.1 * 1 + 0.2 * 11 + 0.3 * 3 + 0.4 * 1) / 3)


def test_the_literal_profile_counts_all_tokens_all_verbs_and_all_nouns():
    tagger = ByHand(**TAGS)
    # verbs: are, eating, ate, ate; nouns: Cats, fish, Ann, Ann; 1 CD; 12 tokens; 3 sentences
    value = specificity("Cats are eating 3 fish. Ann ate. Ann ate.", tagger, "literal")
    assert tagger.seen == [["Cats", "are", "eating", "3", "fish", ".", "Ann", "ate", ".", "Ann", "ate", "."]]
    assert value == pytest.approx((0.1 * 4 + 0.2 * 12 + 0.3 * 4 + 0.4 * 1) / 3)


@pytest.mark.parametrize("profile", ["release", "literal"])
def test_an_empty_text_has_none(profile):
    assert specificity("", ByHand(), profile) == 0
    assert specificity(" \n", ByHand(), profile) == 0


def test_stop_words_alone_leave_the_punctuation():
    assert specificity("They are.", ByHand(**TAGS)) == pytest.approx(0.2)


def test_many_are_the_same_as_each():
    texts = ["Cats ate 3 fish.", "", "He was eating. He left.", "?!", "Number 9 of 12 ships sank on 3 May 1914."]
    tagger = spacy_tagger()
    assert [value.value for value in specificity_many(texts, tagger)] == [specificity(text, tagger) for text in texts]


def test_the_shipped_tagger_takes_tokens_as_they_are():
    tagger = spacy_tagger()
    assert tagger.id.startswith("en_epitome_sm@")
    batch = [["two", "ships", "sank", "near", "x.y.z-2", "."], [], ["running"]]
    tags = tagger.tag(batch)
    assert [len(tag) for tag in tags] == [6, 0, 1]
    assert tags[0][:2] == ["CD", "NNS"]


def test_a_dense_sentence_scores_over_a_plain_one_with_the_shipped_tagger():
    plain, dense = "He talked about the plans for it.", "The manager named 3 designs, a 12 euro chip and a rubber case."
    low, high = (specificity(text, spacy_tagger()) for text in (plain, dense))
    assert high > 2 * low


def test_a_pipeline_without_tagger_is_refused(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(NoTagger, match="has no tagger"):
        spacy_tagger(str(tmp_path / "blank"))


def test_the_stop_list_is_the_usual_one():
    assert len(STOP_WORDS) == 179
    assert {"i", "wouldn't", "don't", "t", "the", "o", "shan"} <= STOP_WORDS
    assert not {"would", "could", "n't", "'s", "said", "not."} & STOP_WORDS


@given(st.text(), st.sampled_from(["release", "literal"]))
def test_every_text_has_a_number_that_is_not_negative_or_another_script(text, profile):
    (value,) = specificity_many([text], ByHand(), profile)
    assert value.undefined == OTHER_SCRIPT if not is_latin(text) else value.value >= 0
