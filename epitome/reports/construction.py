"""Tables of a constructed benchmark above the published ones: sizes of the sets, and rewrites beside their originals.

Layout and published numbers: CCSBench (arXiv 2410.12601), Tables 1 and 2.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from epitome.figures.tables import Cell, Column, Table
from epitome.measures import ENGLISH, MEASURES, Value
from epitome.measures.readability import fkgl
from epitome.metrics.published import PublishedTable, load_tables
from epitome.metrics.rouge_scores import KINDS, rouge_signature, rouge_values
from epitome.text.words import n_words

_WORD = re.compile(r"\w+")
SPLITS = ("train", "dev", "test")
NO_ROUND = "no round has been rated"
NO_REWRITE = "there is no rewrite yet"


class SizeCount(NamedTuple):
    """Summaries of one set in one split, and the documents they are of."""

    summaries: int
    documents: int


@dataclass(frozen=True)
class RewrittenTexts:
    """The rewrites of one set and the texts they come from, one each. abstracts: of which content was looked for;
    none: how many kinds of content were found in none of them (of two per abstract), None where nobody looked.
    people: FAC, FLU and CTRL of a round, None without one."""

    originals: Sequence[str]
    rewrites: Sequence[str]
    abstracts: int = 0
    none: int | None = None
    people: Sequence[Cell] | None = None


def sizes_table(counts: Mapping[tuple[str, str], SizeCount], *, title: str) -> Table:
    """Table 1: (set, split) -> counts, above the published ones. A set without summaries is 0."""
    published = load_tables("ccsbench")["sizes"]
    columns = [Column("Set", kind="text")]
    for split in SPLITS:
        columns += [Column("summaries", group=split, digits=0), Column("documents", group=split, digits=0)]
    none = SizeCount(0, 0)
    rows = [
        [Cell(row.name), *(Cell(n) for split in SPLITS for n in counts.get((row.key, split), none))]
        for row in published.rows
    ]
    unsplit = sum(n.summaries for (_set, split), n in counts.items() if split not in SPLITS)
    notes = [
        "Documents of different splits overlap in the paper, which splits by sample (1,687 + 724 + 728 are more than "
        "its 2,000 papers). What is constructed here has a paper and everything of its origin in one split; what is "
        "imported keeps its splits.",
        "A set is told by the attributes that a summary was built for. In grey: as printed in arXiv 2410.12601.",
    ]
    if unsplit:
        notes.append(f"In no split: {unsplit}.")
    return _above_published("ccsbench-sizes", title, columns, rows, published, notes)


def _above_published(
    key: str,
    title: str,
    columns: Sequence[Column],
    rows: list[list[Cell]],
    published: PublishedTable,
    notes: Sequence[str],
    signature: str = "",
) -> Table:
    """The rows, below them the published ones in the same columns; further columns are not printed there."""
    more = [Cell(None, "not printed")] * (len(columns) - 1 - len(published.columns))
    printed = [
        [Cell(row.name), *(Cell(row.cells[name]) for name in published.columns), *more] for row in published.rows
    ]
    quoted = range(len(rows), len(rows) + len(printed))
    return Table(key, title, columns, [*rows, *printed], notes=notes, signature=signature, quoted=list(quoted))


def validation_table(sets: Mapping[str, RewrittenTexts], *, title: str, language: str = ENGLISH) -> Table:
    """Table 2, "Validation of the data": ROUGE F of rewrites against their originals in percent, with more columns of
    our own: grades and words before and after, share of None, copied 3-grams. sets: by readability and focus.
    language: of the texts; in others than English ROUGE has words of all letters and there are no grades."""
    published = load_tables("ccsbench")["validation"]
    columns = [
        Column("Set", kind="text"),
        *(Column(name, group="ROUGE F", count=name == "R-1") for name in ("R-1", "R-2", "R-L")),
        *(Column(name, group="People", interval=True, count=True) for name in ("FAC", "FLU", "CTRL")),
        *(Column(name, group="Grade", digits=1) for name in ("original", "rewrite")),
        *(Column(name, group="Words", digits=1) for name in ("original", "rewrite")),
        Column("None"),
        Column("Copied 3-grams"),
    ]
    rows = [[Cell(row.name), *_validate_set(sets.get(row.key), language)] for row in published.rows]
    notes = [
        "ROUGE with Porter stems, of the rewrite against the abstract, mean over texts. Grade: Flesch-Kincaid. None: "
        "share of kinds of content (empirical, conceptual) that an abstract does not have. Copied 3-grams: share of "
        "the rewrite's distinct 3-grams that the abstract has.",
        "FAC, FLU and CTRL are majorities of people's answers in the newest unblinded round with the paper's form of "
        "the set. In grey: as printed in arXiv 2410.12601.",
    ]
    signature = str(rouge_signature(language=language))
    return _above_published("ccsbench-validation", title, columns, rows, published, notes, signature)


def _validate_set(texts: RewrittenTexts | None, language: str) -> list[Cell]:
    if texts is None or not texts.rewrites:
        return [Cell(None, NO_REWRITE)] * 12
    scores = rouge_values(texts.originals, texts.rewrites, KINDS, language=language)
    n = len(texts.rewrites)
    rouge_cells = [_mean_cell(scores[kind], scale=100) for kind in KINDS]
    sides = (texts.originals, texts.rewrites)
    refusal = MEASURES["readability"].explain_refusal(language)
    grades = [_mean_cell([Value.none(refusal) if refusal else fkgl(text) for text in side]) for side in sides]
    words = [Cell(sum(map(n_words, side)) / n) for side in sides]
    if texts.none is None or not texts.abstracts:
        none_share = Cell(None, "nobody looked for kinds of content")
    else:
        none_share = Cell(texts.none / (2 * texts.abstracts))
    copied = [copied_share(rewrite, text) for rewrite, text in zip(texts.rewrites, texts.originals, strict=True)]
    people = texts.people or [Cell(None, NO_ROUND)] * 3
    return [*rouge_cells, *people, *grades, *words, none_share, _mean_cell(copied)]


def _mean_cell(values: Sequence[Value], scale: float = 1) -> Cell:
    numbers = [value.value for value in values if value.value is not None]
    if not numbers:
        return Cell(None, next((value.undefined for value in values), "there is no text"))
    return Cell(scale * sum(numbers) / len(numbers), n=len(numbers))


def copied_share(rewrite: str, original: str) -> Value:
    """Share of the rewrite's distinct 3-grams of words that the original has, without punctuation and in any case;
    undefined below 3 words."""
    grams, known = (_list_trigrams(text) for text in (rewrite, original))
    return Value.of(len(grams & known) / len(grams)) if grams else Value.none("the rewrite has no 3 words")


def _list_trigrams(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[index : index + 3]) for index in range(len(words) - 2)}
