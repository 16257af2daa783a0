"""Agreement tables of a round: per question, and per system and domain with questions pooled, as MACSum printed it."""

from collections.abc import Sequence

from epitome.agreement.intervals import Estimate, estimate_statistics
from epitome.agreement.notes import build_notes
from epitome.agreement.report import build_statistics
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answer_parts import split_answers
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, few_sources_notes, table_signature
from epitome.reports.subjects import name_pairs, subject_words

COHEN = "Cohen's κ"
COEFFICIENTS = (
    ("percent", "Agree"),
    ("cohen_kappa", COHEN),
    ("fleiss_kappa", "Fleiss' κ"),
    ("krippendorff_alpha", "Krippendorff's α"),
    ("gwet_ac1", "Gwet's AC1"),
)
PAIRS = ("cohen_kappa_pairs_mean", "κ, mean over pairs of raters")
PREVALENCE = ("prevalence_index", "Prevalence")
NOTE = (
    "A unit is one question about one item. Raters are people only. Items rated once count for no coefficient. 95 % "
    "intervals by a bootstrap that draws whole sources; where fewer than ten have a disagreement, they reach as far as "
    "Wilson's of the observed agreement does. Prevalence is the difference between the shares of the two "
    "answers: far from 0, κ is low by itself."
)
PAIRS_NOTE = "With three or more raters, κ is the mean over pairs of raters (Light 1971), each on the items both rated."
RATERS_PLACE = 3
"""The column with the number of raters."""


def agreement_by_question(frame: Frame, answers: Answers) -> Table | None:
    """One row per question and domain, and one over all domains if there are several."""
    frame, answers = split_answers(frame, answers)
    rows, notes = [], []
    domains = [(frame.domain_name(key), [key]) for key, _name in frame.domains]
    if len(domains) > 1:
        domains.append(("all", [key for key, _name in frame.domains]))
    for question in frame.questions:
        if not question.asks.is_categorical:
            continue
        question_answers = answers.questions([question.key])
        for name, keys in domains:
            subset = question_answers.domains(keys)
            if len(subset):
                cells, remarks = _agreement_cells(frame, subset, [question])
                rows.append([Cell(question.label), Cell(name), *cells])
                notes += [f"{question.label}, {name}: {note}." for note in remarks]
    return _agreement_table("agreement", "Agreement by question", ("Question", "Domain"), frame, answers, rows, notes)


def agreement_by_system(frame: Frame, answers: Answers) -> Table | None:
    """One row per system, domain and question type, with questions of a type pooled, as MACSum's kappa column.

    A question that compares two systems has a row per pair of them.
    """
    frame, answers = split_answers(frame, answers)
    systems = frame
    frame, answers = name_pairs(frame, answers)
    rows, notes = [], []
    types = dict.fromkeys(question.type for question in frame.questions if question.asks.is_categorical)
    for system in frame.systems:
        for domain, name in frame.domains:
            for kind in types:
                typed_questions = [question for question in frame.questions if question.type == kind]
                subset = answers.cell(system, domain, [question.key for question in typed_questions])
                if len(subset):
                    cells, remarks = _agreement_cells(frame, subset, typed_questions)
                    label = name if len(types) == 1 else f"{name}, {kind}"
                    rows.append([Cell(system), Cell(label), *cells])
                    notes += [f"{system}, {label}: {note}." for note in remarks]
    words = subject_words(systems, frame.systems)
    title = f"Agreement by {words}, pooled over questions" + (" as published" if words == "system" else "")
    head = "System" if words == "system" else words.capitalize()
    return _agreement_table("agreement-systems", title, (head, "Domain"), frame, answers, rows, notes)


def _agreement_cells(
    frame: Frame, answers: Answers, questions: Sequence[ReportQuestion]
) -> tuple[list[Cell], Sequence[str]]:
    scale = dict.fromkeys(answer for question in questions for answer in question.scale)
    ratings, names = answers.ratings(tuple(scale))
    results = estimate_statistics(
        build_statistics(ratings), ratings.clusters, replicates=frame.replicates, seed=frame.seed
    )
    missing = Estimate.none("at most two raters") if len(names) <= 2 else results[PAIRS[0]]
    cells = [Cell(ratings.n_units), Cell(len(names)), Cell(ratings.missing)]
    cells += [estimate_cell(results[key]) for key, _label in COEFFICIENTS]
    return [*cells, estimate_cell(missing), estimate_cell(results[PREVALENCE[0]])], build_notes(ratings, results)


def _agreement_table(
    key: str,
    title: str,
    heads: tuple[str, str],
    frame: Frame,
    answers: Answers,
    rows: list[list[Cell]],
    notes: list[str],
) -> Table | None:
    if not rows:
        return None
    columns = [Column(head, kind="text") for head in heads]
    columns += [Column("Units", digits=0), Column("Raters", digits=0), Column("Missing")]
    columns += [Column(label, interval=True) for _key, label in (*COEFFICIENTS, PAIRS, PREVALENCE)]
    hidden = _hidden_kappas([row[RATERS_PLACE].value for row in rows])
    indexes = [index for index, column in enumerate(columns) if column.label not in hidden]
    columns, rows = [columns[index] for index in indexes], [[row[index] for index in indexes] for row in rows]
    notes = [NOTE, *([] if PAIRS[1] in hidden else [PAIRS_NOTE]), *few_sources_notes(answers.names("source")), *notes]
    return Table(key, title, columns, rows, notes=notes, signature=table_signature(key, frame, answers))


def _hidden_kappas(raters: Sequence[object]) -> set[str]:
    """The kappa columns that no row can fill: Cohen's is for two raters, the mean over pairs for more."""
    hidden = {PAIRS[1]} if all(n in (0, 1, 2) for n in raters) else set()
    return hidden | ({COHEN} if raters and all(n not in (0, 1, 2) for n in raters) else set())
