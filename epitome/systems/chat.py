"""Chat models behind any OpenAI-compatible server (vLLM, llama.cpp, hosted ones): one conversation per sample."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from epitome.prompts.chat import Message, as_text, summary_messages
from epitome.prompts.templates import template_name_for
from epitome.schema.tables import Table
from epitome.systems.chat_answers import MAX_TOKENS
from epitome.systems.chat_client import ChatClient, ChatFault, ContextFault, ServerFault, Stopped
from epitome.systems.chat_context import ContextCounts, count_fitting_words
from epitome.systems.chat_http import Limits
from epitome.systems.chat_options import ChatOptions, attributes_from_options, read_options
from epitome.systems.chat_servers import find_server
from epitome.systems.chat_text import Answer, clean_answer
from epitome.systems.chat_waiting import Backoff
from epitome.systems.config import SystemConfig
from epitome.systems.examples import check_examples
from epitome.systems.protocol import Follows, Output, Request, Role, SystemFault, followed_values

SEEDS = 2**31
"""Servers take a seed of 31 bits; a longer one is taken modulo SEEDS."""

ANY_MODEL = "default"
"""As a model's name: whichever the server has."""

QuestionKey = tuple[str, str, int]
"""Identifies a question: the request's id, the prompt, the seed."""
FollowUp = Callable[[list[Message], Output], list[Message] | None]
"""From a conversation and its answer: the conversation to ask once more, or None."""
MAX_STORED_ANSWERS = 10_000
"""Maximum number of answers stored until their batch is retried."""


def parse_options(table: Table) -> ChatOptions:
    """The `[options]` of a configuration. Raises SchemaError."""
    return read_options(table)


def followed_attributes(settings: ChatOptions) -> Follows:
    return attributes_from_options(settings)


def make_system(config: SystemConfig) -> "ChatSystem":
    """The system of a configuration. Raises SystemFault: the server is not on the administrator's list."""
    return ChatSystem(config, make_client(config.settings))


def make_client(settings: ChatOptions) -> ChatClient:
    """Raises SystemFault."""
    return ChatClient(
        find_server(settings.server),
        key_env=settings.key_env,
        limits=Limits(total=settings.timeout),
        backoff=Backoff(attempts=settings.attempts),
    )


class ChatSystem:
    """Asks a chat model for summaries, several requests at once.

    When some requests of a batch fail, generate raises for the batch but stores the outcome of each. A retry with
    parts of the batch returns the stored answers, so that nothing is paid for twice, and raises each fault again when
    its request is alone in the batch; after that the request is sent again.
    """

    role: Role = "generate"

    def __init__(self, config: SystemConfig, client: ChatClient) -> None:
        self.key = config.key
        self.kind = config.kind
        self.settings: ChatOptions = config.settings
        self.follows = attributes_from_options(self.settings)
        self.batch_size = 2 * self.settings.concurrency
        self.asker = Asker(self.settings, client)

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        """One output per request, in the same order. Raises SystemFault."""
        check_examples(batch, self.settings.examples)
        return self.asker.outputs(batch, self._conversation, self._finish)

    def _conversation(self, request: Request) -> tuple[list[Message], int]:
        messages, cut = self._messages(request)
        turns: list[Message] = []
        for example in request.examples:
            about_example = replace(request, segments=example.segments, values=example.values, schema=example.schema)
            turns += [self._messages(about_example)[0][-1], {"role": "assistant", "content": example.text}]
        return [*messages[:-1], *turns, messages[-1], *map(dict, request.turns)], cut

    def _messages(self, request: Request) -> tuple[list[Message], int]:
        settings = self.settings
        values = followed_values(self.follows, request)
        return summary_messages(
            request,
            values,
            name=settings.template,
            bands=settings.bands,
            words=settings.max_source_words,
            own_texts=settings.prompt,
        )

    def _finish(self, request: Request, output: Output) -> Output:
        name = self.settings.template
        used = template_name_for(request.schema.key) if name == "auto" else name
        text, cut = clean_answer(output.text) if self.settings.clean else (output.text, [])
        decoding = {**output.decoding, "template": used, "cleaned": cut}
        if self.settings.prompt:
            decoding["own_texts"] = sorted(self.settings.prompt)
        if request.examples:
            decoding["examples"] = [example.id for example in request.examples]
        return replace(output, text=text, told=followed_values(self.follows, request), decoding=decoding)


