"""What the operator sets about a provider of OpenID Connect: the provider, and what its groups mean here."""

from dataclasses import dataclass, field

ROLES = ("annotator", "rater", "reviewer", "researcher", "admin")
"""The roles of a project, as in annotation.models.Role, which settings cannot import."""


@dataclass(frozen=True)
class GroupRoles:
    """What the groups of a provider mean here. allowed_groups: who may sign in at all; none: everybody."""

    allowed_groups: frozenset[str] = frozenset()
    site_admins: frozenset[str] = frozenset()
    projects: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)
    """Short name of a project -> role -> groups."""

    def is_allowed(self, groups: frozenset[str]) -> bool:
        return not self.allowed_groups or bool(groups & self.allowed_groups)

    def list_roles(self, groups: frozenset[str]) -> set[tuple[str, str]]:
        """(short name of the project, role) of a person in these groups."""
        return {
            (slug, role)
            for slug, groups_by_role in self.projects.items()
            for role, of_role in groups_by_role.items()
            if groups & of_role
        }


@dataclass(frozen=True)
class OidcSettings:
    """One provider. site_factor: staff need the site's own second factor although the provider let them in."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: str
    label: str
    groups_claim: str
    group_roles: GroupRoles
    creates_accounts: bool
    links_by_email: bool
    site_factor: bool
