"""A chat model that rewrites summaries. As a system over texts it makes each readable for lay readers; the construction
of CCSBench uses it call by call."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from epitome.prompts.chat import Message
from epitome.prompts.rewrites import rewrite_messages
from epitome.schema.tables import Table
from epitome.systems.chat import Asker, make_client
from epitome.systems.chat_client import ChatClient
from epitome.systems.chat_options import ChatOptions, read_options
from epitome.systems.chat_text import clean_answer
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Follows, Output, Request, Role, SystemFault


def parse_options(table: Table) -> ChatOptions:
    """The `[options]` of a configuration; the temperature is 0 unless it says otherwise. Raises SchemaError."""
    options = read_options(table, rewrites=True)
    return replace(options, parameters={"temperature": 0.0, **options.parameters})


def followed_attributes(settings: ChatOptions) -> Follows:
    return {}


def make_system(config: SystemConfig) -> "ChatRewrite":
    """Raises SystemFault: the server is not on the administrator's list."""
    return ChatRewrite(config, make_client(config.settings))


class ChatRewrite:
    """Rewrites the request's `text`; the source and the requested values are not shown."""

    role: Role = "transform"

    def __init__(self, config: SystemConfig, client: ChatClient) -> None:
        self.key = config.key
        self.kind = config.kind
        self.settings: ChatOptions = config.settings
        self.follows: Follows = {}
        self.batch_size = 2 * self.settings.concurrency
        self.asker = Asker(self.settings, client)

    def transform(self, batch: Sequence[Request]) -> list[Output]:
        """Each text paraphrased for lay readers, in the same order. Raises SystemFault."""
        for request in batch:
            if not (request.text or "").strip():
                raise SystemFault(f"request {request.id}: there is no text to rewrite")
        return self.asker.outputs(batch, self._conversation, self._finish)

    def _conversation(self, request: Request) -> tuple[list[Message], int]:
        return rewrite_messages("readability", request.text or "", own_texts=self.settings.prompt), 0

    def _finish(self, request: Request, output: Output) -> Output:
        text, cut = clean_answer(output.text)
        return replace(output, text=text, decoding={**output.decoding, "cleaned": cut})

    def answer(self, messages: list[Message], *, seed: int, call_id: str, stop: threading.Event) -> Output:
        """One call: the model's answer as it came. Thread-safe. Raises ChatFault, ServerFault."""
        return self.asker.ask_once(messages, seed=seed, stop=stop, call_id=call_id)
