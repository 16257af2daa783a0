"""Withdrawals: somebody leaves a project and wants their work removed; staff select the scope, preview and confirm it.

Texts are emptied in place; rows, ids, times and counts stay, so that the work can still be paid and counted. Choices
made for a group stay, because other summaries are written under them. A withdrawal cannot be undone.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import (
    Annotation,
    ApiToken,
    Assignment,
    AssignmentState,
    AuditVerb,
    Claim,
    CrowdWorker,
    Membership,
    Participation,
    Project,
    Release,
    Withdrawal,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.exports import releases as dataset_releases
from annotation.services.people import crowd_links, members, provider_accounts
from annotation.services.tasks import leases
from annotation.services.withdrawal.texts import TEXT_HOLDERS, drop_exports, stored_exports
from annotation.transactions import write_transaction

LABELS = {
    "roles": gettext_lazy("roles in the project"),
    "held": gettext_lazy("tasks in progress, which are offered to others"),
    "names": gettext_lazy("account that is masked and closed"),
    "lines": gettext_lazy("rows excluded from exports"),
    "places": gettext_lazy("tasks offered to others again"),
    "exports": gettext_lazy("stored export files that are deleted"),
}


@dataclass(frozen=True, slots=True)
class WithdrawalScope:
    """What is to be removed. reopen: the work becomes void and its slots are open for others."""

    remove_texts: bool = False
    mask_name: bool = False
    leave_out: bool = False
    reopen: bool = False

    @property
    def anything(self) -> bool:
        return self.remove_texts or self.mask_name or self.leave_out


@dataclass(frozen=True, slots=True)
class Preview:
    """counts: kind -> number; releases: tag -> lines that are changed or removed; retained: what stays, in words."""

    counts: dict[str, int]
    releases: dict[str, int]
    retained: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The sum of all counts, to detect that something changed since it was shown."""
        return sum(self.counts.values()) + sum(self.releases.values())


def label_of(name: str) -> str:
    return str(LABELS[name] if name in LABELS else TEXT_HOLDERS[name].label)


def get_participant(project: Project, username: str) -> User:
    """A current or former participant of the project. Raises BadInput."""
    user = User.objects.filter(username=username).first()
    if user is not None and (
        Membership.objects.filter(project=project, user=user).exists()
        or Assignment.objects.of(user).filter(project=project).exists()
        or CrowdWorker.objects.filter(project=project, user=user).exists()
    ):
        return user
    raise BadInput(_("There is no member with that name in this project."), field="person")


def get_person_by_external_id(project: Project, external_id: str) -> User:
    """The account behind an id of a crowd platform. Raises BadInput."""
    worker = crowd_links.find_worker(project, external_id)
    if worker is None:
        raise BadInput(_("Nobody joined this project with that ID."), field="person")
    return worker.user


def project_and_pilots(project: Project) -> QuerySet[Project]:
    """The project and its pilots."""
    return Project.objects.filter(Q(pk=project.pk) | Q(pilot_of=project))


def preview_withdrawal(*, project: Project, person: User, asked: WithdrawalScope, by: AbstractBaseUser) -> Preview:
    """What a withdrawal would do; nothing is changed. Raises BadInput, Conflict."""
    _check_request(project, person, asked, by)
    projects = project_and_pilots(project)
    counts = {"roles": Membership.objects.filter(project__in=projects, user=person).count()}
    counts["held"] = _claimed_assignments(projects, person).count()
    if asked.remove_texts:
        counts |= {holder.name: holder.count(projects, person.pk) for holder in TEXT_HOLDERS}
    if asked.mask_name:
        counts["names"] = 1
    if asked.leave_out:
        counts["lines"] = sum(map(len, _own_rows(project, person)))
    if asked.reopen:
        counts["places"] = _to_reopen(project, person).count()
    if asked.remove_texts or asked.leave_out:
        counts["exports"] = stored_exports(projects).count()
    releases = _count_release_lines(project, person, asked)
    return Preview({name: n for name, n in counts.items() if n}, releases, _describe_retained(asked))


def _describe_retained(scope: WithdrawalScope) -> list[str]:
    retained = [
        _("The records themselves, with times and states, so that the work can still be counted and paid."),
        _("Topics and speakers the person chose, because others write about them."),
        _("Files downloaded earlier, backups and publications cannot be recalled from here."),
    ]
    if scope.remove_texts:
        retained.append(_("Measures of the removed texts stay in the database but not in exports."))
    return retained


def _check_request(project: Project, person: User, scope: WithdrawalScope, by: AbstractBaseUser) -> None:
    if not scope.anything:
        raise BadInput(_("Choose what to remove."), field="remove_texts")
    if person.pk == by.pk:
        raise Conflict(_("Another admin must withdraw your work."), code="own")
    if members.is_last_admin(project, person.pk):
        raise Conflict(_("This is the project's last admin. Add another one first."), code="last_admin")
    if scope.mask_name and not _may_mask(project, person, by):
        raise Conflict(
            _("The account is a member of other projects or a site admin, so only a site admin can mask its name."),
            code="elsewhere",
        )


def _may_mask(project: Project, person: User, by: AbstractBaseUser) -> bool:
    """Whether `by` may mask the name: it belongs to the account, which is shared by all projects."""
    if getattr(by, "is_superuser", False):
        return True
    projects = project_and_pilots(project)
    elsewhere = Membership.objects.filter(user=person).exclude(project__in=projects).exists()
    worked = Assignment.objects.of(person).exclude(project__in=projects).exists()
    return not (person.is_superuser or person.is_staff or elsewhere or worked)


def _claimed_assignments(projects: QuerySet[Project], person: User) -> QuerySet[Assignment]:
    return Assignment.objects.of(person).filter(project__in=projects, state=AssignmentState.CLAIMED)


