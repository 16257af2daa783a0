"""Worked examples before a request: drawn by a seed, never of its own source, as earlier turns of the conversation."""

import json
from dataclasses import replace

import pytest

from epitome.schema import SchemaError, load_preset
from epitome.systems.chat import ChatSystem
from epitome.systems.chat_judge import ChatJudge
from epitome.systems.config import parse_config
from epitome.systems.examples import ExampleOptions, draw_examples, find_answer, select_for
from epitome.systems.protocol import SystemFault, WorkedExample
from epitome.systems.serialization import Schemas, encode_message, request_as_json
from tests.chat.conftest import CONFIG, request_of
from tests.chat.stub import completion

CCSBENCH = load_preset("ccsbench")
EXAMPLES = "[options.examples]\nn = 2\nseed = 7\n"


def example(number, focus="high", origin=None):
    segments = ({"speaker": "", "text": f"Report {number} tells of a storm."},)
    return WorkedExample(
        f"doc-{number}#0", origin or f"doc-{number}", segments, {"focus": focus}, CCSBENCH, f"Summary {number}."
    )


POOL = [example(number, "high" if number % 3 else "low") for number in range(9)]


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_pool():
    drawn = draw_examples(POOL, ExampleOptions(2, seed=7))
    assert len(drawn) == 3
    assert drawn == draw_examples(POOL[::-1], ExampleOptions(2, seed=7))
    assert drawn != draw_examples(POOL, ExampleOptions(2, seed=8))


def test_a_request_never_sees_an_example_of_its_own_origin():
    pool = [example(number, origin=f"meeting-{number // 3}") for number in range(9)]
    options = ExampleOptions(2, seed=1)
    drawn = draw_examples(pool, options)
    assert len({row.origin for row in drawn}) == 3
    for number in range(3):
        for_ = select_for(drawn, options, f"meeting-{number}")
        assert len(for_) == 2 and f"meeting-{number}" not in {row.origin for row in for_}


def test_too_few_sources_are_a_fault_that_counts_them():
    with pytest.raises(SystemFault, match=r"3 worked examples need 4 sources of the split 'train' .*; there are 2"):
        draw_examples(POOL[:2], ExampleOptions(3))


def test_a_judge_s_examples_have_each_answer_in_turn():
    drawn = draw_examples(POOL, ExampleOptions(3, seed=2), ["empirical", "conceptual"])
    assert [find_answer(row, ["empirical", "conceptual"]) for row in drawn] == ["empirical", "conceptual"] * 2
    with pytest.raises(SystemFault, match="an answer that is known; there are 0"):
        draw_examples(POOL, ExampleOptions(2), ["yes", "no"])


def test_they_are_earlier_turns_and_named_with_the_output(stub, client):
    config = parse_config(CONFIG + EXAMPLES)
    assert config.settings.examples == ExampleOptions(2, "train", 7)
    system = ChatSystem(config, client())
    request = replace(request_of(), examples=tuple(POOL[:2]))
    (output,) = system.generate([request])
    messages = stub.asked[0]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "Report 0 tells" in messages[1]["content"] and "Empirical Focus Level: low" in messages[1]["content"]
    assert messages[2]["content"] == "Summary 0."
    assert output.decoding["examples"] == ["doc-0#0", "doc-1#0"]
    assert "[assistant]\nSummary 1." in output.prompt


def test_a_system_without_its_examples_says_so(client):
    system = ChatSystem(parse_config(CONFIG + EXAMPLES), client())
    with pytest.raises(SystemFault, match=r"shows 2 worked examples, but has 0 .*--examples"):
        system.generate([request_of()])


def test_a_judge_sees_texts_with_their_answers_and_never_the_value_that_is_the_answer(stub, client):
    stub.answer = lambda asked: completion("conceptual")
    config = parse_config(CONFIG.replace('"chat"', '"chat-judge"') + EXAMPLES)
    judge = ChatJudge(config, client())
    request = replace(request_of(), text="Mine.", examples=tuple(POOL[:2]))
    (output,) = judge.judge([request], "Which is it?", ["empirical", "conceptual"])
    contents = [message["content"] for message in stub.asked[0]["messages"]]
    assert contents[2] == "conceptual" and contents[4] == "empirical"
    assert "Summary:\nSummary 0." in contents[1] and "Summary:\nMine." in contents[5]
    assert "Focus" not in contents[1]
    assert output.decoding["examples"] == ["doc-0#0", "doc-1#0"]


def test_they_come_whole_through_the_process_of_a_system():
    request = replace(request_of(), examples=tuple(POOL[:2]))
    from epitome.schema import content_hash, preset_text

    result, others = preset_text("macsum-doc"), preset_text("ccsbench")
    schemas = Schemas()
    schemas.add([result, others])
    data = json.loads(encode_message(request_as_json(request, content_hash(result), [content_hash(others)] * 2)))
    assert schemas.request(data).examples == request.examples


@pytest.mark.parametrize("text", ["n = 0", 'n = 2\nsplit = ""\nseed = -1', "n = 2\nof = 3", "n = 21"])
def test_options_out_of_range_are_refused(text):
    with pytest.raises(SchemaError, match=r"options\.examples"):
        parse_config(CONFIG + "[options.examples]\n" + text + "\n")


def test_an_example_with_an_answer_of_its_own_is_shown_whole(stub, client):
    stub.answer = lambda asked: completion("Yes")
    judge = ChatJudge(parse_config(CONFIG.replace('"chat"', '"chat-judge"')), client())
    worked = WorkedExample(
        "example 1", "", ({"speaker": "", "text": "Requested: short."},), {}, CCSBENCH, "Too long a text.", answer="No"
    )
    request = replace(request_of(), segments=(), values={}, text="A text.", examples=(worked,))
    judge.judge([request], "Is it short?", ["Yes", "No"])
    turns = stub.asked[0]["messages"]
    assert [turn["role"] for turn in turns[-3:]] == ["user", "assistant", "user"]
    assert "Requested: short." in turns[-3]["content"] and "Too long a text." in turns[-3]["content"]
    assert turns[-2]["content"] == "No" and find_answer(worked, ["ja", "nein"]) is None
