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
_DOUBLED: Final = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_DANGLING_WORDS = """
    and or but to of the a an with for in on at by from that which who as than
"""
_DANGLING: Final = frozenset(_DANGLING_WORDS.split())


def find_fault(form: Form, form_parse: Parse, source: Parse) -> str:
    """Why a form is rejected: "root", "subject", "clause", "doubled", "content", "negation",
    "number", "quote", "ending"; "" for a good one."""
    text = form.traced.text
    if text.count('"') % 2 or text.count("“") != text.count("”") or text.count("(") != text.count(")"):
        return "quote"
    if not set(_DIGITS.findall(text)) <= set(_DIGITS.findall(source.text)) | _new_digits(form):
        return "number"
    if text.split()[-1].lower() in _DANGLING:
        return "ending"
    if _lacks_clause(form_parse) or _has_orphan(form, source):
        return "clause"
    if {match[1].lower() for match in _DOUBLED.finditer(text)} - {
        match[1].lower() for match in _DOUBLED.finditer(source.text)
    }:
        return "doubled"
    if _says_nothing(form_parse):
        return "content"
    if _count_negations(form_parse) != _count_kept_negations(form, source):
        return "negation"
    return _find_clause_fault(form, form_parse, source)


def _lacks_clause(parse: Parse) -> bool:
    """Whether the last "that" of a verb opens a clause without a verb."""
    last = next((node for node in reversed(parse.nodes) if node.low == "that" and node.tag == "IN"), None)
    return last is not None and not any(node.tag in FINITE for node in parse.nodes[last.place :])


def _has_orphan(form: Form, source: Parse) -> bool:
    """Whether a clause stays although a reading leaves out the word that governs it, other than the sentence's own."""
    return any(
        node.plain_relation in ("ccomp", "acl", "xcomp", "appos", "obj")
        and source.nodes[node.head] != source.root
        and _is_removed(form, source.nodes[node.head])
        and not _is_removed(form, node)
        for node in source.nodes
    )


def _is_removed(form: Form, node: Node) -> bool:
    return any(start <= node.start < end for start, end in form.removed)


def _says_nothing(parse: Parse) -> bool:
    """ "A spokesman told CNN in an email": somebody says something, and what is left out."""
    root = parse.root
    return (
        root is not None
        and root.low in ("said", "says", "told")
        and not parse.children(root, "ccomp", "parataxis", "xcomp", "advcl")
        and (root.low == "told" or not parse.children(root, "obj"))
        and not any(mark in parse.text for mark in '"“”')
        and not any(node.tag in FINITE and node != root for node in parse.nodes)
    )


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
    keeps_root = at is not None and at[0] < form.root[1] and form.root[0] < at[1]
    return "" if keeps_root or _was_coordinated(form, source, at) else "root"


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
    kept_negations = [
        node
        for node in source.nodes
        if _negates(node) and not any(start <= node.start < end for start, end in form.removed)
    ]
    return len(
        [
            node
            for node in kept_negations
            if any(at in origins for at in range(node.start, node.end)) or _was_replaced(form, node)
        ]
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