class Asker:
    """Runs a batch of conversations with one server: concurrency, usage counts, and answers stored after a failure."""

    def __init__(self, settings: ChatOptions, client: ChatClient, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.client = client
        self._clock = clock
        self._kept: dict[QuestionKey, Output] = {}
        self._broken: dict[QuestionKey, ChatFault] = {}

    def outputs(
        self,
        batch: Sequence[Request],
        conversation: Callable[[Request], tuple[list[Message], int]],
        finish: Callable[[Request, Output], Output],
        *,
        more: Mapping[str, Any] | None = None,
        follow_up: FollowUp = lambda messages, output: None,
    ) -> list[Output]:
        """One output per request, in the same order. more: parameters that replace or join the configured ones.
        follow_up: the conversation that asks once more for a better answer, None where the first one will do. Raises
        ServerFault, or the first ChatFault of all."""
        if not batch:
            return []
        begin = self._clock()
        stop = threading.Event()
        faults: dict[int, SystemFault] = {}
        outputs_by_place: dict[int, Output] = {}

        def ask(place: int) -> None:
            request = batch[place]
            try:
                messages, cut = conversation(request)
                output = self._ask(request, messages, cut, stop, more)
                if longer := follow_up(messages, output):
                    output = _join_turns(output, self._ask(request, longer, cut, stop, more))
                outputs_by_place[place] = finish(request, output)
            except (ChatFault, ServerFault) as fault:
                faults[place] = fault
                if isinstance(fault, ServerFault):
                    stop.set()

        with ThreadPoolExecutor(min(self.settings.concurrency, len(batch))) as pool:
            for future in [pool.submit(ask, index) for index in range(len(batch))]:
                future.result()
        self._forget(batch, done=not faults)
        if faults:
            raise min(faults.items(), key=_fault_priority)[1] from None
        share = (self._clock() - begin) / len(batch)
        return [replace(outputs_by_place[index], seconds=share) for index in range(len(batch))]

    def _forget(self, batch: Sequence[Request], *, done: bool) -> None:
        """Drop the stored answers of a completed batch, the fault of a request that was alone in its batch, and the
        oldest answers beyond MAX_STORED_ANSWERS."""
        ids = {request.id for request in batch}
        if done or len(batch) == 1:
            self._broken = {key: fault for key, fault in self._broken.items() if key[0] not in ids}
        if not done:
            return
        remaining = [(key, output) for key, output in self._kept.items() if key[0] not in ids]
        self._kept = dict(remaining[-MAX_STORED_ANSWERS:])

    def _ask(
        self,
        request: Request,
        messages: list[Message],
        cut: int,
        stop: threading.Event,
        more: Mapping[str, Any] | None,
    ) -> Output:
        prompt = as_text(messages)
        seed = request.seed % SEEDS
        key = (request.id, prompt, seed)
        if key in self._kept:
            return self._kept[key]
        if key in self._broken:
            raise self._broken[key]
        try:
            output = replace(self.ask_once(messages, seed=seed, stop=stop, more=more), truncated=cut)
        except ContextFault as fault:
            self._broken[key] = self._advise_on_words(fault, request, prompt)
            raise self._broken[key] from None
        except ChatFault as fault:
            if not isinstance(fault, Stopped):
                self._broken[key] = fault
            raise
        self._kept[key] = output
        return output

    def _advise_on_words(self, fault: ContextFault, request: Request, prompt: str) -> ContextFault:
        """The same fault, with the words of the source that would fit."""
        source = sum(len(segment["text"].split()) for segment in request.segments)
        if self.settings.max_source_words:
            source = min(source, self.settings.max_source_words)
        answer = _limit_of_answer(self.settings.parameters)
        fitting = count_fitting_words(fault.counts, source=source, prompt=len(prompt.split()), answer=answer)
        return ContextFault(fault.why, fault.counts, min(fitting, source))

    def ask_once(
        self,
        messages: list[Message],
        *,
        seed: int,
        stop: threading.Event | None = None,
        call_id: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> Output:
        """The model's answer to one conversation, not cleaned and stored nowhere; `candidates` are its first tokens
        with their log-probabilities, where these were asked for. call_id: the same for every attempt at one call, sent
        as its idempotency key. more: see `outputs`. Raises ChatFault, ServerFault."""
        seed %= SEEDS
        parameters = {**self.settings.parameters, **(more or {})}
        data: dict[str, Any] = {"model": self.settings.model, "messages": messages, **parameters}
        if self.settings.seed:
            data["seed"] = seed
        answer = self.client.ask(data, stop, call_id=call_id)
        self._refuse_other_model(answer.model)
        self._refuse_cut_by_context(answer, parameters)
        return Output(
            text=answer.text,
            prompt=as_text(messages),
            decoding={**parameters, "finish_reason": answer.finish, **self._server_and_model()},
            seed=seed if self.settings.seed else 0,
            versions={key: value for key, value in self._served_versions(answer).items() if value},
            usage=self._usage(answer),
            candidates=answer.first_tokens,
        )

    def _refuse_other_model(self, served: str) -> None:
        """Raises ServerFault if the server says that another model answered: some servers answer with whatever they
        have loaded. A dated or longer name of the same model is none."""
        asked_model = self.settings.served_as or self.settings.model
        if asked_model == ANY_MODEL:
            return
        names = [re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].casefold()) for name in (served, asked_model)]
        if served and names[0] not in names[1] and names[1] not in names[0]:
            raise ServerFault(
                f"the chat server {self.settings.server} answers as {served!r}, but {asked_model!r} was asked for: "
                f"correct model, or write served_as = {json.dumps(served)} if it is that one"
            )

    def _refuse_cut_by_context(self, answer: Answer, parameters: Mapping[str, Any]) -> None:
        """Raises ContextFault if an answer ran out of tokens before it had those that it may have."""
        limit, n_out, n_in = _limit_of_answer(parameters), answer.tokens_out or 0, answer.tokens_in or 0
        if answer.finish == "length" and 0 < n_out < limit:
            raise ContextFault(
                f"the chat server {self.settings.server} stopped the answer after {n_out:,} of {limit:,} tokens: "
                "its context is full, or max_tokens is more than it ever writes",
                ContextCounts(n_in, n_in + n_out if n_in else 0),
            )

    def _server_and_model(self) -> dict[str, str]:
        where = {"server": self.settings.server, "model": self.settings.model}
        return where | ({"currency": self.settings.price.currency} if self.settings.price else {})

    def _served_versions(self, answer: Answer) -> dict[str, str]:
        return {"model": answer.model, "system_fingerprint": answer.fingerprint}

    def _usage(self, answer: Answer) -> dict[str, float]:
        """Tokens as counted by the server, their cost, and the number of attempts. No cost without a token count."""
        usage: dict[str, float] = {"attempts": answer.attempts}
        if answer.tokens_in is None or answer.tokens_out is None:
            return usage
        usage |= {"prompt_tokens": answer.tokens_in, "completion_tokens": answer.tokens_out}
        if price := self.settings.price:
            usage["cost"] = (answer.tokens_in * price.input + answer.tokens_out * price.output) / 1_000_000
        return usage


def _limit_of_answer(parameters: Mapping[str, Any]) -> int:
    """Tokens that an answer may have; 0: any number."""
    return next((int(parameters[name]) for name in MAX_TOKENS if name in parameters), 0)


def _join_turns(first: Output, second: Output) -> Output:
    """The second answer, with the tokens and the cost of both."""
    usage = {key: first.usage.get(key, 0) + second.usage.get(key, 0) for key in {**first.usage, **second.usage}}
    return replace(second, usage=usage, decoding={**second.decoding, "first_answer": first.text})


def _fault_priority(fault: tuple[int, SystemFault]) -> tuple[int, int]:
    """Sort key of the fault that is reported: a server fault first, then the first one other than Stopped."""
    place, error = fault
    return (0 if isinstance(error, ServerFault) else 2 if isinstance(error, Stopped) else 1), place
