"""The gate rejects a form whose parse does not say what the sentence says."""

import pytest

from annotation.measures import SourceIndex
from annotation.measures.overlap import extractiveness
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.controlled_extract.edits import Edit, apply_edits
from modelbridge.systems.controlled_extract.gate import find_fault
from modelbridge.systems.controlled_extract.parsing import load_parser
from modelbridge.systems.controlled_extract.rephrasing import Form
from modelbridge.systems.controlled_extract.system import ControlledExtract, Settings
from modelbridge.systems.controlled_extract.traced import Traced
from tests.extract.conftest import news_segments, request_of

TEXT = "The council did not sell the house because it was old."


def fault_of(text, *edits, removed=()):
    """What the gate says of a sentence after some edits."""
    parser = load_parser()
    source = parser.parse_all([text])[0]
    traced, applied = apply_edits(Traced.of(text.rstrip(".")), edits)
    assert len(applied) == len(edits)
    root = (source.root.start, source.root.end)
    form = Form(traced, 0.0, root, removed, tuple(applied))
    return find_fault(form, parser.parse_all([f"{traced.text}."])[0], source)


def cut(text, words):
    start = text.index(words)
    return Edit("cut", start, start + len(words), (), 0.0)


def put(text, old, new, kind="word"):
    start = text.index(old)
    return Edit(kind, start, start + len(old), (new,), 0.0)


def test_the_sentence_itself_passes():
    assert fault_of(TEXT) == ""


def test_a_word_that_stands_for_another_passes():
    assert fault_of(TEXT, put(TEXT, "house", "building")) == ""


@pytest.mark.parametrize(
    ("fault", "edit"),
    [
        ("negation", put(TEXT, "did not sell", "sold")),
        ("negation", put(TEXT, "sell", "never sell")),
        ("subject", put(TEXT, "The council did", "Did")),
        ("number", put(TEXT, "the house", "3 houses")),
        ("quote", put(TEXT, "house", '"house')),
        ("ending", cut(TEXT, "house because it was old")),
    ],
)
def test_what_changes_the_meaning_or_breaks_the_sentence_is_rejected(fault, edit):
    assert fault_of(TEXT, edit) in (fault, "root" if fault == "subject" else fault)


def test_a_clause_without_the_word_that_governs_it_is_rejected():
    text = "The council praised a plan that the mayor said that the state would finance."
    gone = cut(text, " that the mayor said")
    assert fault_of(text, gone, removed=((gone.start, gone.end),)) == "clause"


def test_a_word_twice_in_a_row_is_rejected_unless_the_sentence_has_it():
    assert fault_of(TEXT, put(TEXT, "sell the house", "sell the the house")) == "doubled"
    assert fault_of("The council had had enough of the old house.") == ""


def test_a_saying_without_what_was_said_is_rejected():
    text = 'A clerk told the city in a letter: "We are late."'
    assert fault_of(text, cut(text, ': "We are late."')) == "content"


def test_another_root_is_rejected():
    text = "The council sold the house after the mayor resigned."
    assert fault_of(text, cut(text, "council sold the house after the ")) == "root"


def test_a_number_that_an_edit_of_numbers_wrote_passes():
    text = "The council sold three houses."
    assert fault_of(text, put(text, "three", "3", "number")) == ""


def test_a_negation_may_leave_with_its_clause():
    text = "The council sold the house, which was not old."
    gone = cut(text, ", which was not old")
    assert fault_of(text, gone, removed=((gone.start, gone.end),)) == ""


NORMAL = {"length": "long", "extractiveness": "normal", "specificity": "normal"}


def written(style, **values):
    system = ControlledExtract(SystemConfig("own", "controlled-extract", "Own", {}, "", Settings(style=style)))
    return system.generate([request_of(news_segments(), "macsum-doc", **{**NORMAL, **values})])[0]


def test_the_rephrased_style_copies_less_than_the_plain_one():
    index = SourceIndex(news_segments(), domain="document")
    copied = [extractiveness(written(style).text, index) for style in ("rephrased", "plain")]
    assert copied[0] < copied[1] - 0.1


def test_the_rephrased_style_copies_as_much_as_is_asked():
    index = SourceIndex(news_segments(), domain="document")
    topic = ("tram line",)
    values = ("normal", "high", "full")
    copied = [extractiveness(written("rephrased", topic=topic, extractiveness=value).text, index) for value in values]
    assert copied[0] < copied[1] <= copied[2]


@pytest.mark.parametrize("style", ["plain", "rephrased"])
def test_spans_point_from_the_summary_to_the_sentences_it_was_made_of(style):
    output = written(style)
    segments = news_segments()
    assert output.decoding["style"] == style
    assert output.decoding["spans"]
    for start, end, segment, source_start, source_end in output.decoding["spans"]:
        ours = {word.strip('.,"').lower() for word in output.text[start:end].split()}
        theirs = {word.strip('.,"').lower() for word in segments[segment]["text"][source_start:source_end].split()}
        assert len(ours & theirs) >= 0.4 * len(ours)
