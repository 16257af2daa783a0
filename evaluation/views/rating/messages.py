"""Translated messages for the item page's script, and the messages shown when there is no item."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.views.core.plural_forms import plural_forms
from annotation.views.core.script_messages import Sentence, saving_messages, source_messages


def script_sentences() -> dict[str, Sentence]:
    """All messages of the script, by id."""
    return {**_source_sentences(), **_saving_sentences(), **_answering_sentences(), **_marking_sentences()}


def _source_sentences() -> dict[str, Sentence]:
    return {
        **source_messages(),
        "show-segment": _("Show {n} in the source"),
        "copied-runs": plural_forms(lambda n: ngettext("{n} run of copied words", "{n} runs of copied words", n)),
        "hide-source": _("Hide the source"),
        "show-source": _("Show the source"),
    }


def _saving_sentences() -> dict[str, Sentence]:
    return {
        **saving_messages(),
        "save-conflict": _("Changed elsewhere"),
        "save-conflict-more": _("choose which answers to keep"),
        "save-refused-more": "{detail}",
        "save-gone-more": _("this item is no longer assigned to you"),
        "save-session-more": _("saved on this device. Sign in again in another tab; saving continues automatically."),
    }


def _answering_sentences() -> dict[str, Sentence]:
    return {
        "left": plural_forms(lambda n: ngettext("{n} question left", "{n} questions left", n)),
        "all-answered": _("All answered"),
        "unsure-marked": _("Question {number}: unsure."),
        "unsure-cleared": _("Question {number}: no longer unsure."),
        "still-open": _("Still open: {list}"),
        "sending": _("Sending"),
        "wait-offline": _("You're offline. Your answers are saved on this device and will be sent automatically."),
        "wait-broken": _("The server is not responding. Your answers are saved on this device; retrying."),
        "wait-session": _("You are signed out. Sign in again in another tab to send your answers."),
        "refused": _("Not accepted: {detail}"),
        "restored": _("Answers that had not been sent to the server were restored from this device."),
    }


def _marking_sentences() -> dict[str, Sentence]:
    return {
        "mark-category": _("“{words}”: choose a category."),
        "mark-severity": _("“{words}”: choose a severity."),
        "mark-added": _("Marked: {kind}."),
        "mark-remove": _("Remove the mark: {kind}"),
        "mark-removed": _("Mark removed."),
        "mark-cancelled": _("Nothing marked."),
    }


def no_item_message(code: str) -> dict[str, Any] | None:
    """Title and text for a reason code of a claim without an item; None for an unknown code."""
    return {
        "done": {
            "title": _("All items are rated"),
            "text": _("All items of this round have been rated. Thank you."),
        },
        "all_yours": {
            "title": _("You have rated all your items"),
            "text": _("The remaining items are for other raters. Thank you."),
        },
        "leased": {
            "title": _("No item available right now"),
            "text": _("Others are rating the last ones. If one is released, you can take it. Check again later."),
        },
        "quota": {
            "title": _("You have rated all your items"),
            "text": _("You have reached your number of items. Thank you."),
        },
        "consent": {
            "title": _("The consent page has changed"),
            "text": _("Open your next item to read and agree to it."),
        },
        "not_open": {
            "title": _("The round is not open yet"),
            "text": _("Its items are being prepared. Come back later."),
        },
        "paused": {"title": _("The round is paused"), "text": _("Your answers are kept. Come back later.")},
        "rater_paused": {
            "title": _("You get no new items for now"),
            "text": _("New items are paused for you until the team resumes them. Your answers are kept."),
        },
        "closed": {"title": _("The round is closed"), "text": _("Your answers are stored. Thank you.")},
    }.get(code)
