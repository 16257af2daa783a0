"""Combined estimates of a round, in tables of their own: people only, judge only (biased), and both together.

A judge that was changed in mid-round is another judge and has columns of its own. Agreement is of people only and stays
in its tables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from epitome.combined.estimates import Estimate
from epitome.combined.formulas import list_formulas
from epitome.combined.group_estimates import VERSION, GroupEstimate, estimate_differences, estimate_groups
from epitome.combined.rows import CombinedRow
from epitome.combined.sequences import LEVEL
from epitome.combined.stopping import follow_comparisons
from epitome.figures.tables import Cell, Column, Table
from epitome.measures.signature import Signature
from epitome.reports.answers import Frame
from epitome.reports.cells import few_sources_notes

Rule = Literal["fixed", "width", "decided"]
WINS_TITLE = "Shares of wins from people and judges, first over second"
BIASED_NOTE = (
    "Judge only says what the judge would say of all items: it is biased by as much as judge and people differ, and "
    "its interval does not contain this bias. Combined is centred on what people would say of all items, whatever the "
    "judge; l is how much the judge counts (0: not at all)."
)
COUNTS_NOTE = (
    "n: items with people's judgement; N: items with the judge's alone; effective n: how many items people alone would "
    "have had to judge for the interval of the combined estimate; saved: effective n less n."
)
STOPPED_NOTE = (
    "The round could stop early, and intervals and p values of this table are those of a fixed number of items: they "
    "describe. The sequences are what holds at every look."
)
SEQUENCE_NOTE = (
    "Of people's values, one per source, in the order in which sources were finished. All intervals hold together at "
    "every look with a chance of at least {level:g} %, each with {each:.4g} % (Bonferroni; alpha of the formula is the "
    "rest to 100 %). Evidence of {needed:.4g} or more, at any look, decides."
)


@dataclass(frozen=True)
class CombinedMaterial:
    """rows: of all judges, or with no judge. combines: whether estimates are made from people and judges. selection:
    how items were drawn for people. rule: when the round could stop; width: of the intervals for the rule "width";
    maximum: sources at most, 0: all. level: of all sequences together. looked_at: questions with a sequence, () for
    all.
    """

    rows: tuple[CombinedRow, ...]
    combines: bool = True
    selection: Literal["random", "active"] = "random"
    rule: Rule = "fixed"
    width: float = 0.0
    maximum: int = 0
    level: float = LEVEL
    looked_at: tuple[str, ...] = ()

    @property
    def looks(self) -> bool:
        return self.rule != "fixed"

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.judge for row in self.rows if row.judge))

    @property
    def people_rows(self) -> tuple[CombinedRow, ...]:
        """The rows of one judge: people's values are the same beside every judge."""
        return tuple(row for row in self.rows if row.judge == self.rows[0].judge)


def combined_tables(frame: Frame, material: CombinedMaterial | None) -> list[Table]:
    """[] for a round without a judge that could not stop either."""
    if material is None or not material.rows:
        return []
    sequences = _sequence_table(frame, material) if material.looks else None
    if not material.combines:
        return [_add_notes(sequences, list_formulas(sequence=True))] if sequences else []
    groups = sort_estimates(frame, estimate_groups(material.rows))
    systems = [group for group in groups if not group.second]
    wins = [group for group in groups if group.second]
    differences = sort_estimates(frame, estimate_differences(material.rows))
    tables = []
    if systems:
        tables.append(_estimate_table(frame, material, "combined-estimates", systems))
    if differences:
        tables.append(_compare_table(frame, material, "combined-differences", differences))
    if wins:
        tables.append(_compare_table(frame, material, "combined-wins", wins))
    if sequences:
        tables.append(sequences)
    by_chance = any(group.by_chance for group in groups)
    formulas = list_formulas("unequal" if by_chance else "equal", sequence=material.looks)
    return [_add_notes(tables[0], formulas), *tables[1:]] if tables else []


def sort_estimates(frame: Frame, estimates: Sequence[GroupEstimate]) -> list[GroupEstimate]:
    """In the order of the round's questions and systems."""
    questions = [question.key for question in frame.questions]

    def place_of(name: str, names: Sequence[str]) -> int:
        return names.index(name) if name in names else len(names)

    return sorted(
        estimates,
        key=lambda estimate: (
            place_of(estimate.question, questions),
            place_of(estimate.first, frame.systems),
            place_of(estimate.second, frame.systems),
        ),
    )


def _add_notes(table: Table, notes: Sequence[str]) -> Table:
    return replace(table, notes=(*table.notes, *notes))


