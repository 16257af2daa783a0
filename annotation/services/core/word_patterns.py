"""How words are put together in texts of the interface: lists, a name with its value, a remark in brackets.

Each is a message, because languages differ in their commas, colons and brackets.
"""

import re
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

NO_BREAK_SPACE, WORD_JOINER = "\u00a0", "\u2060"
LINE_ENDS = re.compile(r"(?<=[–\u4e00-\u9fff])(?=\S)|(?<=\S)(?=[\u4e00-\u9fff])")
"""Where a line may end without a space: after a dash, and beside an ideograph."""


def keep_together(text: str) -> str:
    """A date or a range that no line breaks, for texts in which no element can say so."""
    return LINE_ENDS.sub(WORD_JOINER, text.replace(" ", NO_BREAK_SPACE))


def list_separator() -> str:
    return pgettext("between the parts of a list", ", ")


def join_names(names: Iterable[object]) -> str:
    """a, b, c"""
    return list_separator().join(map(str, names))


def clause_separator() -> str:
    return pgettext("between the parts of a list", "; ")


def join_clauses(clauses: Iterable[object]) -> str:
    """a; b; c: for parts that have commas inside."""
    return clause_separator().join(map(str, clauses))


def join_with_and(names: Sequence[object]) -> str:
    """a, b and c"""
    if len(names) < 2:
        return join_names(names)
    return _("%(names)s and %(last)s") % {"names": join_names(names[:-1]), "last": names[-1]}


def join_with_or(names: Sequence[object]) -> str:
    """a, b or c"""
    if len(names) < 2:
        return join_names(names)
    return _("%(names)s or %(last)s") % {"names": join_names(names[:-1]), "last": names[-1]}


def name_value(name: object, value: object) -> str:
    """Length: short"""
    return _("%(name)s: %(value)s") % {"name": name, "value": value}


def add_remark(text: object, remark: object) -> str:
    """12 (this design)"""
    return _("%(text)s (%(remark)s)") % {"text": text, "remark": remark}


def quote_text(text: object) -> str:
    """“short”"""
    return _("“%(text)s”") % {"text": text}


def put_in_brackets(remark: object) -> str:
    """(this design), where the thing it describes precedes it as a separate element."""
    return _("(%(remark)s)") % {"remark": remark}
