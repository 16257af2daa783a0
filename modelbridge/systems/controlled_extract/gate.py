"""Rejects a form whose own parse says something else than the sentence's: another root, a lost subject or negation."""

import re
from typing import Final

from modelbridge.systems.controlled_extract.parsing import NEGATIONS, Node, Parse
from modelbridge.systems.controlled_extract.rephrasing import Form
from modelbridge.systems.controlled_extract.tagging import FINITE
from modelbridge.systems.controlled_extract.traced import NEW

SUBJECTS: Final = ("nsubj", "csubj", "expl")
_DIGITS: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"\b[A-Z][a-z]+\b")
_DANGLING_WORDS = """
    and or but to of the a an with for in on at by from that which who as than
"""
_DANGLING: Final = frozenset(_DANGLING_WORDS.split())


def find_fault(form: Form, form_parse: Parse, source: Parse) -> str:
    """Why a form is rejected: "root", "subject", "clause", "negation", "number",
    "quote", "ending"; "" for a good one."""
    text = form.traced.text
    if text.count('"') % 2 or text.count("“") != text.count("”") or text.count("(") != text.count(")"):
        return "quote"
    if not set(_DIGITS.findall(text)) <= set(_DIGITS.findall(source.text)) | _new_digits(form):
        return "number"
    if text.split()[-1].lower() in _DANGLING:
        return "ending"
    if _lacks_clause(form_parse):
        return "clause"
    if _count_negations(form_parse) != _count_kept_negations(form, source):
        return "negation"
    return _find_clause_fault(form, form_parse, source)


def _lacks_clause(parse: Parse) -> bool:
    """Whether the last "that" of a verb opens a clause without a verb."""
    last = next((node for node in reversed(parse.nodes) if node.low == "that" and node.tag == "IN"), None)
    return last is not None and not any(node.tag in FINITE for node in parse.nodes[last.place :])


def _find_clause_fault(form: Form, form_parse: Parse, source: Parse) -> str:
    root = form_parse.root
    if root is None:
        return "root"
    if _has_subject(source) and not form_parse.children(root, *SUBJECTS):
        return "subject"
    if form.root is None:
        return ""
    at = form.traced.source_span(root.start, root.end)
    if at is not None and any(edit.kind == "auxiliary" and edit.start <= at[0] < edit.end for edit in form.edits):
        return ""
    kept = at is not None and at[0] < form.root[1] and form.root[0] < at[1]
    return "" if kept or _was_coordinated(form, source, at) else "root"


def _has_subject(source: Parse) -> bool:
    return source.root is not None and bool(source.children(source.root, *SUBJECTS))


def _was_coordinated(form: Form, source: Parse, at: tuple[int, int] | None) -> bool:
    """Whether the new root was a clause beside the old one, which parses of long sentences may exchange."""
    if at is None or source.root is None:
        return False
    node = next((node for node in source.nodes if node.start <= at[0] < node.end), None)
    if node is None or not source.children(node, *SUBJECTS):
        return False
    lost = any(start <= source.root.start < end for start, end in form.removed)
    return node.relation in ("conj", "parataxis") or (lost and node.relation == "ccomp")


def _count_negations(parse: Parse) -> int:
    return sum(_negates(node) for node in parse.nodes)


def _count_kept_negations(form: Form, source: Parse) -> int:
    """Negations of the source that no reading leaves out and that stand in the form or in what replaced them."""
    origins = set(form.traced.origins) - {NEW}
    kept = [
        node
        for node in source.nodes
        if _negates(node) and not any(start <= node.start < end for start, end in form.removed)
    ]
    return len(
        [node for node in kept if any(at in origins for at in range(node.start, node.end)) or _was_replaced(form, node)]
    )


def _was_replaced(form: Form, node: Node) -> bool:
    return any(edit.start <= node.start < edit.end and not edit.wide for edit in form.edits)


def _negates(node: Node) -> bool:
    return node.low.replace("’", "'") in NEGATIONS


def _new_digits(form: Form) -> set[str]:
    """Digits that an edit of numbers wrote."""
    return {
        digits
        for edit in form.edits
        if edit.kind == "number"
        for piece in edit.pieces
        if isinstance(piece, str)
        for digits in _DIGITS.findall(piece)
    }
