"""Task context of an assignment for the kinds: source, request, and candidates in display order."""

import hashlib
import random
from typing import Any, NoReturn

from annotation.kinds import Kind, PayloadRefused, TaskContext, get_task_kind
from annotation.models import Assignment, Candidate
from annotation.services.core.errors import BadInput
from epitome.candidates.weak import leave_out_weak
from epitome.schema import Schema
from epitome.text.words import n_words

SHOWN_TOPICS = 20


def kind_for(assignment: Assignment) -> Kind:
    return get_task_kind(assignment.project.kind, has_sample=assignment.sample_id is not None)


def schema_for(assignment: Assignment) -> Schema:
    """The schema the sample was drawn under; for a choosing task the project's newest."""
    version = assignment.sample.schema_version if assignment.sample else assignment.project.schema_version
    return version.schema


def is_frozen(assignment: Assignment) -> bool:
    """Whether topics and speakers are frozen, so that the rest of the request may be shown."""
    return assignment.group.frozen_at is not None or not assignment.group.asks


def candidates_for(assignment: Assignment, schema: Schema) -> dict[str, list[dict[str, Any]]]:
    """Candidates by rank per attribute the group asks for, as {text, rank, mentions, words}, without words that name no
    topic. If a source has no extracted speakers yet, they are read from its segments."""
    candidates = Candidate.objects.filter(document=assignment.group.document_id).order_by("kind", "rank")
    columns = ("kind", "text", "rank", "mentions", "words")
    rows: list[dict[str, Any]] = [{**row} for row in candidates.values(*columns)]
    candidates_by_key = {}
    for key in assignment.group.asks:
        candidate_kind = schema.attribute(key).candidate_kind
        matching = [row for row in rows if row["kind"] == candidate_kind]
        if candidate_kind == Candidate.Kind.TOPIC:
            matching = leave_out_weak(matching, schema.language)[:SHOWN_TOPICS]
        candidates_by_key[key] = matching or (
            speakers_in(assignment) if candidate_kind == Candidate.Kind.SPEAKER else []
        )
    return candidates_by_key


def speakers_in(assignment: Assignment) -> list[dict[str, Any]]:
    """Speakers in order of appearance, with turns and words, straight from the segments."""
    speakers: dict[str, dict[str, Any]] = {}
    for segment in assignment.group.document.source_text.segments:
        name = segment.get("speaker") or ""
        if name:
            row = speakers.setdefault(name, {"text": name, "rank": len(speakers) + 1, "mentions": 0, "words": 0})
            row["mentions"] += 1
            row["words"] += n_words(segment["text"])
    return list(speakers.values())


def order_candidates(
    assignment: Assignment, schema: Schema, key: str, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Topics in a stable random order per annotator, so that rank does not bias the choice; speakers unchanged."""
    if schema.attribute(key).candidate_kind != Candidate.Kind.TOPIC:
        return rows
    seed = hashlib.sha256(f"{assignment.group.public_id}:{assignment.annotator_id}:{key}".encode()).digest()
    shuffled = sorted(rows, key=lambda row: row["rank"])
    random.Random(seed).shuffle(shuffled)
    return shuffled


def build_context(assignment: Assignment) -> TaskContext:
    schema = schema_for(assignment)
    group = assignment.group
    return TaskContext(
        segments=group.document.source_text.segments,
        schema=schema,
        values={**(assignment.sample.values if assignment.sample else {}), **group.chosen},
        asks=tuple(group.asks),
        frozen=is_frozen(assignment),
        candidates=lambda: {
            key: [row["text"] for row in rows] for key, rows in candidates_for(assignment, schema).items()
        },
    )


def raise_bad_input(error: PayloadRefused) -> NoReturn:
    """Convert a kind's Refused into BadInput with its field."""
    raise BadInput(f"{error.field} {error.message}.", field=error.field) from error
