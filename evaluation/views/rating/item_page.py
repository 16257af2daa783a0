"""Data of the item page: the source as numbered segments, and the questions with the stored answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.core.word_patterns import join_names
from annotation.views.tasks.source_turns import Turn, build_turns, describe_size
from epitome.rounds.answer_texts import LETTERS, PLACE_JOIN, SEVERAL_JOIN
from epitome.rounds.contrastives import cut_pieces, find_marks
from epitome.rounds.question_types import TYPES
from epitome.rounds.templates import Example, RoundTemplate

Item = dict[str, Any]
MOST_IN_ROW = 5
"""Answers in words that fit into one row of equal cells."""


@dataclass(frozen=True)
class ItemSheet:
    heading: str
    progress: str
    source_line: str = ""
    list_label: str = ""
    turns: list[Turn] = field(default_factory=list)
    dialogue: bool = False
    questions: list[dict[str, Any]] = field(default_factory=list)
    counted: str = ""
    has_texts: bool = True
    marked: SafeString | None = None
    marks_errors: bool = False
    beside: str = ""
    """Of several summaries: the name of what is shown beside them and is not the source."""


def build_sheet(item: Item) -> ItemSheet:
    turns = build_turns(item["source"]["segments"]) if item["source"] else []
    dialogue = any(turn.speaker for turn in turns)
    return ItemSheet(
        heading=_heading_text(item),
        progress=_progress_text(item["progress"]),
        source_line=describe_size(len(turns), item["source"]["n_words"], is_dialogue=dialogue)
        if item["source"]
        else "",
        list_label=_("Turns of the source") if dialogue else _("Segments of the source"),
        turns=turns,
        dialogue=dialogue,
        questions=_number_questions(item),
        counted=_counted_note(item),
        has_texts=_has_texts(item),
        marked=_mark_item(item),
        marks_errors=any(question["severities"] for question in item["questions"]),
        beside=_name_beside(item),
    )


def _name_beside(item: Item) -> str:
    names = [_("Reference")] if item["reference"] is not None else []
    names += [entry["field"].capitalize() for entry in item["metadata"]]
    if not names and (item["entities"] or item["context"]):
        names = [_("Context")]
    return names[0] if len(names) == 1 else _("More") if names else ""


def _has_texts(item: Item) -> bool:
    """Whether anything is shown beside the summary; an original summary is shown above a changed one."""
    shows_reference = item["reference"] is not None and not item["marks"]
    return bool(item["source"] or item["metadata"] or shows_reference or item["entities"] or item["context"])


def _mark_item(item: Item) -> SafeString | None:
    """The text with its changed words in bold; None where the round marks none."""
    marks = [(mark["start"], mark["end"], mark["was"]) for mark in item["marks"]]
    return mark_text(item["summaries"][0]["text"], marks) if marks else None


def mark_text(text: str, marks: Sequence[Sequence[Any]]) -> SafeString:
    """A text as HTML: changed words in bold, with the original words in a note that hovering, focus or a tap shows."""
    template = '<b class="changed" tabindex="0">{}<span class="was">{}</span></b>'
    return format_html_join(
        "",
        "{}",
        (
            (piece.text if piece.was is None else format_html(template, piece.text, _describe_change(piece.was)),)
            for piece in cut_pieces(text, marks)
        ),
    )


def _describe_change(was: str) -> str:
    return _("was: %(words)s") % {"words": was} if was else _("added")


def list_example_texts(example: Example, template: RoundTemplate) -> list[tuple[str, str]]:
    """(letter, text) of a worked example, the changed words marked where the template marks them."""
    pairs = list(zip(LETTERS.upper(), example.summaries, strict=False))
    if "mark" not in template.shows:
        return pairs
    marked = ((letter, text, find_marks(example.reference, text, [])) for letter, text in pairs)
    return [(letter, mark_text(text, [mark.as_list() for mark in marks])) for letter, text, marks in marked]


def _heading_text(item: Item) -> str:
    if item["form"] != "single":
        n = len(item["summaries"])
        if item["request"]:
            return _("The summaries should be")
        return _("Two summaries") if n == 2 else ngettext("%(n)d summary", "%(n)d summaries", n) % {"n": n}
    if item["marks"]:
        return _("Rate the changed summary")
    if item["entities"]:
        return _("Rate this phrase")
    return _("The summary should be") if item["request"] else _("Rate this summary")


def _progress_text(progress: dict[str, Any]) -> str:
    if progress["all"] is None:
        return _("Item %(n)d") % {"n": progress["number"]}
    return _("Item %(n)d of %(all)d") % {"n": progress["number"], "all": progress["all"]}


def _number_questions(item: Item) -> list[dict[str, Any]]:
    """The questions with their number, the name of their fields, and the stored answer."""
    answers = item["payload"]["answers"]
    return [
        {**fill_question(question, f"q-{question['key']}", answers.get(question["key"], {})), "number": number}
        for number, question in enumerate(item["questions"], 1)
    ]


def fill_question(question: dict[str, Any], field_name: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """A question for its form. field_name: of the fields; stored: answer, unsure and reason, as far as given.

    ticked: the answers of a question with several. grid: of a list of texts a row per place, with the name of its
    field and the texts, each with whether it is in the place. steps: of a scale. one_row: whether the answers are short
    or few enough for one row of equal cells. is_wide: whether the answers are below the question.
    """
    answer, options = stored.get("answer", ""), question["options"]
    letters = answer.split(PLACE_JOIN)
    grid = [
        {
            "name": f"{field_name}-{place['value']}",
            "label": place["label"],
            "value": place["value"],
            "cells": [
                {
                    "letter": letter,
                    "value": letter.lower(),
                    "checked": index < len(letters) and letters[index] == letter.lower(),
                }
                for letter in question["letters"]
            ],
        }
        for index, place in enumerate(question["places"])
    ]
    return {
        **question,
        "field": field_name,
        "can_be_unsure": not TYPES[question["type"]].free,
        "answer": answer,
        "ticked": answer.split(SEVERAL_JOIN),
        "grid": grid,
        "steps": [describe_step(option, number) for number, option in enumerate(options, 1)],
        "one_row": len(options) <= MOST_IN_ROW,
        "is_wide": bool(grid) or (TYPES[question["type"]].by_option and len(options) > 2),
        "unsure": stored.get("unsure", False),
        "reason": stored.get("why", ""),
    }


def describe_step(option: Mapping[str, str], number: int) -> dict[str, str]:
    """A step of a scale: its sign, which is also its key where it has one, and what it means without that sign."""
    sign, label = option["key"] or str(number), option["label"]
    words = label.removeprefix(sign).lstrip(" .:–-") if label.split(" ")[0].rstrip(".:") == sign else label
    return {"value": option["value"], "key": option["key"], "sign": sign, "words": words}


def _counted_note(item: Item) -> str:
    """Name the requested attributes that are computed instead of asked; "" if there are none."""
    asked_keys = {question["key"] for question in item["questions"]}
    labels = [
        attribute["label"]
        for attribute in item["request"]
        if attribute["values"] and attribute["key"] not in asked_keys
    ]
    if item["form"] != "single" or not labels or not any(question["wanted"] for question in item["questions"]):
        return ""
    return _("%(labels)s: computed automatically.") % {"labels": join_names(labels)}
