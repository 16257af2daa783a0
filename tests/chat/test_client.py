"""What is tried again, how long is waited, and what a person reads when it is given up."""

import json
import logging
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from epitome.systems.chat_client import ChatFault, ServerFault
from epitome.systems.chat_http import Limits
from epitome.systems.chat_waiting import parse_duration, parse_retry_after
from tests.chat.conftest import KEY
from tests.chat.stub import completion, refusal

DATA = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
GOOD = completion("fine")
NOT_JSON = (200, {}, b"<html>Bad gateway</html>")
CUT_SHORT = (200, {"Content-Length": "5000"}, b'{"choices": [')
NO_CHOICE = (200, {}, b'{"choices": []}')


@pytest.mark.parametrize("bad", [refusal(429), refusal(500), refusal(503), NOT_JSON, CUT_SHORT, NO_CHOICE])
def test_a_passing_fault_is_tried_again(client, stub, bad):
    stub.answer = [bad, bad, GOOD]

    answer = client().ask(DATA)

    assert (answer.text, answer.attempts) == ("fine", 3)


def test_waits_double_up_to_the_longest(client, stub, time):
    stub.answer = [refusal(500)] * 5 + [GOOD]

    client(first=1, most=6).ask(DATA)

    assert time.waits == [1, 2, 4, 6, 6]


def test_jitter_takes_up_to_half_of_a_wait(client, stub, time):
    stub.answer = [refusal(500), GOOD]
    result = client(first=4)
    result.jitter = lambda: 0.0

    result.ask(DATA)

    assert time.waits == [2]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "7"}, 7), ({"retry-after-ms": "250"}, 0.25), ({"retry-after": "soon"}, None), ({}, None)],
)
def test_the_wait_a_server_asks_for(headers, seconds):
    assert parse_retry_after(headers) == seconds


def test_a_date_to_wait_for_is_read_against_the_servers_own_clock():
    sent = datetime(2020, 1, 1, tzinfo=UTC)
    headers = {"date": format_datetime(sent), "retry-after": format_datetime(sent + timedelta(seconds=90))}

    assert parse_retry_after(headers) == 90


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1), ("6m0s", 360), ("120ms", 0.12), ("2.5", 2.5), ("1h2m", 3720), ("?", None), ("", None)],
)
def test_durations_of_rate_limits(text, seconds):
    assert parse_duration(text) == seconds


def test_a_refusing_server_gets_the_wait_it_asks_for(client, stub, time):
    stub.answer = [refusal(429, Retry_After="30"), GOOD]

    client().ask(DATA)

    assert time.waits == [30]


def test_a_used_up_limit_holds_the_next_request_back(client, stub, time):
    status, _, body = GOOD
    stub.answer = [(status, {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, body), GOOD]
    result = client(patience=400)

    result.ask(DATA)
    assert time.waits == []
    result.ask(DATA)

    assert time.waits == [360]


def test_a_wait_beyond_patience_is_given_up(client, stub, time):
    stub.answer = [refusal(429, Retry_After="3600")]

    with pytest.raises(ServerFault, match="lab asks to wait 3600 s; resume the run later"):
        client().ask(DATA)

    assert time.waits == []


def test_it_gives_up_after_the_attempts(client, stub):
    stub.answer = [refusal(500, "the GPU is out")] * 3

    with pytest.raises(ChatFault, match=r"lab answered 500: the GPU is out; gave up after 3 attempts"):
        client(attempts=3).ask(DATA)

    assert len(stub.asked) == 3


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (400, r"refused the request \(400\): too long", ChatFault),
        (401, r"refused the key in LAB_API_KEY \(401\)$", ServerFault),
        (404, r"refused the request \(404\): too long", ServerFault),
    ],
)
def test_a_lasting_refusal_is_told_at_once(client, stub, status, words, kind):
    stub.answer = [refusal(status, "too long")]

    with pytest.raises(kind, match=words):
        client().ask(DATA)

    assert len(stub.asked) == 1


