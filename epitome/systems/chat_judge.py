"""A chat model as a judge: one question about a summary, answered with one of the given words."""

from collections.abc import Sequence
from dataclasses import replace

from epitome.prompts.chat import Message, judge_messages, mark_messages, repair_text
from epitome.schema.tables import Table
from epitome.systems.chat import Asker, make_client
from epitome.systems.chat_answers import answer_probabilities, constrain_parameters, read_constrained
from epitome.systems.chat_client import ChatClient, ChatFault
from epitome.systems.chat_options import ChatOptions, EveryAttribute, read_options
from epitome.systems.chat_text import clean_answer
from epitome.systems.config import SystemConfig
from epitome.systems.examples import check_examples, find_answer, find_judged_attribute
from epitome.systems.protocol import ErrorKinds, Follows, Output, Request, Role, SystemFault, WorkedExample


def parse_options(table: Table) -> ChatOptions:
    """The `[options]` of a configuration. Raises SchemaError."""
    return read_options(table, judge=True)


def followed_attributes(settings: ChatOptions) -> Follows:
    return EveryAttribute()


def make_system(config: SystemConfig) -> "ChatJudge":
    """Raises SystemFault: the server is not on the administrator's list."""
    return ChatJudge(config, make_client(config.settings))


class ChatJudge:
    """Reads the request's `text` (or its candidates, as A, B, ...) with the source and answers a question."""

    role: Role = "judge"

    def __init__(self, config: SystemConfig, client: ChatClient) -> None:
        self.key = config.key
        self.kind = config.kind
        self.settings: ChatOptions = config.settings
        self.follows: Follows = EveryAttribute()
        self.asker = Asker(self.settings, client)

    def judge(self, batch: Sequence[Request], question: str, answers: Sequence[str]) -> list[Output]:
        """Each output's `text` is one of `answers`, or the model's own text; decoding["valid"] says which. In the
        format "logprobs" decoding["probabilities"] holds one for each answer; decoding["first_answer"] is what was said
        before it was asked again.

        Raises ValueError without two different answers, SystemFault when the server refuses.
        """
        if len({answer.casefold() for answer in answers}) != len(answers) or len(answers) < 2:
            raise ValueError(f"a question needs two different answers, got {list(answers)}")
        check_examples(batch, self.settings.examples)
        words = self.settings.max_source_words

        def ask_about(request: Request) -> tuple[list[Message], int]:
            messages, cut = judge_messages(request, question, answers, words=words)
            turns: list[Message] = []
            for example in request.examples:
                answer = find_answer(example, answers)
                if answer is None:
                    raise SystemFault(f"the right answer about the worked example {example.id} is not known")
                about_example = _ask_like(request, example, answers)
                turns += [
                    judge_messages(about_example, question, answers, words=words)[0][-1],
                    {"role": "assistant", "content": answer},
                ]
            return [*messages[:-1], *turns, messages[-1]], cut

        def ask_again(messages: list[Message], output: Output) -> list[Message] | None:
            if not self.settings.repair or self._read_answer(output, answers)[0] is not None:
                return None
            correction: Message = {"role": "user", "content": repair_text(answers)}
            return [*messages, {"role": "assistant", "content": output.text}, correction]

        def finish(request: Request, output: Output) -> Output:
            matched, probabilities = self._read_answer(output, answers)
            text = matched if matched is not None else clean_answer(output.text)[0]
            decoding = {**output.decoding, "valid": matched is not None}
            if probabilities:
                decoding["probabilities"] = probabilities
            if request.examples:
                decoding["examples"] = [example.id for example in request.examples]
            return replace(output, text=text, told=dict(request.values), decoding=decoding, candidates=())

        more = constrain_parameters(self.settings.answer_format, answers, self.settings.parameters)
        return self.asker.outputs(batch, ask_about, finish, more=more, follow_up=ask_again)

    def _read_answer(self, output: Output, answers: Sequence[str]) -> tuple[str | None, dict[str, float]]:
        """The answer that was given, None for an invalid one, and the probabilities of all where they are known. Raises
        ChatFault where the server was asked for log-probabilities and gave none."""
        if self.settings.answer_format != "logprobs":
            return read_constrained(output.text, answers), {}
        if not output.candidates:
            raise ChatFault(
                f"the chat server {self.settings.server} gave no log-probabilities: "
                'choose answer_format = "json_schema" or "text"'
            )
        probabilities = answer_probabilities(output.candidates, answers)
        likeliest = max(probabilities, key=lambda answer: probabilities[answer], default=None)
        return likeliest, probabilities

    def mark(self, batch: Sequence[Request], question: str, kinds: ErrorKinds) -> list[Output]:
        """Each output's `text` is what the model said, without its thinking. Worked examples are not shown.

        Raises SystemFault when the server refuses.
        """
        words = self.settings.max_source_words

        def ask_about(request: Request) -> tuple[list[Message], int]:
            return mark_messages(request, question, kinds, words=words)

        def finish(request: Request, output: Output) -> Output:
            return replace(output, text=clean_answer(output.text)[0], told=dict(request.values))

        return self.asker.outputs(batch, ask_about, finish)


def _ask_like(request: Request, example: WorkedExample, answers: Sequence[str]) -> Request:
    """The request about an example's text, which shows source and request only where the real one does, and never the
    value that is the answer. An example with an answer of its own was written for the question, and is shown whole."""
    if example.answer:
        return replace(
            request,
            segments=example.segments,
            values={},
            text=example.text or None,
            candidates=example.candidates,
            examples=(),
        )
    judged = find_judged_attribute(example.schema, answers)
    values = {key: value for key, value in example.values.items() if judged is None or key != judged.key}
    return replace(
        request,
        segments=example.segments if request.segments else (),
        values=values if request.values else {},
        schema=example.schema,
        text=example.text,
        candidates=(),
    )
