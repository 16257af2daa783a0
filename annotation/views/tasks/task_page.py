"""View model of the task page, built from the API payload of an assignment: rows, labels, texts; no rules."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import get_task_kind
from annotation.services.core.word_patterns import join_names, join_with_and
from annotation.services.tasks.questions import PARKED_LEASE
from annotation.services.tasks.task_payload import SourceAttempt
from annotation.views.tasks.kind_pages import find_kind_page
from annotation.views.tasks.source_turns import Turn, build_turns, colour_speakers, describe_size
from epitome.figures.numbers import format_count, format_measure, format_share
from epitome.schema import ATTRIBUTE_KINDS

Task = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Speaker:
    name: str
    colour: int
    turns: int


@dataclass(frozen=True, slots=True)
class RequestChip:
    """One requested attribute as a chip with its guide."""

    key: str
    label: str
    values: list[str]
    waiting: bool
    empty: str
    guide: str
    value_guide: str
    value_example: str
    band: str


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    count: str
    count_said: str
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """One attribute of step 1: the candidates, and (once frozen) the chosen ones."""

    key: str
    label: str
    hint: str
    min_picks: int
    max_picks: int | None
    allows_own_text: bool
    candidates: list[Candidate]
    chosen: list[str]
    none_found: str
    chosen_label: str
    own_label: str
    candidates_label: str


@dataclass(slots=True)
class Sheet:
    """Everything the templates need besides the assignment."""

    heading: str
    panel_title: str
    domain: str
    source_line: str
    list_label: str
    turns: Callable[[], list[Turn]]  # called by the template where the source is not kept rendered
    source_key: str
    speakers: list[Speaker]
    request: list[RequestChip]
    hidden_said: str
    choices: list[Choice]
    choice_title: str
    choice_recap: str
    whole_source: bool
    saved: str
    unit_said: str = ""
    dots: list[str] = field(default_factory=list)
    save_state: str = "saved"
    notice: str = ""
    open_step: int = 0  # of a returned summary: the step to begin with
    csrf_cookie: str = ""
    recorded: bool = False
    api_urls: dict[str, str] = field(default_factory=dict)
    skip_reasons: list[tuple[str, str]] = field(default_factory=list)
    parked_days: int = PARKED_LEASE.days  # that a task stays reserved while its writer waits for an answer
    subject: Any = None
    """What the task is about beside its source, by its `KindPage`."""


def build_sheet(task: Task) -> Sheet:
    segments = task["document"]["segments"]
    speakers = _count_speakers(segments)
    choices = [_build_choice(task, attribute, speakers) for attribute in _attributes_to_choose(task)]
    kind = get_task_kind(task["kind"], has_sample=True)
    hidden = [a for a in task["attributes"] if not _is_visible(task, a)]
    return Sheet(
        heading=_(kind.heading),
        panel_title=_(kind.panel_title),
        domain="dialogue" if speakers else "document",
        source_line=describe_size(
            len(segments), task["document"]["n_words"], is_dialogue=bool(speakers), n_speakers=len(speakers)
        ),
        list_label=_("Turns of the source") if speakers else _("Segments of the source"),
        turns=partial(build_turns, segments, _label_turn if speakers else _label_segment),
        source_key=_source_key(task["document"]),
        speakers=speakers,
        request=[_build_request_chip(task, a) for a in task["attributes"] if _is_visible(task, a)],
        hidden_said=_hidden_notice(len(hidden)),
        choices=choices,
        choice_title=_choice_title(choices),
        choice_recap=join_names(text for choice in choices for text in choice.chosen) or _recap_without(task, choices),
        whole_source=bool(task["group"]["frozen"]) and not any(choice.chosen for choice in choices),
        saved=_("Saved") if task["draft"]["revision"] else _("No draft yet"),
        skip_reasons=_list_skip_reasons(task["kind"]),
        subject=_build_subject(task),
    )


def _list_skip_reasons(kind: str) -> list[tuple[str, str]]:
    """The reasons for skipping a task; requests that cannot be met only where there is a request."""
    reasons = [
        ("damaged", _("The source is damaged or unreadable")),
        ("other", _("Another reason")),
    ]
    if find_kind_page(kind).build_subject:
        return reasons
    return [
        ("contradiction", _("The requested attributes contradict each other")),
        ("nothing_fits", _("Nothing in the source fits the request")),
        *reasons,
    ]


def _build_subject(task: Task) -> Any:
    build_subject = find_kind_page(task["kind"]).build_subject
    subject = task.get("subject")
    return build_subject(subject, task["document"]["segments"]) if build_subject and subject else None


def _source_key(document: dict[str, Any]) -> str:
    """Differs for different texts and titles; only for use in this process."""
    texts = tuple((segment["text"], segment.get("speaker")) for segment in document["segments"])
    return f"{document['id']}:{hash((document['title'], document['external_id'], texts))}"


def _count_speakers(segments: list[dict[str, str]]) -> list[Speaker]:
    """Speakers in order of first appearance."""
    turns = Counter(segment.get("speaker") for segment in segments)
    return [Speaker(name, colour, turns[name]) for name, colour in colour_speakers(segments).items()]


def _label_turn(number: int, speaker: str) -> str:
    return _("Turn %(number)s, %(speaker)s, relevant") % {"number": number, "speaker": speaker}


def _label_segment(number: int, _speaker: str) -> str:
    return _("Segment %(number)s, relevant") % {"number": number}


def _attributes_to_choose(task: Task) -> list[dict[str, Any]]:
    return [a for a in task["attributes"] if a["key"] in task["group"]["asks"]]


def _is_visible(task: Task, attribute: dict[str, Any]) -> bool:
    return bool(attribute["revealed"]) or attribute["key"] in task["group"]["asks"]


def _build_request_chip(task: Task, attribute: dict[str, Any]) -> RequestChip:
    value = attribute.get("value")
    value_label = attribute.get("value_label") or value
    values = [str(item) for item in value] if isinstance(value, list) else [] if value is None else [str(value_label)]
    waiting = not values and not task["group"]["frozen"] and attribute["key"] in task["group"]["asks"]
    return RequestChip(
        key=attribute["key"],
        label=attribute["label"],
        values=values,
        waiting=waiting,
        empty=_("yours to pick") if waiting else _("none"),
        guide=attribute.get("guide") or "",
        value_guide=(attribute.get("value_guide") or "") if values else "",
        value_example=(attribute.get("value_example") or "") if values else "",
        band=format_band(attribute.get("band")),
    )


def format_band(band: dict[str, Any] | None) -> str:
    """The guideline's band as a sentence."""
    if not band:
        return ""
    low, high = band.get("low"), band.get("high")
    if band.get("of") == "measure":
        low = low or 0
        if high is None:
            return _("Guideline: %(low)s or more.") % {"low": format_measure(low or 0)}
        return _("Guideline: %(low)s to %(high)s.") % {"low": format_measure(low or 0), "high": format_measure(high)}
    if band.get("of") == "relevant_words":
        values = {"low": format_share(low or 0), "high": format_share(high) if high is not None else ""}
        if high is None:
            return _("Guideline: at least %(low)s %% of the words in the relevant segments.") % values
        return _("Guideline: %(low)s to %(high)s %% of the words in the relevant segments.") % values
    least, most = round(low or 0), round(high or 0)
    if high is None:
        sentence = ngettext("Guideline: %(low)s or more words.", "Guideline: %(low)s or more words.", least)
    else:
        sentence = ngettext("Guideline: %(low)s to %(high)s word.", "Guideline: %(low)s to %(high)s words.", most)
    return sentence % {"low": format_count(least), "high": format_count(most)}


