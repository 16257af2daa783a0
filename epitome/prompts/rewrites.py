"""Conversations that ask a chat model to rewrite an abstract, and the texts of one's own that may replace ours."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

from epitome.prompts.chat import Message, as_text
from epitome.prompts.templates import fill_places, load_template

Call = Literal["readability", "identification", "paraphrase"]
CALLS: tuple[Call, ...] = ("readability", "identification", "paraphrase")


def rewrite_messages(
    call: Call, text: str, *, earlier: Sequence[str] = (), fault: str = "", own_texts: Mapping[str, str] | None = None
) -> list[Message]:
    """The conversation of one call.

    text: what is rewritten. earlier: the model's answers so far in this conversation, oldest first: of a paraphrase
    the identification; of a second attempt also the answer that could not be used. fault: why it could not, "" for a
    first attempt. own_texts: replace texts of the template, by name in REWRITE_PLACES.
    """
    texts = {**load_template("rewrite").texts, **(own_texts or {})}
    requests = ["identification", "paraphrase"] if call == "paraphrase" else [call]
    requests += ["retry"] if fault else []
    messages: list[Message] = [{"role": "system", "content": texts["system"]}]
    for index, name in enumerate(requests):
        if index:
            messages.append({"role": "assistant", "content": earlier[index - 1]})
        messages.append({"role": "user", "content": fill_places(texts[name], {"text": text, "fault": fault})})
    return messages


def hash_conversation(messages: Sequence[Message]) -> str:
    """SHA-256 of a conversation, as 64 hexadecimal digits."""
    return hashlib.sha256(as_text(messages).encode(errors="replace")).hexdigest()
