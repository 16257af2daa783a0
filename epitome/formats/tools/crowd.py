"""Results of crowdsourcing: tables with one row per assignment, of Mechanical Turk and Toloka."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.formats.answers import REJECTED, SUBMITTED, UNKNOWN, Answer, find_state
from epitome.formats.cell_values import parse_cell
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.tool import Tool, Values, name_person, peek_rows, read_each

_TASK_ANSWERS = "Answer.taskAnswers"
"""Where the elements of Mechanical Turk's own pages put all answers, as JSON."""
_MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Layout:
    """A table of assignments. task_prefix, answer_prefix: what names of columns of the task, and of the answers, begin
    with. task_columns: further columns of the task; others are about the assignment and its worker, or, where no column
    begins with task_prefix, those of bookkeeping. state_of: the state of a row's answers."""

    task_prefix: str
    answer_prefix: str
    worker: str
    state_of: Callable[[Mapping[str, Any]], str]
    task_columns: tuple[str, ...]
    bookkeeping: frozenset[str] = frozenset()


def _mturk_state(row: Mapping[str, Any]) -> str:
    """A reason in the column Reject counts before the assignment is rejected."""
    state = find_state(row.get("AssignmentStatus")) or UNKNOWN
    is_refused = str(row.get("Reject") or "").strip() not in ("", "0", "false", "False")
    return REJECTED if state == SUBMITTED and is_refused else state


def _toloka_state(row: Mapping[str, Any]) -> str:
    return find_state(row.get("ASSIGNMENT:status")) or UNKNOWN


_OF_HITS = frozenset(
    {
        "HITTypeId", "HITGroupId", "Title", "Description", "Keywords", "Reward", "CreationTime",
        "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds",
        "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId",
        "AssignmentStatus", "AcceptTime", "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime",
        "RequesterFeedback", "WorkTimeInSeconds", "LifetimeApprovalRate", "Last30DaysApprovalRate",
        "Last7DaysApprovalRate", "Approve", "Reject",
    }
)  # fmt: skip
_MTURK = _Layout("Input.", "Answer.", "WorkerId", _mturk_state, ("HITId",), _OF_HITS)
_TOLOKA = _Layout("INPUT:", "OUTPUT:", "ASSIGNMENT:worker_id", _toloka_state, ("ASSIGNMENT:task_id",))


def is_mturk(names: Collection[str]) -> bool:
    """Whether columns are those of results of Mechanical Turk."""
    known = set(names)
    return "HITId" in known and bool({"WorkerId", "AssignmentId", "AssignmentStatus"} & known)


def is_toloka(names: Collection[str]) -> bool:
    """Whether columns are those of results of Toloka."""
    begins = {name.split(":", 1)[0] for name in names if ":" in name}
    return {"INPUT", "OUTPUT"} <= begins or {"INPUT", "ASSIGNMENT"} <= begins


def read_mturk(file: InputFile, rows: Rows) -> Rows:
    """One row per assignment; columns about the assignment and its worker are left out."""
    return _read_assignments(file, rows, "Mechanical Turk", _MTURK)


def read_toloka(file: InputFile, rows: Rows) -> Rows:
    """One row per assignment; columns about the assignment and its worker are left out."""
    return _read_assignments(file, rows, "Toloka", _TOLOKA)


def _read_assignments(file: InputFile, rows: Rows, label: str, layout: _Layout) -> Rows:
    first, rows = peek_rows(rows)
    written = _find_written([_spread(values) for values in first], layout)
    has_input = any(name.startswith(layout.task_prefix) for values in first for name in values)

    def flatten(row: Row) -> list[Values]:
        return [_flatten(file, row, layout, written, has_input=has_input)]

    return read_each(file, rows, label, flatten)


def _spread(values: Mapping[str, Any]) -> Values:
    """A row with the answers of Answer.taskAnswers as columns of their own."""
    answers = parse_cell(values.get(_TASK_ANSWERS))
    answer = answers[0] if isinstance(answers, list) and answers else answers
    if not isinstance(answer, dict):
        return dict(values)
    others = {name: value for name, value in values.items() if name != _TASK_ANSWERS}
    return others | {f"Answer.{name}": _choose(value) for name, value in answer.items()}


def _choose(value: Any) -> Any:
    """{"1": false, "2": true} of radio buttons and check boxes as the names that were chosen."""
    if isinstance(value, dict) and value and all(isinstance(item, bool) for item in value.values()):
        return ", ".join(name for name, is_chosen in value.items() if is_chosen)
    return value


def _find_written(first: list[Values], layout: _Layout) -> set[str]:
    """The columns of answers that are texts and no labels."""
    columns = set()
    for name in {name for values in first for name in values if name.startswith(layout.answer_prefix)}:
        cells = [str(values[name]) for values in first if values.get(name)]
        if cells and sum(len(cell.split()) for cell in cells) >= _MIN_WORDS * len(cells):
            columns.add(name)
    return columns


def _flatten(file: InputFile, row: Row, layout: _Layout, written: set[str], *, has_input: bool) -> Values:
    entry = _spread(row.values)
    state = layout.state_of(entry)
    author = name_person(entry.get(layout.worker))
    values: Values = {}
    left_out = []
    for name, cell in entry.items():
        if name in written:
            text = "" if cell is None else str(cell)
            values[name] = [Answer(text, state=state, author=author)] if text.strip() else []
        elif _is_of_task(name, layout, has_input=has_input):
            values[name] = cell
        elif cell not in (None, ""):
            left_out.append(name)
    if left_out:
        file.notes.add("columns about assignments and workers are not imported, such as " + left_out[0], row.place)
    return values


def _is_of_task(name: str, layout: _Layout, *, has_input: bool) -> bool:
    if name in layout.task_columns or name.startswith((layout.task_prefix, layout.answer_prefix)):
        return True
    return not has_input and name not in layout.bookkeeping and name != layout.worker


_UNKNOWN = "which box holds the summary, where several texts were typed"
MTURK = Tool(
    "mturk",
    "Mechanical Turk",
    read_mturk,
    has_entry=lambda entry: is_mturk(entry.keys()),
    has_header=is_mturk,
    example="mturk.csv",
    versions="by its documentation",
    cannot_know=_UNKNOWN,
)
TOLOKA = Tool(
    "toloka",
    "Toloka",
    read_toloka,
    has_entry=lambda entry: is_toloka(entry.keys()),
    has_header=is_toloka,
    example="toloka.tsv",
    versions="by its documentation",
    cannot_know=_UNKNOWN,
)
