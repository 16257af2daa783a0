"""Messages to a chat model, built from a request and the schema's declaration of its attributes."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import cast

from epitome.measures.source import format_segment
from epitome.prompts.templates import Template, fill_places, load_template, own_template, template_name_for
from epitome.schema import Attribute
from epitome.systems.protocol import ErrorKinds, Request, RequestValue
from epitome.text.sentences import Segment

Message = dict[str, str]
"""{"role": "system" | "user", "content": text}, as OpenAI-compatible servers take it."""


def summary_messages(
    request: Request,
    values: Mapping[str, RequestValue],
    *,
    name: str = "auto",
    bands: bool = True,
    words: int = 0,
    own_texts: Mapping[str, str] | None = None,
) -> tuple[list[Message], int]:
    """The conversation that asks for a summary, and how many words of the source did not fit.

    values: the requested values by attribute key; other attributes are not mentioned.
    name: of the template, "auto" for the one made for the schema. bands: also give a length in words, where known.
    words: maximum words of the source, cut between segments; 0 for all of them. own_texts: replace texts of the
    template, see `own_template`.
    """
    source, cut = source_text(request, words)
    prompt_template = own_template(template_name_for(request.schema.key) if name == "auto" else name, own_texts or {})
    places = {
        **prompt_template.words[request.schema.domain],
        "explanations": _format_explanations(prompt_template, request, values),
        "requests": _format_requests(prompt_template, request, values, bands=bands),
        "source": source,
    }
    return _build_messages(prompt_template, places), cut


def judge_messages(
    request: Request, question: str, answers: Sequence[str], *, words: int = 0
) -> tuple[list[Message], int]:
    """The conversation that asks one question about the request's `text` (or its candidates, as A, B, ...).

    The values of the request are explained where it has any; a question about the text alone comes without.
    """
    prompt_template = load_template("judge")
    places, cut = _fill_judged(prompt_template, request, words)
    places |= {"question": question, "answers": ", ".join(answers)}
    return _build_messages(prompt_template, places), cut


def repair_text(answers: Sequence[str]) -> str:
    """What is said after an answer that is none of those offered."""
    return load_template("judge").fill("repair", answers=", ".join(answers))


def mark_messages(request: Request, question: str, kinds: ErrorKinds, *, words: int = 0) -> tuple[list[Message], int]:
    """The conversation that asks for the errors of the request's `text`, as a JSON list of quotes."""
    prompt_template = load_template("mark")
    places, cut = _fill_judged(prompt_template, request, words)
    category = prompt_template.texts["category"] if kinds.categories else ""
    lines = [
        prompt_template.fill("categories", categories=", ".join(kinds.categories)) if kinds.categories else "",
        prompt_template.fill("severities", severities=", ".join(kinds.severities)),
        prompt_template.fill("omission", omission=kinds.omission) if kinds.omission else "",
    ]
    places |= {"question": question, "kinds": "\n".join(filter(None, lines)), "category": category}
    return _build_messages(prompt_template, places), cut


def _fill_judged(prompt_template: Template, request: Request, words: int) -> tuple[dict[str, str], int]:
    """What is judged, with the source and the explained request, as places of a template for judges."""
    source, cut = source_text(request, words)
    texts = [prompt_template.fill("text", text=request.text)] if request.text is not None else []
    texts += [
        prompt_template.fill("candidate", letter=letter, text=text)
        for letter, text in zip(ascii_uppercase, request.candidates, strict=False)
    ]
    explained = ""
    if request.values:
        requests = _format_requests(prompt_template, request, request.values, bands=False)
        explanations = _format_explanations(prompt_template, request, request.values)
        explained = prompt_template.fill("definitions", requests=requests, explanations=explanations).removeprefix("\n")
    words_of_domain = prompt_template.words[request.schema.domain]
    shown_source = prompt_template.fill("source", source=source, **words_of_domain) + "\n\n" if source else ""
    return {
        **words_of_domain,
        "source": shown_source,
        "texts": "\n\n".join(texts),
        "definitions": explained,
    }, cut


def source_text(request: Request, words: int = 0) -> tuple[str, int]:
    """The source as one text, one turn per line, and how many of its words exceeded the limit and were left out."""
    dialogue = request.schema.domain == "dialogue"
    lines: list[str] = []
    used = cut = 0
    for segment in request.segments:
        size = len(segment["text"].split())
        if cut or (words and used + size > words):
            cut += size
            continue
        used += size
        lines.append(format_segment(cast(Segment, segment)) if dialogue else segment["text"])
    return ("\n" if dialogue else " ").join(lines), cut


def as_text(messages: Sequence[Message]) -> str:
    """A conversation as one text, as stored with an output."""
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)


def prompt_name(attribute: Attribute) -> str:
    """The name of an attribute in prompts: the words before the value in its `prompt`, else its label."""
    prefix, place, _ = attribute.prompt.partition("{value}")
    return prefix.strip().rstrip(":").strip() if place and prefix.strip() else attribute.label


def _build_messages(prompt_template: Template, places: Mapping[str, str]) -> list[Message]:
    return [{"role": role, "content": fill_places(prompt_template.texts[role], places)} for role in ("system", "user")]


def _format_explanations(prompt_template: Template, request: Request, values: Mapping[str, RequestValue]) -> str:
    lines = []
    for attribute in request.schema.attributes:
        if attribute.key in values:
            lines.append(prompt_template.fill("explanation", name=prompt_name(attribute), guide=attribute.guide))
            for value in attribute.values:
                if guide := attribute.value_guide(value):
                    lines.append(prompt_template.fill("value", value=attribute.prompt_value(value), guide=guide))
    return "\n".join(lines)


def _format_requests(
    prompt_template: Template, request: Request, values: Mapping[str, RequestValue], *, bands: bool
) -> str:
    lines = []
    for attribute in request.schema.attributes:
        if attribute.key in values:
            value = format_value(prompt_template, attribute, values[attribute.key])
            wording = (
                fill_places(attribute.prompt, {"value": value}) if attribute.prompt else f"{attribute.label}: {value}"
            )
            band = _format_band(prompt_template, attribute, request) if bands else ""
            lines.append(prompt_template.fill("request", request=wording, band=band))
    return "\n".join(lines)


def format_value(prompt_template: Template, attribute: Attribute, value: RequestValue) -> str:
    """A requested value in words, by the texts `pick` and `none` of a template."""
    if isinstance(value, str) and attribute.values:
        return attribute.prompt_value(attribute.canonical(value))
    picks = [value] if isinstance(value, str) and value else list(value)
    return ", ".join(prompt_template.fill("pick", pick=pick) for pick in picks) or prompt_template.texts["none"]


def _format_band(prompt_template: Template, attribute: Attribute, request: Request) -> str:
    """The usual length in words, where known; all segments count as relevant only when nothing is picked."""
    value = request.value(attribute.key)
    if not attribute.values or not value or not prompt_template.texts["band"]:
        return ""
    picked = any(request.picks(other.key) for other in request.schema.attributes if not other.values)
    relevant = 0 if picked else sum(len(segment["text"].split()) for segment in request.segments)
    words = attribute.band_words(value, relevant)
    if words is None or words[1] is None:
        return ""
    return prompt_template.fill("band", low=str(words[0]), high=str(words[1]))
