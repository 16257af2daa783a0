"""A chat model that marks errors: what it is told, and that its answer comes back whole."""

from dataclasses import replace

from epitome.prompts.chat import as_text, mark_messages
from epitome.systems import chat_judge
from epitome.systems.config import parse_config
from epitome.systems.protocol import ErrorKinds
from tests.chat.conftest import CONFIG, request_of
from tests.chat.stub import completion

KINDS = ErrorKinds(("Accuracy", "Fluency"), ("minor", "major"), "Something is missing")


def test_a_judge_is_told_categories_severities_and_how_to_quote():
    request = replace(request_of(topic=()), text="They voted {twice}.")

    text = as_text(mark_messages(request, "Mark every error.", KINDS)[0])

    for content in (
        "Summary:\nThey voted {twice}.",
        "Task: Mark every error.",
        "Categories: Accuracy, Fluency.",
        "mildest first: minor, major.",
        'the category "Something is missing" and an empty quote',
        '{"quote": "...", "category": "...", "severity": "..."}',
    ):
        assert content in text
    assert text.endswith("JSON:")


def test_without_categories_and_omissions_neither_is_named():
    request = replace(request_of(), segments=(), values={}, text="They voted.")

    text = as_text(mark_messages(request, "Mark every error.", ErrorKinds((), ("minor", "major")))[0])

    assert "ategor" not in text and "missing" not in text and '{"quote": "...", "severity": "..."}' in text


def test_the_answer_of_a_model_comes_back_without_its_thinking(client, stub):
    stub.answer = [completion('<think>x</think>[{"quote": "voted", "severity": "minor"}]'), completion("No errors.")]
    judge = chat_judge.ChatJudge(parse_config(CONFIG.replace('"chat"', '"chat-judge"')), client())
    judge.asker.settings = replace(judge.settings, concurrency=1)

    outputs = judge.mark([replace(request_of(i), text="They voted.") for i in range(2)], "Mark every error.", KINDS)

    assert [output.text for output in outputs] == ['[{"quote": "voted", "severity": "minor"}]', "No errors."]
