"""Suggested texts: frozen at the claim in the arm `suggested`, and compared with what is submitted."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.kinds import PayloadRefused, get_task_kind
from annotation.models import Assignment, Project, Suggestion
from annotation.services.core.suggestion_sources import read_suggested_texts
from annotation.services.tasks import task_context
from epitome.text.kept_words import METHOD, compute_kept_shares


def freeze_suggestions(*, project: Project, sample_by_attempt: Mapping[int, int], now: datetime) -> None:
    """Store the text that each new attempt starts from, inside the transaction of its claim. An attempt whose sample
    has no usable text gets none."""
    texts = read_suggested_texts(project, set(sample_by_attempt.values()))
    frozen = []
    for attempt_id, sample_id in sample_by_attempt.items():
        text = _as_written_here(project, texts.get(sample_id, ""))
        if text:
            text_hash = hashlib.sha256(text.encode()).hexdigest()
            row = {"origin": project.suggestions_from, "text": text, "text_hash": text_hash, "created_at": now}
            frozen.append(Suggestion(assignment_id=attempt_id, **row))
    Suggestion.objects.bulk_create(frozen)


def _as_written_here(project: Project, text: str) -> str:
    """The text as a draft would hold it; "" where a draft could not, or where it is blank."""
    kind = get_task_kind(project.kind, has_sample=True)
    if not kind.takes_suggestion or not text.strip():
        return ""
    try:
        draft: dict[str, Any] = kind.draft({kind.text_field: text})
    except PayloadRefused:
        return ""
    return kind.text_of(draft)


def load_suggestion(assignment: Assignment) -> Suggestion | None:
    """The text that an attempt starts from; None in the other arms (without a query), and where there was none."""
    return Suggestion.objects.filter(assignment=assignment).first() if _starts_from_text(assignment) else None


def describe_suggestion(assignment: Assignment) -> dict[str, Any] | None:
    """What page and API show of it: the text alone, once the request is known. `text` is "" where there is none; None
    in the other arms."""
    if not _starts_from_text(assignment):
        return None
    suggestion = load_suggestion(assignment) if task_context.is_frozen(assignment) else None
    return {"text": suggestion.text if suggestion is not None else ""}


def _starts_from_text(assignment: Assignment) -> bool:
    return assignment.assistance == Project.Assistance.SUGGESTED and assignment.sample_id is not None


def build_suggestion_record(assignment: Assignment, payload: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored with an annotation: {} without a suggestion, else its origin and hash, and what was kept of it."""
    suggestion = load_suggestion(assignment)
    if suggestion is None:
        return {}
    kind = get_task_kind(assignment.project.kind, has_sample=True)
    shares = compute_kept_shares(suggestion.text, kind.text_of(payload))
    return {"origin": suggestion.origin, "hash": suggestion.text_hash, "method": METHOD, **shares._asdict()}


def read_kept_share(record: Mapping[str, Any]) -> float | None:
    """The share of the suggestion that was kept, from a record; None without one."""
    return _read_share(record, "kept")


def read_share_of_text(record: Mapping[str, Any]) -> float | None:
    """The share of the submitted text that came from the suggestion; None without a record."""
    return _read_share(record, "of_text")


def _read_share(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None