def _question_label(frame: Frame, key: str) -> str:
    return next((question.label for question in frame.questions if question.key == key), key)


def _estimate_table(frame: Frame, material: CombinedMaterial, key: str, estimates: Sequence[GroupEstimate]) -> Table:
    columns = [Column("Question", kind="text"), Column("System", kind="text")]
    columns.append(Column("People only", interval=True, count=True, digits=3))
    for judge in material.judges:
        columns += [*_judge_columns(judge), Column("Saved", group=judge, digits=0)]
    rows = []
    for of_judges in _by_subject(estimates, material.judges):
        first = next(group for group in of_judges if group)
        row = [Cell(_question_label(frame, first.question)), Cell(first.first), _people_cell(first)]
        for group in of_judges:
            row += [*_judge_cells(group), _number_cell(group, lambda group: group.saved)]
        rows.append(row)
    return Table(
        key,
        "Estimates from people and judges",
        columns,
        rows,
        notes=_table_notes(material, estimates),
        signature=sign_material(material, "estimates"),
    )


def _compare_table(frame: Frame, material: CombinedMaterial, key: str, estimates: Sequence[GroupEstimate]) -> Table:
    columns = [Column(head, kind="text") for head in ("Question", "First", "Second")]
    columns.append(Column("People only", interval=True, count=True, digits=3))
    columns.append(Column("People only, Holm p", digits=4))
    for judge in material.judges:
        columns += [*_judge_columns(judge), Column("Holm p", group=judge, digits=4)]
    rows = []
    for of_judges in _by_subject(estimates, material.judges):
        first = next(group for group in of_judges if group)
        row = [Cell(_question_label(frame, first.question)), Cell(first.first), Cell(first.second)]
        row += [_people_cell(first), _number_cell(first, lambda group: group.p_people)]
        for group in of_judges:
            row += [*_judge_cells(group), _number_cell(group, lambda group: group.p_combined)]
        rows.append(row)
    is_win = key == "combined-wins"
    tested = "an even share of wins" if is_win else "no difference"
    holm = f"p is two-sided against {tested}; Holm's correction over all pairs of systems under one question."
    return Table(
        key,
        WINS_TITLE if is_win else "Differences from people and judges, first minus second",
        columns,
        rows,
        notes=(*_table_notes(material, estimates), holm),
        signature=sign_material(material, "wins" if is_win else "differences"),
    )


def _judge_columns(judge: str) -> list[Column]:
    return [
        Column("Judge only (biased)", group=judge, interval=True, digits=3),
        Column("Combined", group=judge, interval=True, digits=3),
        Column("l", group=judge),
        Column("N", group=judge),
        Column("Effective n", group=judge, digits=0),
    ]


def _by_subject(estimates: Sequence[GroupEstimate], judges: Sequence[str]) -> list[list[GroupEstimate | None]]:
    """For every question and system (or pair) its estimate with each judge, None where a judge has none."""
    subjects: dict[tuple[str, str, str], dict[str, GroupEstimate]] = {}
    for estimate in estimates:
        subject = (estimate.question, estimate.first, estimate.second)
        subjects.setdefault(subject, {})[estimate.judge_key] = estimate
    return [[by_judge.get(judge) for judge in judges] for by_judge in subjects.values()]


def _people_cell(estimate: GroupEstimate) -> Cell:
    return _interval_cell(estimate.people, estimate.undefined, with_n=True)


def _judge_cells(estimate: GroupEstimate | None) -> list[Cell]:
    if estimate is None:
        return [Cell(None, "this judge was not asked")] * 5
    number = estimate.combined
    cells = [_interval_cell(estimate.judge, estimate.judge_undefined), _interval_cell(number, estimate.undefined)]
    if number is None:
        return [*cells, *[Cell(None, estimate.undefined)] * 3]
    return [*cells, Cell(float(number.weight)), Cell(number.n_judge), Cell(float(number.effective_n))]


def _interval_cell(number: Estimate | None, undefined: str, *, with_n: bool = False) -> Cell:
    if number is None:
        return Cell(None, undefined or "too few judgements")
    return Cell(number.value, low=number.low, high=number.high, n=number.n_human if with_n else None)


def _number_cell(estimate: GroupEstimate | None, read: Callable[[GroupEstimate], float | None]) -> Cell:
    if estimate is None:
        return Cell(None, "this judge was not asked")
    number = read(estimate) if estimate.combined else None
    return Cell(None, estimate.undefined or "too few judgements") if number is None else Cell(float(number))