def test_a_used_up_account_is_not_tried_again(client, stub):
    stub.answer = [(429, {}, b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}')]

    with pytest.raises(ServerFault, match="exceeded your quota"):
        client().ask(DATA)


def test_a_redirect_is_not_followed(client, stub):
    stub.answer = [(302, {"Location": f"{stub.base}/elsewhere"}, b"")]

    with pytest.raises(ServerFault, match=r"redirect \(302\), which is not followed"):
        client().ask(DATA)

    assert [item["path"] for item in stub.asked] == ["/v1/chat/completions"]


def test_a_slow_server_is_given_up(client, stub):
    given_up = threading.Event()
    stub.answer = lambda asked: (given_up.wait(30), GOOD)[1]

    with pytest.raises(ChatFault, match=r"did not answer within 0.2 s; gave up after 2 attempts"):
        client(attempts=2, limits=Limits(total=0.2)).ask(DATA)
    given_up.set()


def test_nobody_at_the_address_is_said(client, stub):
    result = client(attempts=2)
    stub.close()

    with pytest.raises(ServerFault, match=r"lab was not reached \(Connection refused\)"):
        result.ask(DATA)


def test_an_answer_beyond_the_limit_is_refused(client, stub):
    stub.answer = [completion("x" * 5000)]

    with pytest.raises(ChatFault, match="answered with more than 4 KiB"):
        client(limits=Limits(size=4096)).ask(DATA)


def test_the_key_is_sent_and_shown_nowhere(client, stub, caplog):
    stub.answer = [refusal(500, f"wrong key {KEY}, or sk-abcdefgh"), refusal(400, f"wrong key {KEY}, or sk-abcdefgh")]
    result = client()

    with caplog.at_level(logging.DEBUG), pytest.raises(ChatFault) as caught:
        result.ask(DATA)

    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "wrong key [key], or [key]" in str(caught.value)
    assert caught.value.__context__ is None
    everything = f"{caught.value!r} {result!r} {vars(result)} {caplog.text}".replace(f"'LAB_API_KEY': '{KEY}'", "")
    assert KEY not in everything


def test_a_missing_key_names_its_variable(client, stub):
    with pytest.raises(ServerFault, match="OTHER_API_KEY is not set where this system runs"):
        client(key_env="OTHER_API_KEY").ask(DATA)

    assert stub.asked == []


def test_a_key_with_a_line_break_is_refused_without_showing_it(client):
    result = client()
    result.environ = {"LAB_API_KEY": f"{KEY}\nX-Other: 1"}

    with pytest.raises(ServerFault, match="the key in LAB_API_KEY holds characters that cannot be sent") as caught:
        result.ask(DATA)

    assert KEY not in str(caught.value)


def test_a_server_that_restarts_is_outlived(client, stub, time):
    stub.answer = [*[refusal(503, "loading the model")] * 9, GOOD]

    answer = client(attempts=2).ask(DATA)

    assert (answer.attempts, len(stub.asked)) == (10, 10)
    assert 180 < time.now < 300


def test_a_server_that_stays_away_is_given_up_after_minutes(client, stub, time):
    stub.answer = lambda asked: refusal(503, "loading the model")

    with pytest.raises(ServerFault, match="loading the model"):
        client().ask(DATA)

    assert 300 <= time.now < 400


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        ({"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 2310, "n_ctx": 2048}, "2,310"),
        (
            {
                "code": "context_length_exceeded",
                "message": "This model's maximum context length is 2048 tokens. However, you requested 2310 tokens",
            },
            "2,310",
        ),
        (
            {
                "code": 400,
                "message": "This model's maximum context length is 2048 tokens. However, your request has 2310 input",
            },
            "2,310",
        ),
        ({"code": "context_length_exceeded", "message": "too long"}, "longer than the server takes"),
    ],
)
def test_a_source_that_is_too_long_says_what_to_do(client, stub, error, counts):
    stub.answer = [(400, {}, json.dumps({"error": error}).encode())]

    with pytest.raises(ChatFault, match=rf"Shorten the sources with max_source_words.*{counts}"):
        client().ask(DATA)


def test_a_stream_of_events_is_told_as_that_and_not_asked_for_again(client, stub):
    stub.answer = [(200, {}, b'data: {"choices": [{"delta": {"content": "The"}}]}\n\ndata: [DONE]\n\n')]

    with pytest.raises(ChatFault, match="answered piece by piece"):
        client().ask(DATA)

    assert len(stub.asked) == 1


def test_the_words_of_a_refusal_are_told_and_not_asked_for_again(client, stub):
    message = {"role": "assistant", "content": None, "refusal": "I cannot\nsummarize this."}
    stub.answer = [(200, {}, json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())]

    with pytest.raises(ChatFault, match=r"answered with a refusal: I cannot summarize this\."):
        client().ask(DATA)

    assert len(stub.asked) == 1
