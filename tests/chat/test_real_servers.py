"""Epitome before servers that other people wrote: what each answers becomes an output, or a reason that helps."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from annotation.example.make_notices import read_notices
from epitome.systems.batching import Batcher, Failure
from epitome.systems.chat import ChatSystem
from epitome.systems.chat_client import ChatClient, ChatFault
from epitome.systems.chat_http import Limits
from epitome.systems.chat_servers import Server
from epitome.systems.chat_waiting import Backoff
from epitome.systems.config import parse_config
from tests.chat import real_servers
from tests.chat.conftest import request_of
from tests.chat.real_servers import LLAMA_CPP, LLAMA_CPP_PYTHON, NAMES, TRANSFORMERS

pytestmark = [pytest.mark.models, pytest.mark.slow]
TEXTS = [" ".join(notice["sentences"]) for notice in read_notices()[:8]]
OPTIONS = """
[system]
key = "chat-a"
kind = "chat"
[options]
server = "local"
model = "{model}"
concurrency = 2
[options.prompt]
system = "You summarize texts."
user = "{{source}}\\n\\nSummarize the text above in plain sentences. {{requests}}"
[options.decoding]
temperature = 0.0
"""
CHAT_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
REASONING = 'root ::= "<think>" [a-z ]{1,12} "</think>The " [a-z]+ " is new."'
"""A grammar for what a model that thinks first would write."""


def skip_where_missing(name):
    if missing := real_servers.missing_packages(name):
        pytest.skip(f"NOT RUN: {name} needs {', '.join(missing)}")


def make_tiny_model(folder):
    """A decoder-only model with random weights and a chat template; the token that ends its texts."""
    from epitome.training.scratch import Scratch, build_model

    shape = {"width": 32, "layers": 2, "vocabulary": 800, "positions": real_servers.CONTEXT, "feed_forward": 64}
    build_model(folder, TEXTS, Scratch(architecture="llama", **shape), 1)
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
    return json.loads((folder / "generation_config.json").read_text())["eos_token_id"]


def make_server(name, folder):
    skip_where_missing(name)
    if name == TRANSFORMERS:
        return real_servers.transformers_serve(folder, make_tiny_model(folder))
    return real_servers.llama_cpp() if name == LLAMA_CPP else real_servers.llama_cpp_python()


@pytest.fixture(scope="module", params=NAMES)
def served(request, tmp_path_factory):
    """A server that runs, one after the other."""
    server = make_server(request.param, tmp_path_factory.mktemp("model"))
    server.start()
    yield server
    server.end()


@pytest.fixture(scope="module", params=[LLAMA_CPP, LLAMA_CPP_PYTHON])
def limited(request, tmp_path_factory):
    """A running server that minds its context, or can be held to a grammar."""
    server = make_server(request.param, tmp_path_factory.mktemp("model"))
    server.start()
    yield server
    server.end()


def system_for(server, decoding="max_tokens = 12", timeout=300.0, **backoff):
    """decoding: more lines of it."""
    config = parse_config(OPTIONS.format(model=server.model) + decoding)
    client = ChatClient(Server("local", server.base), limits=Limits(total=timeout), backoff=Backoff(**backoff))
    return ChatSystem(config, client)


def results_of(system, texts, **values):
    requests = [request_of(number, text=text, **values) for number, text in enumerate(texts)]
    return Batcher(system).run(requests)


def test_summaries_come_with_the_tokens_that_were_counted(served):
    outputs = results_of(system_for(served), TEXTS[:4])

    for output in outputs:
        assert output.text.strip() and output.decoding["finish_reason"] == "length"
        assert output.usage["completion_tokens"] == 12
        assert 50 < output.usage["prompt_tokens"] < real_servers.CONTEXT


def test_a_reply_without_a_word_is_a_failure_with_its_reason(served):
    never_begun = f'max_tokens = 12\n[options.decoding.extra]\nlogit_bias = {{ "{served.end_token}" = 100.0 }}'

    (result,) = results_of(system_for(served, never_begun), TEXTS[:1])

    assert result == Failure("The model wrote nothing.")


def test_an_answer_piece_by_piece_is_told_as_that(served):
    asked = {"model": served.model, "messages": [{"role": "user", "content": "Hello."}], "max_tokens": 2}

    with pytest.raises(ChatFault, match="piece by piece"):
        system_for(served).asker.client.ask({**asked, "stream": True})


def test_a_slow_answer_is_given_up_and_the_next_one_is_had(served):
    long_answer = "max_tokens = 400"
    slow = system_for(served, long_answer, timeout=0.05, attempts=1)

    (given_up,) = results_of(slow, TEXTS[:1])
    (answered,) = results_of(system_for(served), TEXTS[1:2])

    assert "did not answer within 0.05 s" in given_up.reason
    assert answered.text


def test_a_source_that_is_too_long_fits_once_the_advice_is_followed(limited):
    source = " ".join(TEXTS)

    (refused,) = results_of(system_for(limited), [source])
    advice = refused.reason.partition("max_source_words = ")[2].partition(" ")[0]
    system = system_for(limited)
    system.settings = replace(system.settings, max_source_words=int(advice))
    (output,) = results_of(system, [source])

    assert f"tokens, the server takes {real_servers.CONTEXT}" in refused.reason and 300 < int(advice) < 700
    assert output.text and output.truncated


def test_an_answer_that_the_context_cuts_is_no_summary(limited):
    words = " ".join(TEXTS).split()[:520]

    (result,) = results_of(system_for(limited, "max_tokens = 600"), [" ".join(words)])

    assert isinstance(result, Failure)
    assert "of 600 tokens: its context is full" in result.reason and "max_source_words = " in result.reason


def test_reasoning_before_a_summary_is_cut(limited):
    held = f"max_tokens = 40\n[options.decoding.extra]\ngrammar = '''{REASONING}'''"

    (output,) = results_of(system_for(limited, held), TEXTS[:1])

    assert output.text.startswith("The ") and "think" not in output.text
    assert output.decoding["cleaned"] == ["thinking"]


@pytest.mark.parametrize("name", [LLAMA_CPP, TRANSFORMERS])
def test_a_server_that_is_killed_and_started_again_in_mid_run_is_outlived(name, tmp_path):
    server = make_server(name, tmp_path)
    server.start()
    system = system_for(server, "max_tokens = 60", attempts=2)
    first = results_of(system, TEXTS[:1])
    with ThreadPoolExecutor(1) as pool:
        server.end()
        rest = pool.submit(results_of, system, TEXTS[1:5])
        server.start()
        outputs = [*first, *rest.result(timeout=600)]
    server.end()

    assert all(output.text for output in outputs)
    assert max(output.usage["attempts"] for output in outputs) > 1


def test_a_killed_server_s_request_is_asked_again(tmp_path):
    server = make_server(LLAMA_CPP, tmp_path)
    server.start()
    system = system_for(server, "max_tokens = 400")
    results_of(system_for(server), TEXTS[:1])
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(results_of, system, TEXTS[1:2])
        while not is_at_work(server):
            assert not result.done()
        server.end()
        server.start()
        (output,) = result.result(timeout=600)
    server.end()

    assert output.text and output.usage["attempts"] > 1


def is_at_work(server):
    """Whether llama.cpp's server writes an answer now."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/slots", timeout=60) as answer:
        return any(slot["is_processing"] for slot in json.load(answer))
