"""How far annotators are in the practice: their tries by item, the state that follows, and who has passed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import AuditVerb, PracticeItem, PracticePass, PracticeState, PracticeTry, Project
from annotation.services.core import audit

TRIES = 2
_TINY = 1e-9  # 7 of 10 items reach a share of .7, whatever the last bit says


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """One item and a person's tries at it, the first one first."""

    item: PracticeItem
    tries: list[PracticeTry] = field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        return bool(self.tries) and not self.tries[-1].faults

    @property
    def is_finished(self) -> bool:
        """Passed, or no try is left."""
        return self.is_passed or len(self.tries) >= TRIES

    @property
    def answered_item(self) -> PracticeItem:
        """The version that the last try answered: its right answer is the one to show."""
        return self.tries[-1].item if self.tries else self.item


@dataclass(frozen=True, slots=True)
class PracticeProgress:
    """A person's practice in one project, in the order of its items."""

    state: PracticeState
    items: list[ItemProgress]

    @property
    def n_finished(self) -> int:
        return sum(row.is_finished for row in self.items)

    @property
    def n_passed(self) -> int:
        return sum(row.is_passed for row in self.items)

    @property
    def may_go_on(self) -> bool:
        return self.state in (PracticeState.PASSED, PracticeState.LET_ON)

    @property
    def current(self) -> ItemProgress | None:
        """The first item that is not finished."""
        return next((row for row in self.items if not row.is_finished), None)


def items_in_force(project: Project) -> QuerySet[PracticeItem]:
    """The items of the practice with their sources, in order."""
    rows = PracticeItem.objects.filter(project=project, retired_at=None).order_by("number")
    return rows.select_related("project", "document__source_text")


def lock_project(project: Project) -> Project:
    """The project, locked inside a transaction: of changes of items and tries one comes after the other."""
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def load_progress(project: Project, user: AbstractBaseUser) -> PracticeProgress:
    """A person's practice. Three queries."""
    passes = PracticePass.objects.filter(project=project, user_id=user.pk)
    tries = PracticeTry.objects.filter(project=project, user_id=user.pk).select_related("item__project")
    return combine_progress(project, items_in_force(project), tries.order_by("attempt"), passes.first())


def combine_progress(
    project: Project,
    items: Iterable[PracticeItem],
    tries: Iterable[PracticeTry],
    passed: PracticePass | None,
) -> PracticeProgress:
    """The progress that follows from a person's tries, in the order they were made, and their pass, if any."""
    tries_by_number: dict[int, list[PracticeTry]] = {}
    for row in tries:
        tries_by_number.setdefault(row.number, []).append(row)
    rows = [ItemProgress(item, tries_by_number.get(item.number, [])) for item in items]
    return PracticeProgress(_state_of(rows, passed), rows)


def _state_of(rows: Sequence[ItemProgress], passed: PracticePass | None) -> PracticeState:
    if passed is not None:
        return PracticeState(passed.how)
    if rows and all(row.is_finished for row in rows):
        return PracticeState.BELOW
    return PracticeState.IN_PRACTICE if any(row.tries for row in rows) else PracticeState.NOT_BEGUN


def reaches_share(standing: PracticeProgress, share: float) -> bool:
    """Whether every item is finished and enough of them are passed."""
    n_items = len(standing.items)
    return n_items > 0 and standing.n_finished == n_items and standing.n_passed >= share * n_items - _TINY


def pass_finished(project: Project, users: Iterable[AbstractBaseUser] | None = None) -> None:
    """Store a pass for everybody (or some) who has finished all items with the share to pass; in a transaction, with
    the project locked."""
    passed = PracticePass.objects.filter(project=project).values("user")
    tries = PracticeTry.objects.filter(project=project).exclude(user__in=passed).order_by("user", "attempt")
    if users is not None:
        tries = tries.filter(user__in=[user.pk for user in users])
    tries_by_user: dict[AbstractBaseUser, list[PracticeTry]] = {}
    for row in tries.select_related("user", "item"):
        tries_by_user.setdefault(row.user, []).append(row)
    items = list(items_in_force(project)) if tries_by_user else []
    for user, own_tries in tries_by_user.items():
        if reaches_share(combine_progress(project, items, own_tries, None), project.practice_share):
            _store_pass(project, user)


def _store_pass(project: Project, user: AbstractBaseUser) -> None:
    PracticePass.objects.create(
        project=project, user_id=user.pk, how=PracticePass.How.PASSED, by=None, at=timezone.now()
    )
    audit.record_event(project=project, actor=user, verb=AuditVerb.PRACTICE_PASS, target=f"user:{user.pk}")