def _hidden_notice(n: int) -> str:
    if not n:
        return ""
    return ngettext(
        "%(n)s more attribute is shown after step 1.", "%(n)s more attributes are shown after step 1.", n
    ) % {"n": n}


def _build_choice(task: Task, attribute: dict[str, Any], speakers: list[Speaker]) -> Choice:
    key, label = attribute["key"], attribute["label"]
    kind = ATTRIBUTE_KINDS[attribute["kind"]]
    min_picks, max_picks = attribute.get("min") or 0, attribute.get("max")
    if not kind.takes_own_text and max_picks is not None:
        max_picks = min(max_picks, len(task["candidates"].get(key, [])) or max_picks)
    colours = {speaker.name: speaker.colour for speaker in speakers}
    candidates = task["candidates"].get(key, [])
    label_values = {"label": label}
    return Choice(
        key=key,
        label=label,
        hint=_format_pick_range(min_picks, max_picks) + " " + _candidates_hint(kind.picks_speakers),
        min_picks=min_picks,
        max_picks=max_picks,
        allows_own_text=kind.takes_own_text,
        candidates=[_speaker_row(c, colours) if kind.picks_speakers else _topic_row(c) for c in candidates],
        chosen=[str(text) for text in task["group"]["chosen"].get(key) or []],
        none_found=_("No candidates found. Type your own.")
        if kind.takes_own_text
        else _("The source names no speaker."),
        chosen_label=_("%(label)s: chosen") % label_values,
        own_label=_("%(label)s: filter the list, or type your own") % label_values,
        candidates_label=_("%(label)s: candidates") % label_values,
    )


