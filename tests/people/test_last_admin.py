"""A project keeps an admin, whoever removes whom at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connections

from annotation.models import Membership, Project, Role
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.people import members
from annotation.services.withdrawal import withdraw
from tests.tasks.factories import make_people, make_project

TRIES = 25


def remove_role(project: Project, person: User, by: User) -> None:
    members.remove_member(project=project, username=person.username, role=Role.ADMIN, by=by)


def take_roles(project: Project, person: User, by: User) -> None:
    members.take_role(project=project, users=[person], role=Role.ADMIN, by=by)


def withdraw_work(project: Project, person: User, by: User) -> None:
    fields = {"project": project, "person": person, "asked": withdraw.WithdrawalScope(leave_out=True), "by": by}
    withdraw.withdraw_person(expect=1, **fields)


def close_account(project: Project, person: User, by: User) -> None:
    User.objects.filter(pk=by.pk).update(is_superuser=True)
    by.is_superuser = True
    members.close_account(project=project, user=person, by=by)


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (remove_role, remove_role),
        (take_roles, remove_role),
        (withdraw_work, remove_role),
        (withdraw_work,) * 2,
        (close_account,) * 2,
    ],
)
def test_two_admins_who_remove_each_other_at_once_leave_one(first: Callable, second: Callable):
    project = make_project()
    gate = threading.Barrier(2)

    def remove(act: Callable, person: User, by: User) -> bool:
        try:
            gate.wait(30)
            act(project, person, by)
        except (Conflict, NotFound):
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(2) as pool:
        for number in range(TRIES):
            Membership.objects.filter(project=project).delete()
            people = [User.objects.create(username=f"admin{number}-{letter}") for letter in "ab"]
            for person in people:
                Membership.objects.create(project=project, user=person, role=Role.ADMIN)
            removals = pool.map(remove, (first, second), people, reversed(people))
            assert sum(removals) == 1
            memberships = Membership.objects.filter(project=project, role=Role.ADMIN, user__is_active=True)
            assert memberships.count() == 1


@pytest.mark.django_db
def test_the_account_of_the_last_admin_is_not_closed():
    project, other = make_project(), make_project("other")
    (site_admin,) = make_people(1, other, Role.ADMIN)
    site_admin.is_superuser = True
    (last,) = make_people(1, project, Role.ADMIN, start=5)
    with pytest.raises(Conflict, match="last admin of News"):
        members.close_account(project=other, user=last, by=site_admin)
    assert User.objects.get(pk=last.pk).is_active
    Membership.objects.create(project=project, user=site_admin, role=Role.ADMIN)
    members.close_account(project=other, user=last, by=site_admin)
    assert not User.objects.get(pk=last.pk).is_active


@pytest.mark.django_db
def test_an_admin_whose_account_is_closed_is_no_other_admin():
    project = make_project()
    first, second = make_people(2, project, Role.ADMIN)
    User.objects.filter(pk=second.pk).update(is_active=False)
    with pytest.raises(Conflict, match="last admin"):
        remove_role(project, first, by=first)
    remove_role(project, second, by=first)
    assert list(Membership.objects.filter(project=project, role=Role.ADMIN).values_list("user", flat=True)) == [
        first.pk
    ]
