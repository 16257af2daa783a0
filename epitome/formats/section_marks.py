"""Marks of sentences by section, for each summary by its name: {"outcome": {"abstract": [0, 1], "conclusion": [1]}}."""

from collections.abc import Mapping
from typing import Any

from epitome.formats.cell_values import parse_cell
from epitome.formats.faults import FieldFault


def has_section_marks(value: Any) -> bool:
    """Whether a cell is an object that holds, for each summary by its name, the marks of the sentences of each
    section."""
    return isinstance(value, dict) and bool(value) and all(map(_is_by_section, value.values()))


def _is_by_section(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_is_list_of_marks, value.values()))


def _is_list_of_marks(value: Any) -> bool:
    return isinstance(value, list) and all(mark in (0, 1) for mark in value)


def number_marked_sentences(marks: Mapping[str, list[int]], sections: Any, column: str) -> list[int]:
    """The numbers of the marked sentences, from 0 over all sections in the order of the text. sections: the cell of the
    text, {section: sentences}. Raises FieldFault where a section has other marks than sentences."""
    sentences_by_section = parse_cell(sections)
    if not isinstance(sentences_by_section, dict) or not marks.keys() <= sentences_by_section.keys():
        raise FieldFault((column,), "must have the sections of the text", list(marks), "sections")
    numbers: list[int] = []
    n_sentences = 0
    for section, sentences in sentences_by_section.items():
        flags = marks.get(section, [0] * len(sentences))
        if len(flags) != len(sentences):
            counts = f"{len(flags)} marks for the {len(sentences)} sentences of {section}"
            raise FieldFault((column,), f"must have a mark for each sentence, has {counts}", flags, "sections")
        numbers += [n_sentences + place for place, flag in enumerate(flags) if flag]
        n_sentences += len(sentences)
    return numbers
