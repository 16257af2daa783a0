"""Tables and the figure of systems that refine: what refining brought, what it took, and what else moved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from epitome.figures.curves import Curve, Curves
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Signature
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.control_error_rate import RELEASED, UNRELEASED
from epitome.metrics.refinements import (
    ASKED,
    LEFT,
    NOT_ASKED,
    VERSION,
    RefinedSample,
    Success,
    measure_movement,
    satisfied_by_draft,
    success_by_attribute,
    success_by_combination,
    summarize_refinement,
)
from epitome.reports.cells import MEAN_NOTE, aggregate_cell, few_clusters_notes

Translate = Callable[[str], str]


def gettext_noop(text: str) -> str:
    """Marks a text for translation; Django's own is not available in a room without Django."""
    return text


SUMMARY = gettext_noop("What refining took")
ATTRIBUTES = gettext_noop("Requests met, by attribute")
COMBINATIONS = gettext_noop("Requests met, by combination")
MOVEMENT = gettext_noop("What a step moves")
CURVE = gettext_noop("Requests met after so many drafts")
FAILURE_NOTE = gettext_noop(
    "Failure rate: share of samples with at least one measured attribute outside of its range, in the first draft and "
    "in the one that is the output. Cost per request met: the cost of all samples over the number of those without "
    "such an attribute."
)
MOVEMENT_NOTE = gettext_noop(
    "Mean of |new - old| / old over steps (the CER of the new draft against the old one), so it says how far a "
    "measure moved, not whether it moved well. Row of an attribute: the steps that asked for it alone. Not asked for: "
    "the steps that did not ask for the attribute of the column, its collateral. Left its range: of these, the share "
    "in which it was in its range before and is outside after."
)
CURVE_NOTE = gettext_noop("Share of samples of which one of the first so many drafts has every attribute in its range.")
ROW_NAMES = {
    ASKED: gettext_noop("asked for"),
    NOT_ASKED: gettext_noop("not asked for"),
    LEFT: gettext_noop("left its range"),
}


@dataclass(frozen=True)
class RefinementReport:
    """All of one system. figure: the curve, None for systems that wrote one draft each."""

    summary: Table
    attributes: Table
    combinations: Table
    movement: Table
    curve: Table
    figure: Curves | None

    @property
    def has_steps(self) -> bool:
        """Whether any draft was changed: else there is neither a curve nor a movement."""
        return bool(self.movement.rows)

    @property
    def tables(self) -> tuple[Table, ...]:
        always = (self.summary, self.attributes, self.combinations)
        return (*always, self.movement, self.curve) if self.has_steps else always


@dataclass(frozen=True)
class Wording:
    """labels: attribute key -> its name for people; keys, in the order of the tables. name_combination: of the values
    that a sample requests. currency: of costs, "" if unknown."""

    labels: Mapping[str, str]
    name_combination: Callable[[RefinedSample], str]
    currency: str = ""
    translate: Translate = str


def build_refinement_report(name: str, samples: Sequence[RefinedSample], wording: Wording) -> RefinementReport:
    """The tables of one system by its name. Raises ValueError without samples."""
    if not samples:
        raise ValueError("there is no refined output")
    curve = satisfied_by_draft(samples)
    return RefinementReport(
        summary=summary_table({name: samples}, wording),
        attributes=_attributes_table(samples, wording),
        combinations=_combinations_table(samples, wording),
        movement=_movement_table(samples, wording),
        curve=_curve_table(curve, wording),
        figure=_draw_curve(curve, wording) if len(curve) > 1 else None,
    )


def summary_table(samples_by_system: Mapping[str, Sequence[RefinedSample]], wording: Wording) -> Table:
    """One row per system."""
    _ = wording.translate
    cost = _("Cost") + (f" ({wording.currency})" if wording.currency else "")
    failure = _("Failure rate")
    columns = [
        Column(_("System"), kind="text"),
        Column(_("Samples"), digits=0),
        Column(_("first draft"), group=failure, digits=3, interval=True),
        Column(_("output"), group=failure, digits=3, interval=True),
        Column(_("Drafts"), digits=2, interval=True),
        Column(_("Calls"), digits=2, interval=True),
        Column(_("Tokens"), digits=0, interval=True),
        Column(cost, digits=5, interval=True),
        Column(_("Cost per request met"), digits=5, interval=True),
    ]
    numbers_by_system = {name: summarize_refinement(samples) for name, samples in samples_by_system.items()}
    rows = [
        [Cell(name), Cell(len(samples_by_system[name])), *map(aggregate_cell, numbers.values())]
        for name, numbers in numbers_by_system.items()
    ]
    first = next(iter(numbers_by_system.values()))
    title = _(SUMMARY)
    every = [aggregate for numbers in numbers_by_system.values() for aggregate in numbers.values()]
    notes = (_(FAILURE_NOTE), _(MEAN_NOTE), *few_clusters_notes(every))
    return Table("refine-summary", title, columns, rows, notes=notes, signature=str(first["failure"].signature))


