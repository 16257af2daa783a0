"""Translated messages of the task page's script, looked up by id; {values} are filled in by the script.

Messages that depend on a number have the plural forms of the language; `n` is the number.
"""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.views.core.plural_forms import plural_forms
from annotation.views.core.script_messages import Sentence, saving_messages, source_messages


def script_messages() -> dict[str, Sentence]:
    """All messages of the script, by id."""
    return {
        **_source_messages(),
        **_measure_messages(),
        **_saving_messages(),
        **_choosing_messages(),
        **_step_messages(),
        **_leaving_messages(),
    }


def _source_messages() -> dict[str, Sentence]:
    return {
        **source_messages(),
        "show-segment": _("Show {n} in the source"),
        "remove-segment": _("Remove {n}"),
        "remove-words": _("Remove the words in {n}"),
        "words-inside": _("Words inside it"),
    }


def _measure_messages() -> dict[str, Sentence]:
    return {
        "words": plural_forms(lambda n: ngettext("{n} word", "{n} words", n)),
        "ratio-marked": plural_forms(
            lambda n: ngettext(
                "{ratio} % of the {n} word in the marked segments",
                "{ratio} % of the {n} words in the marked segments",
                n,
            )
        ),
        "ratio-source": plural_forms(
            lambda n: ngettext("{ratio} % of the {n} word of the source", "{ratio} % of the {n} words of the source", n)
        ),
        "band-unmarked": _(
            "The guideline’s band for “{value}” is a share of the words in the relevant segments. "
            "Mark segments in the source to see it in words."
        ),
        "band-words": _("The guideline’s band for “{value}”: {low} to {high} words."),
        "band-exact": _("The guideline’s band for “{value}”: about {low} words."),
        "band-from": _("The guideline’s band for “{value}”: {low} words or more."),
        "band-in": _("Within the band."),
        "band-over": plural_forms(lambda n: ngettext("{n} word over the band.", "{n} words over the band.", n)),
        "band-under": plural_forms(lambda n: ngettext("{n} word under the band.", "{n} words under the band.", n)),
    }


def _saving_messages() -> dict[str, Sentence]:
    return {
        **saving_messages(),
        "save-conflict": _("Edited in another tab"),
        "save-conflict-more": _("choose a version"),
        "save-refused-more": _("saved on this device. {detail}"),
        "save-gone-more": _(
            "Not saved: another user is signed in here, or this task was withdrawn. "
            "Your text is saved on this device for {name}. Sign in as {name} and saving continues automatically."
        ),
        "said-restored": _("Text that had not been sent to the server was restored from this device."),
        "save-session-more": _(
            "Your text is saved on this device. Sign in again in another tab; saving continues automatically."
        ),
        "sign-in": _("Sign in"),
        "nothing-written": _("Nothing written yet."),
        "conflict-title": _("Title in this tab: {mine}. Title in the other tab: {theirs}."),
        "conflict-marks": _("The marked segments differ too. They belong to the version you choose."),
        "conflict-first": _("First choose which version to continue with."),
        "lease-over": _(
            "Your time for this task has expired, so it may be given to another annotator. Your text is saved. "
            "You can still submit it; it is then stored as an extra summary."
        ),
    }


def _choosing_messages() -> dict[str, Sentence]:
    return {
        "yours-to-pick": _("yours to pick"),
        "wording": _("Wording of choice {n}"),
        "from-candidate": _("from “{text}”"),
        "remove-text": _("Remove “{text}”"),
        "add-own": _("Add “{text}”"),
        "own-twice": _("Already selected."),
        "own-full": plural_forms(lambda n: ngettext("At most {n} can be chosen.", "At most {n} can be chosen.", n)),
        "choice-few": plural_forms(
            lambda n: ngettext(
                "{label}: choose at least {n}; {chosen} chosen so far.",
                "{label}: choose at least {n}; {chosen} chosen so far.",
                n,
            )
        ),
        "choice-twice": _("{label}: the same text appears twice. Change or remove one."),
        "none-chosen": _("none"),
        "frozen-by-other": _("Another annotator has chosen in the meantime: {texts}. This now applies to everyone."),
        "go-on": _("Continue with this choice"),
        **_failure_messages("choose", _("Not chosen yet")),
    }


