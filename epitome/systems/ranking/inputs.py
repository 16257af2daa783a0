"""The input of a sequence-to-sequence model for an aggregation task.

Source: Jumel, Louis, Cheung, TESA, EMNLP 2020, section "Pre-trained BART", and its released code: backgrounds joined by
blanks, the title and a colon, the context, the names; no separator tokens. Only the last 750 words are kept.
"""

from collections.abc import Callable, Mapping
from typing import Literal, cast

from epitome.systems.protocol import AggregationTask

InputForm = Literal["full", "no-background", "no-context", "names"]
MAX_WORDS = 750


def _background(task: AggregationTask) -> str:
    return " ".join(entity.background for entity in task.entities if entity.background)


def _context(task: AggregationTask) -> str:
    return f"{task.title}: {task.context}" if task.title else task.context


def _names(task: AggregationTask) -> str:
    return ", ".join(entity.name for entity in task.entities)


_PARTS: Mapping[InputForm, tuple[Callable[[AggregationTask], str], ...]] = {
    "full": (_background, _context, _names),
    "no-background": (_context, _names),
    "no-context": (_background, _names),
    "names": (_names,),
}
INPUT_FORMS: tuple[InputForm, ...] = tuple(_PARTS)
"""All parts of the input, and the ones that the paper leaves out in its ablation."""


def format_task(task: AggregationTask, form: str = "full") -> str:
    """The input as one text. Raises KeyError for an unknown form."""
    input_parts = [part(task) for part in _PARTS[cast(InputForm, form)]]
    words = " ".join(part for part in input_parts if part).split()
    return " ".join(words[-MAX_WORDS:])
