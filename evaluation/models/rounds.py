"""Rounds of human evaluation: the frozen design, its texts, its items and its raters."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.models import CrowdLink, Project, Sample, SourceDocument
from annotation.models.base import JSONText, PublicId
from annotation.models.joining import AbstractPause

if TYPE_CHECKING:
    from epitome.rounds.config import RoundConfig
    from epitome.rounds.templates import RoundTemplate as Template


Part = TypeVar("Part")
MAX_CACHED_DESIGNS = 64
_design_cache: dict[tuple[Any, ...], Any] = {}


class RoundState(models.TextChoices):
    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")
    UNBLINDED = "unblinded", _("unblinded")

    RUNNING: ClassVar[tuple["RoundState", ...]]
    """Answers are accepted; a paused round only gives no new items."""
    LAUNCHED: ClassVar[tuple["RoundState", ...]]
    """Frozen and known to its raters."""


RoundState.RUNNING = (RoundState.OPEN, RoundState.PAUSED)
RoundState.LAUNCHED = (RoundState.OPEN, RoundState.PAUSED, RoundState.CLOSED, RoundState.UNBLINDED)


class Round(PublicId):
    """One evaluation round. Its design is frozen at launch: `config`, `design` and the hashes never change after it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField(help_text=_("in the project; raters see this, never the name"))
    name = models.CharField(max_length=120)
    shown_as = models.CharField(max_length=60, blank=True, default="", help_text=_("what raters see instead"))
    template = models.CharField(max_length=60)
    form = models.CharField(max_length=10)
    config_toml = models.TextField()
    config = models.JSONField(help_text=_("the configuration with everything left open filled in"))
    config_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the TOML text"))
    seed = models.BigIntegerField()
    raters_per_item = models.PositiveSmallIntegerField()
    apart = models.PositiveSmallIntegerField(default=1, help_text=_("least items between two of one source"))
    design = JSONText(default="{}", help_text=_("what was frozen at launch: targets, runs, counts, rules"))
    items_hash = models.CharField(max_length=64, blank=True, default="", help_text=_("SHA-256 of items and orders"))
    n_items = models.PositiveIntegerField(default=0)
    n_people_items = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("items that people see, foils and repeats included; empty: all")
    )
    waits_for_judges = models.BooleanField(
        default=False, help_text=_("the items for people are chosen once the judges have answered")
    )
    state = models.CharField(max_length=10, choices=RoundState, default=RoundState.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    unblinded_at = models.DateTimeField(null=True, blank=True)
    n_disagreements = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("answers that raters disagree on, once unblinded; empty: not counted yet")
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="round_number_once"),
            models.UniqueConstraint(fields=["project", "name"], name="round_name_once"),
            models.CheckConstraint(condition=Q(state__in=RoundState.values), name="round_state_known"),
            models.CheckConstraint(
                condition=Q(state="draft") | Q(launched_at__isnull=False) & ~Q(items_hash=""),
                name="round_launched_is_frozen",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def title(self) -> str:
        """What raters see."""
        return self.shown_as or _now("Round %(n)s") % {"n": self.number}

    @cached_property
    def rules(self) -> "RoundConfig":
        """The configuration as a RoundConfig."""
        from epitome.rounds.config import config_from_dict

        return self._frozen("rules", lambda: config_from_dict(self.config))

    @cached_property
    def instructions(self) -> "Template":
        """Intro, definitions and examples: the frozen copy once launched, the shipped template until then."""
        return self._frozen("instructions", self._read_instructions)

    def _read_instructions(self) -> "Template":
        from epitome.rounds.templates import parse_template

        frozen = json.loads(self.design).get("template")
        return parse_template(frozen, f"{self.template}.toml") if frozen else self.rules.round_template

    def _frozen(self, name: str, read: "Callable[[], Part]") -> "Part":
        """Parse a part of the frozen design once per process. Its key names its content, which never changes after
        the launch, so that it cannot go stale. A draft is always read again."""
        if self.launched_at is None:
            return read()
        key = (name, self.pk, self.launched_at, self.config_hash, self.items_hash)
        if key not in _design_cache:
            while len(_design_cache) >= MAX_CACHED_DESIGNS:
                _design_cache.pop(next(iter(_design_cache)), None)
            _design_cache[key] = read()
        cached: Part = _design_cache[key]
        return cached

    @property
    def is_blind(self) -> bool:
        return self.state != RoundState.UNBLINDED

    @property
    def n_for_people(self) -> int:
        """Items in each rater's order."""
        return self.n_items if self.n_people_items is None else self.n_people_items


class RoundText(models.Model):
    """A text that a round shows, copied at launch. Identical texts are stored once, whichever target wrote them."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="texts")
    content_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the text"))
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "content_hash"], name="round_text_once")]


class Item(PublicId):
    """One thing to rate in a round. Its public id is used in exports; raters see only the id of their own assignment.

    targets: for each text {target, sample, row, kind}: which system it is, and of a contrastive example also its rule
    and gold annotation. Never sent to raters.
    """

    class Kind(models.TextChoices):
        REAL = "real", _("judged")
        OTHER_SOURCE = "other-source", _("foil: summary of another source")
        PARAPHRASE = "paraphrase", _("foil: paraphrase, copying asked for")
        ABSENT = "absent", _("foil: absent topic or speaker")
        REPEAT = "repeat", _("repeat")

    round = models.ForeignKey(Round, models.CASCADE, related_name="items")
    number = models.PositiveIntegerField(help_text=_("place in the frozen list, from 0"))
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.REAL)
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="round_items")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="round_items")
    domain = models.CharField(max_length=60)
    request = models.JSONField(help_text=_("attribute key -> what the page says was asked for"))
    targets = models.JSONField()
    first = models.ForeignKey(RoundText, models.PROTECT, related_name="+")
    second = models.ForeignKey(RoundText, models.PROTECT, null=True, related_name="+")
    reference = models.ForeignKey(RoundText, models.PROTECT, null=True, related_name="+")
    questions = models.JSONField(help_text=_("keys of the questions asked"))
    expected = models.JSONField(default=dict, help_text=_("of foils: question -> the right answer"))
    repeats = models.ForeignKey("self", models.PROTECT, null=True, related_name="repeated_as")
    labelled = models.PositiveSmallIntegerField(default=0, help_text=_("of pairs by value: which text, 1 or 2"))
    marks = models.JSONField(default=list, help_text=_("changed words of the text: start, end, what stood there"))
    for_people = models.BooleanField(default=True, help_text=_("people see it; judges answer every item"))
    chance = models.FloatField(
        null=True, default=1.0, help_text=_("with which it was drawn for people; empty: not drawn yet")
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(chance__isnull=True) | Q(chance__gt=0, chance__lte=1), name="item_chance_above_0"
            ),
            models.UniqueConstraint(fields=["round", "number"], name="item_number_once"),
            models.CheckConstraint(
                condition=Q(kind="repeat", repeats__isnull=False) | ~Q(kind="repeat") & Q(repeats__isnull=True),
                name="item_repeat_names_what",
            ),
        ]

    @property
    def counts(self) -> bool:
        """Whether its answers are part of yes-rates, agreement and significance."""
        return self.kind == Item.Kind.REAL


class ItemText(models.Model):
    """The third text of an item that shows a list of texts, and each one after it."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="more_texts")
    number = models.PositiveSmallIntegerField(help_text=_("in the order of the item's targets, from 3"))
    text = models.ForeignKey(RoundText, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="item_text_number_once"),
            models.CheckConstraint(condition=Q(number__gte=3), name="item_text_number_from_3"),
        ]


