"""QMSum meetings, JSON or JSON lines: one source per topic, with the turns of all its ranges.

Ids. `qmsum-{hash}-{topic index}`, index from 0 in the order of `topic_list`; the origin is `qmsum-{hash}`. hash: the
first 12 hex digits of the SHA-256 of `meeting_transcripts` as canonical JSON (UTF-8, sorted keys, no white space
between tokens, characters not escaped), so that a meeting has the same id in every file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.formats.elements import read_entries
from epitome.formats.faults import Fault, FieldFault, LeftOut, json_type_name
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import (
    Segment,
    SourceRecord,
    Unit,
    count_segment_words,
    hash_segments,
    json_text,
    split_of_name,
)
from epitome.formats.rows import Place, build_units

MAX_WORDS = 5000
MEETING_KEYS = ("meeting_transcripts", "topic_list")


def is_meeting(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a QMSum meeting."""
    return "meeting_transcripts" in entry or "topic_list" in entry


def read_qmsum(file: InputFile, options: ImportOptions) -> Iterator[Unit]:
    """Sources of a QMSum file: one item per topic, or one fault for a meeting that cannot be read.

    Units of more words than the limit of the options (None: MAX_WORDS) are LeftOut. Raises UnreadableFile.
    """
    split = split_of_name(file.data_name) if options.split is None else options.split
    max_words = MAX_WORDS if options.max_words is None else options.max_words
    return build_units(_list_units(file), lambda topic: _build_source(topic, split, max_words))


@dataclass(frozen=True, slots=True)
class _Topic:
    """One topic of a meeting. key: of the meeting's transcript; index: of the topic, from 0."""

    spot: Place
    place: str
    meeting: dict[str, Any]
    key: str
    turns: list[Segment]
    index: int
    topic: object


def _list_units(file: InputFile) -> Iterator[_Topic | Fault]:
    for row in read_entries(file):
        if isinstance(row, Fault):
            yield row
            continue
        meeting = row.values
        try:
            turns, topics = _parse_turns(meeting), _list_topics(meeting)
        except FieldFault as error:
            yield row.spot.fault(error)
            continue
        key = transcript_hash(meeting["meeting_transcripts"])
        for index, topic in enumerate(topics):
            place = f"{row.place}, topic_list[{index}]"
            yield _Topic(row.spot, place, meeting, key, turns, index, topic)


def transcript_hash(transcripts: object) -> str:
    """12 hex digits that identify a meeting by its transcript (see the module docstring)."""
    canonical = json.dumps(transcripts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def _build_source(unit: _Topic, split: str, max_words: int) -> SourceRecord | LeftOut:
    """The source of one topic; max_words 0: no limit. Raises FieldFault with the path inside the meeting."""
    title, ranges, turn_numbers = _parse_topic(unit.topic, unit.index, len(unit.turns))
    segments = [unit.turns[number] for number in turn_numbers]
    n_words = count_segment_words(segments)
    if not n_words:
        raise FieldFault(("topic_list", unit.index, "relevant_text_span"), "holds no word", ranges, "empty")
    external_id = f"qmsum-{unit.key}-{unit.index}"
    if 0 < max_words < n_words:
        reason = f"{n_words:,} words, more than {max_words:,}"
        return LeftOut(f"{unit.spot.file.name}, {unit.place}", reason, external_id, n_words)
    metadata = {**_as_dict(unit.topic), "topic_index": unit.index, "turns": _group_runs(turn_numbers)}
    metadata |= {name: value for name, value in unit.meeting.items() if name not in MEETING_KEYS}
    return SourceRecord(
        external_id=external_id,
        origin_id=f"qmsum-{unit.key}",
        title=title,
        segments=segments,
        metadata_json=json_text(metadata),
        split=split,
        licence="",
        may_release_text=None,
        place=unit.place,
        n_words=n_words,
        content_hash=hash_segments(segments),
    )


def _parse_turns(meeting: dict[str, Any]) -> list[Segment]:
    transcripts = meeting.get("meeting_transcripts")
    if not isinstance(transcripts, list):
        message = f"must be a list of turns, not {json_type_name(transcripts)}"
        raise FieldFault(("meeting_transcripts",), message, transcripts, "type")
    turns: list[Segment] = []
    for index, turn in enumerate(transcripts):
        path = ("meeting_transcripts", index)
        if not isinstance(turn, dict):
            raise FieldFault(path, f"must be an object, not {json_type_name(turn)}", turn, "type")
        for name in ("speaker", "content"):
            if not isinstance(turn.get(name), str):
                raise FieldFault((*path, name), "must be text and cannot be missing", turn.get(name), "type")
        turns.append({"speaker": turn["speaker"], "text": turn["content"]})
    return turns


def _list_topics(meeting: dict[str, Any]) -> list[Any]:
    topics = meeting.get("topic_list")
    if not isinstance(topics, list) or not topics:
        raise FieldFault(("topic_list",), "must be a list with at least one topic", topics, "type")
    return topics


def _parse_topic(topic: object, index: int, n_turns: int) -> tuple[str, list[Any], list[int]]:
    """(title, ranges as given, turn numbers in the meeting's order, each once). Raises FieldFault."""
    path: tuple[str | int, ...] = ("topic_list", index)
    if not isinstance(topic, dict):
        raise FieldFault(path, f"must be an object, not {json_type_name(topic)}", topic, "type")
    title = topic.get("topic")
    if not isinstance(title, str):
        raise FieldFault((*path, "topic"), "must be text and cannot be missing", title, "type")
    ranges = topic.get("relevant_text_span")
    path = (*path, "relevant_text_span")
    if not isinstance(ranges, list) or not ranges:
        raise FieldFault(path, "must be a list of [first, last] turns", ranges, "type")
    turn_numbers: set[int] = set()
    for position, span in enumerate(ranges):
        if not isinstance(span, list) or len(span) != 2:
            raise FieldFault((*path, position), "must be a pair [first, last]", span, "type")
        first, last = (_turn_number(end, (*path, position, at)) for at, end in enumerate(span))
        if not first <= last < n_turns:
            message = f"[{first}, {last}] is no range of the meeting's turns 0 to {n_turns - 1}"
            raise FieldFault((*path, position), message, "", "range")
        turn_numbers.update(range(first, last + 1))
    return title, ranges, sorted(turn_numbers)


def _turn_number(value: object, path: tuple[str | int, ...]) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise FieldFault(path, "must be a turn number from 0", value, "type")


def _as_dict(topic: object) -> dict[str, Any]:
    return topic if isinstance(topic, dict) else {}


def _group_runs(numbers: list[int]) -> list[list[int]]:
    """[0, 1, 2, 5] -> [[0, 2], [5, 5]]: inclusive ranges of consecutive turn numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
