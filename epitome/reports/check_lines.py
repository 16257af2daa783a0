"""A report as one file for checking: the round, the formulas, every row behind the numbers, and the numbers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epitome.combined.rows_file import row_line
from epitome.figures.tables import Cell, Table
from epitome.reports.answers import Answer, Frame
from epitome.reports.check_formulas import SCORES, SELECTION, list_formulas
from epitome.reports.check_more_specs import PRINTED_WORDS, describe_number
from epitome.reports.check_places import Places
from epitome.reports.combined import CombinedMaterial
from epitome.reports.comparisons import SWAPS
from epitome.reports.correlation import ScoredSummary
from epitome.rounds.marks import find_words
from epitome.text.words import n_words

FORMAT = "epitome-report-1"
Line = dict[str, Any]


def check_lines(
    frame: Frame,
    rows: Sequence[Answer],
    tables: Sequence[Table],
    scores: Sequence[ScoredSummary] = (),
    combined: CombinedMaterial | None = None,
    **named: object,
) -> Iterator[Line]:
    """The lines as JSON values. rows: all answers, of people and judges; tables: of the report, as printed; named: more
    fields of the first line, such as the project."""
    numbers = list(_number_lines(Places(frame, rows, combined), tables))
    names = [line[key] for line in numbers for key in ("statistic", "interval") if line.get(key)]
    lines: list[Line] = [_head_line(frame, named)]
    lines += [{"kind": "formula", "name": name, "text": text} for name, text in list_formulas(names).items()]
    lines += [_answer_line(frame, row) for row in rows]
    lines += [{"kind": "combined", **row_line(row)} for row in (combined.rows if combined else ())]
    lines += [_score_line(score) for score in scores]
    lines += numbers
    yield from lines
    yield {"kind": "end", "lines": len(lines) + 1}


def write_check_file(lines: Iterator[Line]) -> Iterator[bytes]:
    """The lines as encoded JSONL."""
    for line in lines:
        yield (json.dumps(line, ensure_ascii=False) + "\n").encode()


def _head_line(frame: Frame, named: Mapping[str, object]) -> Line:
    questions = [
        {
            "key": question.key,
            "label": question.label,
            "type": question.type,
            "text": question.text,
            "values": list(question.values),
            **({"severities": [list(severity) for severity in question.severities]} if question.severities else {}),
        }
        for question in frame.questions
    ]
    return {
        "format": FORMAT,
        "name": frame.name,
        **named,
        "seed": frame.seed,
        "replicates": frame.replicates,
        "swaps": SWAPS,
        "systems": list(frame.systems),
        "raters": list(frame.raters),
        "judges": list(frame.judges),
        "domains": [list(domain) for domain in frame.domains],
        "questions": questions,
        "rows": SELECTION,
        "scores": SCORES,
    }


def _answer_line(frame: Frame, row: Answer) -> Line:
    """Of a text whose errors are marked the places of its words, never the text."""
    systems = list(row.systems) or [row.system, *([row.other] if row.other else [])]
    line: Line = {
        "kind": "answer",
        "item": row.item,
        "rater": row.rater,
        "question": row.question,
        "answer": row.answer,
        "systems": systems,
        "domain": row.domain,
        "source": row.source,
        "sample": row.sample,
    }
    named = {"quality": row.quality, "requested": row.requested, "expected": row.expected, "rule": row.rule}
    line |= {name: text for name, text in named.items() if text}
    if any(question.key == row.question and question.asks.marks for question in frame.questions):
        line |= {"words": [list(span) for span in find_words(row.text)], "n_words": n_words(row.text)}
        line |= {"unaligned": row.unaligned} if row.unaligned else {}
    return line


def _score_line(score: ScoredSummary) -> Line:
    return {
        "kind": "score",
        "attribute": score.attribute,
        "system": score.system,
        "sample": str(score.sample),
        "source": score.source,
        "error": score.error,
        "yes": score.yes,
    }


def _number_lines(places: Places, tables: Sequence[Table]) -> Iterator[Line]:
    for table in tables:
        for row_at, row in enumerate(table.rows):
            heads = [str(cell.value) for column, cell in zip(table.columns, row, strict=True) if column.is_text]
            if table.key in PRINTED_WORDS:
                heads = heads[: 1 if table.key == "win-matrix" else 3]
            for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
                if not _is_number(table, cell, at, is_text=column.is_text):
                    continue
                spec = describe_number(places, table, row_at, at)
                line = {"kind": "number", "table": table.key, "row": heads, "column": column.full_label}
                line |= _cell_values(cell)
                line |= {"statistic": spec.statistic} if spec.statistic else {"reason": spec.reason}
                line |= {"interval": spec.interval} if spec.interval else {}
                yield line | ({"of": dict(spec.of)} if spec.of else {})


def _is_number(table: Table, cell: Cell, at: int, *, is_text: bool) -> bool:
    if not is_text:
        return True
    return table.key in PRINTED_WORDS and at >= (1 if table.key == "win-matrix" else 3) and cell.value is not None


def _cell_values(cell: Cell) -> Line:
    values: Line = {"value": cell.value}
    if cell.low is not None:
        values |= {"low": cell.low, "high": cell.high}
    return values if cell.n is None else {**values, "n": cell.n}
