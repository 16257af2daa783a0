"""Labels that people gave by hand, to find out how often a judge of texts is right."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.models.base import PublicId


class JudgeCheck(PublicId):
    """A frozen draw of texts to label by hand, in the order in which they are shown.

    texts: [origin, hash] of each, origin being the row that it was read from, as `annotation:12`. The texts themselves
    stay where they are; one that has changed or gone since is skipped.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="judge_checks")
    question = models.CharField(max_length=60, help_text=_("key of a published question"))
    over = models.CharField(max_length=80, help_text=_("the set of texts that was drawn from, as in a run"))
    n = models.PositiveIntegerField(help_text=_("how many texts were asked for"))
    seed = models.BigIntegerField()
    texts: Any = models.JSONField(default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "question", "over", "n", "seed"], name="judge_check_once"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="judge_check_list")]


class HandLabel(models.Model):
    """One person's label of one text, which any judge of the same question is measured by.

    label: one of the question's answers, or `cannot-say`. The text is known by its SHA-256 alone, so a label holds for
    the same words wherever they occur.
    """

    CANNOT_SAY = "cannot-say"

    project = models.ForeignKey(Project, models.CASCADE, related_name="hand_labels")
    question = models.CharField(max_length=60, help_text=_("key of a published question"))
    text_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the text"))
    label = models.CharField(max_length=60)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "question", "text_hash", "by"], name="hand_label_once"),
        ]