def _to_reopen(project: Project, person: User) -> QuerySet[Assignment]:
    rows = Assignment.objects.live_submitted().of(person).filter(project=project)
    return rows.filter(sample__isnull=False)


def _own_rows(project: Project, person: User) -> tuple[list[int], list[int]]:
    """Ids of the person's annotations (all revisions) and skips that exports may contain."""
    texts = Annotation.objects.filter(project=project, assignment__annotator=person, sample__isnull=False)
    skips = Assignment.objects.skipped_samples().of(person).filter(project=project)
    return list(texts.values_list("pk", flat=True)), list(skips.values_list("pk", flat=True))


def _changed_annotations(project: Project, person: User, scope: WithdrawalScope) -> Collection[int]:
    """Ids of the annotations whose lines change."""
    changed = set(_own_rows(project, person)[0])
    rows = Annotation.objects.filter(project=project)
    if scope.remove_texts or scope.mask_name:
        changed.update(rows.filter(inspections__reviewer=person).values_list("pk", flat=True))
    if scope.mask_name:
        changed.update(rows.filter(sample__group__chosen_by=person).values_list("pk", flat=True))
    return changed


def _count_release_lines(project: Project, person: User, scope: WithdrawalScope) -> dict[str, int]:
    """Tag -> how many lines of the release are changed or removed."""
    annotations, skips = set(_changed_annotations(project, person, scope)), set(_own_rows(project, person)[1])
    lines_by_tag: dict[str, int] = {}
    for release in Release.objects.filter(project=project).order_by("pk").iterator(chunk_size=1):
        lines = [dataset_releases.unpack_ids(ids) for ids in release.rows["lines"].values()]
        listed = {int(pk) for ids in lines for pk in ids}
        n = len(listed & annotations) + len(
            {int(pk) for pk in dataset_releases.unpack_ids(release.rows["skips"])} & skips
        )
        if n:
            lines_by_tag[release.tag] = n
    return lines_by_tag


@retry_on_contention()
def withdraw_person(
    *, project: Project, person: User, asked: WithdrawalScope, by: AbstractBaseUser, expect: int
) -> Withdrawal:
    """Do what the preview showed, atomically. Raises Conflict when the preview would differ by now."""
    with write_transaction():
        members.lock_admins(project)
        list(User.objects.select_for_update(no_key=True).filter(pk=person.pk).values_list("pk"))
        current = preview_withdrawal(project=project, person=person, asked=asked, by=by)
        if current.total != expect:
            raise Conflict(_("Something has changed since the preview. Check it again."), code="changed")
        projects = project_and_pilots(project)
        _remove_from_project(projects, person)
        if asked.remove_texts:
            # Holders of other apps go first: they may find a text by the one it was copied from.
            for holder in reversed([*TEXT_HOLDERS]):
                holder.empty(projects, person.pk)
        if asked.reopen:
            _reopen_places(project, person)
        if asked.remove_texts or asked.leave_out:
            drop_exports(projects)
        if asked.mask_name:
            _mask_account(project, person)
        row = Withdrawal.objects.create(
            project=project,
            person=person,
            remove_texts=asked.remove_texts,
            mask_name=asked.mask_name,
            leave_out=asked.leave_out,
            counts=current.counts,
            releases=current.releases,
            by_id=by.pk,
            at=timezone.now(),
        )
        scope_names = [name for name in ("remove_texts", "mask_name", "leave_out", "reopen") if getattr(asked, name)]
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.PERSON_WITHDRAW,
            target=f"withdrawal:{row.public_id}",
            person=person.pk,
            parts=scope_names,
            counts=current.counts,
            releases=sorted(current.releases),
        )
    return row


def _remove_from_project(projects: QuerySet[Project], person: User) -> None:
    """Remove all roles and release the claimed tasks."""
    claimed = list(_claimed_assignments(projects, person).select_for_update(of=("self",), no_key=True).order_by("pk"))
    Assignment.objects.filter(pk__in=[attempt.pk for attempt in claimed]).update(
        state=AssignmentState.RELEASED, finished_at=timezone.now()
    )
    leases.free_slots(attempt.slot_id for attempt in claimed)
    open_claims = Claim.objects.filter(project__in=projects, annotator=person, closed_at=None)
    open_claims.update(closed_at=timezone.now())
    Membership.objects.filter(project__in=projects, user=person).delete()


def _reopen_places(project: Project, person: User) -> None:
    rows = list(_to_reopen(project, person).select_for_update(of=("self",), no_key=True).order_by("pk"))
    Assignment.objects.filter(pk__in=[attempt.pk for attempt in rows]).update(state=AssignmentState.VOID)
    leases.free_slots(attempt.slot_id for attempt in rows)


def _mask_account(project: Project, person: User) -> None:
    """Anonymize and deactivate the account; it keeps its id and its work."""
    for worker in CrowdWorker.objects.filter(user=person):
        if not worker.external_id.startswith(crowd_links.MASKED):
            worker.external_id = crowd_links.masked_id(worker.project, worker.external_id)
        worker.study = worker.session = ""
        worker.save(update_fields=["external_id", "study", "session"])
    provider_accounts.mask_identities(person)
    Participation.objects.filter(user=person).update(pause_note="", pause_reason={})
    person.username = f"withdrawn-{secrets.token_hex(6)}"
    person.email = person.first_name = person.last_name = ""
    person.is_active = False
    person.set_unusable_password()
    person.save()  # ends the sessions
    ApiToken.objects.filter(user=person, revoked_at=None).update(revoked_at=timezone.now(), name="")


def list_withdrawals(project: Project) -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(project=project).select_related("person", "by").order_by("-pk")
