"""Two sentences with one subject as one: what a sentence needs to take the next one's predicate, or to give its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from modelbridge.systems.controlled_extract.parsing import Node, Parse

_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_BREAKS: Final = ('"', "“", "”", ":", ";", "(", "--", "–", "—", "?")
_PRONOUNS: Final = frozenset({"he", "she", "they"})
_NO_SUBJECTS_WORDS = """
    it this that these those there they we i you which who what one some many most others another such all both
    he she they
"""
_NO_SUBJECTS: Final = frozenset(_NO_SUBJECTS_WORDS.split())
_ARTICLES: Final = frozenset({"the", "a", "an"})
LONGEST_SUBJECT: Final = 8
LONGEST_NOUN_PHRASE: Final = 9
LONGEST_FOLLOWING: Final = 24


@dataclass(frozen=True, slots=True)
class Clause:
    """subject: what two sentences must share, in lower case and without its article; the pronoun itself, if it is one.
    predicate: the text after the subject. continues: whether "and" with a second predicate may follow. named: whether
    the subject is a name and no other person is named. plural: whether it is the only plural. apposed: "X, a teacher,"
    for "X is a teacher", or ""."""

    subject: str
    predicate: str
    continues: bool
    named: bool
    plural: bool = False
    apposed: str = ""


def read_clause(parse: Parse) -> Clause | None:
    """The clause of a whole sentence; None unless its subject begins it, or follows an opening phrase, and its verb
    comes next."""
    root = parse.root
    if root is None:
        return None
    subjects = parse.children(root, "nsubj")
    if len(subjects) != 1:
        return None
    nodes = parse.subtree(subjects[0])
    span = parse.span_of(nodes)
    following = parse.after(nodes[-1])
    if span is None or len(nodes) > LONGEST_SUBJECT or following is None or not _opens(parse, nodes[0]):
        return None
    if following.tag not in _FINITE or not (following == root or following.head == root.place):
        return None
    subject = _subject_key(subjects[0], nodes)
    if not subject or any(
        token.text in _BREAKS or token.text == "," or token.tag in ("CC", "WP", "WDT") for token in nodes
    ):
        return None
    end = len(parse.text.rstrip(" ."))
    is_named = subjects[0].tag == "NNP" and not _names_others(parse, nodes)
    return Clause(
        subject,
        parse.text[following.start : end] if _can_follow(parse, root, nodes[0]) else "",
        _continues(parse, root),
        is_named,
        subjects[0].tag == "NNS" and sum(token.tag in ("NNS", "NNPS", "CC") for token in parse.nodes) == 1,
        _appose(parse, root, subjects[0], span, following) if nodes[0].place == 0 else "",
    )


def can_fuse(first: Clause | None, second: Clause | None, *, adjacent: bool) -> bool:
    """Whether the second one's predicate may follow the first: one subject, by its words, or by a pronoun for the name
    in the sentence before."""
    if first is None or second is None or not first.continues or not second.predicate:
        return False
    if first.subject in _PRONOUNS:
        return adjacent and first.subject == second.subject
    if second.subject == "they":
        return adjacent and first.plural
    if second.subject in _PRONOUNS:
        return adjacent and first.named
    if first.subject == second.subject:
        return True
    longer, shorter = sorted((first.subject.split(), second.subject.split()), key=len, reverse=True)
    return len(shorter) == 1 and longer[-1] == shorter[0]


def _opens(parse: Parse, first: Node) -> bool:
    """Whether a subject begins its sentence, or stands after a phrase and a comma."""
    if first.place == 0:
        return True
    comma = parse.nodes[first.place - 1]
    return (
        comma.text == ","
        and parse.nodes[0].tag == "IN"
        and not any(token.tag in (*_FINITE, "WP", "WDT", "WRB", ",") for token in parse.nodes[: comma.place])
    )


def _can_follow(parse: Parse, root: Node, first: Node) -> bool:
    """Whether what follows the subject is one predicate that is short enough for the end of another sentence."""
    return first.place == 0 and len(parse.nodes) <= LONGEST_FOLLOWING and not parse.children(root, "conj", "parataxis")


def _subject_key(subject: Node, nodes: Sequence[Node]) -> str:
    if len(nodes) == 1 and subject.low in _PRONOUNS:
        return subject.low
    if subject.tag not in ("NN", "NNS", "NNP", "NNPS") or subject.low in _NO_SUBJECTS:
        return ""
    if subject.tag in ("NN", "NNS") and nodes[0].low != "the":
        return ""  # "a man" of two sentences may be two men
    return " ".join(token.low for token in nodes if token.low not in _ARTICLES)


def _names_others(parse: Parse, subject: Sequence[Node]) -> bool:
    """Whether a name outside the subject may be another person's."""
    places = {token.place for token in subject}
    return any(
        token.tag == "NNP"
        and token.place not in places
        and token.relation in ("nsubj", "nsubj:pass", "obj", "iobj", "obl:agent", "conj", "appos", "nmod:poss")
        for token in parse.nodes
    )


def _continues(parse: Parse, root: Node) -> bool:
    """Whether a verb after the last word could only belong to the root: no clause stands between them."""
    if any(token.text in _BREAKS for token in parse.nodes):
        return False
    if parse.children(root, "ccomp", "conj", "parataxis", "csubj"):
        return False
    return not any(token.tag in (*_FINITE, "WP", "WDT", "WRB") for token in parse.nodes[root.place + 1 :])


def _appose(parse: Parse, root: Node, subject: Node, span: tuple[int, int], verb: Node) -> str:
    """ "Ann Lee is a teacher" -> "Ann Lee, a teacher,"."""
    nodes = [token for token in parse.nodes if token.place > verb.place and token.text != "."]
    plain = (
        subject.tag == "NNP"
        and verb.low in ("is", "was")
        and verb.relation == "cop"
        and root.tag == "NN"
        and 2 <= len(nodes) <= LONGEST_NOUN_PHRASE
        and nodes[0].low in ("a", "an", "the")
        and not any(token.text in (*_BREAKS, ",") or token.tag in (*_FINITE, "RB", "WP", "WDT") for token in nodes)
    )
    return f"{parse.text[span[0] : span[1]]}, {parse.text[nodes[0].start : nodes[-1].end]}," if plain else ""
