"""Template tags shared by all pages: icons, numbers and dates."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.services.core import word_patterns
from annotation.services.core.day_words import write_day
from annotation.services.core.icons import icon, status
from annotation.services.core.kind_words import name_finished
from epitome.figures.numbers import add_percent_sign, format_count, format_decimal, format_half_width, format_share
from epitome.schema import ATTRIBUTE_KINDS
from epitome.text.diff import Piece
from epitome.text.transcripts import clean_turn

register = template.Library()


register.simple_tag(icon)
register.simple_tag(status)


@register.simple_tag
def offered_languages() -> list[tuple[str, str]]:
    """(code, name) of the languages that people may choose from, each by its own name."""
    return list(settings.LANGUAGES)


@register.simple_tag
def progress_words() -> dict[str, str]:
    """What job-progress.js writes while something runs."""
    return {
        "of": _("{done} of {total}"),
        "done": _("{done} done"),
        "silent": _("No answer right now. Trying again."),
    }


@register.simple_tag
def shown_text(text: str, speaker: str = "") -> str:
    """A segment as people read it: a turn of a transcript without the transcriber's marks, other text as it is."""
    return clean_turn(text) if speaker else text


@register.filter
def written_text(payload: Mapping[str, object] | None, kind: str) -> str:
    """What a person wrote, of the payload of a task of this kind; "" where there is none, or where it is no text."""
    return get_task_kind(kind, has_sample=True).text_of(payload) if payload else ""


@register.filter
def kind_noun(kind: str, n: int = 1) -> str:
    """What n finished tasks of projects of this kind are called."""
    return name_finished(kind, n)


@register.simple_tag
def kind_phrase(kind: str, phrase: str) -> str:
    """A translated sentence, with the kind's noun for {summary}, {summaries}, {Summary} and {Summaries}."""
    singular, plural = name_finished(kind), name_finished(kind, 2)
    return phrase.format(summary=singular, summaries=plural, Summary=capfirst(singular), Summaries=capfirst(plural))


@register.filter
def is_written(payload: Mapping[str, object] | None, kind: str) -> bool:
    """Whether the payload of a task of this kind holds anything that a person wrote or marked."""
    return bool(payload) and not get_task_kind(kind, has_sample=True).is_empty(payload or {})


@register.filter
def written_parts(payload: Mapping[str, object], kind: str) -> list[str]:
    """Every part that people read of the payload of a task of this kind; without empty ones."""
    return [text for _name, text in get_task_kind(kind, has_sample=True).parts_of(payload) if text]


@register.filter
def read_template(kind: str) -> tuple[str, str]:
    """The templates, of which the first that exists shows a payload of this kind of task where it is only read."""
    return f"annotation/tasks/_read_{kind}.html", "annotation/core/_payload_texts.html"


@register.filter
def subject_template(kind: str) -> str:
    """The template that shows what a task of this kind is about beside its source."""
    return f"annotation/tasks/_{kind}_subject.html"


@register.filter
def draws_samples(kind: str) -> bool:
    """Whether samples of projects for this kind of task are drawn from the values of the schema."""
    return get_task_kind(kind, has_sample=True).draws_samples


@register.filter
def percent(done: int | float | None, total: int | float | None) -> int:
    """Whole percent, 0 to 100; 0 when there is nothing to count."""
    if not done or not total:
        return 0
    return max(0, min(100, round(100 * done / total)))


@register.filter
def spaced(number: object) -> str:
    """12 345: thousands separated by a narrow no-break space; a dash for unknown values."""
    return format_count(number if isinstance(number, int | float) else None)


@register.filter
def decimal(value: float | None, digits: int = 0) -> str:
    """1.50 with fixed decimals; a dash for unknown values."""
    return format_decimal(value, digits)


@register.filter
def half_width(value: float | None, digits: int = 0) -> str:
    """± 1.50: half the width of an interval with fixed decimals; a dash for unknown values."""
    return format_half_width(value, digits)


@register.filter
def day(moment: datetime | None) -> str:
    """3 Nov 2026, in the current time zone."""
    return "–" if moment is None else write_day(timezone.localtime(moment).date())


