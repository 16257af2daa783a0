"""The versioned guideline of a project, its readers by version, and the rulings that explain it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project


class GuidelineVersion(models.Model):
    """Immutable Markdown of one version of a project's guideline, including worked examples."""

    class Change(models.TextChoices):
        WORDING = "wording", _("wording only: the rules stay the same")
        RULE = "rule", _("rule change: annotators must confirm before their next task")

    project = models.ForeignKey(Project, models.CASCADE, related_name="guideline_versions")
    number = models.PositiveIntegerField()
    text = models.TextField(help_text=_("Markdown"))
    change = models.CharField(max_length=7, choices=Change, default=Change.RULE)
    note = models.TextField(blank=True, default="", help_text=_("what changed, for those who read the version before"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guideline_version_number_once"),
            models.CheckConstraint(condition=Q(change__in=["wording", "rule"]), name="guideline_change_known"),
        ]


class GuidelineReading(models.Model):
    """A person's confirmation of having read a version with its examples, and the signed statement to write alone."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="guideline_readings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="guideline_readings")
    version = models.ForeignKey(GuidelineVersion, models.CASCADE, related_name="readings")
    statement_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the statement as it was shown"))
    consent = models.BooleanField(help_text=_("to the record of how a summary came about"))
    confirmed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "version"], name="guideline_reading_once")]
        indexes = [models.Index(fields=["project", "user", "-version"], name="guideline_reading_newest")]


class Question(PublicId):
    """A question an annotator asked from a task, and the team's answer, to this person or to everybody."""

    class Kind(models.TextChoices):
        PRIVATE = "private", _("only to the person who asked")
        RULING = "ruling", _("to everyone, as a ruling")

    project = models.ForeignKey(Project, models.CASCADE, related_name="questions")
    assignment = models.ForeignKey("annotation.Assignment", models.PROTECT, related_name="questions")
    asker = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="questions")
    text = models.TextField()
    asked_at = models.DateTimeField()
    kind = models.CharField(max_length=7, choices=Kind, blank=True, default="", help_text=_("empty: not answered"))
    answer = models.TextField(blank=True, default="")
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True, help_text=_("when the one who asked put the answer away"))

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(answered_at=None, kind="") | Q(answered_at__isnull=False, kind__in=["private", "ruling"]),
                name="question_answered_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="question_list"),
            models.Index(fields=["asker", "project"], condition=Q(seen_at=None), name="question_own"),
            models.Index(fields=["project"], condition=Q(answered_at=None), name="question_open"),
        ]


class Ruling(PublicId):
    """A decision on how to read the guideline, shown with it to everybody. `question` is in the team's words."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="rulings")
    origin = models.OneToOneField(Question, models.SET_NULL, null=True, related_name="ruling")
    guideline_version = models.ForeignKey(GuidelineVersion, models.CASCADE, related_name="rulings")
    question = models.TextField()
    answer = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="ruling_list")]
