"""Every class of words, every condition and every filter, on sentences written by hand."""

import pytest

from epitome.contrastives import MakerOptions, make_examples, parse_rules, set_quotas
from epitome.contrastives.pairs import have_same_context
from epitome.contrastives.words import cut_segments, cut_words, list_words
from tests.contrastives.tagged_texts import read_tagged

PLENTY = dict.fromkeys(set_quotas(50), 1000)


def make(gold: str, *segments: str, rules: str = "", **options):
    """(texts, counts of the one rule or of all) with nothing drawn away."""
    text, tokens = read_tagged(gold)
    examples = make_examples(
        key="a#0",
        gold=text,
        gold_tokens=tokens,
        source_tokens=[read_tagged(segment)[1] for segment in segments],
        options=MakerOptions(rules=parse_rules(rules.split()), quotas=PLENTY, **options),
    )
    return [example.text for example in examples.examples], examples.counts.get(rules, examples.counts)


@pytest.mark.parametrize(
    ("rule", "gold", "texts"),
    [
        # Common nouns with each other, proper nouns with each other and with their determiner.
        ("G-N", "Police/NNS arrested/VBD two/CD men/NNS", ["Men arrested two police"]),
        (
            "G-N",
            "the/DT/det Senate/NNP asked/VBD Congress/NNP for/IN money/NN",
            ["Congress asked the Senate for money"],
        ),
        ("G-N", "Rome/NNP has/VBZ a/DT mayor/NN", []),
        # Prepositions with the same relation only.
        ("G-P", "in/IN/case/obl May/NNP he/PRP sat/VBD on/IN/case/obl it/PRP", ["on May he sat in it"]),
        ("G-P", "in/IN/case/obl May/NNP if/IN/mark/advcl it/PRP rains/VBZ", []),
        ("G-V", "he/PRP wrote/VBD and/CC then/RB sang/VBD", ["he sang and then wrote"]),
        ("G-V", "to/TO write/VB he/PRP has/VBZ", ["to has he write"]),
        ("G-A", "big/JJ plans/NNS for/IN a/DT smaller/JJR town/NN", ["smaller plans for a big town"]),
    ],
)
def test_gold_rules_exchange_two_words_of_one_class(rule, gold, texts):
    assert make(gold, rules=rule)[0] == texts


@pytest.mark.parametrize(
    ("rule", "source", "texts"),
    [
        ("S-N", "a/DT judge/NN in/IN Rome/NNP", ["Judge arrested Anna after dark nights",
         "Police arrested Anna after dark judge", "Police arrested Rome after dark nights"]),
        ("S-P", "during/IN/case/obl a/DT break/NN because/IN/mark/advcl", ["Police arrested Anna during dark nights"]),
        ("S-V", "they/PRP praised/VBD him/PRP", ["Police praised Anna after dark nights"]),
        ("S-A", "a/DT bright/JJ day/NN", ["Police arrested Anna after bright nights"]),
    ],
)  # fmt: skip
def test_source_rules_put_a_word_of_the_source_in(rule, source, texts):
    gold = "Police/NNS arrested/VBD Anna/NNP after/IN/case/obl dark/JJ nights/NNS"
    assert sorted(make(gold, source, rules=rule)[0]) == sorted(texts)


def test_an_example_tells_its_edits_in_the_gold_and_where_the_word_came_from():
    text, tokens = read_tagged("Police/NNS arrested/VBD two/CD")
    examples = make_examples(
        key="a#0",
        gold=text,
        gold_tokens=tokens,
        source_tokens=[read_tagged("nobody/NN")[1], read_tagged("they/PRP praised/VBD")[1]],
        options=MakerOptions(rules=("S-V",)),
    )
    (example,) = examples.examples
    assert example.as_dict() == {
        "rule": "S-V",
        "text": "Police praised two",
        "edits": [{"start": 7, "end": 15, "was": "arrested", "now": "praised"}],
        "from_source": {"segment": 1, "start": 5, "end": 12},
    }


def test_filter_same_word():
    texts, counts = make("a/DT dog/NN bit/VBD a/DT Dog/NN", rules="G-N")
    assert texts == [] and (counts["pairs"], counts["same word"]) == (1, 1)


def test_filter_used_pair():
    gold = "dogs/NNS bite/VBP men/NNS ,/, but/CC not/RB dogs/NNS"
    texts, counts = make(gold, rules="G-N")
    assert texts == ["men bite dogs, but not dogs"]
    assert (counts["pairs"], counts["same word"], counts["used pair"]) == (3, 1, 1)


@pytest.mark.parametrize("joined", ["and/CC", ",/, pears/NNS or/CC", ",/,"])
def test_filter_plain_list(joined):
    texts, counts = make(f"he/PRP sells/VBZ apples/NNS {joined} plums/NNS", rules="G-N")
    assert texts == [] and counts["plain list"] == counts["pairs"] > 0


