"""The human check of contrastive examples: how many are hard to read, say something else, either, or neither.

Source: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive Examples",
NAACL 2019: one person, 200 examples that the system did not dodge, the same number of each rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from epitome.agreement.design_effect import estimate_share
from epitome.figures.tables import Cell, Column, Table
from epitome.metrics.contrastive_scores import RULES
from epitome.metrics.published import find_table
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, few_sources_notes, table_signature
from epitome.reports.yes_rates import estimate_kappa
from epitome.rounds.question_types import YesNo

PUBLISHED = {"readability-issue": "readability", "discrepancy": "discrepancy"}
"""Key of a question -> its column in the published table."""
ANY = "any-yes"
NOTE = (
    "Percent of the ratings of an example by a person that say yes, to at least one question, and to none. Wilson 95 % "
    "intervals, wider where several ratings are about one source. n: ratings."
)
KAPPA_NOTE = (
    "Examples that two raters or more rated; with three or more raters the mean over pairs of raters (Light 1971). 95 "
    "% intervals by a bootstrap that draws whole sources."
)


@dataclass(frozen=True)
class _Rating:
    """All answers of one person about one example: question -> whether yes."""

    rule: str
    source: str
    answers: Mapping[str, bool]


def human_check_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Shares by rule, and agreement; [] unless contrastive examples were asked about with yes or no."""
    questions = frame.of_type(YesNo)
    counted = answers.questions([question.key for question in questions]).where(lambda row: bool(row.rule))
    if not len(counted):
        return []
    tables = [_share_table(frame, questions, counted)]
    if len({row.rater for row in counted.rows}) > 1:
        tables.append(_agreement_table(frame, questions, counted))
    return tables


def _collect_ratings(answers: Answers, n_questions: int) -> list[_Rating]:
    """The ratings in which every question is answered."""
    by_unit: dict[tuple[str, str], list[Answer]] = {}
    for row in answers.rows:
        by_unit.setdefault((row.item, row.rater), []).append(row)
    return [
        _Rating(rows[0].rule, rows[0].source, {row.question: row.answer == "yes" for row in rows})
        for rows in by_unit.values()
        if len(rows) == n_questions
    ]


def _share_table(frame: Frame, questions: Sequence[ReportQuestion], answers: Answers) -> Table:
    ratings = _collect_ratings(answers, len(questions))
    columns = [Column("Rule", kind="text"), Column("Examples", digits=0)]
    heads = [question.label for question in questions] + (["At least one"] if len(questions) > 1 else []) + ["Neither"]
    columns += [Column(f"{head}, %", digits=1, interval=True, count=True, percent=True) for head in heads]
    present = {rating.rule for rating in ratings}
    rules = [rule for rule in RULES if rule in present] + sorted(present.difference(RULES))
    items = {rule: {row.item for row in answers.rows if row.rule == rule} for rule in rules}
    rows = [
        [Cell(rule), Cell(len(items[rule])), *_share_cells([r for r in ratings if r.rule == rule], questions)]
        for rule in rules
    ]
    rows.append([Cell("all"), Cell(answers.distinct("item")), *_share_cells(ratings, questions)])
    quoted: list[int] = []
    if {question.key for question in questions} == PUBLISHED.keys():
        quoted.append(len(rows))
        rows.append(_published_cells(questions))
    notes = (NOTE, *_describe_examples(frame), *few_sources_notes(answers.names("source")))
    title, signature = "Human check of contrastive examples", table_signature("human-check", frame, answers)
    return Table("human-check", title, columns, rows, notes=notes, signature=signature, quoted=quoted)


def _share_cells(ratings: Sequence[_Rating], questions: Sequence[ReportQuestion]) -> list[Cell]:
    sources = [rating.source for rating in ratings]
    columns = [[rating.answers[question.key] for rating in ratings] for question in questions]
    any_yes = [any(rating.answers.values()) for rating in ratings]
    columns += [any_yes] if len(questions) > 1 else []
    return [_percent_cell(flags, sources) for flags in (*columns, [not flag for flag in any_yes])]


def _percent_cell(flags: Sequence[bool], sources: Sequence[str]) -> Cell:
    cell = estimate_cell(estimate_share(flags, sources), len(flags))
    if not isinstance(cell.value, float) or cell.low is None or cell.high is None:
        return cell
    return replace(cell, value=100.0 * cell.value, low=100.0 * cell.low, high=100.0 * cell.high)


def _published_cells(questions: Sequence[ReportQuestion]) -> list[Cell]:
    table = find_table("contrastive/human_check")
    (row,) = table.rows
    columns = [*(PUBLISHED[question.key] for question in questions), "at least one", "neither"]
    cells = [
        Cell(value) if (value := row.cells.get(name)) is not None else Cell(None, "not printed") for name in columns
    ]
    return [Cell(f"as printed: {row.name}, {table.source}"), Cell(int(row.cells["examples"])), *cells]


def _describe_examples(frame: Frame) -> list[str]:
    """How the examples were drawn, and how many of the project are excluded."""
    facts = frame.facts.get("examples")
    if not isinstance(facts, Mapping):
        return []
    drawn = f"that {facts['not_dodged_by']} did not dodge" if facts.get("not_dodged_by") else "of the project"
    excluded, total = facts["excluded"], facts["total"]
    return [
        f"Drawn at random by rule from the contrastive examples {drawn}.",
        f"When this was calculated, {excluded:,} of the project's {total:,} contrastive examples were excluded, "
        f"{facts['excluded_here']:,} of them examples of this round.",
    ]


def _agreement_table(frame: Frame, questions: Sequence[ReportQuestion], answers: Answers) -> Table:
    subsets = [(question.label, answers.questions([question.key])) for question in questions]
    if len(questions) > 1:
        subsets.append(("At least one", _merge_questions(answers, len(questions))))
    rows = []
    for label, subset in subsets:
        raters_by_item: dict[str, set[str]] = {}
        for row in subset.rows:
            raters_by_item.setdefault(row.item, set()).add(row.rater)
        n_twice = sum(len(raters) > 1 for raters in raters_by_item.values())
        rows.append([Cell(label), Cell(n_twice), estimate_cell(estimate_kappa(frame, subset))])
    columns = [Column("Question", kind="text"), Column("Rated twice", digits=0), Column("κ", interval=True)]
    title, signature = "Human check: agreement", table_signature("human-check-agreement", frame, answers)
    return Table("human-check-agreement", title, columns, rows, notes=(KAPPA_NOTE,), signature=signature)


def _merge_questions(answers: Answers, n_questions: int) -> Answers:
    """One answer per person and example: yes if any question was answered with yes."""
    by_unit: dict[tuple[str, str], list[Answer]] = {}
    for row in answers.rows:
        by_unit.setdefault((row.item, row.rater), []).append(row)
    return Answers(
        replace(rows[0], question=ANY, answer="yes" if any(row.answer == "yes" for row in rows) else "no")
        for rows in by_unit.values()
        if len(rows) == n_questions
    )
