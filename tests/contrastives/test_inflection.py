"""Forms of nouns and verbs."""

import pytest

from epitome.contrastives.inflection import Inflector
from epitome.contrastives.parsing import load_parser
from epitome.contrastives.words import list_words
from tests.contrastives.tagged_texts import read_tagged


@pytest.mark.parametrize(
    ("word", "place", "form"),
    [
        ("judge/NN", "men/NNS", "judges"),
        ("men/NNS", "judge/NN", "man"),
        ("cities/NNS", "town/NN", "city"),
        ("church/NN", "towns/NNS", "churches"),
        ("houses/NNS", "town/NN", "house"),
        ("buses/NNS", "town/NN", "bus"),
        ("arrest/VB", "ran/VBD", "arrested"),
        ("stopped/VBD", "running/VBG", "stopping"),
        ("visited/VBD", "running/VBG", "visiting"),
        ("loved/VBN", "go/VB", "love"),
        ("carried/VBD", "go/VB", "carry"),
        ("wrote/VBD", "gone/VBN", "written"),
        ("tells/VBZ", "went/VBD", "told"),
        ("dying/VBG", "went/VBD", "died"),
        ("goes/VBZ", "ran/VBD", "went"),
        ("called/VBD", "runs/VBZ", "calls"),
        ("walked/VBD", "ran/VBD", "walked"),
        ("was/VBD", "runs/VBZ", None),
        ("zorbled/VBD", "runs/VBZ", None),
        ("big/JJ", "smaller/JJR", "big"),
    ],
)
def test_a_word_takes_the_form_of_its_place_or_is_skipped(word, place, form):
    inflect = Inflector(load_parser().knows)
    read = [next(iter(list_words(read_tagged(f"x/DT {text}")[1]))) for text in (word, place)]
    assert inflect(*read) == form
