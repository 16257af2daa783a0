"""Draws, groups (one set of topics and speakers of a source) and their samples (drawn attribute values)."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, When
from django.utils.translation import gettext_lazy as _

from annotation.models.base import JSONText, PublicId
from annotation.models.jobs import Job
from annotation.models.projects import Project, SchemaVersion
from annotation.models.sources import SourceDocument


class Group(PublicId):
    """One topic and speaker set of a source. `chosen` is empty until a person has chosen, then frozen."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="groups")
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="groups")
    position = models.PositiveIntegerField()
    asks = models.JSONField(default=list, help_text=_("keys of the attributes a person chooses; empty for none"))
    chosen = models.JSONField(default=dict, help_text=_("attribute key -> list of texts"))
    frozen_at = models.DateTimeField(null=True, blank=True)
    chosen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    decisions = models.JSONField(
        default=list,
        help_text=_("what was done with each candidate: key, text, action, candidate, rank, shown"),
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "position"], name="group_position_once")]


class Draw(PublicId):
    """One draw of samples. Only samples of a draw can be undone together; imported and redrawn ones belong to none."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="draws")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="draw", help_text=_("empty: by command"))
    options = models.JSONField(default=dict, help_text=_("what determines the draw besides schema and sources"))
    most_samples = models.PositiveIntegerField(null=True, help_text=_("the limit; empty: none"))
    samples_stored = models.PositiveIntegerField(default=0)
    groups_stored = models.PositiveIntegerField(default=0)
    sources_served = models.PositiveIntegerField(default=0)
    sources_left = models.PositiveIntegerField(default=0, help_text=_("sources that the limit left for a later draw"))
    drawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="draw_list")]


class SampleState(models.TextChoices):
    ACTIVE = "active", _("active")
    VOID = "void", _("void")
    PILOT = "pilot", _("set aside for the pilot")


IMPORTED = "import"
"""The sampler of samples that came with their sources."""
ASKS_NOTHING = Q(sampler=IMPORTED, values={}, group__asks=[])
"""What came with its source and asks nobody for anything."""
IS_REFERENCE = ASKS_NOTHING & ~Q(raw_json="")
"""A summary that came with its source and asks for nothing: a reference to measure against. Without what was imported
(raw_json) it is no summary, but the place of outputs for a text that has none."""


class SampleQuerySet(models.QuerySet["Sample"]):
    def requests(self) -> Self:
        """Samples that ask somebody for something: all that were drawn, and imported ones with requested values."""
        return self.exclude(ASKS_NOTHING)

    def references(self) -> Self:
        """Samples of summaries that came with their sources and ask for nothing."""
        return self.filter(IS_REFERENCE)

    def active(self) -> Self:
        """Samples that are neither void nor set aside for the pilot."""
        return self.filter(state=SampleState.ACTIVE)

    def in_split(self, split: str) -> Self:
        """Samples of a split: of their own, or else of their source's."""
        return self.filter(Q(split=split) | Q(split="", document__split=split))


def build_split_expression(sample: str = "") -> Case:
    """The split of a sample. sample: the path to it, such as `sample__`."""
    return Case(When(**{f"{sample}split": ""}, then=F(f"{sample}document__split")), default=F(f"{sample}split"))


class Sample(PublicId):
    """A source and the attribute values of the summary to write. Complete once its group is frozen."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="samples")
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="samples")
    group = models.ForeignKey(Group, models.PROTECT, related_name="samples")
    schema_version = models.ForeignKey(SchemaVersion, models.PROTECT, related_name="samples")
    draw = models.ForeignKey(Draw, models.PROTECT, null=True, related_name="samples", help_text=_("empty: imported"))
    position = models.PositiveIntegerField()
    values = models.JSONField(help_text=_("attribute key -> value, for what the sampler fills"))
    combination = models.CharField(max_length=60)
    seed = models.BigIntegerField(null=True)
    split = models.CharField(
        max_length=20,
        blank=True,
        default="",
        help_text=_("as imported, where a dataset is split by summary; empty: its source's"),
    )
    sampler = models.CharField(max_length=60, help_text=_("algorithm@version, or 'import'"))
    state = models.CharField(max_length=10, choices=SampleState, default=SampleState.ACTIVE)
    raw_json = JSONText(blank=True, default="", help_text=_("imported attribute strings, as they came"))
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SampleQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "position"], name="sample_position_once")]
        indexes = [
            models.Index(fields=["project", "combination"], name="sample_combination"),
            models.Index(fields=["project", "id"], name="sample_list"),
            models.Index(fields=["group"], name="sample_active", condition=Q(state="active")),
            models.Index(fields=["project", "id"], name="sample_void", condition=Q(state="void")),
        ]

    @property
    def split_name(self) -> str:
        """Its own split, or else its source's, which must be loaded."""
        return self.split or self.document.split

    @property
    def is_reference(self) -> bool:
        """Whether it came with its source and asks for nothing; its group must be loaded."""
        return self.sampler == IMPORTED and not self.values and not self.group.asks

    @property
    def attributes(self) -> dict[str, object]:
        """Every requested value: drawn for the sample or chosen by a person for the group."""
        return {**self.values, **self.group.chosen}
