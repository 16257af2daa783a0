"""Source documents, their imports, and the candidates extracted from them."""

import json
from typing import Any, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import JSONText, PublicId
from annotation.models.projects import Project

MOST_PRIORITY = 1_000_000


class SourceImport(PublicId):
    """One import of one file: its rows stay hidden until the complete file is stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="imports")
    file_name = models.CharField(max_length=255)
    file_hash = models.CharField(max_length=64)
    format = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)
    counts = models.JSONField(default=dict, help_text=_("read, stored, duplicate, left_out, rejected, references"))


class SourceDocumentQuerySet(models.QuerySet["SourceDocument"]):
    def usable(self) -> Self:
        """In the recorded selection and not damaged."""
        return self.filter(selected=True, damaged=False)


class PublishedManager(models.Manager.from_queryset(SourceDocumentQuerySet)):  # type: ignore[misc]
    """Hides the rows of an import that is not finished."""

    def get_queryset(self) -> SourceDocumentQuerySet:
        queryset: SourceDocumentQuerySet = super().get_queryset().filter(published=True)
        return queryset


class SourceDocument(PublicId):
    """Metadata of a source. The text itself is in SourceText, so that list queries stay small."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="documents")
    source_import = models.ForeignKey(SourceImport, models.CASCADE, related_name="documents")
    published = models.BooleanField(default=False)
    external_id = models.CharField(max_length=200)
    origin_id = models.CharField(max_length=200, help_text=_("the meeting or article this is a piece of"))
    position = models.PositiveIntegerField(help_text=_("place in its file, from 0"))
    title = models.TextField(blank=True, default="")
    split = models.CharField(max_length=20, blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    may_release_text = models.BooleanField(default=False)
    metadata_json = JSONText(default="{}")
    content_hash = models.CharField(max_length=64)
    n_segments = models.PositiveIntegerField()
    n_words = models.PositiveIntegerField(help_text=_("white-space tokens without speaker names"))
    n_tokens = models.PositiveIntegerField(null=True, help_text=_("word tokens, counted later by a text job"))
    selected = models.BooleanField(default=True)
    damaged = models.BooleanField(default=False)
    damaged_reason = models.TextField(blank=True, default="")
    priority = models.IntegerField(
        default=0,
        db_default=0,
        validators=[MinValueValidator(-MOST_PRIORITY), MaxValueValidator(MOST_PRIORITY)],
        help_text=_("tasks of sources with a higher number are assigned first"),
    )
    extractor = models.CharField(
        max_length=120, blank=True, default="", help_text=_("extractor@version of its candidates")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    everything = models.Manager.from_queryset(SourceDocumentQuerySet)()
    objects = PublishedManager()

    class Meta:
        default_manager_name = "objects"
        base_manager_name = "everything"
        constraints = [models.UniqueConstraint(fields=["project", "external_id"], name="document_external_id_once")]
        indexes = [
            models.Index(fields=["project", "published", "id"], name="document_list"),
            # Usually empty; the sample list counts these rows each time it is shown.
            models.Index(
                fields=["project"],
                condition=Q(extractor="", published=True, selected=True, damaged=False),
                name="document_to_extract",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.external_id

    @property
    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = json.loads(self.metadata_json)
        return metadata


class SourceText(models.Model):
    """The segments of one source: a JSON list of {speaker, text}."""

    document = models.OneToOneField(SourceDocument, models.CASCADE, primary_key=True, related_name="source_text")
    segments_json = JSONText()

    @property
    def segments(self) -> list[dict[str, str]]:
        segments: list[dict[str, str]] = json.loads(self.segments_json)
        return segments


class SourceSelection(models.Model):
    """A recorded random selection of sources: the same seed over the same ids selects the same ones."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="selections")
    seed = models.BigIntegerField()
    n = models.PositiveIntegerField()
    algorithm = models.CharField(max_length=60)
    ids_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the sorted external ids chosen from"))
    chosen = models.JSONField(help_text=_("external ids, sorted"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)


class Candidate(models.Model):
    """A topic or speaker proposed by extraction, not yet accepted by a person."""

    class Kind(models.TextChoices):
        TOPIC = "topic", _("topic")
        SPEAKER = "speaker", _("speaker")

    document = models.ForeignKey(SourceDocument, models.CASCADE, related_name="candidates")
    kind = models.CharField(max_length=10, choices=Kind)
    text = models.CharField(max_length=400)
    rank = models.PositiveSmallIntegerField(help_text=_("from 1"))
    score = models.FloatField(null=True)
    mentions = models.PositiveIntegerField(default=0, help_text=_("mentions of a topic, turns of a speaker"))
    words = models.PositiveIntegerField(default=0, help_text=_("words a speaker says"))
    extractor = models.CharField(max_length=120)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "kind", "text"], name="candidate_once_per_document"),
        ]

    @property
    def is_topic(self) -> bool:
        return self.kind == Candidate.Kind.TOPIC
