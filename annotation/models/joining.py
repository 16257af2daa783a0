"""How people join a project, their quotas, and who is paused."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project


class AbstractPause(models.Model):
    """Somebody's pause: since when, and why where a rule paused them."""

    paused_at = models.DateTimeField(null=True)
    pause_reason = models.JSONField(default=dict, help_text=_("of a rule: its name and numbers, for staff only"))
    pause_counts_from = models.DateTimeField(null=True, help_text=_("when last resumed: rules count what is later"))

    class Meta:
        abstract = True


class Participation(AbstractPause):
    """Settings of one person in one project besides the roles. No row: no limit, not paused."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="participations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="participations")
    max_tasks = models.PositiveIntegerField(null=True, help_text=_("quota: tasks held or handed in; empty: no limit"))
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
    """Grants roles to each person who opens it, once per person and `max_uses` times in total."""

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
    """Lets workers of a crowd platform join by the id in the URL, for a quota of tasks: summaries, or items to rate.

    A link for raters leads to one round, which the room of the rounds keeps (evaluation.models.RoundLink).
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="crowd_links")
    role = models.CharField(max_length=20, default="annotator", help_text=_("annotator or rater"))
    id_parameter = models.CharField(max_length=40, default="PROLIFIC_PID")
    study_parameter = models.CharField(max_length=40, blank=True, default="STUDY_ID")
    session_parameter = models.CharField(max_length=40, blank=True, default="SESSION_ID")
    study = models.CharField(max_length=120, blank=True, default="", help_text=_("the study it is for; empty: any"))
    signed = models.BooleanField(default=False, help_text=_("ids need a signature of the platform's own server"))
    tasks = models.PositiveIntegerField(help_text=_("quota of each person"))
    code = models.CharField(max_length=60, help_text=_("completion code"))
    code_screened_out = models.CharField(max_length=60, blank=True, default="", help_text=_("not qualified"))
    code_no_work = models.CharField(max_length=60, blank=True, default="", help_text=_("nothing is left to do"))
    pay_amount = models.DecimalField(max_digits=9, decimal_places=2, null=True, help_text=_("for each task"))
    pay_currency = models.CharField(max_length=3, blank=True, default="")
    return_url = models.CharField(max_length=500, blank=True, default="", help_text=_("on a host of the settings"))

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="crowd_link_not_overfull"),
            models.CheckConstraint(condition=Q(tasks__gte=1), name="crowd_link_has_tasks"),
            models.CheckConstraint(condition=Q(role__in=["annotator", "rater"]), name="crowd_link_role_known"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="crowd_link_list")]


class ConsentVersion(models.Model):
    """What people of crowd links agree to before they start: the purpose, and a text in Markdown. Immutable."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="consent_versions")
    number = models.PositiveIntegerField()
    purpose = models.TextField(help_text=_("what the data are for"))
    text = models.TextField(help_text=_("Markdown"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="consent_version_number_once")]


class CrowdOutcome(models.TextChoices):
    """How a participation ended; each has its code."""

    COMPLETE = "complete", _("complete")
    SCREENED_OUT = "screened_out", _("screened out")
    NO_WORK = "no_work", _("no more work")


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
    outcome = models.CharField(
        max_length=12, choices=CrowdOutcome, blank=True, default="", help_text=_("whose code was shown last")
    )
    consent_due = models.BooleanField(default=False, help_text=_("a consent version is published, but not agreed to"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="crowd_worker_once"),
            models.CheckConstraint(condition=Q(outcome__in=["", *CrowdOutcome.values]), name="crowd_outcome_known"),
        ]


class ConsentAgreement(models.Model):
    """Who agreed to which version, and when."""

    version = models.ForeignKey(ConsentVersion, models.CASCADE, related_name="agreements")
    worker = models.ForeignKey(CrowdWorker, models.CASCADE, related_name="agreements")
    agreed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "worker"], name="consent_agreement_once")]
