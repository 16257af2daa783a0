"""Judgements as export lines, read by the `agreement` command, by reports and by the export.

For a pair, a line is independent of the side of the page: the answers 1 and 2 name the item's texts, and a question
about A or B becomes the same question about the text on that side, as an item of its own ({id}:1, {id}:2).
"""

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.services.core.withdrawn_people import ExportPseudonyms, load_withdrawn
from epitome.figures.tables import csv_line
from epitome.rounds.answer_texts import text_order
from epitome.rounds.marks import load_marks
from epitome.rounds.questions import Question
from epitome.rounds.sides import judged_text_number
from evaluation.models import Item, ItemAssignmentState, Judgement, MachineJudgement, Round, RoundRater
from evaluation.models.machines import MARKED
from evaluation.services.monitoring import rater_quality
from evaluation.services.rating.judge_values import judge_name

CHUNK_SIZE = 2000


@dataclass(frozen=True)
class ExportOptions:
    """Which judgements to export. quality: include foils and repeats, each line with its `kind`. notes: include free
    text; an item's note becomes `note` of its lines. excluded: include raters whom the frozen rules exclude, marked.
    extra: include ratings that were requested because the planned ones disagree, marked. systems: whether to name
    systems; None names them once unblinded. item: public id of the only item, "" for all. outside: include answers that
    were imported, each line with the tool that they came from."""

    quality: bool = False
    notes: bool = False
    excluded: bool = False
    extra: bool = False
    systems: bool | None = None
    item: str = ""
    outside: bool = True


def export_lines(round_: Round, options: ExportOptions | None = None) -> Iterator[dict[str, Any]]:
    """Yield one object per judgement of a finished item, ordered by item, rater and question. Reads in chunks."""
    options = options or ExportOptions()
    names = not round_.is_blind if options.systems is None else options.systems
    withdrawn_raters = load_withdrawn(round_.project)
    pseudonyms = ExportPseudonyms(round_.project, withdrawn_raters.names)
    excluded_ids = rater_quality.excluded_raters(round_)
    items = _load_items(round_, options)
    questions = {question.key: question for question in round_.rules.questions}
    tools = dict(RoundRater.objects.filter(round=round_).exclude(tool="").values_list("rater_id", "tool"))
    for row in _select_rows(round_, options, withdrawn_raters.left_out | (set() if options.excluded else excluded_ids)):
        question, item = questions[row.question], items[row.item_id]
        if question.asks.free and not options.notes:
            continue
        line = _build_line(round_, row, item, question, names=names)
        line["rater"] = pseudonyms.of(row.rater_id)
        if options.quality:
            line["kind"] = item.kind
        if options.notes and row.note:
            line["note"] = row.note
        if row.rater_id in excluded_ids:
            line["excluded"] = True
        if row.extra:
            line["extra"] = True
        if row.rater_id in tools:
            line |= {"outside": tools[row.rater_id], "seconds": None}
        if line["answer"]:
            yield line


