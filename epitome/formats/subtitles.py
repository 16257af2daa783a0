"""Subtitles, WebVTT (https://www.w3.org/TR/webvtt1/) and SubRip, as turns or as one text; times are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from epitome.formats.faults import TextFault, decode_utf8, to_printable
from epitome.formats.reading import LINE_LIMIT, InputFile, LineSpot, Spot
from epitome.formats.rows import Rows, clean_row, stem_of

_TIMES = re.compile(r"^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}", re.M)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]*)>")
_TAG = re.compile(r"</?(?:[cibuv]|ruby|rt|lang|font|\d[\d:.]*)(?:[.\s][^>]*)?>|\{\\[^}]*\}", re.I)
_NAME = re.compile(r"^(?:>>\s*|-\s*)?([^\W\d_][\w.'’ -]{0,40}?)\s*:\s+(?=\S)")
MAX_WORDS_OF_NAME = 4


class Cue(NamedTuple):
    """speaker: None where the cue does not say who speaks."""

    speaker: str | None
    text: str


def looks_like_subtitles(text: str) -> bool:
    """Whether a file's first characters are those of WebVTT or SubRip."""
    if re.match(r"WEBVTT(?:[ \t\r\n]|$)", text):
        return True
    lines = text.lstrip().splitlines()[:2]
    return len(lines) == 2 and lines[0].strip().isdecimal() and _TIMES.match(lines[1]) is not None


def read_subtitle_row(file: InputFile) -> Rows:
    """The one row of a file: turns where speakers are named, by `<v Name>` or by `Name:`, else one text. Raises
    UnreadableFile."""
    raw = file.head(LINE_LIMIT + 1)
    file.remark_encoding()
    if len(raw) > LINE_LIMIT:
        raise file.unreadable(f"the subtitles are longer than {LINE_LIMIT:,} bytes", code="entry_too_long")
    try:
        cues = list(_read_cues(decode_utf8(raw)))
    except TextFault as error:
        yield Spot(file, 1, 1, raw).fault(error)
        return
    if not cues:
        raise file.unreadable("holds no subtitle with a text", code="empty")
    content = {"segments": _join_turns(cues)} if any(cue.speaker for cue in cues) else {"text": _join_texts(cues)}
    yield clean_row({"id": stem_of(file.data_name), **content}, to_printable(file.data_name, 100), LineSpot(file, None))


def _read_cues(source: str) -> Iterator[Cue]:
    """The cues in their order; a line that a cue repeats from the one before (rolling captions) stands once."""
    blocks = re.split(r"\n[ \t]*\n", source.replace("\r\n", "\n").replace("\r", "\n"))
    last_lines: list[str] = []
    cues: list[Cue] = []
    for block in blocks:
        times = _TIMES.search(block)
        if times is None:
            continue  # the head, a note or a style
        lines = [line.strip() for line in block[times.end() :].split("\n")[1:] if line.strip()]
        plain = [_strip_tags(line) for line in lines]
        new_lines = lines[1:] if last_lines and plain and plain[0] == last_lines[-1] else lines
        last_lines = plain or last_lines
        cues += _split_voices("\n".join(new_lines))
    has_voices = any(cue.speaker is not None for cue in cues)
    yield from cues if has_voices else _split_names(cues)


def _split_voices(payload: str) -> Iterator[Cue]:
    """One cue for each voice; what stands before the first voice has none."""
    unvoiced, *voiced = _VOICE.split(payload)
    pairs: list[tuple[str | None, str]] = [(None, unvoiced), *zip(voiced[::2], voiced[1::2], strict=True)]
    for speaker, marked in pairs:
        text = _strip_tags(marked)
        if text:
            yield Cue(" ".join(unescape(speaker).split()) if speaker is not None else None, text)


def _strip_tags(marked: str) -> str:
    return " ".join(unescape(_TAG.sub("", marked)).split())


def _split_names(cues: list[Cue]) -> Iterator[Cue]:
    """Cues that begin with `Name:` have that speaker, and those after them go on with it. Names are taken for such
    where half of the cues have one, or two names come up twice: a single "Note:" is none."""
    matches = [_NAME.match(cue.text) for cue in cues]
    names = [match[1] if match and len(match[1].split()) <= MAX_WORDS_OF_NAME else "" for match in matches]
    counts = Counter(filter(None, names))
    repeated = {name for name, n in counts.items() if n > 1}
    known = set(counts) if 2 * counts.total() >= len(cues) else repeated if len(repeated) > 1 else set()
    speaker: str | None = None
    for cue, match, name in zip(cues, matches, names, strict=True):
        if match and name in known:
            speaker = name
            yield Cue(speaker, cue.text[match.end() :])
        else:
            yield Cue(speaker, cue.text)


def _join_turns(cues: list[Cue]) -> list[dict[str, str]]:
    turns: list[dict[str, str]] = []
    for cue in cues:
        speaker = cue.speaker or ""
        if turns and turns[-1]["speaker"] == speaker:
            turns[-1]["text"] += f" {cue.text}"
        else:
            turns.append({"speaker": speaker, "text": cue.text})
    return turns


def _join_texts(cues: list[Cue]) -> str:
    return " ".join(cue.text for cue in cues)
