"""Access checks: the only way from a user to a project and its rows. Unknown and forbidden give the same error."""

import functools
import uuid
from typing import TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Membership, Project, Role
from annotation.services.core.errors import NotFound
from annotation.services.core.prepared_queries import IntParam, Prepared, TextParam

Row = TypeVar("Row", bound=Model)
Person = AbstractBaseUser | AnonymousUser

STAFF = (Role.REVIEWER, Role.RESEARCHER, Role.ADMIN)
MAKERS = (Role.RESEARCHER, Role.ADMIN)
ADMINS = (Role.ADMIN,)
ANYBODY = tuple(Role)


def _user_key(user: Person) -> int:
    """The primary key of a signed-in user; 0 for an anonymous one."""
    return int(user.pk or 0)


ROLES: Prepared[tuple[str]] = Prepared(
    lambda: Membership.objects.filter(user=IntParam("user"), project=IntParam("project")).values_list("role")
)


def roles_of(user: Person, project: Project) -> frozenset[str]:
    """The user's roles in a project, never cached: a change takes effect on the next request. Nobody has a role in a
    pilot, which is reached through its project only."""
    if not getattr(user, "is_active", False) or project.pilot_of_id is not None:
        return frozenset()
    if getattr(user, "is_superuser", False):
        return frozenset(Role.values)
    return given_roles(user, project)


def given_roles(user: Person, project: Project) -> frozenset[str]:
    """The roles that the user was given in a project; a site admin may use the others too, but is not put to work."""
    return frozenset(role for (role,) in ROLES.rows(user=_user_key(user), project=project.pk))


def may_create_projects(user: Person) -> bool:
    """True for site admins, and for users who are already researcher or admin of a project."""
    if not getattr(user, "is_active", False):
        return False
    if getattr(user, "is_superuser", False):
        return True
    return _maker_memberships(user).exists()


def _maker_memberships(user: Person) -> "QuerySet[Membership]":
    return Membership.objects.filter(user=_user_key(user), role__in=[role.value for role in MAKERS])


@functools.cache
def _project_of_slug(roles: tuple[Role, ...] | None) -> Prepared[Project]:
    """The project of a slug, if a user has one of the roles in it; None: whatever roles the user has."""
    condition = Q()
    if roles is not None:
        names = [role.value for role in roles]
        condition = Q(Exists(Membership.objects.filter(user=IntParam("user"), project=OuterRef("pk"), role__in=names)))
    return Prepared(lambda: Project.objects.filter(condition, slug=TextParam("slug"), pilot_of__isnull=True))


def project_for(user: Person, slug: str, roles: tuple[Role, ...] = ANYBODY) -> Project:
    """The project, if the user holds one of the roles in it; NotFound otherwise."""
    project = None
    if getattr(user, "is_superuser", False) and getattr(user, "is_active", False):
        project = _project_of_slug(None).first(slug=slug)
    elif getattr(user, "is_active", False):
        project = _project_of_slug(roles).first(slug=slug, user=user.pk)
    if project is None:
        raise NotFound(_("There is no such project, or you have no part in it."))
    return project


def row_for(user: Person, rows: "QuerySet[Row]", public_id: str | uuid.UUID, roles: tuple[Role, ...] = STAFF) -> Row:
    """A row with a `project`, by its public id, if the user holds one of the roles in that project."""
    row = rows.select_related("project").filter(public_id=public_id).first()
    project = getattr(row, "project", None)
    if row is None or project is None or not roles_of(user, project) & {role.value for role in roles}:
        raise NotFound()
    return row


def list_maker_projects(user: Person) -> list[int]:
    """Keys of the projects in which the user may see jobs, runs and exports. Raises NotFound if there can be none."""
    sees_all = getattr(user, "is_superuser", False)
    makers = _maker_memberships(user)
    if not getattr(user, "is_active", False) or not (sees_all or makers.exists()):
        raise NotFound()
    projects = Project.objects.filter(archived_at=None, pilot_of=None)
    if not sees_all:
        projects = projects.filter(pk__in=makers.values("project"))
    return list(projects.order_by("pk").values_list("pk", flat=True))