def _table_notes(material: CombinedMaterial, estimates: Sequence[GroupEstimate]) -> tuple[str, ...]:
    notes = ["Values from 0 to 1.", BIASED_NOTE, COUNTS_NOTE]
    if unanswered := max((estimate.unanswered for estimate in estimates), default=0):
        notes.append(
            f"Up to {unanswered} items of a line were drawn for people and not judged; they count as not drawn."
        )
    if unjudged := max((estimate.unjudged for estimate in estimates), default=0):
        notes.append(f"Up to {unjudged} items of a line have no answer of the judge; its mean stands for them.")
    if material.looks:
        notes.append(STOPPED_NOTE)
    return (*notes, *few_sources_notes({row.source for row in material.rows if row.human is not None}))


def sign_material(material: CombinedMaterial, name: str) -> str:
    """What reproduces a table from the exported rows."""
    unequal = len({row.chance for row in material.rows}) > 1
    return str(
        Signature(f"round-combined-{name}", VERSION).with_(
            estimator="active-tuned" if unequal else "ppi++",
            pi="unequal" if unequal else "equal",
            clusters="sources",
            error="cluster-robust",
            correction="holm",
            level=LEVEL,
            rows=len(material.rows),
            judges=len(material.judges),
            sources=len({row.source for row in material.rows}),
        )
    )


def _sequence_table(frame: Frame, material: CombinedMaterial) -> Table | None:
    """What holds although results were looked at: the last look of every comparison."""
    try:
        followed = follow_comparisons(material.people_rows, material.looked_at, material.level)
    except ValueError:  # items drawn with unequal chances have no sequence
        return None
    rows = []
    for sequence in followed:
        look, about = sequence.last, sequence.comparison
        if look is None:
            continue
        names = [Cell(_question_label(frame, about.question)), Cell(about.first), Cell(about.second)]
        mean = Cell(look.mean, low=look.low, high=look.high)
        rows.append([*names, mean, Cell(look.n), Cell(float(look.evidence)), Cell("yes" if look.rejects else "no")])
    if not rows:
        return None
    columns = [Column(head, kind="text") for head in ("Question", "First", "Second")]
    columns += [Column("Value", interval=True, digits=3), Column("Sources"), Column("Evidence", digits=1)]
    columns.append(Column("Decided", kind="text"))
    level = followed[0].level
    note = SEQUENCE_NOTE.format(level=100 * material.level, each=100 * level, needed=1 / (1 - level))
    signature = Signature("round-combined-sequences", VERSION).with_(
        level=material.level, comparisons=len(followed), correction="bonferroni", bets="hedged"
    )
    return Table(
        "combined-sequences",
        "Comparisons that hold at every look",
        columns,
        rows,
        notes=(note,),
        signature=str(signature),
    )


def combined_sentences(material: CombinedMaterial | None) -> str:
    """For the methods paragraph: which estimator, which sampling, which looks."""
    if material is None or not material.rows:
        return ""
    if not material.combines:
        return " ".join(_look_sentences(material))
    judges = " and ".join(material.judges)
    n_all = len({row.item for row in material.rows})
    n_human = len({row.item for row in material.rows if row.human is not None})
    active = material.selection == "active"
    drawn = (
        "with known, unequal chances, the higher the more doubtful the judge's answer (Zrnic and Candes, 2024)"
        if active
        else "at random with equal chances"
    )
    estimator = (
        "inverse-probability-weighted prediction-powered means with a tuned weight"
        if active
        else "prediction-powered means with a tuned weight (PPI++; Angelopoulos et al., 2023; Angelopoulos, Duchi and "
        "Zrnic, 2023)"
    )
    sentences = [
        f"A model ({judges}) judged all {n_all:,} items, people {n_human:,} of them, drawn {drawn}.",
        f"Combined estimates are {estimator}, with cluster-robust errors over sources, Wilson's intervals of the "
        "effective number of judgements (differences: Student's t) and Holm's correction over pairs of systems; "
        "agreement is of people only.",
    ]
    return " ".join([*sentences, *_look_sentences(material)])


def _look_sentences(material: CombinedMaterial) -> list[str]:
    if not material.looks:
        return ["Nobody looked at results before the round was closed."]
    goal = (
        f"the interval of every comparison was at most {material.width:g} wide"
        if material.rule == "width"
        else "every comparison was decided"
    )
    most = f", or when {material.maximum:,} sources were judged" if material.maximum else ""
    return [
        f"Results were looked at after every source; by a rule frozen before the first judgement the round could stop "
        f"when {goal}{most}. Intervals of comparisons are betting confidence sequences, which hold at all looks "
        "together (Waudby-Smith and Ramdas, 2024)."
    ]