class RoundTemplate(PublicId):
    """A template of a project's own. A round that is launched keeps a copy of its text."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="round_templates")
    key = models.CharField(max_length=60, help_text=_("the key inside the text; rounds name it"))
    name = models.CharField(max_length=200)
    toml = models.TextField()
    hash = models.CharField(max_length=64, help_text=_("SHA-256 of the text"))
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="round_template_key_once")]


class RoundRater(AbstractPause):
    """A rater of a round, perhaps paused by a rule of it. lane: the order of items that this rater follows, from 1.

    An outside rater, whose answers were imported from another tool, has left at once and follows no order.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="raters")
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="rounds_rated")
    lane = models.PositiveSmallIntegerField()
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True, help_text=_("replaced by somebody else"))
    void = models.BooleanField(default=False, help_text=_("what this person answered counts in no figure"))
    max_items = models.PositiveIntegerField(null=True, blank=True, help_text=_("held or rated; empty: no limit"))
    tool = models.CharField(
        max_length=20, blank=True, default="", help_text=_("in which this person answered; empty: here")
    )
    outside_name = models.CharField(max_length=120, blank=True, default="", help_text=_("in that tool; never exported"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "rater"], name="round_rater_once"),
            models.CheckConstraint(condition=Q(lane__gte=1), name="round_rater_lane_from_1"),
        ]


class RoundLink(models.Model):
    """The one round that a crowd link for raters leads to."""

    link = models.OneToOneField(CrowdLink, models.CASCADE, related_name="round_link")
    round = models.ForeignKey(Round, models.CASCADE, related_name="crowd_links")


class RaterReading(models.Model):
    """A rater's confirmation of the instructions, with their hash, and the results of the qualification."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="readings")
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    instructions_hash = models.CharField(max_length=64)
    read_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    qualified_at = models.DateTimeField(null=True, blank=True)
    qualification: Any = models.JSONField(default=list, help_text=_("of each try: answers, right, asked"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater"], name="rater_reading_once")]


class SourceClearance(models.Model):
    """An exception that lets a rater judge a source despite having written on it or inspected it. Also recorded in the
    audit log."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="clearances")
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="+")
    reason = models.TextField()
    allowed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    allowed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater", "document"], name="clearance_once")]
