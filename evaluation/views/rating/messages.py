"""Translated messages for the item page's script, and the messages shown when there is no item."""

from typing import Any

from django.utils.translation import gettext as _

Sentence = str | dict[str, str]


def script_sentences() -> dict[str, Sentence]:
    """All messages of the script, by id."""
    return {**_source_sentences(), **_saving_sentences(), **_answering_sentences()}


def _source_sentences() -> dict[str, Sentence]:
    return {
        "speakers-all": _("All speakers"),
        "speakers-shown": _("{n} of {all} speakers"),
        "find-at": _("{at} of {all}"),
        "find-none": _("None"),
        "show-segment": _("Show {n} in the source"),
        "copied-runs": {"one": _("{n} run of copied words"), "other": _("{n} runs of copied words")},
        "hide-source": _("Hide the source"),
        "show-source": _("Show the source"),
    }


def _saving_sentences() -> dict[str, Sentence]:
    retry_text = _("kept on this device, trying again in {n} s")
    return {
        "save-changed": _("Not saved yet"),
        "save-changed-more": "",
        "save-saving": _("Saving"),
        "save-saving-more": "",
        "save-saved": _("Saved {at}"),
        "save-saved-more": "",
        "save-conflict": _("Changed elsewhere"),
        "save-conflict-more": _("choose which answers to keep"),
        "save-offline": _("Offline"),
        "save-offline-more": retry_text,
        "save-error": _("Not saved"),
        "save-error-more": retry_text,
        "save-refused": _("Not saved"),
        "save-refused-more": "{detail}",
        "save-gone": _("Not saved"),
        "save-gone-more": _("this item is not yours any more"),
        "save-session": _("Signed out"),
        "save-session-more": _("kept on this device. Sign in again in another tab; saving goes on by itself."),
        "save-unkept": _("this browser keeps no copy: leave this page open. {detail}"),
    }


def _answering_sentences() -> dict[str, Sentence]:
    return {
        "left": {"one": _("{n} question left"), "other": _("{n} questions left")},
        "all-answered": _("All answered"),
        "unsure-marked": _("Question {number}: unsure."),
        "unsure-cleared": _("Question {number}: not unsure any more."),
        "still-open": _("Still open: {list}"),
        "sending": _("Sending"),
        "wait-offline": _("Offline. Your answers are kept on this device and sent when the connection is back."),
        "wait-broken": _("The server gave no answer. Your answers are kept on this device; trying again."),
        "wait-session": _("You are signed out. Sign in again in another tab; your answers are then sent."),
        "refused": _("Not accepted: {detail}"),
        "restored": _("Answers that had not reached the server were kept on this device and are back."),
    }


def no_item_message(code: str) -> dict[str, Any] | None:
    """Title and text for a reason code of a claim without an item; None for an unknown code."""
    return {
        "done": {
            "title": _("Everything is rated"),
            "text": _("All items of this round have their ratings. Thank you."),
        },
        "all_yours": {
            "title": _("You have answered all your items"),
            "text": _("What is left is for the other raters. Thank you."),
        },
        "leased": {
            "title": _("No item is free right now"),
            "text": _("Others are rating the last ones. If one is given back, you can take it: ask again later."),
        },
        "paused": {"title": _("The round is paused"), "text": _("Your answers are kept. Come back later.")},
        "closed": {"title": _("The round is closed"), "text": _("Your answers are stored. Thank you.")},
    }.get(code)
