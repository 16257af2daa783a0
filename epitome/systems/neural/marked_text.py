"""Prompts with marks in them: where the source and the requests stand, and what looks like a special token but is text.

A chat template of a model moves, trims and wraps the texts that it is given. Marks go through it with them. They are
noncharacters of Unicode, which no text holds and a template leaves alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from epitome.systems.neural.encoding import Encoded
from epitome.systems.protocol import SystemFault

Name = Literal["source", "requests", "literal"]
MARKS: Mapping[Name, tuple[str, str]] = {
    "source": ("\ufdd0", "\ufdd1"),
    "requests": ("\ufdd2", "\ufdd3"),
    "literal": ("\ufdd4", "\ufdd5"),
}
_MARK = re.compile("([\ufdd0-\ufdd5])")
_OPENINGS: Mapping[str, Name] = {opening: name for name, (opening, _closing) in MARKS.items()}
_CLOSINGS: Mapping[str, Name] = {closing: name for name, (_opening, closing) in MARKS.items()}
LEAST_SOURCE = 8
"""Tokens of a source below which no summary is asked for."""

Span = tuple[int, int]
"""Beginning and end of a stretch of text, in characters."""


@dataclass(frozen=True)
class MarkedText:
    """text: without its marks. spans: what each pair of marks enclosed."""

    text: str
    spans: Mapping[Name, Sequence[Span]]


def mark(name: Name, text: str) -> str:
    opening, closing = MARKS[name]
    return f"{opening}{text}{closing}"


def drop_marks(text: str) -> str:
    """The text without code points that stand for marks."""
    return _MARK.sub("", text)


def read_marks(marked: str) -> MarkedText:
    pieces: list[str] = []
    starts: dict[Name, int] = {}
    spans: dict[Name, list[Span]] = {name: [] for name in MARKS}
    length = 0
    for piece in _MARK.split(marked):
        if piece in _OPENINGS:
            starts[_OPENINGS[piece]] = length
        elif piece in _CLOSINGS:
            spans[_CLOSINGS[piece]].append((starts[_CLOSINGS[piece]], length))
        else:
            pieces.append(piece)
            length += len(piece)
    return MarkedText("".join(pieces), spans)


def mark_literals(tokenizer: Any, text: str) -> str:
    """The text, with marks around what the tokenizer would read as one of its special tokens."""
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    if not any(token in text for token in special):
        return text
    pattern = "|".join(re.escape(token) for token in sorted(special, key=len, reverse=True))
    return re.sub(pattern, lambda match: mark("literal", match[0]), text)


def encode_marked(tokenizer: Any, marked: str, source_tokens: int, room: int | None) -> Encoded:
    """Token ids of a prompt with a marked source: the source cut at its end to `source_tokens`, and to what leaves all
    of the prompt within `room` (None: any length). Nothing else is cut.

    Raises SystemFault: everything but the source leaves it no room.
    """
    prompt = read_marks(marked)
    ids, places = _encode_spans(tokenizer, prompt)
    ((begin, end),) = prompt.spans["source"]
    inside = [index for index, (first, last) in enumerate(places) if begin <= first < last <= end]
    n_others = len(ids) - len(inside)
    limit = source_tokens if room is None else min(source_tokens, room - n_others)
    if limit < min(LEAST_SOURCE, len(inside)):
        raise SystemFault(f"the request alone takes {n_others} of {room} tokens, which leaves no room for a source")
    dropped = set(inside[limit:])
    kept_indices = [index for index in range(len(ids)) if index not in dropped]
    text = prompt.text
    if dropped:
        text = text[: places[inside[limit - 1]][1]] + text[end:]
    requests = [
        place
        for place, index in enumerate(kept_indices)
        if any(first <= places[index][0] < places[index][1] <= last for first, last in prompt.spans["requests"])
    ]
    return Encoded(tuple(ids[index] for index in kept_indices), len(dropped), text, tuple(requests))


def _encode_spans(tokenizer: Any, prompt: MarkedText) -> tuple[list[int], list[Span]]:
    """Ids of the whole text and the characters of each; special tokens are read as such, but in literal spans."""
    if not tokenizer.is_fast:
        raise SystemFault('its tokenizer does not say where its tokens stand; set template = "plain"')
    ids: list[int] = []
    places: list[Span] = []
    start = 0
    for first, last in [*prompt.spans["literal"], (len(prompt.text), len(prompt.text))]:
        for begin, end, is_literal in ((start, first, False), (first, last, True)):
            if begin == end:
                continue
            encoded = tokenizer(
                prompt.text[begin:end], add_special_tokens=False, split_special_tokens=is_literal,
                return_offsets_mapping=True, truncation=False, verbose=False,
            )  # fmt: skip
            ids += encoded["input_ids"]
            places += [(begin + left, begin + right) for left, right in encoded["offset_mapping"]]
        start = last
    return ids, places
