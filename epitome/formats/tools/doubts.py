"""What is said of a file in which people typed longer texts into several columns."""

from __future__ import annotations

from collections.abc import Callable

from epitome.formats.answers import SUBMITTED, Answer
from epitome.formats.reading import InputFile
from epitome.formats.rows import Rows
from epitome.formats.tools.tool import peek_rows


def remark_columns(file: InputFile, rows: Rows, min_words: int, is_called_summary: Callable[[str], bool]) -> Rows:
    """The rows; remarks that several columns could hold the summaries, where no name tells which.

    min_words: mean number of words from which on a column may hold summaries.
    """
    first, rows = peek_rows(rows)
    n_words: dict[str, list[int]] = {}
    for values in first:
        for name, cell in values.items():
            answers = cell if isinstance(cell, list) else []
            texts = [item.text for item in answers if isinstance(item, Answer) and item.state == SUBMITTED]
            if texts:
                n_words.setdefault(name, []).extend(len(text.split()) for text in texts)
    names = [name for name, counts in n_words.items() if sum(counts) >= min_words * len(counts)]
    if len(names) > 1 and sum(map(is_called_summary, names)) != 1:
        file.notes.add(
            f"people wrote longer texts in several columns ({', '.join(names)}): the summaries are read from one of "
            "them; choose another one where that is wrong"
        )
    return rows