def test_neighbours_without_anything_between_are_no_list():
    assert make("a/DT police/NN officer/NN", rules="G-N")[0] == ["a officer police"]


def test_filter_same_context():
    gold = "a/DT man/NN in/IN red/JJ"
    texts, counts = make(gold, "saw/VBD a/DT boy/NN in/IN red/JJ", rules="S-N")
    assert texts == [] and (counts["pairs"], counts["same context"]) == (1, 1)
    assert make(gold, "a/DT boy/NN with/IN hats/NNS on/IN", rules="S-N")[0] != []


def test_contexts_are_the_same_from_65_percent_of_the_shorter_one():
    def word(text):
        return next(iter(list_words(read_tagged(text)[1])))

    four = word("x/DT y/DT man/NN z/DT u/DT")
    assert four.context == frozenset("xyzu")
    assert have_same_context(four, word("x/DT y/DT boy/NN z/DT v/DT"))  # 3 of 4
    assert not have_same_context(four, word("x/DT y/DT boy/NN v/DT w/DT"))  # 2 of 4
    assert have_same_context(four, word("x/DT boy/NN"))  # 1 of 1
    assert not have_same_context(word("man/NN"), word("boy/NN"))  # nothing round either


def test_a_word_that_stands_in_the_golds_context_anywhere_in_the_source_is_not_put_there():
    source = "boy/NN met/VBD girls/NNS ./. a/DT boy/NN in/IN red/JJ"
    texts, counts = make("a/DT man/NN in/IN red/JJ", source, rules="S-N")
    assert texts == ["a girls in red"] and counts["same context"] == 1


def test_filters_double_and_as_gold():
    # The second "big" stands at the place of the first exchange; both give the same text in lower case.
    texts, counts = make("big/JJ old/JJ Big/JJ", rules="G-A")
    assert [text.lower() for text in texts] == ["old big big"]
    assert counts["same word"] == 1 and counts["used pair"] == 1
    gold = "a/DT Rome/NNP"
    _texts, counts = make(gold, "the/DT/det rome/NNP ./. The/DT/det ROME/NNP", rules="S-N")
    assert counts["same word"] == counts["pairs"] == 1


def test_a_text_that_two_rules_give_is_kept_once():
    gold = "cut/VB the/DT cut/NN trees/NNS now/RB"
    texts, counts = make(gold, "trees/VB grow/VB", "trees/NNS grow/VB", rules="")
    assert len({text.lower() for text in texts}) == len(texts)
    assert all(text.lower() != "cut the cut trees now" for text in texts)
    assert sum(row["available"] for row in counts.values()) == len(texts)


def test_every_pair_is_counted_in_one_step():
    gold = "Police/NNS arrested/VBD two/CD men/NNS and/CC a/DT woman/NN in/IN red/JJ"
    source = "The/DT police/NNS stopped/VBD a/DT man/NN in/IN red/JJ ,/, men/NNS said/VBD"
    _texts, by_rule = make(gold, source)
    removed = ("same word", "used pair", "plain list", "same context", "no form", "double", "as gold")
    for counts in by_rule.values():
        assert counts["pairs"] == sum(counts[name] for name in removed) + counts["available"]


def test_capital_letters_go_with_the_place_and_names_keep_theirs():
    gold = "Officers/NNS met/VBD Anna/NNP ./. NATO/NNP sent/VBD tanks/NNS"
    assert make(gold, rules="G-N")[0] == [
        "Tanks met Anna. NATO sent officers",
        "Officers met NATO. Anna sent tanks",
    ]


def test_parts_of_a_written_word_are_left_alone():
    text, tokens = read_tagged("they/PRP do/VBP n't/RB say/VB")
    shifted = [tokens[0], tokens[1], tokens[2].__class__("n't", tokens[1].end, tokens[1].end + 3, "RB"), tokens[3]]
    assert [word.core for word in list_words(shifted)] == ["say"]
    assert [word.core for word in list_words(read_tagged("police/NN 's/POS car/NN")[1])] == ["police", "car"]
    assert text.startswith("they do")


@pytest.mark.parametrize("gold", ["Gold/NN", "he/PRP", ""])
def test_golds_of_one_word_give_none(gold):
    assert make(gold)[0] == []


def test_texts_are_read_up_to_a_number_of_words():
    assert cut_words("one two  three four", 3) == "one two  three"
    assert cut_words("one", 3) == "one"
    assert cut_segments(["one two", "three four", "five"], 3) == ["one two", "three"]
    assert cut_segments(["one two", "", "three"], 2) == ["one two"]