def _step_messages() -> dict[str, Sentence]:
    return {
        "after-step-1": _("after step 1"),
        "steps-left": plural_forms(lambda n: ngettext("{n} step to do", "{n} steps to do", n)),
        "ready": _("Ready to submit"),
        "submit": _("Submit"),
        "submit-anyway": _("Submit anyway"),
        "submit-anyway-said": _("{missed} Submit it anyway, or change the text."),
        "review-by-reading": _("check by reading"),
        "title-few-words": _("A few words"),
        "title-after-tick": _("After the tick"),
        "segments-marked": plural_forms(lambda n: ngettext("{n} segment", "{n} segments", n)),
        "spans-marked": plural_forms(lambda n: ngettext("{n} selection of words", "{n} selections of words", n)),
        "nothing-marked": _("nothing marked yet"),
        "confirmed": _("Confirmed."),
        "taken-back": _("Last mark undone."),
        "nothing-to-take-back": _("Nothing to undo."),
        "still-to-do": _("Still to do: {list}."),
        "todo-choice": _("choose topics and speakers"),
        "todo-summary": _("write the summary"),
        "todo-mark": _("mark the relevant segments"),
        "todo-confirm": _("confirm the relevant segments"),
        "todo-reread": _("review the summary"),
        "todo-title": _("give it a title"),
    }


def _leaving_messages() -> dict[str, Sentence]:
    return {
        "submitting": _("Submitting"),
        "said-submitted": _("Submitted. Next on the same source: {request}."),
        "said-submitted-next": _("Submitted. Next, on another source: {request}."),
        "said-skipped": _("Skipped. Next on the same source: {request}."),
        "said-chosen": _("Topics locked. Next part of the same source: {request}."),
        "said-frozen": _("Topics locked. The full request is shown above. Now write the summary."),
        **_failure_messages("submit", _("Not submitted yet")),
        "submit-session": _(
            "Not submitted yet: you are signed out. Your summary is saved on this device. "
            "Sign in again in another tab and it will be submitted automatically."
        ),
        "submit-offline": _(
            "Not submitted yet: the server cannot be reached. Your summary is saved on this device and will be "
            "submitted automatically."
        ),
        "submit-broken": _(
            "Not submitted yet: the server reported an error. Your summary is saved on this device and will be "
            "submitted automatically."
        ),
        "submit-changed": _("Not submitted: the text has changed. Submit it again."),
        "note-saved": _("Note saved."),
        **_failure_messages("note", _("Not saved")),
        "note-offline": _("Not saved: the server cannot be reached. Try again."),
        "note-broken": _("Not saved: the server reported an error. Try again."),
        **_failure_messages("skip", _("Not skipped")),
    }


def _failure_messages(prefix: str, headline: str) -> dict[str, Sentence]:
    """Messages for a failed call, by kind of failure (static/js/api.js)."""
    return {
        f"{prefix}-refused": _("%(what)s: {detail}") % {"what": headline},
        f"{prefix}-conflict": _("%(what)s: {detail}") % {"what": headline},
        f"{prefix}-stale": _("%(what)s: {detail}") % {"what": headline},
        f"{prefix}-session": _("%(what)s: you are signed out. Sign in again in another tab, then try again here.")
        % {"what": headline},
        f"{prefix}-offline": _("%(what)s: the server cannot be reached. Your work is saved on this device. Try again.")
        % {"what": headline},
        f"{prefix}-broken": _("%(what)s: the server reported an error. Your work is saved on this device. Try again.")
        % {"what": headline},
    }
