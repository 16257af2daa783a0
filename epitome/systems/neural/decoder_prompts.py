"""How decoder-only models are asked: through their own chat template, or by plain text with an ending."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from epitome.prompts.chat import Message, summary_messages
from epitome.prompts.templates import own_template, template_name_for
from epitome.systems.neural.encoding import Encoded, encode_continuation, encode_with_ending
from epitome.systems.neural.libraries import import_library
from epitome.systems.neural.marked_text import drop_marks, encode_marked, mark, mark_literals
from epitome.systems.neural.prompts import decoder_joiner, prompt_text
from epitome.systems.neural.weights import find_file, read_json
from epitome.systems.protocol import Request, RequestValue, SystemFault

Template = Literal["auto", "chat", "plain"]
TEMPLATES: tuple[Template, ...] = ("auto", "chat", "plain")
ENDING = "\nSummary:"
ADAPTER_NOTE = "prompt.json"
"""Beside a trained adapter: the template it was trained with."""
_ANSWER = "answer"


@dataclass(frozen=True)
class PromptStyle:
    """attributes: those that are given. ending: of plain text, between source and summary. texts: own ones in place of
    those of the chat prompt, by name. release_compat, aggregation_input: see prompt_text."""

    attributes: Collection[str]
    ending: str = ENDING
    texts: Mapping[str, str] = field(default_factory=dict)
    release_compat: bool = False
    aggregation_input: str = "full"


class PlainPrompts:
    """The hard prompt, the source and the ending; the model continues them."""

    template: ClassVar[Template] = "plain"

    def __init__(self, tokenizer: Any, style: PromptStyle) -> None:
        self.tokenizer, self.style = tokenizer, style

    def text(self, request: Request, values: Mapping[str, RequestValue]) -> str:
        """Raises SystemFault for a request with turns, which plain text has none of."""
        if request.turns:
            raise SystemFault('a model that continues plain text takes no further turn; set template = "chat"')
        style = self.style
        compat, form = style.release_compat, style.aggregation_input
        return prompt_text(
            request, values, style.attributes, release_compat=compat, aggregation_input=form,
            joiner=decoder_joiner(request.schema),
        )  # fmt: skip

    def encode(self, prompts: Sequence[str], source_tokens: int, room: int | None) -> list[Encoded]:
        """Prompt and ending in at most `source_tokens`, cut before the ending."""
        limit = source_tokens if room is None else min(source_tokens, room)
        return encode_with_ending(self.tokenizer, prompts, self.style.ending, limit)

    def summary_ids(self, text: str) -> list[int]:
        """Ids of a summary that follows the prompt, without an end."""
        return encode_continuation(self.tokenizer, text)

    @property
    def end_ids(self) -> list[int]:
        """The token that ends a summary, where there is one."""
        end = self.tokenizer.eos_token_id
        return [] if end is None else [end]

    @property
    def more_stops(self) -> list[int]:
        """Tokens that end a summary beside those of the model's own settings."""
        return []


class ChatPrompts(PlainPrompts):
    """A conversation as the model's own template writes it, with the texts of the chat prompts."""

    template: ClassVar[Template] = "chat"

    def text(self, request: Request, values: Mapping[str, RequestValue]) -> str:
        """The conversation up to the model's turn, with marks (see marked_text)."""
        if request.aggregation is not None:
            source = mark("source", drop_marks(super().text(request, values)))
            return self._render([{"role": "user", "content": f"{source}\n{self.style.ending.strip()}"}])
        cleaned_values = {key: _clean(value) for key, value in values.items() if key in self.style.attributes}
        name = template_name_for(request.schema.key)
        messages, _cut = summary_messages(
            _without_marks(request), cleaned_values, own_texts=_mark_places(name, self.style.texts)
        )
        turns = [{"role": turn["role"], "content": drop_marks(turn["content"])} for turn in request.turns]
        return self._render([message for message in (*messages, *turns) if message["content"].strip()])

    def encode(self, prompts: Sequence[str], source_tokens: int, room: int | None) -> list[Encoded]:
        """The source in at most `source_tokens`; the rest of the conversation is never cut. Raises SystemFault."""
        return [encode_marked(self.tokenizer, prompt, source_tokens, room) for prompt in prompts]

    def summary_ids(self, text: str) -> list[int]:
        encoded = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return list(encoded["input_ids"])

    @cached_property
    def end_ids(self) -> list[int]:  # type: ignore[override]
        """The special token that the template puts after an answer, else the tokenizer's end."""
        turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _ANSWER}]
        after = self.tokenizer.apply_chat_template(turns, tokenize=False).rpartition(_ANSWER)[2]
        special = set(self.tokenizer.all_special_ids)
        ids = [token for token in self.tokenizer(after, add_special_tokens=False)["input_ids"] if token in special]
        return ids[:1] or super().end_ids

    @property
    def more_stops(self) -> list[int]:
        return sorted({*self.end_ids, *super().end_ids})

    def _render(self, messages: list[Message]) -> str:
        """The system's text goes to the user's turn where the template knows no such role. Raises SystemFault."""
        shown = [{**message, "content": mark_literals(self.tokenizer, message["content"])} for message in messages]
        folded = [{"role": "user", "content": "\n\n".join(message["content"] for message in shown)}]
        error_class = import_library("jinja2").TemplateError
        reason = "it leaves out what it is given"
        for turns in (shown, folded):
            try:
                rendered: str = self.tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True, enable_thinking=False
                )
            except error_class as error:
                reason = str(error)[:200]
                continue
            if all(turn["content"].strip() in rendered for turn in turns):
                return rendered
        raise SystemFault(f'the chat template of the model cannot be used ({reason}); set template = "plain"')


def make_prompts(tokenizer: Any, style: PromptStyle, template: str) -> PlainPrompts:
    """template: "auto" is chat where the tokenizer has a template. Raises SystemFault: "chat" where it has none."""
    has_one = bool(getattr(tokenizer, "chat_template", None))
    if template == "chat" and not has_one:
        raise SystemFault('the model has no chat template: its tokenizer would have one; set template = "plain"')
    return ChatPrompts(tokenizer, style) if has_one and template != "plain" else PlainPrompts(tokenizer, style)


def template_of_adapters(template: str, folders: Collection[str]) -> str:
    """The template for a model with these adapters: with "auto" the one that they were trained with, "plain" where
    nothing is noted with them."""
    if template != "auto" or not folders:
        return template
    notes = {str(read_json(Path(find_file(folder)) / ADAPTER_NOTE).get("template", "plain")) for folder in folders}
    return notes.pop() if len(notes) == 1 else "plain"


def _mark_places(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of the conversation, with marks around the places of source and requests."""
    prompt_template = own_template(name, texts)
    marked = dict(texts)
    for role in ("system", "user"):
        text = prompt_template.texts[role]
        for place in ("source", "requests"):
            text = text.replace(f"{{{place}}}", mark(place, f"{{{place}}}"))  # type: ignore[arg-type]
        marked[role] = text
    return marked


def _clean(value: RequestValue) -> RequestValue:
    return drop_marks(value) if isinstance(value, str) else tuple(map(drop_marks, value))


def _without_marks(request: Request) -> Request:
    cleaned = tuple({key: drop_marks(text) for key, text in segment.items()} for segment in request.segments)
    return replace(request, segments=cleaned)
