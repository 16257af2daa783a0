"""Display of verdicts: criterion labels, differences between revisions, measures, messages of the script."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import KINDS, Kind
from annotation.models import Annotation, Inspection, Verdict
from annotation.services.core.word_patterns import join_names, name_value, quote_text
from annotation.services.scores.score_queries import Scored
from annotation.services.tasks import authorship, suggestions
from annotation.views.core.measured_values import LENGTH, add_asked, find_asked_band, write_measured, write_words
from annotation.views.core.plural_forms import plural_forms
from annotation.views.core.script_messages import source_messages
from epitome.figures.numbers import format_share
from epitome.schema import Attribute, Schema
from epitome.text.diff import Piece, diff_words

STYLES = {Verdict.ACCEPT: ("ok", "check"), Verdict.REVISE: ("warn", "back"), Verdict.REJECT: ("danger", "cross")}


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One reviewer's verdict on one criterion."""

    label: str
    verdict_label: str
    css_class: str
    icon: str
    comment: str = ""


@dataclass(slots=True)
class InspectionDisplay:
    """One inspection, prepared for display."""

    line: VerdictLine
    lines: list[VerdictLine]
    row: Inspection
    comments: list[dict[str, Any]] = field(default_factory=list)


def build_verdict_line(label: str, verdict: str, comment: str = "") -> VerdictLine:
    word = Verdict(verdict)
    return VerdictLine(label, str(word.label), *STYLES[word], comment)


def criterion_labels(schema: Schema) -> dict[str, str]:
    return {
        **{attribute.key: attribute.label for attribute in schema.attributes},
        **{kind.inspected_key: _(kind.inspected_label) for kind in KINDS.values()},
    }


def describe_inspection(row: Inspection, schema: Schema) -> InspectionDisplay:
    """Prepare an inspection for display, with its criteria in the schema's order."""
    names = criterion_labels(schema)
    order = [*names, *(key for key in row.verdicts if key not in names)]
    lines = [
        build_verdict_line(names.get(key, key), row.verdicts[key]["verdict"], row.verdicts[key].get("comment", ""))
        for key in order
        if key in row.verdicts
    ]
    return InspectionDisplay(build_verdict_line(_("Overall"), row.verdict, row.comment), lines, row, row.comments)


def format_feedback(row: Inspection, schema: Schema) -> str:
    """All comments of an inspection in one line, for a notice on the task page."""
    display = describe_inspection(row, schema)
    comments = [display.line.comment]
    comments += [name_value(part_line.label, part_line.comment) for part_line in display.lines if part_line.comment]
    comments += [name_value(quote_text(comment["quote"]), comment["comment"]) for comment in row.comments]
    return " · ".join(text for text in comments if text)


@dataclass(frozen=True, slots=True)
class Change:
    """The differences of a text from one revision to the next: of every part that people read."""

    number: int
    parts: list[list[Piece]]


def list_changes(kind: Kind, revisions: list[Annotation]) -> list[Change]:
    """The differences of each revision to the one before it, newest first."""
    rows = [Change(later.revision, _diff_parts(kind, earlier, later)) for earlier, later in pairwise(revisions)]
    return rows[::-1]


def _diff_parts(kind: Kind, earlier: Annotation, later: Annotation) -> list[list[Piece]]:
    earlier_texts, later_texts = dict(kind.parts_of(earlier.payload)), dict(kind.parts_of(later.payload))
    names = [*later_texts, *(name for name in earlier_texts if name not in later_texts)]
    return [diff_words(earlier_texts.get(name, ""), later_texts.get(name, "")) for name in names]


def describe_measured(
    attribute: Attribute, value: Any, annotation: Annotation, scores: Mapping[str, Scored], n_words: int
) -> str:
    """The measure of an attribute beside what was asked: 22 words, asked 17 to 25; or why it is undefined; "" where
    nothing measures it."""
    if not attribute.measure:
        return ""
    band = find_asked_band(attribute, str(value), annotation.band_shown)
    if attribute.measure == LENGTH:
        return add_asked(write_words(n_words), band, LENGTH)
    score = scores.get(attribute.measure)
    if score is None:
        return _("not measured yet")
    if score.value is None:
        return score.undefined
    return add_asked(write_measured(attribute.measure, score.value), band, attribute.measure)


def describe_origin(annotation: Annotation) -> list[str]:
    """How a text came about, in sentences: what was kept of a suggested text, then the authorship record."""
    return [*describe_suggestion(annotation.suggestion), *describe_authorship(annotation.authorship)]


def describe_suggestion(record: Mapping[str, Any]) -> list[str]:
    """What was kept of a suggested text; [] where there was none. The system stays unnamed."""
    kept, of_text = suggestions.read_kept_share(record), suggestions.read_share_of_text(record)
    if kept is None or of_text is None:
        return []
    if record.get("identical"):
        return [_("Submitted as it had been suggested by a machine, without a change.")]
    shares = {"kept": format_share(kept, 0), "of_text": format_share(of_text, 0)}
    return [_("%(kept)s %% of the suggested text was kept; it makes up %(of_text)s %% of the summary.") % shares]


def describe_authorship(record: Mapping[str, Any]) -> list[str]:
    """The authorship record in sentences; [] where nothing was recorded. Shown only after the verdict."""
    shares = authorship.compute_shares(record)
    if shares is None or shares["typed"] is None:
        return []
    sentences = [
        _("%(typed)s %% typed, %(source)s %% pasted from the source, %(outside)s %% from outside.")
        % {name: format_share(value or 0, 0) for name, value in shares.items()},
        ngettext("%(n)d character deleted.", "%(n)d characters deleted.", record["deleted"]) % {"n": record["deleted"]},
        _("Longest run of typing, in characters: %(run)s.") % {"run": record["longest_burst"]},
    ]
    large = [row["size"] for row in record["pastes"] if row["origin"] == "outside" and row["size"] >= authorship.LARGE]
    if large:
        sentences.append(
            ngettext(
                "%(n)d large paste from outside: %(sizes)s characters.",
                "%(n)d large pastes from outside: %(sizes)s characters.",
                len(large),
            )
            % {"n": len(large), "sizes": join_names(large)}
        )
    return sentences


def script_messages() -> dict[str, Any]:
    """Messages of the inspection page's script."""
    return {
        **source_messages(),
        "left": plural_forms(lambda n: ngettext("{n} verdict left", "{n} verdicts left", n)),
        "will-accept": _("Will be accepted"),
        "will-revise": _("Will be returned to its writer with your comments"),
        "will-reject": _("Will be rejected; the task is offered to another annotator"),
        "why": _("Add a comment: what to change, or why"),
        "comment-on": _("Comment on “{quote}”"),
        "remove": _("Remove the comment on “{quote}”"),
        "chosen": _("Chosen: {quote}. Press c to comment."),
    }
