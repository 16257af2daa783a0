"""Reading the work: a person's own assignment with all that belongs to it, and what nobody left can fill."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState, Membership, Project, Role, SampleState, Slot, SlotState
from annotation.services import gate
from annotation.services.errors import NotFound
from annotation.services.prepared import Prepared, uid, whole

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
    "project__lease_minutes",
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

# Where people have their roles and readings: a pilot has none of its own.
HOME = Coalesce(OuterRef("project__pilot_of"), OuterRef("project"))


def loaded() -> QuerySet[Assignment]:
    """Assignments with source text, request, schema and draft in one query; `consents`: whether the writer agreed that
    it is recorded how a summary comes about."""
    consent = Subquery(gate.latest_consent(HOME, OuterRef("annotator")))
    return Assignment.objects.select_related(*JOINED).only(*FIELDS).annotate(consents=consent)


def _own(person: Q) -> "Prepared[Assignment]":
    return Prepared(lambda: loaded().filter(person, public_id=uid("public_id"), annotator=whole("annotator"))[:1])


# An annotator of a project is one of its pilot too, and stops being one with it.
ROLE = Membership.objects.filter(user=whole("annotator"), project=HOME, role="annotator")
OWN = _own(Q(Exists(ROLE)))
OWN_OF_ADMIN = _own(Q())
FIRST_OF_CLAIM: "Prepared[Assignment]" = Prepared(
    lambda: loaded().filter(claim=whole("claim"), state="claimed").order_by("pk")[:1]
)


def own_assignment(user: AbstractBaseUser | AnonymousUser, public_id: str | uuid.UUID) -> Assignment:
    """The caller's own assignment, loaded; NotFound for everybody else's and for one who is no annotator any more."""
    query = OWN_OF_ADMIN if getattr(user, "is_superuser", False) else OWN
    try:
        active = getattr(user, "is_active", False)
        found = query.first(public_id=public_id, annotator=user.pk) if active else None
    except ValidationError:  # not an id at all
        found = None
    if found is None:
        raise NotFound(_("There is no such task, or it is not yours."))
    if isinstance(user, User):
        found.annotator = user  # known already: saves asking for it
    return found


@dataclass(frozen=True, slots=True)
class Unfillable:
    """A sample (or, with `sample` None, the choosing task of a group) with more places left than people."""

    document: str
    sample: str | None
    places: int
    people: int


def unfillable(project: Project, *, limit: int = 200) -> list[Unfillable]:
    """Samples with more empty places than annotators who can still take one, in order of their slots.

    Who skipped, submitted or was rejected on a sample cannot take it again; who let it run out or gave it back can.
    """
    people = Membership.objects.filter(project=project, role=Role.ANNOTATOR, user__is_active=True).values("user_id")
    return _short(project, people, limit, choosing=False) + _short(project, people, limit, choosing=True)


def _short(project: Project, people: QuerySet, limit: int, *, choosing: bool) -> list[Unfillable]:
    unit = "group_id" if choosing else "sample_id"
    again = [AssignmentState.EXPIRED, AssignmentState.RELEASED]
    spent = dict(
        Assignment.objects.filter(project=project, annotator_id__in=people, sample__isnull=choosing)
        .exclude(state__in=again)
        .values_list(unit)
        .annotate(n=Count("annotator_id"))
        .values_list(unit, "n")
    )
    n_people = people.count()
    places = (
        Slot.objects.filter(project=project, state__in=[SlotState.OPEN, SlotState.WAITING])
        .filter(sample__isnull=choosing)
        .filter(Q(sample__isnull=True) | Q(sample__state=SampleState.ACTIVE))
        .values(unit, external_id=F("document__external_id"), position=F("sample__position"))
        .annotate(n=Count("pk"))
        .order_by(unit)
    )
    found = []
    for row in places.iterator():
        left = n_people - spent.get(row[unit], 0)
        if row["n"] > left:
            sample = None if choosing else f"{row['external_id']}#{row['position']}"
            found.append(Unfillable(row["external_id"], sample, row["n"], left))
        if len(found) == limit:
            break
    return found
