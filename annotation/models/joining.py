"""How people join a project, their quotas, and who is paused."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project


class Participation(models.Model):
    """Settings of one person in one project besides the roles. No row: no limit, not paused."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="participations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="participations")
    max_tasks = models.PositiveIntegerField(null=True, help_text=_("quota: tasks held or handed in; empty: no limit"))
    paused_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    pause_note = models.CharField(max_length=500, blank=True, default="", help_text=_("shown to the person"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="participation_once")]


class JoiningLink(PublicId):
    """A link to join a project. Only a digest of its secret is stored; the link itself is shown once.

    `uses` never exceeds `max_uses`: every use is a conditional update, backed by a database constraint.
    """

    name = models.CharField(max_length=100, help_text=_("for the team: what it is for"))
    digest = models.CharField(max_length=64, unique=True, help_text=_("SHA-256 of the secret"))
    max_uses = models.PositiveIntegerField()
    uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Invitation(JoiningLink):
    """Grants roles to whoever opens it, once per person and `max_uses` times in total."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    roles = models.JSONField(help_text=_("names of roles, at least one"))

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="invitation_not_overused")]
        indexes = [models.Index(fields=["project", "-id"], name="invitation_list")]


class InvitationUse(models.Model):
    """Who joined by which link."""

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="used_by")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="invitation_uses")
    made_account = models.BooleanField(help_text=_("signed up with it; else the account was there"))
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["invitation", "user"], name="invitation_once_per_person")]


class CrowdLink(JoiningLink):
    """Lets workers of a crowd platform join by the id in the URL, for a quota of tasks."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="crowd_links")
    id_parameter = models.CharField(max_length=40, default="PROLIFIC_PID")
    study_parameter = models.CharField(max_length=40, blank=True, default="STUDY_ID")
    session_parameter = models.CharField(max_length=40, blank=True, default="SESSION_ID")
    study = models.CharField(max_length=120, blank=True, default="", help_text=_("the study it is for; empty: any"))
    signed = models.BooleanField(default=False, help_text=_("ids need a signature of the platform's own server"))
    tasks = models.PositiveIntegerField(help_text=_("quota of each person"))
    code = models.CharField(max_length=60, help_text=_("completion code"))
    return_url = models.CharField(max_length=500, blank=True, default="", help_text=_("on a host of the settings"))

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="crowd_link_not_overfull"),
            models.CheckConstraint(condition=Q(tasks__gte=1), name="crowd_link_has_tasks"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="crowd_link_list")]


class CrowdWorker(models.Model):
    """The account behind one external id in one project. It has no password and no other way to sign in."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="crowd_workers")
    link = models.ForeignKey(CrowdLink, models.PROTECT, related_name="workers")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="crowd_worker")
    external_id = models.CharField(max_length=120)
    study = models.CharField(max_length=120, blank=True, default="")
    session = models.CharField(max_length=120, blank=True, default="", help_text=_("of the last visit"))
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, help_text=_("when the completion code was first shown"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "external_id"], name="crowd_worker_once")]
