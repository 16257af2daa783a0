"""Ranking lists: the candidates of an instance, its golds among answers to other instances."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Project
from annotation.models.releases import Release
from annotation.models.samples import Sample


class RankingSplit(models.TextChoices):
    TRAIN = "train", _("train")
    DEV = "dev", _("dev")
    TEST = "test", _("test")


class SplitBy(models.TextChoices):
    RELEASE = "release", _("the splits of the release")
    ORIGIN = "origin", _("drawn by article")
    INSTANCE = "instance", _("drawn by instance")


class RankingListQuerySet(models.QuerySet["RankingList"]):
    def of_release(self, project: Project, tag: str) -> Self:
        return self.filter(project=project, release__tag=tag)


class RankingList(models.Model):
    """The candidates of one instance in a release, shuffled; made once and never changed."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="ranking_lists")
    release = models.ForeignKey(Release, models.CASCADE, related_name="ranking_lists")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="ranking_lists")
    split = models.CharField(max_length=5, choices=RankingSplit)
    split_by = models.CharField(max_length=8, choices=SplitBy)
    unseen = models.BooleanField(help_text=_("of dev and test: none of its entities is in an instance of train"))
    candidates = models.JSONField(help_text=_("texts, shuffled"))
    golds = models.JSONField(help_text=_("per candidate, whether it is gold"))
    seed = models.BigIntegerField()

    objects = RankingListQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "sample"], name="ranking_list_once_per_release_and_sample"),
            models.CheckConstraint(condition=Q(split__in=["train", "dev", "test"]), name="ranking_list_split_known"),
            models.CheckConstraint(condition=Q(unseen=False) | ~Q(split="train"), name="ranking_list_train_is_seen"),
        ]
