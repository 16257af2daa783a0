"""The audit log: actor, verb, target and time. Append only, ids only."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.projects import Project


class AuditEvent(models.Model):
    project = models.ForeignKey(Project, models.SET_NULL, null=True, related_name="audit_events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    verb = models.CharField(max_length=60)
    target = models.CharField(max_length=100, help_text="kind:public id")
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="audit_list"),
            models.Index(fields=["target", "-id"], name="audit_sign_ins", condition=Q(project__isnull=True)),
        ]
