"""Turns of dialogues as files give them: objects under several names, lists side by side, lines `Name: words`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epitome.formats.faults import FieldFault, json_type_name
from epitome.formats.records import Segment

TEXT_KEYS = ("text", "content", "value", "utterance", "utt", "message", "sentence")
SPEAKER_KEYS = ("speaker", "author", "role", "name", "from")
_LINE = re.compile(r"\s*(?P<speaker>[^\s:.!?;,\"][^:!?;\"\n]{0,39}?)\s?:\s+(?P<text>\S.*)", re.DOTALL)
MAX_NAME_WORDS = 5
_IDENTIFIED = re.compile(r"https?$|^\d+$", re.IGNORECASE)


def key_of_text(turn: Mapping[str, Any]) -> str | None:
    """The key under which a turn has its words."""
    return next((key for key in TEXT_KEYS if isinstance(turn.get(key), str)), None)


def is_turn(value: object) -> bool:
    """Whether an object says who speaks and what."""
    if not isinstance(value, dict):
        return False
    text = key_of_text(value)
    return text is not None and any(isinstance(value.get(key), str) for key in SPEAKER_KEYS)


def read_turn(turn: Mapping[str, Any]) -> Segment:
    """The turn under our names, other keys as they are; unchanged where it has no text."""
    text = key_of_text(turn)
    if text is None or ("text" in turn and text != "text"):
        return {"speaker": "", **turn}
    speaker = next((key for key in SPEAKER_KEYS if isinstance(turn.get(key), str)), None)
    others = {key: value for key, value in turn.items() if key not in (text, speaker)}
    return {"speaker": turn[speaker] if speaker is not None else "", "text": turn[text], **others}


def join_turns(texts: object, speakers: object, text_key: str, speaker_key: str) -> list[Segment]:
    """Turns of two lists side by side. Raises FieldFault where one is no list or they differ in length."""
    for value, key in ((texts, text_key), (speakers, speaker_key)):
        if not isinstance(value, list):
            raise FieldFault((key,), f"must be a list, not {json_type_name(value)}", value, "type")
    assert isinstance(texts, list) and isinstance(speakers, list)
    if len(texts) != len(speakers):
        message = f"has {len(speakers):,} speakers for the {len(texts):,} turns in {text_key}"
        raise FieldFault((speaker_key,), message, "", "length")
    if not all(isinstance(text, str) for text in texts):
        raise FieldFault((text_key,), "must be a list of texts", texts, "type")
    return [
        {"speaker": "" if speaker is None else str(speaker), "text": text}
        for text, speaker in zip(texts, speakers, strict=True)
    ]


def _split_line(line: str) -> tuple[str, str] | None:
    match = _LINE.fullmatch(line)
    if match is None or len(match["speaker"].split()) > MAX_NAME_WORDS or _IDENTIFIED.search(match["speaker"]):
        return None
    return match["speaker"], match["text"].strip()


def is_transcript(text: str) -> bool:
    """Whether a text's lines are `Name: words`: the first of at least two, and most of them."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or _split_line(lines[0]) is None:
        return False
    return sum(_split_line(line) is not None for line in lines) > len(lines) / 2


def split_transcript(text: str) -> list[Segment]:
    """The turns of a text whose lines are `Name: words`; a line without a name goes on with the turn before it."""
    turns: list[Segment] = []
    for line in text.splitlines():
        split_line = _split_line(line)
        if split_line is not None:
            turns.append({"speaker": split_line[0], "text": split_line[1]})
        elif line.strip() and turns:
            turns[-1]["text"] += f"\n{line.strip()}"
        elif line.strip():
            turns.append({"speaker": "", "text": line.strip()})
    return turns


def collect_pieces(value: Any) -> Any:
    """The pieces of an object of lists of texts, such as sections with their sentences, in its order; other values
    unchanged."""
    if not isinstance(value, dict) or not value:
        return value
    lists: Sequence[Any] = list(value.values())
    if not all(isinstance(entry, list) and all(isinstance(item, str) for item in entry) for entry in lists):
        return value
    return [item for entry in lists for item in entry]
