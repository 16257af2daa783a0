"""Practice with feedback before the first task: items with right answers, the tries at them, and who may go on.

Tries are stored apart from the work of the project, so that no export, count or figure can contain them.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.sources import SourceDocument


class PracticeItem(PublicId):
    """One version of a practice item; immutable. A change retires it and stores the next version of its number."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="practice_items")
    number = models.PositiveSmallIntegerField(help_text=_("place in the practice, from 1"))
    version = models.PositiveSmallIntegerField(default=1)
    document = models.ForeignKey(SourceDocument, models.CASCADE, related_name="practice_items")
    values = models.JSONField(help_text=_("requested values, by attribute key"))
    right = models.JSONField(help_text=_("what counts as right: chosen, segments, length"))
    reason = models.TextField(help_text=_("why it is right; shown with the feedback"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number", "version"], name="practice_item_version_once"),
            models.UniqueConstraint(
                fields=["project", "number"], condition=Q(retired_at=None), name="practice_item_one_in_force"
            ),
        ]


class PracticeState(models.TextChoices):
    """Where an annotator is. The first three follow from the tries, the others from a pass."""

    NOT_BEGUN = "not_begun", _("not started")
    IN_PRACTICE = "in_practice", _("in practice")
    BELOW = "below", _("below the share to pass")
    PASSED = "passed", _("passed")
    LET_ON = "let_on", _("let go on by the team")


class PracticeTry(models.Model):
    """One try of a person at an item. `number` is the item's, so that a new version gives no tries back."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="practice_tries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="practice_tries")
    item = models.ForeignKey(PracticeItem, models.CASCADE, related_name="tries")
    number = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField(help_text=_("1 or 2"))
    answer = models.JSONField(help_text=_("chosen, segments, text"))
    faults = models.JSONField(help_text=_("what was off, by part; empty: passed"))
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "number", "attempt"], name="practice_try_once"),
            models.CheckConstraint(condition=Q(attempt__in=[1, 2]), name="practice_two_tries"),
        ]


class PracticePass(models.Model):
    """A person who may go on to the tasks of a project."""

    class How(models.TextChoices):
        PASSED = "passed", _("passed")
        LET_ON = "let_on", _("let go on by the team")

    project = models.ForeignKey(Project, models.CASCADE, related_name="practice_passes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="practice_passes")
    how = models.CharField(max_length=6, choices=How)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="practice_pass_once"),
            models.CheckConstraint(condition=Q(how__in=["passed", "let_on"]), name="practice_pass_known"),
        ]
