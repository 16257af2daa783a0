"""Which raters are barred from a source: those who wrote on it, chose its topics or inspected it, unless cleared."""

from collections.abc import Collection

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, AuditVerb, Group, Inspection, Membership, Project, Role, SourceDocument
from annotation.services.core import audit
from annotation.services.core.access import STAFF
from annotation.services.core.errors import BadInput
from annotation.services.core.prepared_queries import Param
from annotation.transactions import write_transaction
from evaluation.models import RatingSlot, Round, SourceClearance

MAX_REASON = 2000


def exclude_barred(slots: "QuerySet[RatingSlot]", round_: int | Param, rater_id: int | Param) -> "QuerySet[RatingSlot]":
    """Exclude slots of sources that this person wrote on, chose topics of or inspected, unless staff cleared them."""
    document = OuterRef("document_id")
    involved = Q(Exists(Assignment.objects.filter(annotator=rater_id, group__document=document)))
    copies = {  # a pilot project has its own copies of the sources
        "group__document__project__pilot_of": OuterRef("document__project_id"),
        "group__document__external_id": OuterRef("document__external_id"),
    }
    involved |= Q(Exists(Assignment.objects.filter(annotator=rater_id, **copies)))
    involved |= Q(Exists(Group.objects.filter(chosen_by=rater_id, document=document)))
    involved |= Q(Exists(Inspection.objects.filter(reviewer=rater_id, annotation__sample__document=document)))
    cleared = Exists(SourceClearance.objects.filter(round=round_, rater=rater_id, document=document))
    return slots.filter(~involved | cleared)


def barred_pairs(rater_ids: Collection[int], document_ids: Collection[int]) -> set[tuple[int, int]]:
    """Pairs (user id, document id) of users who wrote on, chose topics of or inspected a source."""
    people, sources = list(rater_ids), list(document_ids)
    wrote = Assignment.objects.filter(annotator__in=people).values_list("annotator_id", "group__document_id")
    chose = Group.objects.filter(chosen_by__in=people).values_list("chosen_by_id", "document_id")
    looked = Inspection.objects.filter(reviewer__in=people, annotation__sample__isnull=False)
    inspected = looked.values_list("reviewer_id", "annotation__sample__document_id")
    source_ids = set(sources)
    originals = SourceDocument.objects.filter(pk__in=sources).values_list("project_id", "external_id", "pk")
    by_name = {(project, name): pk for project, name, pk in originals}
    in_pilots = Assignment.objects.filter(annotator__in=people, group__document__project__pilot_of__isnull=False)
    copied = in_pilots.values_list(
        "annotator_id", "group__document__project__pilot_of_id", "group__document__external_id"
    )
    piloted = [(person, by_name[project, name]) for person, project, name in copied if (project, name) in by_name]
    return {
        (person, document)
        for rows in (wrote, chose, inspected, piloted)
        for person, document in rows
        if document in source_ids
    }  # type: ignore[misc]


def eligible_raters(project: Project | OuterRef) -> "QuerySet[User]":
    """Active raters of the project who cannot see system names: neither staff nor site admin."""
    staff = Membership.objects.filter(project=project, user=OuterRef("pk"), role__in=[role.value for role in STAFF])
    raters = Membership.objects.filter(project=project, user=OuterRef("pk"), role=Role.RATER)
    return User.objects.filter(Exists(raters), ~Exists(staff), is_active=True, is_superuser=False)


def team_raters(project: Project) -> "QuerySet[User]":
    """Eligible raters who did not come by a crowd link: those stay in the round of their link."""
    return eligible_raters(project).filter(crowd_worker=None)


def not_a_rater(username: str) -> str:
    """The same for an unknown account and one of other projects."""
    return _("There is no rater called %(name)s in this project.") % {"name": username[:60]}


def clear_source(
    *, round_: Round, rater: User, document: SourceDocument, reason: str, by: AbstractBaseUser
) -> SourceClearance:
    """Allow a rater of the project to rate a source despite a conflict of interest. Audited and idempotent."""
    if not Membership.objects.filter(project=round_.project, user=rater, role=Role.RATER).exists():
        raise BadInput(not_a_rater(rater.username), field="rater")
    if not reason.strip() or len(reason) > MAX_REASON:
        raise BadInput(_("Give a reason of at most %(n)d characters.") % {"n": MAX_REASON}, field="reason")
    with write_transaction():
        row, created = SourceClearance.objects.get_or_create(
            round=round_,
            rater=rater,
            document=document,
            defaults={"reason": reason, "allowed_by_id": by.pk, "allowed_at": timezone.now()},
        )
        if created:
            audit.record_event(
                project=round_.project,
                actor=by,
                verb=AuditVerb.ROUND_CLEAR,
                target=f"round:{round_.public_id}",
                rater=rater.pk,
                source=str(document.public_id),
            )
    return row
