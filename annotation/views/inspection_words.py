"""How verdicts are said on pages: labels of parts, differences between revisions, measures, the script's sentences."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Annotation, Inspection, Verdict
from annotation.schema import Schema
from annotation.services import authorship, inspecting
from annotation.services.scores import Scored

PIECES = re.compile(r"\S+\s*")
LOOK = {Verdict.ACCEPT: ("ok", "check"), Verdict.REVISE: ("warn", "back"), Verdict.REJECT: ("danger", "cross")}


@dataclass(frozen=True, slots=True)
class Line:
    """What one reviewer said of one part."""

    label: str
    verdict: str
    look: str
    drawing: str
    comment: str = ""


@dataclass(slots=True)
class Told:
    """One inspection as a page shows it."""

    line: Line
    lines: list[Line]
    row: Inspection
    comments: list[dict[str, Any]] = field(default_factory=list)


def line(label: str, verdict: str, comment: str = "") -> Line:
    word = Verdict(verdict)
    return Line(label, str(word.label), *LOOK[word], comment)


def labels(schema: Schema) -> dict[str, str]:
    return {**{one.key: one.label for one in schema.attributes}, inspecting.SEGMENTS: _("Relevant segments")}


def told(row: Inspection, schema: Schema) -> Told:
    """Parts in the schema's order, whatever order the database keeps."""
    names = labels(schema)
    order = [*names, *(key for key in row.verdicts if key not in names)]
    lines = [
        line(names.get(key, key), row.verdicts[key]["verdict"], row.verdicts[key].get("comment", ""))
        for key in order
        if key in row.verdicts
    ]
    return Told(line(_("Overall"), row.verdict, row.comment), lines, row, row.comments)


def in_a_sentence(row: Inspection, schema: Schema) -> str:
    """Everything a reviewer asked for, for a notice on the task page."""
    shown = told(row, schema)
    said = [shown.line.comment]
    said += [f"{one.label}: {one.comment}" for one in shown.lines if one.comment]
    said += [f"“{one['quote']}”: {one['comment']}" for one in row.comments]
    return " · ".join(text for text in said if text)


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """(same | del | ins, text) of two texts, by words."""
    old, new = PIECES.findall(before), PIECES.findall(after)
    match = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    found: list[tuple[str, str]] = []
    for what, a, b, c, d in match.get_opcodes():
        if what == "equal":
            found.append(("same", "".join(new[c:d])))
            continue
        if b > a:
            found.append(("del", "".join(old[a:b])))
        if d > c:
            found.append(("ins", "".join(new[c:d])))
    return found


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a text from one revision to the next."""

    number: int
    title: list[tuple[str, str]]
    summary: list[tuple[str, str]]


def changes(revisions: list[Annotation]) -> list[Change]:
    """The difference of each revision to the one before it, the newest first."""
    found = [
        Change(
            later.revision,
            difference(earlier.payload.get("title", ""), later.payload.get("title", "")),
            difference(earlier.payload.get("summary", ""), later.payload.get("summary", "")),
        )
        for earlier, later in pairwise(revisions)
    ]
    return found[::-1]


def measured(part: Mapping[str, Any], scores: Mapping[str, Scored]) -> str:
    """The measure of a part in words: a number, why there is none, or nothing where none is meant."""
    key = part.get("measure")
    if not key:
        return ""
    score = scores.get(key)
    if score is None:
        return _("not measured yet")
    return f"{score.value:.4g}" if score.value is not None else score.undefined


def came_about(record: Mapping[str, Any]) -> list[str]:
    """How a summary came about, in sentences; none where nothing was recorded. Said after the verdict only."""
    shares = authorship.shares(record)
    if shares is None or shares["typed"] is None:
        return []
    told = [
        _("%(typed)s %% typed, %(source)s %% pasted from the source, %(outside)s %% from outside.")
        % {name: f"{100 * (value or 0):.0f}" for name, value in shares.items()},
        _("%(deleted)s characters deleted; longest run of typing: %(run)s characters.")
        % {"deleted": record["deleted"], "run": record["longest_burst"]},
    ]
    large = [row["size"] for row in record["pastes"] if row["origin"] == "outside" and row["size"] >= authorship.LARGE]
    if large:
        told.append(
            ngettext(
                "%(n)d large paste from outside: %(sizes)s characters.",
                "%(n)d large pastes from outside: %(sizes)s characters.",
                len(large),
            )
            % {"n": len(large), "sizes": ", ".join(map(str, large))}
        )
    return told


def words() -> dict[str, Any]:
    """Sentences of the inspection page's script."""
    return {
        "speakers-all": _("All speakers"),
        "speakers-shown": _("{n} of {all} speakers"),
        "find-at": _("{at} of {all}"),
        "find-none": _("None"),
        "left": {"one": _("{n} verdict left"), "other": _("{n} verdicts left")},
        "will-accept": _("Will be accepted"),
        "will-revise": _("Goes back to its writer with your comments"),
        "will-reject": _("Will be rejected; the place opens for somebody else"),
        "why": _("Say what to change, or why: a comment is missing"),
        "comment-on": _("Comment on “{quote}”"),
        "remove": _("Remove the comment on “{quote}”"),
        "chosen": _("Chosen: {quote}. Press c to comment."),
    }
