"""Translated messages that the scripts of several pages share, by id; {values} are filled in by the script."""

from django.utils.translation import gettext as _

Sentence = str | dict[str, str]
"""A message, or its plural forms (`plural_forms`)."""


def source_messages() -> dict[str, Sentence]:
    """Of the pane with a source."""
    return {
        "speakers-all": _("All speakers"),
        "speakers-shown": _("{n} of {all} speakers"),
        "find-at": _("{at} of {all}"),
        "find-none": _("None"),
    }


def saving_messages() -> dict[str, Sentence]:
    """Of the state in the header of a page that saves what is written; what differs is added by the page."""
    retry_text = _("saved on this device, retrying in {n} s")
    return {
        "save-changed": _("Not saved yet"),
        "save-changed-more": "",
        "save-saving": _("Saving"),
        "save-saving-more": "",
        "save-saved": _("Saved {at}"),
        "save-saved-more": "",
        "save-offline": _("Offline"),
        "save-offline-more": retry_text,
        "save-error": _("Not saved"),
        "save-error-more": retry_text,
        "save-refused": _("Not saved"),
        "save-gone": _("Not saved"),
        "save-session": _("Signed out"),
        "save-unkept": _("this browser cannot keep a copy: leave this page open. {detail}"),
    }
