"""The strings that models were trained on, character for character."""

import pytest

from epitome.schema import load_preset
from epitome.systems.neural.prompts import prompt_text, split_template
from epitome.systems.protocol import Request

DOC = ("topic", "length", "extractiveness", "specificity")
DIAL = ("topic", "speaker", "length", "extractiveness", "specificity")


def request(preset, turns=("one .", "two ."), **values):
    result = {"length": "short", "extractiveness": "full", "specificity": "normal", "topic": (), "speaker": ()} | values
    if preset == "macsum-doc":
        del result["speaker"]
    segments = tuple({"speaker": "A" if preset == "macsum-dial" else "", "text": text} for text in turns)
    return Request(id="x", segments=segments, values=result, schema=load_preset(preset))


def text(preset, attributes, compat=False, **values):
    result = request(preset, **values)
    return prompt_text(result, result.values, attributes, release_compat=compat)


def test_document_with_topics():
    assert text("macsum-doc", DOC, topic=("maya harris", "policy role")) == (
        "Topic : maya harris , policy role ;  Length : short ; Extractiveness : fully ; Specificity : normal ; "
        "one . two ."
    )


def test_dialogue_with_topic_and_speakers_joins_turns_by_the_separator():
    assert text("macsum-dial", DIAL, topic=("case",), speaker=("Project Manager", "Marketing")) == (
        "Topic : case ; Speaker : Project Manager , Marketing ;  Length : short ; Extractiveness : fully ; "
        "Specificity : normal ; A : one . </s> A : two ."
    )


@pytest.mark.parametrize("compat", [False, True])
def test_without_a_topic_a_document_begins_with_the_length(compat):
    result = text("macsum-doc", DOC, compat)

    assert result == " Length : short ; Extractiveness : fully ; Specificity : normal ; one . two ."


def test_without_a_topic_the_speaker_is_kept_and_the_release_drops_it():
    assert text("macsum-dial", DIAL, speaker=("A",)).startswith("Speaker : A ;  Length : short ;")
    assert text("macsum-dial", DIAL, True, speaker=("A",)).startswith(" Length : short ;")


def test_without_a_speaker_the_release_keeps_the_empty_place():
    assert text("macsum-dial", DIAL, topic=("case",)).startswith("Topic : case ;  Length : short ;")
    assert text("macsum-dial", DIAL, True, topic=("case",)).startswith("Topic : case ; Speaker :  ;  Length : short ;")


def test_vanilla_is_told_topics_and_speakers_alone():
    result = text("macsum-dial", ("topic", "speaker"), topic=("case",), speaker=("A",))

    assert result == "Topic : case ; Speaker : A ; A : one . </s> A : two ."


def test_an_attribute_left_out_leaves_no_trace():
    result = text("macsum-doc", ("topic", "extractiveness", "specificity"), topic=("case",))

    assert result == "Topic : case ; Extractiveness : fully ; Specificity : normal ; one . two ."


def test_ccsbench_has_one_line_per_attribute():
    schema = load_preset("ccsbench")
    values = {"length": "1", "keywords": ("multi-scale",), "readability": "high", "focus": "low"}
    other_request = Request(id="x", segments=({"speaker": "", "text": "Body."},), values=values, schema=schema)

    result = prompt_text(other_request, values, tuple(values))
    assert result.startswith("Length: 51-100 words\nKeywords: multi-scale\nReadability: ")
    assert result.endswith("\n\nBody.")
    assert "Keywords" not in prompt_text(other_request, {**values, "keywords": ()}, tuple(values))


def test_an_attribute_that_a_sample_of_ccsbench_does_not_ask_for_has_no_line():
    schema, every = load_preset("ccsbench"), ("length", "keywords", "readability", "focus")
    for values, answers in (({"readability": "high"}, "Readability: high"), ({"length": "1"}, "Length: 51-100 words")):
        request = Request(id="x", segments=({"speaker": "", "text": "Body."},), values=values, schema=schema)
        assert prompt_text(request, values, every) == f"{answers}\n\nBody."


def test_the_pieces_put_together_are_the_template():
    for preset in ("macsum-doc", "macsum-dial", "ccsbench"):
        template = load_preset(preset).prompts.hp
        assert "".join(f"{item.before}{{{item.key}}}{item.after}" for item in split_template(template)) == template
