"""What an import takes and leaves out, in words: for the page before it, its result and the command."""

from collections.abc import Mapping

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.services.core.word_patterns import join_names, join_with_and
from epitome.figures.numbers import format_count
from epitome.formats.answers import REPEATED
from epitome.formats.outlook import Outlook


def describe_counts(*, sources: int, references: int, left_out: Mapping[str, int], authors: int) -> str:
    """3 texts, 5 summaries: 3 taken, 1 draft and 1 rejected left out; written by 2 people, stored as pseudonyms"""
    texts = ngettext("%(n)s text", "%(n)s texts", sources) % {"n": format_count(sources)}
    n_summaries = references + sum(left_out.values())
    if not n_summaries:
        return texts
    summaries = ngettext("%(n)s summary", "%(n)s summaries", n_summaries) % {"n": format_count(n_summaries)}
    sentence = join_names([texts, summaries])
    if left_out:
        sentence = _("%(found)s: %(taken)s taken, %(rest)s left out") % {
            "found": sentence,
            "taken": format_count(references),
            "rest": join_with_and([_name_state(state, n) for state, n in left_out.items()]),
        }
    if authors:
        sentence = ngettext(
            "%(counts)s; written by %(n)s person, stored as a pseudonym",
            "%(counts)s; written by %(n)s people, stored as pseudonyms",
            authors,
        ) % {"counts": sentence, "n": format_count(authors)}
    return sentence


def describe_outlook(outlook: Outlook) -> str:
    """The counts of a preview."""
    return describe_counts(
        sources=outlook.n_sources,
        references=outlook.n_references,
        left_out=outlook.left_out,
        authors=outlook.n_authors,
    )


def _name_state(state: str, n: int) -> str:
    """1 draft, 2 rejected"""
    names = {
        "submitted": ngettext("%(n)s submitted", "%(n)s submitted", n),
        "draft": ngettext("%(n)s draft", "%(n)s drafts", n),
        "rejected": ngettext("%(n)s rejected", "%(n)s rejected", n),
        "discarded": ngettext("%(n)s discarded", "%(n)s discarded", n),
        "skipped": ngettext("%(n)s skipped", "%(n)s skipped", n),
        "ignored": ngettext("%(n)s ignored", "%(n)s ignored", n),
        REPEATED: ngettext("%(n)s repeated", "%(n)s repeated", n),
    }
    words = names.get(state, ngettext("%(n)s of unknown state", "%(n)s of unknown state", n))
    return words % {"n": format_count(n)}


def describe_remedy(code: str) -> str:
    """What mends a file that cannot be read, by the code of its fault, in the language of the page; "" in English,
    which the fault itself is in, and for what only its own words say."""
    if (get_language() or "en").startswith("en"):
        return ""
    remedies = {
        "encoding": _("Choose the encoding of the file, or save it as UTF-8."),
        "empty": _("The file holds no rows and no text."),
        "damaged": _("The file is damaged. Save it again, or in another format."),
        "archive": _("Unpack the archive, and import the files in it."),
        "too_large": _("The file is too large to be opened. Split it into smaller files."),
        "entry_too_long": _("One text of the file is too long. Split it into smaller ones."),
        "missing_package": _("This site cannot read the format. Save the file as CSV or plain text."),
        "wrong_kind": _("The file is of another kind than its name says. Save it in a format that is listed."),
        "format": _("The format is not known. Save the file as CSV, JSON lines or plain text in UTF-8."),
        "header": _("The first row must name every column."),
    }
    return remedies.get(code, "")


def label_state(state: str) -> str:
    """A state of answers, for choosing."""
    labels = {
        "submitted": _("Submitted or approved"),
        "draft": _("Drafts"),
        "rejected": _("Rejected"),
        "discarded": _("Discarded"),
        "skipped": _("Skipped"),
        "ignored": _("Ignored"),
    }
    return labels.get(state, state)
