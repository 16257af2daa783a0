"""The prompt is built from the schema's declaration: values, definitions, a sixth attribute."""

from dataclasses import replace

import pytest

from epitome.prompts.chat import as_text, judge_messages, summary_messages
from epitome.schema import SchemaError, load_preset, parse_schema, preset_text
from epitome.systems.config import parse_config
from tests.chat.conftest import request_of
from tests.schema.factories import FORMALITY


def prompt(request, told=None, **options):
    return as_text(summary_messages(request, request.values if told is None else told, **options)[0])


def test_macsum_asks_in_the_words_of_the_schema():
    text = prompt(request_of(topic=("budget", "tax cuts")))

    assert "Extractiveness : fully" in text
    assert 'Topic : "budget", "tax cuts"' in text
    assert "- high: Keep the detail: who exactly" in text
    assert text.endswith("Summary:")


def test_ccsbench_asks_as_published():
    request = request_of(schema="ccsbench")
    values = {"length": "0", "keywords": ("multi-scale",), "readability": "high", "focus": "high"}

    text = prompt(replace(request, values=values))

    content = 'Length: 0-50 words\nKeywords: "multi-scale"\nReadability: high\nEmpirical Focus Level: high\n'
    assert content in text
    assert (
        text.index("- high: Empirical: say what was measured.") < text.index("The council met.") < text.index(content)
    )


def test_what_a_sample_of_ccsbench_does_not_ask_for_is_not_spoken_of():
    text = prompt(replace(request_of(schema="ccsbench"), values={"readability": "high"}))
    assert "Attributes of the summary:\nReadability: high\n\n" in text
    assert not any(word in text for word in ("Length", "Keywords", "Focus"))


def test_a_sixth_attribute_is_asked_for_without_a_change():
    schema = parse_schema(preset_text("macsum-doc") + FORMALITY)
    request = request_of(formality="formal")

    text = prompt(replace(request, schema=schema))

    assert (
        "Formality: How formal the wording is.\n- plain: As you would tell a colleague.\n- formal: As in a report."
        in text
    )
    assert "Formality : formal" in text


def test_a_schema_that_nobody_knows_gets_the_plain_template():
    schema = replace(load_preset("macsum-dial"), key="parliament")

    text = prompt(replace(request_of(topic=("budget",)), schema=schema))

    assert "Write a summary of the dialogue below." in text
    assert "Length : short" in text


def test_what_it_is_not_told_is_not_spoken_of():
    text = prompt(request_of(topic=("budget",)), told={"topic": ("budget",)})

    assert "Length" not in text and 'Topic : "budget"' in text


@pytest.mark.parametrize(
    ("topic", "said"), [((), "Length : short (about 9 to 12 words)"), (("a",), "Length : short\n")]
)
def test_the_length_in_words_is_said_where_all_of_the_source_counts(topic, said):
    assert said in prompt(request_of(text="word " * 200, topic=topic))


def test_braces_in_texts_stay_what_they_are():
    text = prompt(request_of(text="Use {source} and {{x}}.", topic=("{requests}",)))

    assert "Use {source} and {{x}}." in text
    assert 'Topic : "{requests}"' in text


def test_a_dialogue_has_a_turn_a_line_and_is_cut_between_turns():
    request = request_of(schema="macsum-dial", topic=("t",))
    turns = tuple({"speaker": f"P{i}", "text": "four words in it"} for i in range(3))

    messages, cut = summary_messages(replace(request, segments=turns), request.values, words=9)

    assert "P0 : four words in it\nP1 : four words in it\n\n" in as_text(messages)
    assert cut == 4


def test_a_judge_is_told_the_request_the_text_and_the_answers():
    request = replace(request_of(), text="They voted.")

    text = as_text(judge_messages(request, "Does it follow the length?", ["yes", "no"])[0])

    for content in (
        "Summary:\nThey voted.",
        "Length : short",
        "Question: Does it follow the length?",
        "exactly one of: yes, no.",
    ):
        assert content in text


def test_a_judge_of_a_pair_sees_two_letters_and_no_request():
    request = replace(request_of(), values={}, candidates=("One.", "Two."))

    text = as_text(judge_messages(request, "Which is better?", ["A", "B"])[0])

    assert "Summary A:\nOne.\n\nSummary B:\nTwo." in text
    assert "was requested" not in text


def test_a_judge_without_a_source_reads_the_text_alone():
    request = replace(request_of(), segments=(), values={}, text="They voted.")

    text = as_text(judge_messages(request, "Which is it?", ["empirical", "conceptual"])[0])

    assert "Document" not in text and "requested" not in text
    assert "Summary:\nThey voted.\n\nQuestion: Which is it?" in text


def test_texts_of_ones_own_replace_those_of_the_template():
    request = request_of()
    fields = {"user": "Shorten. {requests}\n{source}", "request": "<{request}>"}

    messages, _cut = summary_messages(request, request.values, own_texts=fields)

    assert messages[1]["content"].startswith("Shorten. <")
    assert messages[0]["content"] == summary_messages(request, request.values)[0][0]["content"]


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ('user = "{sauce}"', "{source}"),
        ('user = "Write something."', "nowhere shows the source"),
        ('usr = "{source}"', "did you mean"),
        ('user = "{source"', "does not close"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused_with_its_line(prompt, message):
    text = f'[system]\nkey = "c"\nkind = "chat"\n[options]\nserver = "lab"\nmodel = "m"\n[options.prompt]\n{prompt}\n'
    with pytest.raises(SchemaError) as refused:
        parse_config(text)
    assert message in str(refused.value) and "line 8" in str(refused.value)
