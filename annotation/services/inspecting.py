"""Inspection of one annotation: what is judged, the verdict, and what becomes of the attempt.

The first verdict on the newest revision decides: accepted, returned to its writer, or rejected (the slot opens for
somebody else). A second look, where one was drawn, is kept for the agreement and changes no state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.kinds.checks import human_text, is_blank, known_fields, rows, storable, whole
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    Inspection,
    InspectionSample,
    Verdict,
)
from annotation.services import audit, describing, leases, work
from annotation.services.asking import refuse
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.retrying import retried
from annotation.services.revising import put_in_draft
from annotation.transactions import write

SEGMENTS = "relevant_segments"
STRICTNESS = (Verdict.REJECT, Verdict.REVISE, Verdict.ACCEPT)
BECOMES = {
    Verdict.ACCEPT: AssignmentState.ACCEPTED,
    Verdict.REVISE: AssignmentState.RETURNED,
    Verdict.REJECT: AssignmentState.REJECTED,
}
MAX_COMMENT = 4000
MAX_COMMENTS = 100
MAX_OFFSET = 10_000_000
COMMENT_FIELDS = frozenset({"start", "end", "quote", "comment"})


@dataclass(frozen=True, slots=True)
class Said:
    """A checked verdict, as it is stored."""

    verdict: Verdict
    verdicts: dict[str, dict[str, str]]
    comments: list[dict[str, Any]]
    comment: str


def loaded_attempt(annotation: Annotation) -> Assignment:
    """The attempt of an annotation with source, request and schema, in one query. NotFound for an imported one."""
    found = work.loaded().filter(pk=annotation.assignment_id or 0, sample__isnull=False).first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


def parts(attempt: Assignment) -> list[dict[str, Any]]:
    """What gets a verdict: every requested attribute that has a value, as the task page describes it, and the marks."""
    asked = [one for one in describing.attributes(attempt) if one["value"] not in (None, "", [])]
    return [*asked, {"key": SEGMENTS, "label": _("Relevant segments"), "value": None, "guide": ""}]


def check(*, given: Mapping[str, Any], keys: list[str], text: str) -> Said:
    """Read `verdicts` {part: {verdict, comment}}, `comments` on the text, and `comment`. Raises BadInput naming the
    field. Whatever is not accepted says why, somewhere."""
    try:
        verdicts = _verdicts(given.get("verdicts", {}), keys)
        comments = _comments(given.get("comments", []), text)
        comment = human_text(given.get("comment", ""), "comment", MAX_COMMENT)
    except Refused as error:
        refuse(error)
    strictest = next(v for v in STRICTNESS if any(one["verdict"] == v for one in verdicts.values()))
    told = [comment, *(one["comment"] for one in (*verdicts.values(), *comments))]
    if strictest != Verdict.ACCEPT and all(map(is_blank, told)):
        raise BadInput(_("comment is missing: say what to change, or why it is rejected."), field="comment")
    return Said(strictest, verdicts, comments, comment)


def _verdicts(given: Any, keys: list[str]) -> dict[str, dict[str, str]]:
    known_fields(given, frozenset(keys), "verdicts")
    found = {}
    for key in keys:
        place = f"verdicts.{key}"
        if key not in given:
            raise Refused(place, "is missing: every part gets a verdict")
        one = known_fields(given[key], frozenset({"verdict", "comment"}), place)
        if one.get("verdict") not in Verdict.values:
            raise Refused(f"{place}.verdict", f"must be one of {', '.join(Verdict.values)}")
        said = human_text(one.get("comment", ""), f"{place}.comment", MAX_COMMENT)
        found[key] = {"verdict": str(one["verdict"]), "comment": said}
    return found


def _comments(given: Any, text: str) -> list[dict[str, Any]]:
    """Comments on half-open ranges of code points of the summary, each with the text that stands there."""
    found = []
    for i, row in enumerate(rows(given, "comments", MAX_COMMENTS)):
        place = f"comments[{i}]"
        one = known_fields(row, COMMENT_FIELDS, place)
        for name in sorted(COMMENT_FIELDS):
            if name not in one:
                raise Refused(f"{place}.{name}", "is missing")
        whole(one["end"], f"{place}.end", 1, min(len(text), MAX_OFFSET))
        whole(one["start"], f"{place}.start", 0, one["end"] - 1)
        storable(one["quote"], f"{place}.quote", MAX_OFFSET)
        if text[one["start"] : one["end"]] != one["quote"]:
            raise Refused(f"{place}.quote", "is not the text at this place; offsets count code points")
        said = human_text(one["comment"], f"{place}.comment", MAX_COMMENT)
        if is_blank(said):
            raise Refused(f"{place}.comment", "is empty: say what is meant")
        found.append({"start": one["start"], "end": one["end"], "quote": one["quote"], "comment": said})
    return found


def why_not(annotation: Annotation, attempt: Assignment, reviewer: AbstractBaseUser) -> Conflict | None:
    """Why this person cannot give a verdict on this revision now; None when they can. Two or three queries."""
    if attempt.annotator_id == reviewer.pk:
        return Conflict(_("This is your own work; somebody else inspects it."), code="own")
    there = list(Inspection.objects.filter(annotation=annotation).values_list("reviewer_id", flat=True))
    if reviewer.pk in there:
        return Conflict(_("You have inspected this summary already."), code="inspected")
    if there:
        again = InspectionSample.objects.filter(annotation=annotation, second=True).exists()
        if again and len(there) == 1:
            return None
        return Conflict(_("Somebody else has inspected this summary already."), code="inspected")
    newest = Annotation.objects.filter(assignment_id=attempt.pk).aggregate(last=Max("revision"))["last"]
    if annotation.revision != newest:
        return Conflict(_("There is a newer revision; inspect that one."), code="superseded")
    if attempt.state != AssignmentState.SUBMITTED:
        state = AssignmentState(attempt.state).label
        return Conflict(_("This task is %(state)s; there is nothing to decide.") % {"state": state}, code="closed")
    return None


def inspect(
    *, annotation: Annotation, reviewer: AbstractBaseUser, given: Mapping[str, Any], seconds: float | None = None
) -> Inspection:
    """Store a verdict and, if it is the first one, change the state of the attempt; one commit.

    given: see `check`. Raises BadInput, and Conflict where somebody was first, or for one's own work.
    """
    attempt = loaded_attempt(annotation)
    keys = [part["key"] for part in parts(attempt)]
    said = check(given=given, keys=keys, text=annotation.payload.get("summary", ""))
    return _store(annotation, attempt, reviewer, said, seconds)


@retried(unique_keys=True)
def _store(
    annotation: Annotation, attempt: Assignment, reviewer: AbstractBaseUser, said: Said, seconds: float | None
) -> Inspection:
    with write():
        _unit, own = leases.hold_with(attempt)
        refusal = why_not(annotation, own, reviewer)
        if refusal is not None:
            raise refusal
        second = Inspection.objects.filter(annotation=annotation).exists()
        stored = Inspection.objects.create(
            project_id=annotation.project_id,
            annotation=annotation,
            reviewer_id=reviewer.pk,
            second=second,
            verdict=said.verdict,
            verdicts=said.verdicts,
            comments=said.comments,
            comment=said.comment,
            seconds=seconds,
            created_at=timezone.now(),
        )
        if not second:
            _decide(annotation, own, said.verdict)
        audit.record(
            project=attempt.project,
            actor=reviewer,
            verb="inspection.second" if second else f"inspection.{said.verdict.value}",
            target=f"annotation:{annotation.public_id}",
        )
    return stored


def _decide(annotation: Annotation, own: Assignment, verdict: Verdict) -> None:
    """Inside `hold`: the attempt's new state, and what follows from it."""
    Assignment.objects.filter(pk=own.pk).update(state=BECOMES[verdict])
    if verdict == Verdict.REJECT:
        leases.free([own.slot_id])
    elif verdict == Verdict.REVISE:
        put_in_draft(own, annotation)
    # What was drawn as an earlier revision that nobody inspected is now this one.
    older = InspectionSample.objects.filter(annotation__assignment_id=own.pk, annotation__inspections__isnull=True)
    InspectionSample.objects.filter(pk__in=list(older.values_list("pk", flat=True))).update(annotation=annotation)
