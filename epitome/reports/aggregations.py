"""Tables about the answers of aggregation tasks: the funnel, what the dataset holds, and agreement.

Layout and published numbers: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for Abstractive
Summarization", EMNLP 2020.
"""

from collections.abc import Mapping

from epitome.aggregations.contents import Contents
from epitome.aggregations.filters import LEAST_ANSWERING, LEAST_ASSIGNMENTS, Funnel
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Value
from epitome.metrics.published import load_tables

FUNNEL_STEPS = {
    "annotations": "Annotations",
    "not_aggregatable": "− not aggregatable: ticked so, or without an answer",
    "non_conforming": "− without a conforming answer",
    "rare_people": f"− of people with fewer than {LEAST_ASSIGNMENTS} annotations",
    "few_answers": f"− of instances that fewer than {LEAST_ANSWERING} people named",
    "kept_annotations": "Annotations kept",
    "instances": "Instances",
    "kept_instances": "Instances kept",
    "people": "People",
    "kept_people": "People kept",
}
"""Count -> its words, in the order of the table."""
TYPE_NAMES = {"all": "All types", "person": "Person", "location": "Location", "org": "Organization"}
SOURCE = "In grey: the published dataset, EMNLP 2020."
FUNNEL_NOTE = (
    "Answers are compared without a leading “the” and number, in lower case. An answer that holds “and”, “or”, “are”, "
    "“have” or “/”, or that is the type alone, does not conform. The filters are applied in this order."
)
CONTENTS_NOTE = (
    "Entity sets: instances, and distinct sets of names. Aggregations: conforming answers, each once per person and "
    "instance, and distinct texts. Golds per instance: its distinct aggregations, on average."
)
AGREEMENT_NOTE = (
    "Same answer: share of kept instances where two people gave the same normalised answer. α: Krippendorff's alpha "
    "(nominal) of whether an instance can be aggregated, over all annotations before the filters."
)
NO_INSTANCES = "no instance is kept"


def funnel_table(funnel: Funnel) -> Table:
    """One row per count, ours beside the published one in grey type of its own column."""
    counts = flatten_counts(funnel)
    published = load_tables("tesa")["funnel"].row("all").cells
    columns = [Column("Step", kind="text"), Column("Here", digits=0), Column("TESA, as published", digits=0)]
    rows = [[Cell(words), Cell(counts[name]), Cell(int(published[name]))] for name, words in FUNNEL_STEPS.items()]
    return Table("funnel", "From annotations to golds", columns, rows, notes=(FUNNEL_NOTE,))


def flatten_counts(funnel: Funnel) -> dict[str, int]:
    """The counts of a funnel by name, without the grouping of what was removed."""
    counts: dict[str, int] = {}
    for name, value in funnel.as_dict().items():
        counts |= value if isinstance(value, dict) else {name: value}
    return counts


def contents_table(contents: Mapping[str, Contents]) -> Table:
    """The paper's Table 2: one row per type, those of the paper in grey below."""
    columns = [
        Column("Type", kind="text"),
        Column("all", group="Entity sets", digits=0),
        Column("distinct", group="Entity sets", digits=0),
        Column("all", group="Aggregations", digits=0),
        Column("distinct", group="Aggregations", digits=0),
        Column("Golds per instance"),
    ]
    rows = [[Cell(TYPE_NAMES.get(name, name)), *_content_cells(counted)] for name, counted in contents.items()]
    published = load_tables("tesa")["dataset"].rows
    quoted = range(len(rows), len(rows) + len(published))
    for row in published:
        values = [row.cells[name] for name in Contents.__slots__]
        counts = [Cell(int(value)) for value in values[:-1]]
        rows.append([Cell(f"as printed: {row.name}"), *counts, Cell(values[-1])])
    notes = (CONTENTS_NOTE, SOURCE)
    return Table("aggregation-contents", "What the dataset holds", columns, rows, notes=notes, quoted=list(quoted))


def _content_cells(counted: Contents) -> list[Cell]:
    *counts, golds = counted.as_dict().values()
    return [*(Cell(count) for count in counts), Cell(golds) if golds is not None else Cell(None, NO_INSTANCES)]


def agreement_table(same_answer: Value, alpha: Value, n_kept: int, n_annotated: int) -> Table:
    """Two numbers about how far people agree. n_kept, n_annotated: instances that each is over."""
    columns = [Column("Measure", kind="text"), Column("Value", digits=3), Column("Instances", digits=0)]
    rows = [
        [Cell("Same answer by two people"), _value_cell(same_answer), Cell(n_kept)],
        [Cell("α, whether it can be aggregated"), _value_cell(alpha), Cell(n_annotated)],
    ]
    return Table("aggregation-agreement", "Agreement", columns, rows, notes=(AGREEMENT_NOTE,))


def _value_cell(value: Value) -> Cell:
    return Cell(value.value) if value.defined else Cell(None, value.undefined)
