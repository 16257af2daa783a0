"""Roles by the groups of a sign-in provider: granted and withdrawn at every sign-in.

Only roles granted by a group are revoked (GroupRole). A role granted manually stays, also where a group would grant it
too. The last admin of a project, and the last site admin, keep their rights until somebody else has them.
"""

import logging

from django.contrib.auth.models import User

from annotation.models import AuditVerb, GroupRole, Membership, Project, ProviderIdentity, Role, Withdrawal
from annotation.services.core import audit
from annotation.services.people import members
from epitome.site.oidc import GroupRoles

log = logging.getLogger(__name__)
ORIGIN = "group"
"""What the audit log says of a role that was not given or taken by a person."""


def update_roles(*, identity: ProviderIdentity, groups: frozenset[str], group_roles: GroupRoles) -> None:
    """Inside a transaction: bring the roles that come from groups up to date."""
    # One sign-in of a person at a time, and what the one before left.
    identity = ProviderIdentity.objects.select_for_update(no_key=True).get(pk=identity.pk)
    wanted = group_roles.list_roles(groups)
    projects = _find_projects({slug for slug, _role in wanted})
    _withdraw_roles(identity.user, wanted)
    for slug, role in sorted(wanted):
        if slug in projects:
            _grant_role(identity.user, projects[slug], role)
    _update_site_admin(identity, bool(groups & group_roles.site_admins))


def _find_projects(slugs: set[str]) -> dict[str, Project]:
    projects = {project.slug: project for project in Project.objects.filter(slug__in=slugs, pilot_of=None)}
    if unknown := sorted(slugs - projects.keys()):
        log.warning("EPITOME_OIDC_ROLES names projects that do not exist: %s", ", ".join(unknown))
    return projects


def _grant_role(user: User, project: Project, role: str) -> None:
    if Withdrawal.objects.filter(project=project, person=user).exists():
        return  # whose work was withdrawn does not come back
    membership, created = Membership.objects.get_or_create(project=project, user=user, role=role)
    if created:
        GroupRole.objects.create(membership=membership)
        _record(project, AuditVerb.MEMBER_ADD, user, role=role)


def _withdraw_roles(user: User, wanted: set[tuple[str, str]]) -> None:
    rows = Membership.objects.filter(user=user, group_role__isnull=False).select_related("project")
    for membership in rows.order_by("project_id", "role"):
        project = membership.project
        if (project.slug, membership.role) in wanted:
            continue
        if membership.role == Role.ADMIN:
            members.lock_admins(project)
            if members.is_last_admin(project, user.pk):
                log.warning("%s keeps its last admin, whose group no longer gives the role", project.slug)
                continue
        membership.delete()
        _record(project, AuditVerb.MEMBER_REMOVE, user, role=membership.role)


def _update_site_admin(identity: ProviderIdentity, is_wanted: bool) -> None:
    user = identity.user
    if is_wanted and not user.is_superuser:
        _set_site_admin(identity, True)
    elif not is_wanted and identity.made_site_admin and user.is_superuser:
        admins = User.objects.select_for_update(no_key=True).filter(is_superuser=True, is_active=True).order_by("pk")
        if set(admins.values_list("pk", flat=True)) <= {user.pk}:
            log.warning("The site keeps its last site admin, whose group no longer gives the rights")
            return
        _set_site_admin(identity, False)


def _set_site_admin(identity: ProviderIdentity, is_admin: bool) -> None:
    user = identity.user
    user.is_staff = user.is_superuser = identity.made_site_admin = is_admin
    user.save(update_fields=["is_staff", "is_superuser"])
    identity.save(update_fields=["made_site_admin"])
    _record(None, AuditVerb.SITE_ADMIN_ADD if is_admin else AuditVerb.SITE_ADMIN_REMOVE, user)


def _record(project: Project | None, verb: AuditVerb, user: User, **detail: str) -> None:
    audit.record_event(project=project, actor=None, verb=verb, target=f"user:{user.pk}", origin=ORIGIN, **detail)
