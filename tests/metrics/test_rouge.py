"""ROUGE: the floats of Google's rouge-score on nasty, generated and real texts, and pairs worked by hand."""

import json
import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epitome.measures import Signature
from epitome.metrics import rouge_scores as module
from epitome.metrics.rouge_scores import rouge, rouge_f, rouge_signature
from epitome.text.scripts import is_latin

ALL = ("rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum")
NASTY = [
    "",
    "   ",
    "...!?",
    "😀",
    "😀 a 👩‍👩‍👧 b",
    "\n",
    "a\nb\n\nc",
    "\r\n x \r y\u2028z",
    "The cat sat.\nThe dog ran.",
    "ÀÉÎ straße İstanbul ſtop K",
    "\ud800 lone half",
    "nul\x00here",
    "don't running ponies caresses",
    "x_y_z",
    "１２３ ²³ 4",
    "the " * 300,
    "ran\nrunning ran\nruns ran",
    "a" * 5000,
]


def same(references, predictions, use_stemmer, kinds=ALL):
    from rouge_score.rouge_scorer import RougeScorer

    ours = rouge(references, predictions, kinds, use_stemmer=use_stemmer)
    scorer = RougeScorer(list(kinds), use_stemmer=use_stemmer)
    for place, pair in enumerate(zip(references, predictions, strict=True)):
        if not is_latin(pair[0]):  # its words are lost in rouge-score
            assert all(ours[kind][place] is None for kind in kinds)
            continue
        theirs = scorer.score(*pair)
        for kind in kinds:
            assert ours[kind][place] == pytest.approx(tuple(theirs[kind]), abs=1e-9), (kind, pair)


@pytest.mark.parametrize("use_stemmer", [True, False])
def test_nasty_texts_score_as_by_rouge_score(use_stemmer):
    pairs = [(first, other) for first in NASTY for other in NASTY]

    same([first for first, _ in pairs], [other for _, other in pairs], use_stemmer)


VOCABULARY = "the cats cat sat running ran dogs' Dog, on mat. 42 don't über"
WORDS = st.sampled_from([*VOCABULARY.split(), "\n"])
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=40)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), st.booleans())
@settings(max_examples=150)
def test_generated_texts_score_as_by_rouge_score(pairs, use_stemmer):
    same([first for first, _ in pairs], [other for _, other in pairs], use_stemmer)


def test_every_dev_summary_scores_as_by_rouge_score(shared):
    summaries = [
        sample["summary"]
        for name in ("macdoc", "macdial")
        for source in json.loads((shared / "data/macsum" / name / "val.json").read_text(encoding="utf-8"))
        for sample in source["references"]
    ]
    assert len(summaries) == 846
    shuffled = random.Random(1).sample(summaries, len(summaries))

    same(summaries, [text.replace(". ", ".\n") for text in shuffled], use_stemmer=True)


def test_worked_by_hand():
    # "police killed the gunman" / "police kill the gunman": Lin (2004), section 3.1, with his ROUGE-L of 3/4.
    result = rouge(
        ["police killed the gunman"] * 2,
        ["police kill the gunman", "the gunman kill police"],
        ("rouge1", "rouge2", "rougeL"),
        use_stemmer=False,
    )

    assert result["rougeL"][0] == (0.75, 0.75, 0.75)
    assert result["rougeL"][1] == (0.5, 0.5, 0.5)
    assert result["rouge2"][0] == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert result["rouge2"][1] == pytest.approx((1 / 3, 1 / 3, 1 / 3))  # the gunman
    assert result["rouge1"][1] == (0.75, 0.75, 0.75)


def test_precision_and_recall_are_not_confused():
    result = rouge(["one two three four"], ["one two"], ("rouge1", "rouge2"))

    assert result["rouge1"][0] == pytest.approx((1, 0.5, 2 / 3))
    assert result["rouge2"][0] == pytest.approx((1, 1 / 3, 0.5))
    assert rouge_f(["one two three four"], ["one two"])["rouge1"] == pytest.approx([2 / 3])


