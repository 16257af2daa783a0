"""Outputs that show how attributes get in each other's way, kept for the table of cases of a paper."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.models.base import PublicId
from modelbridge.models import SystemOutput


class Case(PublicId):
    """One output under one label of the project's list, with a note."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="cases")
    output = models.ForeignKey(SystemOutput, models.CASCADE, related_name="cases")
    label = models.CharField(max_length=80)
    note = models.TextField(blank=True, default="", help_text=_("what is to be seen"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["output", "label"], name="case_once_per_label")]
        indexes = [models.Index(fields=["project", "label", "id"], name="case_list")]
