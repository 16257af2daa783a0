"""What the item page shows: the source as plain numbered segments, and the questions with what was answered."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

Item = dict[str, Any]
COLOURS = 8


@dataclass(frozen=True, slots=True)
class Turn:
    """One numbered segment; `same`: the speaker goes on."""

    text: str
    speaker: str = ""
    colour: int = 0
    same: bool = False


@dataclass(frozen=True)
class Sheet:
    heading: str
    progress: str
    source_line: str = ""
    list_label: str = ""
    turns: list[Turn] = field(default_factory=list)
    dialogue: bool = False
    questions: list[dict[str, Any]] = field(default_factory=list)
    counted: str = ""


def sheet(item: Item) -> Sheet:
    turns = _turns(item["source"]["segments"]) if item["source"] else []
    dialogue = any(turn.speaker for turn in turns)
    return Sheet(
        heading=_heading(item),
        progress=_progress(item["progress"]),
        source_line=_source_line(item, dialogue) if item["source"] else "",
        list_label=_("Turns of the source") if dialogue else _("Segments of the source"),
        turns=turns,
        dialogue=dialogue,
        questions=_questions(item),
        counted=_counted(item),
    )


def _heading(item: Item) -> str:
    if item["form"] == "pair":
        return _("Two summaries")
    return _("The summary was asked to be") if item["request"] else _("Judge this summary")


def _progress(told: dict[str, Any]) -> str:
    if told["all"] is None:
        return _("Item %(n)d") % {"n": told["number"]}
    return _("Item %(n)d of %(all)d") % {"n": told["number"], "all": told["all"]}


def _turns(segments: list[dict[str, str]]) -> list[Turn]:
    names = list(dict.fromkeys(one["speaker"] for one in segments if one["speaker"]))
    colours = {name: 1 + place % COLOURS for place, name in enumerate(names)}
    found, before = [], None
    for one in segments:
        speaker = one["speaker"]
        found.append(Turn(one["text"], speaker, colours.get(speaker, 0), bool(speaker) and speaker == before))
        before = speaker
    return found


def _source_line(item: Item, dialogue: bool) -> str:
    n, words = len(item["source"]["segments"]), item["source"]["n_words"]
    parts = [
        ngettext("%(n)s turn", "%(n)s turns", n) % {"n": n}
        if dialogue
        else ngettext("%(n)s segment", "%(n)s segments", n) % {"n": n},
        ngettext("%(n)s word", "%(n)s words", words) % {"n": f"{words:,}".replace(",", "\u202f")},
    ]
    return ", ".join(parts)


def _questions(item: Item) -> list[dict[str, Any]]:
    """The questions with their number and what is stored."""
    answers = item["payload"]["answers"]
    return [
        {
            **one,
            "number": number,
            "answer": answers.get(one["key"], {}).get("answer", ""),
            "unsure": answers.get(one["key"], {}).get("unsure", False),
        }
        for number, one in enumerate(item["questions"], 1)
    ]


def _counted(item: Item) -> str:
    """Which requested values are not asked about, because they are counted."""
    asked = {one["key"] for one in item["questions"]}
    labels = [one["label"] for one in item["request"] if one["values"] and one["key"] not in asked]
    if item["form"] == "pair" or not labels or not any(one["wanted"] for one in item["questions"]):
        return ""
    return _("%(labels)s: counted, not asked.") % {"labels": ", ".join(labels)}