def _format_pick_range(min_picks: int, max_picks: int | None) -> str:
    if max_picks is None:
        return _("Any number.") if not min_picks else _("At least %(least)s.") % {"least": min_picks}
    if min_picks:
        return _("%(least)s to %(most)s.") % {"least": min_picks, "most": max_picks}
    return _("Up to %(most)s, or none.") % {"most": max_picks}


def _candidates_hint(picks_speakers: bool) -> str:
    if picks_speakers:
        return _("The speakers whose statements to summarize.")
    return _("Numbers show how often the source mentions a topic. You can edit a topic after picking it.")


def _topic_row(candidate: dict[str, Any]) -> Candidate:
    n = candidate.get("mentions") or 0
    return Candidate(candidate["text"], str(n) if n else "", ngettext("mention", "mentions", n) if n else "")


def _speaker_row(candidate: dict[str, Any], colours: dict[str, int]) -> Candidate:
    turns, words = candidate.get("turns") or 0, candidate.get("words") or 0
    count = join_names(
        (
            ngettext("%(n)s turn", "%(n)s turns", turns) % {"n": turns},
            ngettext("%(n)s word", "%(n)s words", words) % {"n": words},
        )
    )
    return Candidate(candidate["text"], count, "", colours.get(candidate["text"], 1))


def _choice_title(choices: list[Choice]) -> str:
    labels = [choice.label for choice in choices]
    return join_with_and(labels) if labels else _("Topics and speakers")


def _recap_without(task: Task, choices: list[Choice]) -> str:
    if not task["group"]["frozen"]:
        return ""
    return _("none") if choices else _("nothing to choose")


def show_place(sheet: Sheet, public_id: uuid.UUID, attempts: Sequence[SourceAttempt]) -> None:
    """Where the task stands among those that its writer was given on this source; nothing where it is the only one.
    A dot per task, "done", "now" or "" (to do); none for more than twelve."""
    places = [attempt.public_id for attempt in attempts]
    if len(places) < 2 or public_id not in places:
        return
    values = {"index": places.index(public_id) + 1, "count": len(places)}
    sheet.unit_said = _("Request %(index)s of %(count)s on this source") % values
    if len(places) <= 12:
        sheet.dots = ["now" if a.public_id == public_id else "" if a.state == "claimed" else "done" for a in attempts]
