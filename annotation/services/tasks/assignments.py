"""Reading assignments: a person's own one with its related rows, and samples that nobody left can fill."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState, Membership, Project, SampleState, Slot
from annotation.services.core.errors import NotFound
from annotation.services.core.prepared_queries import IntParam, Param, Prepared, UUIDParam
from annotation.services.guidelines import gate
from annotation.services.people import pause_rules

FIELDS = (
    "public_id",
    "state",
    "annotator_id",
    "claim_id",
    "slot_id",
    "assistance",
    "claimed_at",
    "claim__public_id",
    "claim__lease_until",
    "claim__closed_at",
    "claim__activity",
    "project__public_id",
    "project__slug",
    "project__name",
    "project__domain",
    "project__kind",
    "project__timezone",
    "project__lease_minutes",
    "project__claim_unit",
    "project__assistance",
    "project__notes_to_next",
    "project__overlap",
    "project__needs_pilot",
    "project__archived_at",
    "project__frozen_at",
    "project__has_webhooks",
    *(f"project__{name}" for name in pause_rules.SETTINGS),
    "project__pilot_of__slug",
    "project__pilot_of__name",
    "sample__position",
    "sample__values",
    "sample__schema_version__content_hash",
    "group__public_id",
    "group__asks",
    "group__chosen",
    "group__frozen_at",
    "group__document__public_id",
    "group__document__external_id",
    "group__document__title",
    "group__document__n_words",
    "group__document__source_text__segments_json",
    "guideline_version__number",
    "draft__revision",
    "draft__payload",
    "draft__started_at",
    "draft__updated_at",
    "draft__authorship",
)
JOINED = (
    "claim",
    "project__pilot_of",
    "sample__schema_version",
    "group__document__source_text",
    "guideline_version",
    "draft",
)

# The project where people have roles and guideline readings: a pilot has none of its own.
FRONT_PROJECT = Coalesce(OuterRef("project__pilot_of"), OuterRef("project"))


def assignments_with_context() -> QuerySet[Assignment]:
    """Assignments with source text, request, schema and draft in one query; `allows_record`: whether the writer agreed
    to the authorship record."""
    choice = Subquery(gate.latest_record_choice(FRONT_PROJECT, OuterRef("annotator")))
    return Assignment.objects.select_related(*JOINED).only(*FIELDS).annotate(allows_record=choice)


def _prepare_first(*conditions: Exists, order: Sequence[str] = (), **columns: Param | str) -> "Prepared[Assignment]":
    """The first assignment with these conditions, with its related rows."""
    return Prepared(lambda: assignments_with_context().filter(*conditions, **columns).order_by(*order)[:1])


# Annotators of a project are annotators of its pilot too, as long as they have the role in the project.
ROLE = Membership.objects.filter(user=IntParam("annotator"), project=FRONT_PROJECT, role="annotator")
OWN = _prepare_first(Exists(ROLE), public_id=UUIDParam("public_id"), annotator=IntParam("annotator"))
OWN_OF_ADMIN = _prepare_first(public_id=UUIDParam("public_id"), annotator=IntParam("annotator"))
FIRST_OF_CLAIM = _prepare_first(claim=IntParam("claim"), state="claimed", order=["pk"])
BY_KEY = _prepare_first(pk=IntParam("attempt"))


def load_with_context(attempt: int) -> Assignment | None:
    """An assignment with its related rows, by its key: for a caller who knows that it is the person's own."""
    return BY_KEY.first(attempt=attempt)


def get_own_assignment(user: AbstractBaseUser | AnonymousUser, public_id: str | uuid.UUID) -> Assignment:
    """The caller's own assignment with related rows; NotFound for somebody else's and for former annotators."""
    query = OWN_OF_ADMIN if getattr(user, "is_superuser", False) else OWN
    try:
        active = getattr(user, "is_active", False)
        assignment = query.first(public_id=public_id, annotator=user.pk) if active else None
    except ValidationError:  # not an id at all
        assignment = None
    if assignment is None:
        raise NotFound(_("Task not found, or you don't have access."))
    if isinstance(user, User):
        assignment.annotator = user  # already loaded: saves a query
    return assignment


@dataclass(frozen=True, slots=True)
class Unfillable:
    """A sample (or, with `sample` None, the choosing task of a group) with more empty slots than people."""

    document: str
    sample: str | None
    places: int
    people: int


def list_unfillable(project: Project, *, limit: int = 200) -> list[Unfillable]:
    """Samples with more empty slots than annotators who can still claim one, in order of their slots.

    After a skip, a submission or a rejection a person cannot claim the sample again; after expiry or release they can.
    """
    people = Membership.objects.active_annotators().filter(project=project).values("user_id")
    return _find_unfillable(project, people, limit, choosing=False) + _find_unfillable(
        project, people, limit, choosing=True
    )


def _find_unfillable(project: Project, people: QuerySet, limit: int, *, choosing: bool) -> list[Unfillable]:
    unit = "group_id" if choosing else "sample_id"
    spent = dict(
        Assignment.objects.filter(project=project, annotator_id__in=people, sample__isnull=choosing)
        .exclude(state__in=AssignmentState.LATE)
        .values_list(unit)
        .annotate(n=Count("annotator_id"))
        .values_list(unit, "n")
    )
    n_people = people.count()
    places = (
        Slot.objects.free()
        .filter(project=project, sample__isnull=choosing)
        .filter(Q(sample__isnull=True) | Q(sample__state=SampleState.ACTIVE))
        .values(unit, external_id=F("document__external_id"), position=F("sample__position"))
        .annotate(n=Count("pk"))
        .order_by(unit)
    )
    shortages = []
    for row in places.iterator():
        available = n_people - spent.get(row[unit], 0)
        if row["n"] > available:
            sample = None if choosing else f"{row['external_id']}#{row['position']}"
            shortages.append(Unfillable(row["external_id"], sample, row["n"], available))
        if len(shortages) == limit:
            break
    return shortages
