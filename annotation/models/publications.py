"""Publications: a release with what is needed to give it to others, and the personal data found in it."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.releases import Release
from annotation.models.sources import SourceDocument


class Publication(PublicId):
    """One release of a project on its way to the public. The first check freezes the release."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="publications")
    tag = models.CharField(max_length=60, help_text=_("of its release"))
    options = models.JSONField(default=dict, help_text=_("state, split_seed and shares of a release not frozen yet"))
    release = models.ForeignKey(Release, models.CASCADE, null=True, related_name="publications")
    description = models.JSONField(default=dict, help_text=_("title, summary, authors ...; answers of the datasheet"))
    choices = models.JSONField(default=dict, help_text=_("unlicensed, leaks -> what is done about them"))
    checks = models.JSONField(default=dict, help_text=_("what the last check gave"))
    checked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "tag"], name="publication_tag_once")]


class HitKind(models.TextChoices):
    EMAIL = "email", _("e-mail address")
    PHONE = "phone", _("phone number")
    NAME = "name", _("name")


class HitField(models.TextChoices):
    TITLE = "title", _("title")
    SPEAKER = "speaker", _("speaker")
    SEGMENT = "segment", _("text")
    TEXT = "text", _("summary")
    FIELDS = "fields", _("further fields")


class HitDecision(models.TextChoices):
    OPEN = "", _("not decided")
    KEEP = "keep", _("keep")
    MASK = "mask", _("mask")
    LEAVE_OUT = "leave_out", _("leave out")


class PublicationHitQuerySet(models.QuerySet["PublicationHit"]):
    def undecided(self) -> Self:
        return self.filter(decision=HitDecision.OPEN)


class PublicationHit(PublicId):
    """A place that looks like personal data, and what is done about it. Holds no text: that is read from its source.

    sample_key: `#` and the position of the sample whose text it is in; "" for the source itself. segment: the number
    of a segment or of the first segment of a speaker; 0 elsewhere. start, end: code points, half open. fingerprint:
    keyed hash of the characters, so that a text that was changed is not taken for the one decided about.
    """

    publication = models.ForeignKey(Publication, models.CASCADE, related_name="hits")
    document = models.ForeignKey(SourceDocument, models.CASCADE, related_name="+")
    sample_key = models.CharField(max_length=20, blank=True, default="")
    field = models.CharField(max_length=10, choices=HitField)
    segment = models.PositiveIntegerField(default=0)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=HitKind)
    fingerprint = models.CharField(max_length=32)
    decision = models.CharField(max_length=10, choices=HitDecision, blank=True, default=HitDecision.OPEN)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = PublicationHitQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "document", "sample_key", "field", "segment", "start", "end", "fingerprint"],
                name="publication_hit_once",
            ),
            models.CheckConstraint(condition=Q(start__lt=models.F("end")), name="publication_hit_not_empty"),
            models.CheckConstraint(condition=Q(decision__in=HitDecision.values), name="publication_hit_decision_known"),
        ]
        indexes = [models.Index(fields=["publication", "decision", "id"], name="publication_hit_list")]
