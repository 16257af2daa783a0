"""Judges whose answers are held to the words offered: by a schema, by the first token, and by asking again."""

import json
from math import log

import pytest

from epitome.systems.chat_answers import answer_probabilities, read_constrained
from epitome.systems.chat_judge import ChatJudge
from epitome.systems.config import parse_config
from epitome.systems.protocol import SystemFault
from tests.chat.conftest import CONFIG, request_of
from tests.chat.stub import completion


@pytest.fixture
def judge(client):
    def make(more=""):
        return ChatJudge(parse_config(CONFIG.replace('"chat"', '"chat-judge"') + more), client())

    return make


def ask(judge, answers=("Yes", "No")):
    (output,) = judge.judge([request_of()], "Is it short?", answers)
    return output


def tokens_of(*rows):
    """An answer whose first tokens have these probabilities."""
    top = [{"token": token, "logprob": log(share)} for token, share in rows]
    status, headers, body = completion(rows[0][0], finish="length")
    answer = json.loads(body)
    answer["choices"][0]["logprobs"] = {"content": [{"token": rows[0][0], "logprob": 0.0, "top_logprobs": top}]}
    return status, headers, json.dumps(answer).encode()


def test_nothing_is_constrained_unless_it_is_written(judge, stub):
    stub.answer = [completion("Well, yes")]

    output = ask(judge())

    assert (output.decoding["valid"], output.text) == (False, "Well, yes")
    assert len(stub.asked) == 1 and not {"response_format", "logprobs"} & set(stub.asked[0])


def test_a_schema_lists_the_answers_and_the_json_is_read(judge, stub):
    stub.answer = [completion('{\n "answer": "No"}')]

    output = ask(judge('answer_format = "json_schema"\n[options.decoding]\nmax_tokens = 4'))

    schema = stub.asked[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["Yes", "No"]
    assert stub.asked[0]["max_tokens"] > 40, "the JSON around the answer has to fit"
    assert (output.decoding["valid"], output.text) == (True, "No")


def test_the_likeliest_answer_by_the_first_token_counts_and_each_keeps_its_probability(judge, stub):
    stub.answer = [tokens_of(("The", 0.4), (" no", 0.3), ("Yes", 0.2), ("No", 0.05))]

    output = ask(judge('answer_format = "logprobs"'))

    assert (stub.asked[0]["max_tokens"], stub.asked[0]["logprobs"]) == (1, True)
    assert (output.decoding["valid"], output.text) == (True, "No")
    assert output.decoding["probabilities"] == pytest.approx({"Yes": 0.2, "No": 0.35})


def test_a_server_without_log_probabilities_is_told_from_an_invalid_answer(judge, stub):
    with pytest.raises(SystemFault, match='gave no log-probabilities: choose answer_format = "json_schema"'):
        ask(judge('answer_format = "logprobs"'))


def test_first_tokens_that_begin_no_answer_are_an_invalid_one(judge, stub):
    stub.answer = [tokens_of(("The", 0.9), ("A", 0.1))]

    output = ask(judge('answer_format = "logprobs"'))

    assert (output.decoding["valid"], output.text) == (False, "The")
    assert "probabilities" not in output.decoding


def test_an_invalid_answer_is_asked_for_again_and_both_turns_are_paid_and_kept(judge, stub):
    stub.answer = [completion("It may be."), completion("yes")]

    output = ask(judge("repair = true"))

    assert [message["role"] for message in stub.asked[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert "exactly one of: Yes, No" in stub.asked[1]["messages"][3]["content"]
    assert (output.text, output.decoding["valid"], output.decoding["first_answer"]) == ("Yes", True, "It may be.")
    assert output.usage["completion_tokens"] == 10 and "It may be." in output.prompt


def test_a_valid_answer_is_not_asked_for_again(judge, stub):
    stub.answer = [completion("no")]

    assert ask(judge("repair = true")).text == "No"
    assert len(stub.asked) == 1


@pytest.mark.parametrize(
    ("tokens", "answers", "shares"),
    [
        ([("Not", 0.5), ("No", 0.3)], ["No", "Not sure"], {"No": 0.3, "Not sure": 0.5}),
        ([("much", 0.8), ("better", 0.1)], ["much better", "much worse"], {}),
        ([('"', 0.9), ("emp", 0.1)], ["empirical", "conceptual"], {"empirical": 0.1, "conceptual": 0.0}),
    ],
)
def test_a_token_counts_for_the_one_answer_that_it_begins(tokens, answers, shares):
    assert answer_probabilities([(token, log(share)) for token, share in tokens], answers) == pytest.approx(shares)


@pytest.mark.parametrize("text", ['{"answer": "maybe"}', '{"answer": ["Yes"]}', '{"answer": "Ye', "[" * 5000, "null"])
def test_json_that_holds_none_of_the_answers_is_invalid(text):
    assert read_constrained(text, ["Yes", "No"]) is None
