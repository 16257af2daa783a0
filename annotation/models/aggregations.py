"""What an aggregation task is about: entities of one type in a context, to be named by one phrase."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.projects import Project
from annotation.models.samples import Sample


class EntityType(models.TextChoices):
    PERSON = "person", _("person")
    LOCATION = "location", _("location")
    ORG = "org", _("organization")


class ContextKind(models.TextChoices):
    CONTENT = "content", _("sentences of the article")
    ABSTRACT = "abstract", _("the article's abstract")


class AggregationInstance(models.Model):
    """The entities of a sample and where they are mentioned. Groups hold the instances of one tuple of an article."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="instances")
    sample = models.OneToOneField(Sample, models.PROTECT, related_name="instance")
    key = models.CharField(max_length=120, help_text=_("article_tuple_context"))
    entity_type = models.CharField(max_length=10, choices=EntityType)
    entities = models.JSONField(
        help_text=_(
            "2 to 6, by name: name, url, background, background_tokens, mentions as [segment, start, end];"
            " a mention in the abstract has segment -1"
        )
    )
    context_kind = models.CharField(max_length=10, choices=ContextKind)
    first_segment = models.PositiveIntegerField(null=True, help_text=_("empty: the context is the abstract"))
    last_segment = models.PositiveIntegerField(null=True, help_text=_("included"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="instance_key_once"),
            models.CheckConstraint(
                condition=Q(context_kind="abstract", first_segment__isnull=True, last_segment__isnull=True)
                | Q(context_kind="content", first_segment__isnull=False, last_segment__isnull=False),
                name="instance_context_whole",
            ),
        ]

    @property
    def names(self) -> str:
        """The names of the entities in one line."""
        return ", ".join(str(entity["name"]) for entity in self.entities)


class BackgroundState(models.TextChoices):
    FOUND = "found", _("found")
    MISSING = "missing", _("missing")
    AMBIGUOUS = "ambiguous", _("ambiguous")
    DROPPED = "dropped", _("dropped")


class BackgroundOrigin(models.TextChoices):
    FILE = "file", _("file")
    WIKIPEDIA = "wikipedia", _("looked up in Wikipedia")
    STAFF = "staff", _("typed by hand")
    RESTORED = "restored", _("from an export")


class EntityBackgroundQuerySet(models.QuerySet["EntityBackground"]):
    def to_do(self) -> Self:
        """Those that staff should look at: without a text, and not dropped."""
        return self.filter(state__in=(BackgroundState.MISSING, BackgroundState.AMBIGUOUS))


class EntityBackground(PublicId):
    """What annotators read about one name in all articles of a project. Instances keep a copy of what was shown."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="backgrounds")
    name = models.CharField(max_length=200)
    title = models.CharField(max_length=300, blank=True, default="", help_text=_("of the article to look up"))
    url = models.CharField(max_length=1000, blank=True, default="")
    text = models.TextField(blank=True, default="")
    tokens = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=BackgroundState, default=BackgroundState.MISSING)
    origin = models.CharField(
        max_length=10, choices=BackgroundOrigin, blank=True, default="", help_text=_("empty: never looked up")
    )
    instances = models.ManyToManyField(AggregationInstance, related_name="backgrounds")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    objects = EntityBackgroundQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="background_once_per_name"),
            models.CheckConstraint(
                condition=~Q(state="found") | ~Q(text=""),
                name="background_found_has_text",
            ),
        ]
        indexes = [models.Index(fields=["project", "state", "name"], name="background_list")]
