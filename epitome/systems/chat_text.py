"""Parses the answer of a chat server: its text, its token counts, and the cleaning of the text."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_TEXT = 200_000
"""Maximum characters of an answer, before any limit of the storage."""
_THOUGHT = re.compile(
    r"\A\s*(?:<(think|thinking|reasoning)>.*?</\1>|\[THINK\].*?\[/THINK\]|<\|channel>thought.*?<channel\|>"
    r"|<\|channel\|>analysis.*?<\|channel\|>final(?:<\|constrain\|>\w+)?<\|message\|>)",
    re.DOTALL | re.IGNORECASE,
)
_UNCLOSED = re.compile(
    r"\A\s*(?:<(think|thinking|reasoning)>(?!.*</\1>)|\[THINK\](?!.*\[/THINK\])|<\|channel>thought(?!.*<channel\|>)"
    r"|<\|channel\|>analysis(?!.*<\|channel\|>final)).*\Z",
    re.DOTALL | re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"(?:<(?:think|thinking|reasoning)>|\[THINK\]|<\|channel>thought|<\|channel\|>analysis<\|message\|>)\s*\Z",
    re.IGNORECASE,
)
_ORPHAN = re.compile(r"\A.*?</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"\A(?:\*\*)?summary(?:\*\*)?\s*:(?:\*\*)?\s*", re.IGNORECASE)
_TITLE = re.compile(r"\A(?:\*\*)?title(?:\*\*)?\s*:[^\n]*\n\s*(?=\S)", re.IGNORECASE)
_EVENTS = (b"data:", b"event:", b": ")
THINKING = "thinking"
"""Noted with an answer whose reasoning was cut."""
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "`": "`"}


class BadAnswer(Exception):
    """An answer with status 200 but without text. again: whether a retry may help."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


@dataclass(frozen=True)
class Answer:
    """text: unchanged. finish: why the model stopped ("stop", "length", ...). tokens_in, tokens_out: as counted by the
    server, None if it does not count. model, fingerprint: as reported by the server. first_tokens: the likeliest first
    tokens and their log-probabilities, where they were asked for and given."""

    text: str
    finish: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""
    fingerprint: str = ""
    first_tokens: tuple[tuple[str, float], ...] = ()
    attempts: int = field(default=1, compare=False)


def read_answer(body: bytes) -> Answer:
    """The first choice of a chat completion. Raises BadAnswer."""
    if body.lstrip().startswith(_EVENTS):
        raise BadAnswer("answered piece by piece (a stream of events), which was not asked for", again=False)
    try:
        data = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadAnswer("answered with something that is not JSON", again=True) from None
    choice = _first_choice(data)
    message = choice.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    finish = _short_text(choice.get("finish_reason"))
    if isinstance(message, Mapping) and message.get("refusal") and isinstance(message["refusal"], str):
        raise BadAnswer(f"answered with a refusal: {' '.join(message['refusal'].split())[:200]}", again=False)
    if finish == "content_filter":
        raise BadAnswer("refused the request (content filter)", again=False)
    if isinstance(content, list):
        content = "".join(piece["text"] for piece in content if isinstance(piece, Mapping) and _is_text(piece))
    if content is None and finish == "length":
        content = ""  # all tokens were used for reasoning
    if not isinstance(content, str):
        raise BadAnswer(f"answered without text (it stopped for: {finish or 'no reason given'})", again=True)
    usage = data.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return Answer(
        text=content[:MAX_TEXT],
        finish=finish,
        tokens_in=_token_count(usage.get("prompt_tokens")),
        tokens_out=_token_count(usage.get("completion_tokens")),
        model=_short_text(data.get("model")),
        fingerprint=_short_text(data.get("system_fingerprint")),
        first_tokens=_read_first_tokens(choice.get("logprobs")),
    )


def _first_choice(data: Any) -> Mapping[str, Any]:
    choices = data.get("choices") if isinstance(data, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise BadAnswer("answered with JSON that is no chat completion", again=True)
    choice: Mapping[str, Any] = choices[0]
    return choice


def _read_first_tokens(logprobs: Any) -> tuple[tuple[str, float], ...]:
    places = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    place = places[0] if isinstance(places, list) and places else None
    rows = place.get("top_logprobs") if isinstance(place, Mapping) else None
    return tuple(
        (row["token"], float(row["logprob"]))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, Mapping)
        and isinstance(row.get("token"), str)
        and type(row.get("logprob")) in (int, float)
        and row["logprob"] <= 0
    )


def _is_text(piece: Mapping[str, Any]) -> bool:
    return piece.get("type") == "text" and isinstance(piece.get("text"), str)


def _short_text(value: object) -> str:
    return value[:200] if isinstance(value, str) else ""


def _token_count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def cut_reasoning(text: str) -> str:
    """The text without a block <think>...</think> at its beginning, or what stands for it in the marks of Mistral's,
    OpenAI's and Google's open models. Left open, it is all of the text; closed without being opened, it ends there."""
    for pattern in (_UNCLOSED, _THOUGHT, _ORPHAN):
        answer = pattern.sub("", text, count=1)
        if answer != text:
            return answer
    return text


def left_open(prompt: str) -> str:
    """The mark of reasoning that a prompt ends with, as chat templates of some models do; "" for none."""
    mark = _LEFT_OPEN.search(prompt)
    return mark[0] if mark else ""


def clean_answer(text: str) -> tuple[str, list[str]]:
    """The summary in an answer, and what was removed around it.

    In this order, each at most once: "thinking" (see `cut_reasoning`); "title", a line "Title: ..." before the text;
    "label", a leading "Summary:"; "quotes", one pair around the whole text that does not occur inside it. White space
    at both ends is removed silently. Nothing else is changed.
    """
    cut = []
    answer = cut_reasoning(text)
    if answer != text:
        text = answer
        cut.append(THINKING)
    text = text.strip()
    untitled = _TITLE.sub("", text, count=1)
    if untitled != text:
        text = untitled
        cut.append("title")
    unlabelled = _LABEL.sub("", text, count=1)
    if unlabelled != text:
        text = unlabelled
        cut.append("label")
    close = _QUOTES.get(text[:1])
    if close and len(text) > 1 and text.endswith(close) and not {text[0], close} & set(text[1:-1]):
        text = text[1:-1].strip()
        cut.append("quotes")
    return text, cut


def match_answer(text: str, answers: Sequence[str]) -> str | None:
    """The one of `answers` that a judge gave: alone, or in quotes, or with a full stop, in any case; else None.

    An answer inside a sentence counts as invalid, because it would be ambiguous.
    """
    reply = clean_answer(text)[0].strip(" \t\r\n\"'“”‘’`*.!()[]").casefold()
    return next((answer for answer in answers if answer.casefold() == reply), None)
