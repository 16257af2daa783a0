"""The text a model reads: the control attributes as a hard prompt before the source.

The template is the schema's (`[prompt] hp`). It is cut into one piece per attribute, so that an attribute without a
value, or one that is not given to the system, is left out. Source of the strings: the code released with Zhang et al.,
"MACSum: Controllable Summarization with Mixed Attributes", TACL 2023.
"""

import string
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

from epitome.measures.source import format_segment
from epitome.schema import Schema
from epitome.systems.protocol import Request, RequestValue
from epitome.systems.ranking.inputs import format_task
from epitome.text.sentences import Segment

SOURCE = "source"
PICK_JOINER = " , "
"""Between two topics or speakers, as the released files write them."""
_BREAKS = (" ; ", "\n")


@dataclass(frozen=True)
class Piece:
    """The text before an attribute's value, and after it up to the next piece."""

    key: str
    before: str
    after: str


def split_template(template: str) -> tuple[Piece, ...]:
    """The template split into one piece per placeholder: a piece ends with the " ; " or line break after it."""
    placeholders = [(text, name) for text, name, _, _ in string.Formatter().parse(template) if name is not None]
    template_pieces: list[Piece] = []
    for text, name in placeholders:
        opening = text
        if template_pieces:
            ended, opening = _split_at_break(text)
            template_pieces[-1] = Piece(template_pieces[-1].key, template_pieces[-1].before, ended)
        template_pieces.append(Piece(name, opening, ""))
    return tuple(template_pieces)


def _split_at_break(text: str) -> tuple[str, str]:
    for end in _BREAKS:
        index = text.find(end)
        if index >= 0:
            return text[: index + len(end)], text[index + len(end) :]
    return text, ""


def source_text(request: Request, joiner: str | None = None) -> str:
    """The segments joined as the schema says: sentences by a blank, turns by the separator token; or by `joiner`."""
    between = request.schema.prompts.segment_joiner if joiner is None else joiner
    return between.join(format_segment(cast(Segment, segment)) for segment in request.segments)


def decoder_joiner(schema: Schema) -> str:
    """What stands between segments for decoder-only models: a line break where the schema has a mark such as `</s>`,
    which means nothing to a model that has not learnt it, or the end of the text."""
    joiner = schema.prompts.segment_joiner
    return "\n" if joiner.strip() else joiner


def prompt_text(
    request: Request,
    values: Mapping[str, RequestValue],
    attributes: Collection[str],
    *,
    release_compat: bool = False,
    aggregation_input: str = "full",
    joiner: str | None = None,
) -> str:
    """The input of a model: a piece for each of `attributes` that has an entry in `values`, then the source.

    release_compat: topics and speakers exactly as in the released code, which drops both when no topic is requested
    and keeps an empty speaker when one is. Otherwise each is included if it has a value.
    aggregation_input: of an aggregation task, whose input is its entities in their context instead.
    joiner: between segments, instead of the schema's.
    """
    if request.aggregation is not None:
        return format_task(request.aggregation, aggregation_input)
    schema = request.schema
    picked = {attribute.key for attribute in schema.chosen}
    no_topic = not any(attribute.traits.picks_topics and values.get(attribute.key) for attribute in schema.chosen)
    text = ""
    for piece in split_template(schema.prompts.hp or "{source}"):
        if piece.key == SOURCE:
            text += piece.before + source_text(request, joiner) + piece.after
            continue
        if piece.key not in attributes:
            continue
        value = format_prompt_value(schema, piece.key, values.get(piece.key, ""))
        dropped = no_topic if release_compat and piece.key in picked else not value
        if not dropped:
            text += piece.before + value + piece.after
    return text


def format_prompt_value(schema: Schema, key: str, value: RequestValue) -> str:
    """A value as written in prompts: `fully` for `full`, topics and speakers joined."""
    if not isinstance(value, str):
        return PICK_JOINER.join(value)
    attribute = schema.find(key)
    return attribute.prompt_value(value) if attribute is not None else value
