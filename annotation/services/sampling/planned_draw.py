"""A draw before anything is stored: which sources get samples, which a limit leaves for later, and the limit itself."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project, Sample, SchemaVersion, SourceDocument
from annotation.services.core.errors import BadInput
from epitome import sampling as pure
from epitome.sampling import SamplerError, SamplerOptions, SourcePlan

MOST_SAMPLES = 2**31 - 1


@dataclass(frozen=True)
class DrawLimit:
    """How much a draw may give at most; the smallest of those that are set counts. money: in the project's currency."""

    samples: int | None = None
    hours: float | None = None
    money: float | None = None

    def count_samples(
        self, project: Project, pace: float | None = None, options: SamplerOptions | None = None
    ) -> int | None:
        """The limit in samples, None for none. pace: minutes per summary (default: the project's). options: of the
        draw, where a share of the samples has more writers. Raises BadInput."""
        n_writers = pure.mean_writers(options) if options else project.overlap
        minutes = _check_amount(project.summary_minutes if pace is None else pace, "pace") * n_writers
        limits = [] if self.samples is None else [_check_amount(self.samples, "most_samples")]
        if self.hours is not None:
            limits.append(_check_amount(self.hours, "most_hours") * 60 / minutes)
        if self.money is not None:
            if project.pay_per_hour is None:
                raise BadInput(_("Set the pay per hour in the project's settings first."), field="most_money")
            limits.append(_check_amount(self.money, "most_money") / project.pay_per_hour * 60 / minutes)
        if not limits:
            return None
        n_samples = math.floor(min(min(limits), MOST_SAMPLES) + 1e-9)
        if n_samples < 1:
            field = "most_hours" if self.hours is not None else "most_money"
            raise BadInput(
                _("This is less than one sample takes, in minutes: %(minutes)s.") % {"minutes": f"{minutes:g}"},
                field=field,
            )
        return n_samples


def _check_amount(amount: float, field: str) -> float:
    if not (math.isfinite(amount) and amount > 0):
        raise BadInput(_("This must be a number above 0."), field=field)
    return amount


@dataclass(frozen=True)
class PlannedDraw:
    """One draw: the sources that get samples (`to_do`), and those that an interrupted run of it has served already."""

    project: Project
    options: SamplerOptions
    version: SchemaVersion
    to_do: dict[str, int]
    words: dict[str, int]
    passed_over: int
    segment_words: float = 0.0

    @classmethod
    def of(cls, project: Project, options: SamplerOptions, version: SchemaVersion, add: bool) -> "PlannedDraw":
        usable = SourceDocument.objects.filter(project=project).usable().order_by("pk")
        same = Exists(_samples_of_draw(options, version))
        has_requests = Exists(Sample.objects.requests().filter(document=OuterRef("pk")))
        free = usable.filter(~same) if add else usable.filter(~has_requests)
        rows = list(free.values_list("external_id", "pk", "n_words", "n_segments"))
        words = {row[0]: row[2] for row in rows}
        to_do = {row[0]: row[1] for row in rows}
        segment_words = sum(words.values()) / max(1, sum(row[3] for row in rows))
        drawing = cls(project, options, version, to_do, words, usable.count() - len(to_do), segment_words)
        if drawing.is_dealt:
            # Values are dealt over all sources of the draw, so those of an interrupted run take part again, unstored.
            words |= dict(usable.filter(same).values_list("external_id", "n_words"))
        return drawing

    def plans(self) -> list[SourcePlan]:
        """The plans of the sources that are to be stored, in the order of the sources. Raises BadInput."""
        drawn = plan_sources(self.words.items(), self.version, self.options)
        return [plan for plan in drawn if plan.external_id in self.to_do]

    def split_plans(self, plans: Sequence[SourcePlan], most_samples: int) -> tuple[list[SourcePlan], list[SourcePlan]]:
        """The plans within a limit, and the remaining ones, both in the order of the sources. Raises BadInput
        when it is smaller than the first source of the seeded order."""
        plan_by_id = {plan.external_id: plan for plan in plans}
        # The order of `balanced` is that of dealing, over all sources of the draw.
        order = [key for key in pure.draw_order(self.words, self.version.schema, self.options) if key in plan_by_id]
        accepted = {plan.external_id for plan in pure.take_within((plan_by_id[key] for key in order), most_samples)}
        if order and not accepted:
            raise _limit_too_small_error(most_samples, len(plan_by_id[order[0]].samples))
        return (
            [plan for plan in plans if plan.external_id in accepted],
            [plan for plan in plans if plan.external_id not in accepted],
        )

    def limit(self, most_samples: int, *, is_resumed: bool) -> tuple["PlannedDraw", int]:
        """The draw of the sources within the limit, and how many are left. Raises BadInput; not when a run is resumed,
        which may have stored everything already."""
        if not self.to_do:
            return self, 0
        plans = self.plans()
        try:
            accepted, left_plans = self.split_plans(plans, most_samples)
        except BadInput:
            if not is_resumed:
                raise
            accepted, left_plans = [], plans
        to_do = {plan.external_id: self.to_do[plan.external_id] for plan in accepted}
        words = self.words if self.is_dealt else {key: self.words[key] for key in to_do}
        return replace(self, to_do=to_do, words=words), len(left_plans)

    def as_record(self) -> dict[str, Any]:
        """Everything that determines the draw besides schema and sources."""
        return self.options.resolved(self.version.schema).as_dict()

    def batches(self, size: int) -> Iterator[list[SourcePlan]]:
        """The same plans, a batch at a time; only `balanced` must have all at once. Raises BadInput."""
        if self.is_dealt:
            plans = self.plans()
            yield from (plans[start : start + size] for start in range(0, len(plans), size))
            return
        sources = list(self.words.items())
        for start in range(0, len(sources), size):
            yield plan_sources(sources[start : start + size], self.version, self.options)

    @property
    def is_dealt(self) -> bool:
        return self.options.resolved(self.version.schema).grouping.algorithm == "balanced"


def plan_sources(
    sources: Iterable[tuple[str, int]], version: SchemaVersion, options: SamplerOptions
) -> list[SourcePlan]:
    try:
        return pure.plan_project(sources, version.schema, options)
    except SamplerError as error:
        raise BadInput(without_field(error), field=error.field) from error
    except ValueError as error:  # a weights file that is not there or does not fit
        raise BadInput(str(error), field="weights") from error


def _limit_too_small_error(most_samples: int, first: int) -> BadInput:
    message = ngettext(
        "The first source of this seed needs %(n)d sample, more than the limit of %(most)d. Raise the limit, or draw "
        "fewer samples per source.",
        "The first source of this seed needs %(n)d samples, more than the limit of %(most)d. Raise the limit, or draw "
        "fewer samples per source.",
        first,
    )
    return BadInput(message % {"n": first, "most": most_samples}, field="most_samples")


def _samples_of_draw(options: SamplerOptions, version: SchemaVersion) -> "QuerySet[Sample]":
    """Samples of a source (an outer query's row) that this sampler drew with this seed."""
    sampler = options.resolved(version.schema).sampler
    return Sample.objects.filter(document=OuterRef("pk"), seed=options.seed, sampler=sampler)


def without_field(error: SamplerError) -> str:
    return str(error).removeprefix(f"{error.field}: ")
