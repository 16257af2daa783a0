"""Slots of items, their assignment to raters, and the answers."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.claiming import AbstractClaim, AbstractSlot, SlotQuerySet
from annotation.models import SourceDocument
from annotation.models.base import PublicId
from evaluation.models.rounds import Item, Round


class RatingSlot(AbstractSlot):
    """One of the N ratings that an item needs, or the one more where these disagree. number: the lane, N + 1 of the
    one more; place: the item's position in the lane's order."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="slots")
    item = models.ForeignKey(Item, models.CASCADE, related_name="slots")
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="+")
    repeats = models.ForeignKey(
        Item, models.CASCADE, null=True, related_name="+", help_text=_("only for whoever rated that item")
    )
    place = models.PositiveIntegerField()
    left = models.PositiveSmallIntegerField(
        default=1, help_text=_("which text of a pair stands left; of a list the number of its order")
    )
    extra = models.BooleanField(default=False, help_text=_("requested because the planned ratings disagree"))

    objects = SlotQuerySet["RatingSlot"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="rating_slot_number_once"),
            models.UniqueConstraint(fields=["round", "number", "place"], name="rating_slot_place_once"),
            models.UniqueConstraint(fields=["item"], name="rating_slot_extra_once", condition=Q(extra=True)),
            models.CheckConstraint(condition=Q(left__gte=1), name="rating_slot_left_from_1"),
        ]
        indexes = [
            models.Index(fields=["round", "number", "place"], name="rating_slot_open", condition=Q(state="open")),
        ]


class ItemAssignmentState(models.TextChoices):
    CLAIMED = "claimed", _("being rated")
    DONE = "done", _("rated")
    EXPIRED = "expired", _("expired")
    RELEASED = "released", _("released")
    SURPLUS = "surplus", _("surplus")
    VOID = "void", _("void")

    LIVE: ClassVar[tuple["ItemAssignmentState", ...]]
    """Fills its slot or is about to; at most one per slot."""
    LATE: ClassVar[tuple["ItemAssignmentState", ...]]
    """No longer assigned; its answers are kept and it can be claimed again."""
    ANSWERED: ClassVar[tuple["ItemAssignmentState", ...]]
    """Every question was answered."""


ItemAssignmentState.LIVE = (ItemAssignmentState.CLAIMED, ItemAssignmentState.DONE)
ItemAssignmentState.LATE = (ItemAssignmentState.EXPIRED, ItemAssignmentState.RELEASED)
ItemAssignmentState.ANSWERED = (ItemAssignmentState.DONE, ItemAssignmentState.SURPLUS)


class ItemAssignment(PublicId, AbstractClaim):
    """The assignment of an item to a rater, with a random public id: the only id of the item that this rater sees.

    It is both claim and attempt: a rater holds one item at a time. position: counts the rater's items, from 1.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="item_assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="item_assignments")
    slot = models.ForeignKey(
        RatingSlot,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="item_assignments",
        help_text=_("empty: answered in another tool, beside the planned ratings"),
    )
    document = models.ForeignKey(SourceDocument, models.PROTECT, related_name="+")
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="item_assignments")
    state = models.CharField(max_length=8, choices=ItemAssignmentState, default=ItemAssignmentState.CLAIMED)
    position = models.PositiveIntegerField()
    left = models.PositiveSmallIntegerField(default=1)
    revision = models.PositiveIntegerField(default=0, help_text=_("one more with every change of the answers"))
    note = models.TextField(blank=True, default="")
    first_shown_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(default=0.0, help_text=_("on the server's clock, pauses left out"))
    answered_at = models.DateTimeField(null=True, blank=True, help_text=_("when the last question was answered"))

    class Meta:
        db_table = "evaluation_itemview"
        constraints = [
            models.UniqueConstraint(fields=["item", "rater"], name="item_view_once_per_rater"),
            models.UniqueConstraint(
                fields=["slot"],
                condition=Q(state__in=[s.value for s in ItemAssignmentState.LIVE]),
                name="item_view_one_live_per_slot",
            ),
            models.UniqueConstraint(
                fields=["round", "rater"], condition=Q(state="claimed"), name="item_view_one_open_per_rater"
            ),
            models.UniqueConstraint(fields=["round", "rater", "position"], name="item_view_position_once"),
            models.CheckConstraint(
                condition=Q(slot__isnull=False) | Q(state="done"), name="item_view_without_slot_is_done"
            ),
        ]
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(state="claimed"), name="item_view_expiry"),
            models.Index(fields=["round", "state"], name="item_view_counts"),
        ]


class Judgement(models.Model):
    """One rater's answer to one question about one item, as entered: for a pair, A and B are sides of the page."""

    item_assignment = models.ForeignKey(ItemAssignment, models.CASCADE, db_column="view_id", related_name="judgements")
    round = models.ForeignKey(Round, models.CASCADE, related_name="judgements")
    item = models.ForeignKey(Item, models.PROTECT, related_name="judgements")
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="judgements")
    question = models.CharField(max_length=60)
    answer = models.TextField()
    unsure = models.BooleanField(default=False)
    why = models.TextField(blank=True, default="", help_text=_("the reason, where the question asks for one"))
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "rater", "question"], name="judgement_once"),
        ]
        indexes = [models.Index(fields=["round", "id"], name="judgement_list")]


class JudgementChange(models.Model):
    """The earlier value of a changed answer."""

    judgement = models.ForeignKey(Judgement, models.CASCADE, related_name="changes")
    answer = models.TextField()
    unsure = models.BooleanField()
    why = models.TextField(blank=True, default="")
    given_at = models.DateTimeField()
    changed_at = models.DateTimeField()
