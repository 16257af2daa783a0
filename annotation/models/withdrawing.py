"""Data removed on request."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project


class Withdrawal(PublicId):
    """One person's withdrawal from a project: what is removed, and how much."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="withdrawals")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="withdrawals")
    remove_texts = models.BooleanField(default=False, help_text=_("every text the person wrote is emptied"))
    mask_name = models.BooleanField(default=False, help_text=_("the account loses its name, exports its pseudonym"))
    leave_out = models.BooleanField(default=False, help_text=_("exports leave the person's lines out"))
    counts = models.JSONField(default=dict, help_text=_("what -> how many, at that moment"))
    releases = models.JSONField(default=dict, help_text=_("tag of a release that changes -> rows of the person in it"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(remove_texts=True) | Q(mask_name=True) | Q(leave_out=True), name="withdrawal_of_something"
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="withdrawal_list")]
