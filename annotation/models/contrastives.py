"""Contrastive examples: a gold summary with one or two words changed, so that it says something else."""

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.annotations import Annotation
from annotation.models.assignments import AssignmentState
from annotation.models.base import PublicId
from annotation.models.jobs import Job
from annotation.models.projects import Project
from annotation.models.samples import Sample, SampleState


class ContrastiveState(models.TextChoices):
    ACTIVE = "active", _("active")
    EXCLUDED = "excluded", _("excluded")
    WITHDRAWN = "withdrawn", _("withdrawn with its gold summary")


class ContrastiveSet(PublicId):
    """How the contrastive examples of a project came about. A project has one set at a time; replaced ones stay as
    history, without their examples."""

    class Origin(models.TextChoices):
        MADE = "made", _("made here")
        IMPORT = "import", _("imported")

    project = models.ForeignKey(Project, models.CASCADE, related_name="contrastive_sets")
    origin = models.CharField(max_length=8, choices=Origin)
    options = models.JSONField(default=dict, help_text=_("what determines the examples besides the gold summaries"))
    generator = models.CharField(max_length=60, help_text=_("name@version, or 'import'"))
    parser = models.CharField(max_length=120, blank=True, default="", help_text=_("pipeline with its hash"))
    file_name = models.CharField(max_length=255, blank=True, default="", help_text=_("of an import"))
    golds = models.PositiveIntegerField(default=0, help_text=_("gold summaries read, those without examples too"))
    empty_golds = models.JSONField(default=list, help_text=_("ids of annotations that give no example"))
    examples = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict, help_text=_("rule -> step of its making -> pairs of words"))
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="+", help_text=_("empty: by command"))
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project"], name="contrastive_set_one_current", condition=models.Q(replaced_at__isnull=True)
            )
        ]
        indexes = [models.Index(fields=["project", "-id"], name="contrastive_set_list")]


class ContrastiveQuerySet(models.QuerySet["Contrastive"]):
    def active(self) -> Self:
        """Those that count. A person excludes examples that turned out to be neither wrong nor unreadable; those of a
        void sample or of a summary that is not accepted any more do not count while that lasts."""
        is_gold = models.Q(annotation__assignment__isnull=True) | models.Q(
            annotation__assignment__state=AssignmentState.ACCEPTED
        )
        return self.filter(is_gold, state=ContrastiveState.ACTIVE, sample__state=SampleState.ACTIVE)


class Contrastive(PublicId):
    """One contrastive example of a gold summary. A tuple (source, gold) is the annotation: all rows with its id."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="contrastives")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="contrastives")
    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="contrastives", help_text=_("the gold"))
    rule = models.CharField(max_length=10, help_text=_("G-N, G-P, G-V, G-A, S-N, S-P, S-V, S-A"))
    text = models.TextField()
    text_key = models.CharField(max_length=64, help_text=_("SHA-256 of the text in lower case"))
    edits = models.JSONField(help_text=_("one or two of start, end, was, now; characters of the gold's text"))
    from_source = models.JSONField(null=True, help_text=_("segment, start, end of the word taken from the source"))
    seed = models.BigIntegerField(null=True)
    generator = models.CharField(max_length=60, help_text=_("name@version, or 'import'"))
    state = models.CharField(max_length=10, choices=ContrastiveState, default=ContrastiveState.ACTIVE)
    excluded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ContrastiveQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["annotation", "text_key"], name="contrastive_text_once")]
        indexes = [models.Index(fields=["project", "id"], name="contrastive_list")]