@register.filter
def shown(value: object) -> str:
    """An integer with thousands separated, anything else unchanged."""
    return spaced(value) if isinstance(value, int) else str(value)


@register.filter
def attribute_kind(kind: str) -> str:
    """The kind of a control attribute in words."""
    return _(ATTRIBUTE_KINDS[kind].title) if kind in ATTRIBUTE_KINDS else kind


@register.filter
def item(mapping: Mapping[str, object], key: str) -> object:
    """mapping[key], or None."""
    return mapping.get(key)


@register.filter
def share(value: float | None) -> str:
    """A share as percent with at most one digit: .045 -> 4.5."""
    return "…" if value is None else format_share(value)


@register.filter
def with_percent(number: object) -> str:
    """A written number with the percent sign as the language places it: 4.5 -> 4.5 %."""
    return add_percent_sign(str(number))


@register.filter
def join_names(names: Iterable[object]) -> str:
    """Names as a list of the page's language: length, topics."""
    return word_patterns.join_names(names)


@register.filter
def join_isolated(texts: Iterable[object]) -> SafeString:
    """Texts as a list of the page's language, each isolated from the direction of its neighbours."""
    return format_html_join(word_patterns.list_separator(), "<bdi>{}</bdi>", ((text,) for text in texts))


@register.simple_tag
def list_separator(loop: Mapping[str, Any] | None = None) -> str:
    """What separates the parts of a list that a template writes itself; nothing after the last part of a loop."""
    return "" if loop and loop["last"] else word_patterns.list_separator()


@register.simple_tag
def clause_separator() -> str:
    """What separates parts that have commas inside."""
    return word_patterns.clause_separator()


@register.filter
def unbroken(text: object) -> SafeString:
    """A date or a range inside a sentence, which no line of the page breaks."""
    return format_html('<span class="nowrap">{}</span>', text)


@register.filter
def with_label(name: object, label: object) -> str | SafeString:
    """A name and, where there is one, the label that distinguishes it from others of the name: Lead: second try."""
    return with_value(name, label) if label else str(name)


@register.filter
def with_value(name: object, value: object) -> SafeString:
    """A name and its value, the value isolated from the direction of the name: Length: short."""
    return format_html(word_patterns.name_value("{}", "<bdi>{}</bdi>"), name, value)


@register.filter
def in_brackets(remark: object) -> str:
    """A remark in the brackets of the page's language: (pilot)."""
    return word_patterns.put_in_brackets(remark)


@register.filter
def mark_copied(pieces: Iterable[tuple[bool, str]]) -> SafeString:
    """A text of (copied, text), copied words marked, as HTML without added white space."""
    return _join_pieces(("mark" if copied else "", text) for copied, text in pieces)


@register.filter
def mark_difference(pieces: Iterable[Piece]) -> SafeString:
    """A difference by lines and words as HTML without added white space; lines left out appear as a note."""
    gap = format_html('<span class="diff-gap">… {} …\n</span>', _("unchanged"))
    tags = {"added": "ins", "removed": "del"}
    return format_html_join(
        "",
        "{}",
        ((gap if piece.is_gap else _join_pieces([(tags.get(piece.kind, ""), piece.text)]),) for piece in pieces),
    )


@register.filter
def mark_mentions(pieces: Iterable[Any]) -> SafeString:
    """A sentence in pieces (aggregation_sheet.ContextPiece), mentions marked, without added white space."""
    mark = '<mark class="mention" data-entity="{}" data-name="{}" title="{}">{}</mark>'
    marked = (
        format_html(mark, piece.entity, piece.name, piece.name, piece.text) if piece.entity else piece.text
        for piece in pieces
    )
    return format_html_join("", "{}", ((piece,) for piece in marked))


def _join_pieces(pieces: Iterable[tuple[str, str]]) -> SafeString:
    return format_html_join(
        "", "{}", ((format_html("<{0}>{1}</{0}>", tag, text) if tag else text,) for tag, text in pieces)
    )
