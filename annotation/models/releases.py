"""A frozen list of rows, so that a release can be rebuilt byte for byte."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project


class Release(PublicId):
    project = models.ForeignKey(Project, models.CASCADE, related_name="releases")
    tag = models.CharField(max_length=60)
    filters = models.JSONField(default=dict)
    split_seed = models.BigIntegerField(null=True)
    rows = models.JSONField(help_text=_("what the export needs to rebuild: ordered ids, splits, states"))
    content_hash = models.CharField(max_length=64, blank=True, default="", help_text=_("SHA-256 of the first build"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "tag"], name="release_tag_once")]
