"""Systems of a project, and the configurations under which they ran."""

from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.models.base import PublicId
from epitome.systems.kinds import Kind, find_kind
from epitome.systems.protocol import ROLES
from epitome.systems.roles import RoleTraits, traits_of

if TYPE_CHECKING:
    from epitome.systems.config import SystemConfig


class System(PublicId):
    """A summarizer under one key. Its kind and options are stored in its revisions."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="systems")
    key = models.CharField(max_length=60)
    name = models.CharField(max_length=200, help_text=_("of the newest revision"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="system_key_once")]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def newest(self) -> "SystemRevision":
        return self.revisions.order_by("-number")[0]


class SystemRevision(PublicId):
    """One configuration of a system, never changed. The same text again is the same revision."""

    system = models.ForeignKey(System, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    role = models.CharField(max_length=10, choices=[(role, role) for role in ROLES])
    config_toml = models.TextField()
    config_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the text"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["system", "number"], name="system_revision_number_once"),
            models.UniqueConstraint(fields=["system", "config_hash"], name="system_revision_config_once"),
            models.CheckConstraint(condition=Q(role__in=ROLES), name="system_revision_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.system.name} (revision {self.number})"

    @property
    def declared_kind(self) -> Kind:
        """What its kind declares; services ask this instead of comparing names."""
        return find_kind(self.kind)

    @property
    def role_traits(self) -> RoleTraits:
        return traits_of(self.role)

    @cached_property
    def config(self) -> "SystemConfig":
        """Raises epitome.schema.SchemaError where a newer program no longer reads the text."""
        from epitome.systems.config import parse_config

        return parse_config(self.config_toml, f"{self.system.key}.toml")