def _attributes_table(samples: Sequence[RefinedSample], wording: Wording) -> Table:
    successes = success_by_attribute(samples, list(wording.labels))
    success_by_label = {wording.labels[key]: success for key, success in successes.items()}
    return _success_table("refine-attributes", wording.translate(ATTRIBUTES), "Attribute", success_by_label, wording)


def _combinations_table(samples: Sequence[RefinedSample], wording: Wording) -> Table:
    successes = success_by_combination(samples, wording.name_combination)
    title = wording.translate(COMBINATIONS)
    return _success_table("refine-combinations", title, "Combination", successes, wording)


def _success_table(key: str, title: str, head: str, successes: Mapping[str, Success], wording: Wording) -> Table:
    _ = wording.translate
    heads = {"Attribute": _(gettext_noop("Attribute")), "Combination": _(gettext_noop("Combination"))}
    columns = [
        Column(heads[head], kind="text"),
        Column(_("first draft"), digits=3, interval=True, count=True),
        Column(_("output"), digits=3, interval=True, count=True),
    ]
    rows = [
        [Cell(name), aggregate_cell(success.in_first), aggregate_cell(success.in_output)]
        for name, success in successes.items()
    ]
    every = [aggregate for success in successes.values() for aggregate in (success.in_first, success.in_output)]
    return Table(key, title, columns, rows, notes=(_(MEAN_NOTE), *few_clusters_notes(every)), signature=_sign(every))


def _movement_table(samples: Sequence[RefinedSample], wording: Wording) -> Table:
    _ = wording.translate
    keys = list(wording.labels)
    policy = "release" if all(key in RELEASED for key in keys) else UNRELEASED
    rows_by_name = measure_movement(samples, keys, policy)
    columns = [Column(_("Asked to change"), kind="text")]
    columns += [
        Column(label, group=_("Moved"), digits=3, interval=True, count=True) for label in wording.labels.values()
    ]
    rows = [
        [
            Cell(_(ROW_NAMES[row]) if row in ROW_NAMES else wording.labels[row]),
            *(_moved_cell(cells[key]) for key in keys),
        ]
        for row, cells in rows_by_name.items()
    ]
    every = [aggregate for cells in rows_by_name.values() for aggregate in cells.values()]
    notes = (_(MOVEMENT_NOTE), _(MEAN_NOTE), *few_clusters_notes(every))
    return Table("refine-movement", _(MOVEMENT), columns, rows, notes=notes, signature=_sign(every, eps_policy=policy))


def _moved_cell(aggregate: Aggregate) -> Cell:
    if not aggregate.n:
        return Cell(None, "no step of this kind measured it", n=0)
    return aggregate_cell(aggregate)


def _curve_table(curve: Sequence[tuple[int, Aggregate]], wording: Wording) -> Table:
    _ = wording.translate
    columns = [Column(_("Drafts"), digits=0), Column(_("Requests met"), digits=3, interval=True, count=True)]
    rows = [[Cell(n), aggregate_cell(share)] for n, share in curve]
    every = [share for _n, share in curve]
    return Table("refine-curve", _(CURVE), columns, rows, notes=(_(CURVE_NOTE), _(MEAN_NOTE)), signature=_sign(every))


def _draw_curve(curve: Sequence[tuple[int, Aggregate]], wording: Wording) -> Curves | None:
    _ = wording.translate
    points = [(float(n), float(share.value)) for n, share in curve if share.value.defined]
    if len(points) < 2:
        return None
    band = [
        (float(n), share.interval.low, share.interval.high)
        for n, share in curve
        if share.interval.low is not None and share.interval.high is not None
    ]
    numbers = ", ".join(f"{n:.0f}: {share:.2f}" for n, share in points)
    description = _(gettext_noop("Share of requests met by number of drafts: %(numbers)s.")) % {"numbers": numbers}
    return Curves("refine-curve", _(CURVE), [Curve(_("Requests met"), points)], _("drafts"), description, band)


def _sign(aggregates: Sequence[Aggregate], **options: str) -> str:
    """What all numbers of a table share."""
    drawn = next((aggregate.interval for aggregate in aggregates if aggregate.interval.defined), None)
    shared = {"seed": drawn.seed, "replicates": drawn.replicates} if drawn else {}
    return str(Signature("refine", VERSION, tuple(options.items())).with_(**shared))
