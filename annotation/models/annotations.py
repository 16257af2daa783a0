"""Texts of annotators: drafts in progress and submitted revisions."""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignments import Assignment
from annotation.models.base import JSONText, PublicId
from annotation.models.guidelines import GuidelineVersion
from annotation.models.projects import Project, SchemaVersion
from annotation.models.samples import Sample


class Draft(models.Model):
    """The draft of one assignment. Every accepted save increments the revision."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, primary_key=True, related_name="draft")
    payload = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    authorship = models.JSONField(default=dict, help_text=_("with consent: counts of each page it was written on"))
    started_at = models.DateTimeField(help_text=_("when the first draft came"))
    updated_at = models.DateTimeField()


class RefusedDraft(models.Model):
    """A draft sent with a stale revision: refused, but stored so that neither text is lost."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="refused_drafts")
    payload = models.JSONField()
    revision = models.PositiveIntegerField(help_text=_("the revision it was based on"))
    received_at = models.DateTimeField(auto_now_add=True)


class Suggestion(models.Model):
    """The text that one assignment starts from, frozen at the claim; it is never changed afterwards."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, primary_key=True, related_name="suggestion")
    origin = models.CharField(max_length=60, help_text=_("where it came from, as run:ID; not shown to annotators"))
    text = models.TextField()
    text_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the text"))
    created_at = models.DateTimeField()


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def latest_revisions(self) -> Self:
        """The newest revision of every attempt, and imported annotations."""
        later = Annotation.objects.filter(assignment_id=OuterRef("assignment_id"), revision__gt=OuterRef("revision"))
        # A later revision is never the first: with this the database reads the few later ones only.
        return self.filter(~Exists(later.filter(revision__gt=1)))


class Annotation(PublicId):
    """One immutable submitted revision, by a person or from an import."""

    class Origin(models.TextChoices):
        PERSON = "person", _("written here")
        IMPORT = "import", _("imported reference")
        RESTORED = "restored", _("a person's summary, restored from an export")

    project = models.ForeignKey(Project, models.CASCADE, related_name="annotations")
    sample = models.ForeignKey(Sample, models.PROTECT, null=True, related_name="annotations")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="annotations")
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.PERSON)
    revision = models.PositiveIntegerField(default=1)
    payload = models.JSONField(help_text=_("of the task's kind: summary, relevant_segments, spans, title"))
    raw_json = JSONText(blank=True, default="", help_text=_("the imported line or reference, as it came"))
    schema_version = models.ForeignKey(SchemaVersion, models.PROTECT)
    guideline_version = models.ForeignKey(GuidelineVersion, models.PROTECT, null=True)
    assistance = models.CharField(max_length=12, blank=True, default="")
    band_shown = models.JSONField(default=dict, help_text=_("the target band the writer saw"))
    timings = models.JSONField(default=dict, help_text=_("seconds, on the server's clock"))
    authorship = models.JSONField(default=dict, help_text=_("with consent: how the text came about, counts only"))
    outside_paste = models.PositiveIntegerField(default=0, help_text=_("characters of the largest paste from outside"))
    suggestion = models.JSONField(
        default=dict, help_text=_("of a suggested text: origin, hash, and the shares that were kept")
    )
    as_suggested = models.BooleanField(default=False, help_text=_("submitted with the words of its suggestion"))
    surplus = models.BooleanField(default=False)
    idempotency_key = models.CharField(max_length=100, blank=True, default="")
    body_hash = models.CharField(max_length=64, blank=True, default="")
    response = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "revision"],
                name="annotation_revision_once",
                condition=Q(assignment__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["assignment", "idempotency_key"],
                name="annotation_idempotency_key_once",
                condition=Q(assignment__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["sample"], name="annotation_one_import_per_sample", condition=Q(origin="import")
            ),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="annotation_list"),
            models.Index(
                fields=["project", "id"],
                name="annotation_written",
                condition=Q(assignment__isnull=False, sample__isnull=False),
            ),
            models.Index(
                fields=["project", "sample", "id"],
                name="annotation_by_sample",
                condition=Q(assignment__isnull=False, sample__isnull=False),
            ),
            models.Index(fields=["project", "created_at"], name="annotation_by_time"),
            models.Index(fields=["project", "assignment"], name="annotation_revised", condition=Q(revision__gt=1)),
            models.Index(fields=["project", "-id"], name="annotation_pasted", condition=Q(outside_paste__gt=0)),
            models.Index(fields=["project", "-id"], name="annotation_as_suggested", condition=Q(as_suggested=True)),
        ]


class RestoredSkip(models.Model):
    """A skipped request restored from an export: there is no assignment on this site to attach it to."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="restored_skips")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="restored_skips")
    raw_json = JSONText(help_text=_("the line of the export, without what the source tells"))