def test_the_stemmer_is_on_unless_switched_off():
    assert rouge_f(["killing gunmen"], ["killed gunmen"])["rouge1"] == [1]
    assert rouge_f(["killing gunmen"], ["killed gunmen"], use_stemmer=False)["rouge1"] == [0.5]


def test_lsum_is_the_union_over_lines():
    # Lin (2004), section 3.2: w1..w5 against "w1 w2 w6 w7 w8" and "w1 w3 w8 w9 w5": the union is w1 w2 w3 w5, 4/5.
    result = rouge(["w1 w2 w3 w4 w5"], ["w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"], ("rougeLsum",))

    assert result["rougeLsum"][0].recall == pytest.approx(4 / 5)


def test_lsum_may_take_sentences_for_lines():
    reference = "The dog ran home. The cat sat down."
    prediction = "The cat sat down. The dog ran home."

    lines = rouge_f([reference], [prediction], ("rougeL", "rougeLsum"))
    cut = rouge_f([reference], [prediction], ("rougeL", "rougeLsum"), lsum_split="sentences")

    assert lines["rougeLsum"] == lines["rougeL"] == cut["rougeL"] == [0.5]
    assert cut["rougeLsum"] == [1]


def test_gold_as_prediction_scores_one_and_an_empty_text_zero():
    assert rouge_f(["A report."], ["A report."], ALL[:1] + ALL[3:]) == {"rouge1": [1], "rougeL": [1], "rougeLsum": [1]}
    assert rouge_f(["A report.", ""], ["", ""], ALL) == {kind: [0, 0] for kind in ALL}
    assert rouge_f([], [], ("rouge1",)) == {"rouge1": []}


def without(monkeypatch, *names):
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


def test_without_the_compiled_library_the_numbers_are_the_same(monkeypatch):
    references, predictions = NASTY, NASTY[3:] + NASTY[:3]
    compiled = rouge(references, predictions, ALL)

    without(monkeypatch, "rouge_score_rs", "rouge_score_rs.rouge_scorer")

    assert dict(rouge_signature().options)["by"].startswith("rouge_score-")
    plain = rouge(references, predictions, ALL)
    for kind in ALL:
        for first, other in zip(compiled[kind], plain[kind], strict=True):
            assert first == pytest.approx(other, abs=1e-9)


def test_without_either_library_the_error_says_what_to_install(monkeypatch):
    without(monkeypatch, "rouge_score_rs", "rouge_score")

    with pytest.raises(ImportError, match="pip install rouge-score-rs"):
        rouge_f(["a"], ["a"])


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="2 references and 1 predictions"):
        rouge_f(["a", "b"], ["a"])
    with pytest.raises(TypeError, match="pair 2: the prediction is None"):
        rouge_f(["a", "b"], ["a", None])
    with pytest.raises(ValueError, match="'rougeX' is no kind of ROUGE"):
        rouge_f(["a"], ["a"], ("rougeX",))


def test_texts_too_long_to_compare_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "MAX_TABLE", 100)
    monkeypatch.setattr(module, "MAX_COMPARED", 400)
    eleven = "word " * 11

    with pytest.raises(ValueError, match=r"pair 2: 11 reference words by 11 prediction words .* rougeLsum"):
        rouge_f(["a", eleven], ["a", eleven], ("rougeLsum",))
    assert rouge_f([eleven], [eleven])["rougeL"] == [1]
    with pytest.raises(ValueError, match=r"pair 1: 22 .* rougeL "):
        rouge_f([eleven * 2], [eleven * 2])
    assert rouge_f([eleven * 2], [eleven * 2], ("rouge1",))["rouge1"] == [1]
    assert rouge_f(["." * 50], ["." * 50])["rougeL"] == [0]


def test_the_signature_tells_what_changes_the_numbers():
    signature = rouge_signature(ALL, use_stemmer=False, lsum_split="sentences")

    assert Signature.parse(str(signature)) == signature
    assert ("stemmer", "none") in signature.options
    assert ("lsum", "sentences") in signature.options
    assert ("sentences", "sentences+treebank+icu@5") in signature.options
    assert rouge_signature() != rouge_signature(use_stemmer=False)
    assert dict(rouge_signature().options)["by"].startswith("rouge_score_rs-")
