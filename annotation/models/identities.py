"""Accounts at a provider of sign-in, and the roles granted by its groups."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Membership


class ProviderIdentity(models.Model):
    """Who an account is at a provider: the only thing by which a sign-in there finds it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="provider_identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=300, help_text=_("the provider's id of the person; once masked, its digest"))
    made_site_admin = models.BooleanField(default=False, help_text=_("a group gave the rights of a site admin"))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="provider_identity_once"),
            models.UniqueConstraint(fields=["user", "issuer"], name="provider_identity_per_account"),
        ]


class GroupRole(models.Model):
    """Marks a role granted by a provider's group. A role without this row was granted manually; no group revokes it."""

    membership = models.OneToOneField(Membership, models.CASCADE, primary_key=True, related_name="group_role")
    created_at = models.DateTimeField(auto_now_add=True)
