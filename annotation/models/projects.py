"""Projects, their memberships and roles, and the versions of their schema."""

import secrets
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, Expression, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId

if TYPE_CHECKING:
    from annotation.models.guidelines import GuidelineVersion
    from epitome.schema import Schema


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    RATER = "rater", _("rater")
    REVIEWER = "reviewer", _("reviewer")
    RESEARCHER = "researcher", _("researcher")
    ADMIN = "admin", _("admin")


def make_salt() -> str:
    return secrets.token_hex(32)


def default_lease() -> int:
    minutes: int = settings.EPITOME_LEASE_MINUTES
    return minutes


class ProjectQuerySet(models.QuerySet["Project"]):
    def seen_by(self, user: User) -> Self:
        """Projects the user has any role in; a site admin sees all. A pilot is shown as part of its project only."""
        if not user.is_active:
            return self.none()
        return self.filter(pilot_of=None) if user.is_superuser else self.with_member(user)

    def with_member(self, user: "User | Expression") -> Self:
        """Projects, no pilots, in which a person has any role. user: also an expression for the id."""
        return self.filter(Exists(Membership.objects.filter(project=OuterRef("pk"), user=user)), pilot_of=None)


class Project(PublicId):
    """One dataset project, with one domain and one schema preset."""

    class Domain(models.TextChoices):
        DOCUMENT = "document", _("documents")
        DIALOGUE = "dialogue", _("dialogues")

    class ClaimUnit(models.TextChoices):
        SAMPLE = "sample", _("one sample at a time")
        GROUP = "group", _("all samples on the same topic")
        SOURCE = "source", _("all samples of the same source")

    class Phases(models.TextChoices):
        ONE_PAGE = "one-page", _("chosen by the first annotator on the task page")
        TWO = "two", _("chosen in a separate task")

    class Assistance(models.TextChoices):
        MINIMAL = "minimal", _("minimal: word count and ratio")
        FULL = "full", _("full: all meters, copied words highlighted")
        SUGGESTED = "suggested", _("suggested: words and ratio, and a machine’s text to start from")
        RANDOMISED = "randomised", _("minimal or full, assigned at random per source")
        RANDOMISED_THREE = "randomised-3", _("minimal, full or suggested, assigned at random per source")

        SUGGESTING: ClassVar[tuple["Project.Assistance", ...]]
        """Some or all tasks begin with a suggested text."""

    class NotesToNext(models.TextChoices):
        NEVER = "never", _("never")
        RELEASED = "released", _("notes that staff released")

    class ExtraMeasure(models.TextChoices):
        SEGMENTS = "segments_f1", _("marked segments, F1")
        WORDS = "words_f1", _("words in spans, F1")
        TEXTS = "rouge_l", _("texts, ROUGE-L")

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=30, default="summary", help_text=_("what a task asks; see annotation.kinds"))
    domain = models.CharField(max_length=10, choices=Domain)
    preset = models.CharField(max_length=60)
    language = models.CharField(max_length=20, default="en")
    timezone = models.CharField(max_length=60, default="UTC")
    overlap = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text=_("annotators per sample"),
    )
    claim_unit = models.CharField(max_length=10, choices=ClaimUnit, default=ClaimUnit.GROUP)
    phases = models.CharField(max_length=10, choices=Phases, default=Phases.ONE_PAGE)
    assistance = models.CharField(max_length=12, choices=Assistance, default=Assistance.MINIMAL)
    suggestions_from = models.CharField(
        max_length=60, blank=True, default="", help_text=_("where suggested texts come from, as run:ID; empty: nowhere")
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=default_lease, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    sampler = models.JSONField(default=dict, help_text=_("options of the last sampling, for the record"))
    column_mapping = models.JSONField(default=dict, help_text=_("our field -> the file's column, for CSV and JSONL"))
    export_salt = models.CharField(max_length=64, default=make_salt, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True, help_text=_("since then nobody is given a new task"))
    skip_limit = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text=_("annotators who skip a sample before it leaves the pool"),
    )
    notes_to_next = models.CharField(
        max_length=10,
        choices=NotesToNext,
        default=NotesToNext.NEVER,
        help_text=_("notes on a task that the sample's next annotator sees; never where a sample has several"),
    )
    summary_minutes = models.FloatField(
        default=10,
        validators=[MinValueValidator(0.1), MaxValueValidator(600)],
        help_text=_("estimated minutes of work per summary, for the hours and the pay of a draw"),
    )
    pay_per_hour = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.01), MaxValueValidator(1_000_000)]
    )
    pay_currency = models.CharField(max_length=3, blank=True, default="")
    extra_below = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("one more text is requested where agreement is below this; empty: never"),
    )
    extra_measure = models.CharField(max_length=20, choices=ExtraMeasure, default=ExtraMeasure.SEGMENTS)
    extra_most = models.PositiveIntegerField(
        default=50, validators=[MaxValueValidator(1_000_000)], help_text=_("texts requested this way, in all")
    )
    pause_after_returned = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("verdicts in a row that returned or rejected a task pause its writer; empty: never"),
    )
    pause_accepted_below = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("a smaller share accepted of the latest verdicts pauses a writer; empty: never"),
    )
    pause_seconds_below = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(86_400)],
        help_text=_("a smaller median of active seconds of the latest tasks pauses a writer; empty: never"),
    )
    pause_window = models.PositiveSmallIntegerField(
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
        help_text=_("how many verdicts or tasks are the latest ones"),
    )
    skipped_steps = models.JSONField(
        default=list, blank=True, editable=False, help_text=_("keys of steps of the check list that the team skips")
    )
    needs_pilot = models.BooleanField(default=False, help_text=_("only who qualified in the pilot is given tasks"))
    has_webhooks = models.BooleanField(
        default=False, editable=False, help_text=_("some webhook is not paused; spares others a query per submit")
    )
    needs_practice = models.BooleanField(default=False, help_text=_("only who passed the practice is given tasks"))
    practice_share = models.FloatField(
        default=0.7,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("share of the practice items to pass"),
    )
    pilot_of = models.ForeignKey(
        "self", models.CASCADE, null=True, editable=False, related_name="pilots", help_text=_("no project of its own")
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pilot_of"], condition=Q(archived_at=None, pilot_of__isnull=False), name="project_one_pilot"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def front(self) -> "Project":
        """The project whose pages people see: for a pilot, its main project."""
        return self.pilot_of or self

    @cached_property
    def schema_version(self) -> "SchemaVersion":
        """The newest version, under which new samples are drawn."""
        return self.schema_versions.order_by("-number")[0]

    @cached_property
    def guideline_version(self) -> "GuidelineVersion":
        return self.guideline_versions.order_by("-number")[0]


Project.Assistance.SUGGESTING = (Project.Assistance.SUGGESTED, Project.Assistance.RANDOMISED_THREE)


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active_annotators(self) -> Self:
        """Roles of annotators whose accounts are open."""
        return self.filter(role=Role.ANNOTATOR, user__is_active=True)


class Membership(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project", "role"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]


class SchemaVersion(models.Model):
    """Immutable text of one version of a project's attribute schema."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="schema_versions")
    number = models.PositiveIntegerField()
    text = models.TextField(help_text=_("TOML"))
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="schema_version_number_once")]

    @cached_property
    def schema(self) -> "Schema":
        known = _schema_cache.get(self.content_hash)  # check the cache first: `text` may be deferred
        return known if known is not None else parse_schema_once(self.content_hash, self.text)


_schema_cache: "dict[str, Schema]" = {}


def parse_schema_once(content_hash: str, text: str) -> "Schema":
    """The schema of a text, parsed once per process: the hash names the content, so it cannot go stale."""
    from epitome.schema import parse_schema

    if content_hash not in _schema_cache:
        _schema_cache[content_hash] = parse_schema(text, name="schema.toml", needs_attributes=False)
    return _schema_cache[content_hash]
