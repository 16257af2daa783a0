"""The practice of all annotators, for staff: who is where; letting a person go on, and starting a person over."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Membership, PracticePass, PracticeTry, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.practice import progress
from annotation.transactions import write_transaction


@dataclass(frozen=True, slots=True)
class AnnotatorPractice:
    """An annotator of the project and how far they are."""

    user: User
    standing: progress.PracticeProgress


def list_annotators(project: Project) -> list[AnnotatorPractice]:
    """Every active annotator, by user name. Four queries."""
    members = Membership.objects.active_annotators().filter(project=project).select_related("user")
    items = list(progress.items_in_force(project))
    passes = {row.user_id: row for row in PracticePass.objects.filter(project=project)}
    tries_by_user: dict[int, list[PracticeTry]] = {}
    for row in PracticeTry.objects.filter(project=project).select_related("item").order_by("attempt"):
        tries_by_user.setdefault(row.user_id, []).append(row)
    return [
        AnnotatorPractice(
            member.user,
            progress.combine_progress(
                project, items, tries_by_user.get(member.user_id, []), passes.get(member.user_id)
            ),
        )
        for member in members.order_by("user__username")
    ]


def find_annotator(project: Project, username: str) -> User:
    """An active annotator of the project. Raises BadInput."""
    members = Membership.objects.active_annotators().filter(project=project, user__username=username)
    member = members.select_related("user").first()
    if member is None:
        raise BadInput(_("There is no annotator with that name in this project."), field="person")
    return member.user


@retry_on_contention(unique_keys=True)
def let_person_on(*, project: Project, person: User, by: AbstractBaseUser) -> None:
    """Let an annotator take tasks without passing. Raises Conflict for oneself, and for who may go on already."""
    _check_not_self(person, by)
    with write_transaction():
        progress.lock_project(project)
        if PracticePass.objects.filter(project=project, user=person).exists():
            raise Conflict(_("This person can already take tasks."), code="passed")
        PracticePass.objects.create(
            project=project, user=person, how=PracticePass.How.LET_ON, by_id=by.pk, at=timezone.now()
        )
        audit.record_event(project=project, actor=by, verb=AuditVerb.PRACTICE_LET_ON, target=f"user:{person.pk}")


@retry_on_contention()
def reset_practice(*, project: Project, person: User, by: AbstractBaseUser) -> None:
    """Delete an annotator's tries and pass, so that the practice begins again. Raises Conflict if there is nothing."""
    _check_not_self(person, by)
    with write_transaction():
        progress.lock_project(project)
        n_tries, _tables = PracticeTry.objects.filter(project=project, user=person).delete()
        n_passes, _tables = PracticePass.objects.filter(project=project, user=person).delete()
        if not n_tries and not n_passes:
            raise Conflict(_("This person has not started the practice."), code="notbegun")
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.PRACTICE_RESET, target=f"user:{person.pk}", tries=n_tries
        )


def _check_not_self(person: User, by: AbstractBaseUser) -> None:
    if person.pk == by.pk:
        raise Conflict(_("You cannot decide about yourself."), code="own")
