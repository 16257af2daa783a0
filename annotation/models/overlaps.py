"""Decisions of reviewers on samples written by several annotators: export one summary or all."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.annotations import Annotation
from annotation.models.assignments import Assignment
from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.samples import Sample


class OverlapMark(PublicId):
    """A decision on the summaries of one sample. When undone, it stays as history and the sample is open again."""

    class Choice(models.TextChoices):
        ONE = "one", _("export one")
        ALL = "all", _("export all")

    project = models.ForeignKey(Project, models.CASCADE, related_name="overlap_marks")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="overlap_marks")
    choice = models.CharField(max_length=3, choices=Choice)
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, related_name="overlap_marks", help_text=_("whose newest text is meant")
    )
    annotation = models.ForeignKey(
        Annotation, models.PROTECT, null=True, related_name="overlap_marks", help_text=_("the revision that was seen")
    )
    seen = models.JSONField(default=list, help_text=_("public ids of the annotations that were compared"))
    note = models.TextField(blank=True, default="")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample"], condition=Q(undone_at=None), name="overlap_mark_once"),
            models.CheckConstraint(
                condition=Q(choice="one", assignment__isnull=False, annotation__isnull=False)
                | Q(choice="all", assignment=None, annotation=None),
                name="overlap_mark_whole",
            ),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="overlap_mark_list")]