def export_jsonl(round_: Round, options: ExportOptions | None = None) -> Iterator[bytes]:
    """The lines of `export_lines` as encoded JSONL with sorted keys."""
    for line in export_lines(round_, options):
        yield (json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n").encode()


CSV_COLUMNS = (
    *("round", "item_id", "rater", "question", "answer", "why", "note", "unsure", "system", "domain", "source_id"),
    *(
        "sample_id",
        "order",
        "left",
        "labelled",
        "attribute",
        "requested",
        "seconds",
        "at",
        "kind",
        "excluded",
        "chance",
        "extra",
        "outside",
    ),
)


def export_csv(round_: Round, options: ExportOptions | None = None) -> Iterator[bytes]:
    """The lines of `export_lines` as a CSV file that spreadsheets open safely."""
    yield ("\ufeff" + csv_line(CSV_COLUMNS)).encode()
    for line in export_lines(round_, options):
        values = {
            **line,
            "system": line.get("system", line.get("systems")),
            "left": line.get("left", line.get("shown")),
        }
        yield csv_line([_csv_value(values.get(name)) for name in CSV_COLUMNS]).encode()


def _csv_value(value: Any) -> float | int | str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else value


EXPORTS = {"jsonl": (export_jsonl, "application/jsonl"), "csv": (export_csv, "text/csv; charset=utf-8")}
"""Format -> (bytes of the judgements, content type)."""


def export_file_name(round_: Round, format_: str = "jsonl") -> str:
    return f"{round_.project.slug}-round-{round_.number}.{format_}"


def export_judges(round_: Round) -> Iterator[bytes]:
    """Yield one JSON line per answer of a model, in the form of people's: the judge, the item, the question, the answer
    ("invalid" where it was none), and whether the texts of the pair were exchanged. Systems once unblinded."""
    items = _load_items(round_, ExportOptions())
    rows = MachineJudgement.objects.filter(round=round_).select_related("revision__system").defer("said")
    for row in rows.order_by("item__number", "pk").iterator(CHUNK_SIZE):
        line = _build_judge_line(round_, row, items[row.item_id])
        yield (json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _build_judge_line(round_: Round, row: MachineJudgement, item: Item) -> dict[str, Any]:
    question = round_.rules.question(row.question)
    text_number = judged_text_number(1, question.about)
    line: dict[str, Any] = {
        "task": "rating",
        "project": round_.project.slug,
        "round": round_.number,
        "item_id": f"{item.public_id}:{text_number}" if text_number else str(item.public_id),
        "question": question.shared_key,
        "answer": row.full_answer,
        "judge": judge_name(row.revision),
        "swapped": row.swapped,
        "domain": item.domain,
        "source_id": item.document.external_id,
        "sample_id": f"{item.document.external_id}#{item.sample.position}",
        "chance": item.chance,
        "drawn": item.for_people,
    }
    if question.asks.marks and row.answer == MARKED:
        line |= {"marks": quote_marks(row.full_answer, item.first.text), "unaligned": row.n_unaligned}
    return line if round_.is_blind else line | _system_names(item.targets, text_number)


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """A judgement with the columns of its assignment that a line needs; items are loaded separately, once."""

    rater_id: int
    question: str
    answer: str
    unsure: bool
    why: str
    answered_at: datetime
    item_id: int
    left: int
    position: int
    active_seconds: float
    note: str
    extra: bool | None


COLUMNS = (
    *("rater_id", "question", "answer", "unsure", "why", "answered_at", "item_id"),
    *("item_assignment__left", "item_assignment__position", "item_assignment__active_seconds", "item_assignment__note"),
    "item_assignment__slot__extra",
)


def _select_rows(round_: Round, options: ExportOptions, excluded_ids: Set[int]) -> Iterator[JudgementRow]:
    rows: QuerySet[Judgement] = Judgement.objects.filter(round=round_, item_assignment__state=ItemAssignmentState.DONE)
    rows = rows.exclude(rater__in=rater_quality.void_raters(round_) | excluded_ids)
    if not options.quality:
        rows = rows.filter(item__kind=Item.Kind.REAL)
    if not options.extra:
        rows = rows.exclude(item_assignment__slot__extra=True)
    if not options.outside:
        rows = rows.filter(item_assignment__slot__isnull=False)
    if options.item:
        rows = rows.filter(item__public_id=options.item)
    values = rows.order_by("item__number", "rater_id", "pk").values_list(*COLUMNS)
    yield from (JudgementRow(*row) for row in values.iterator(CHUNK_SIZE))


def _load_items(round_: Round, options: ExportOptions) -> dict[int, Item]:
    marked = any(question.asks.marks for question in round_.rules.questions)
    rows = Item.objects.filter(round=round_).select_related("document", "sample", *(["first"] if marked else []))
    if options.item:
        rows = rows.filter(public_id=options.item)
    needed = ("public_id", "kind", "domain", "request", "targets", "labelled", "chance")
    texts = ["first__text"] if marked else []
    return rows.only(*needed, "document__external_id", "sample__position", *texts).in_bulk()


def _build_line(round_: Round, row: JudgementRow, item: Item, question: Question, *, names: bool) -> dict[str, Any]:
    text_number = judged_text_number(row.left, question.about)
    answer = question.asks.canonical(row.answer, row.left, len(item.targets)) if row.answer else ""
    line: dict[str, Any] = {
        "task": "rating",
        "project": round_.project.slug,
        "round": round_.number,
        "item_id": f"{item.public_id}:{text_number}" if text_number else str(item.public_id),
        "question": question.shared_key,
        "answer": answer,
        "order": row.position,
        "domain": item.domain,
        "source_id": item.document.external_id,
        "sample_id": f"{item.document.external_id}#{item.sample.position}",
        "unsure": row.unsure,
        "at": row.answered_at.isoformat(),
        "seconds": round(row.active_seconds, 1),
    }
    if question.attribute:
        line["attribute"] = question.attribute
        line["requested"] = item.request.get(question.attribute)
    if row.why:
        line["why"] = row.why
    if question.asks.marks:
        line["marks"] = quote_marks(answer, item.first.text)
    if len(item.targets) == 2:
        line["left"] = row.left
        line["labelled"] = item.labelled or None
    elif len(item.targets) > 2:
        line["shown"] = list(text_order(row.left, len(item.targets)))
    if round_.rules.judging.systems:
        line["chance"] = item.chance
    if names:
        line |= _system_names(item.targets, text_number)
    return line


def quote_marks(answer: str, text: str) -> list[dict[str, Any]]:
    """The marks of an answer, each with the words that it quotes; an omission quotes none."""
    marks = load_marks(answer) if answer else ()
    return [
        {**mark.as_dict(), **({} if mark.is_omission else {"quote": text[mark.start : mark.end]})} for mark in marks
    ]


def _system_names(targets: list[dict[str, Any]], text_number: int) -> dict[str, Any]:
    """`system` for a line about one text, `systems` for a line about two."""
    if text_number or len(targets) == 1:
        return {"system": targets[max(0, text_number - 1)]["target"]}
    return {"systems": [target["target"] for target in targets]}
