"""Active <-> passive, for simple clauses in the past whose subject and object are short."""

from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.compressing import opening_end
from modelbridge.systems.controlled_extract.edits import Edit, Piece
from modelbridge.systems.controlled_extract.inflecting import inflect_verb
from modelbridge.systems.controlled_extract.lowering import lower_first
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_LONGEST: Final = 7
# Only verbs whose passive is natural; base forms.
_VERBS_WORDS = """
    arrest attack kill build found create write win launch release publish discover design direct develop approve
    reject criticize praise accuse shoot rescue destroy damage capture seize hit strike injure produce announce
    ban block reveal organize host lead run open close buy sell order pass sign support condemn confirm describe
    charge report question identify invent investigate find examine adopt accept deny dismiss impose introduce propose
    recommend review suspend overturn uphold present perform paint film photograph record store test treat arrange
    construct expand replace remove repair restore protect defend defeat threaten target blame mock honor praise
    interview question search fire hire elect appoint nominate name elect cancel postpone delay approve authorize
    trigger cause influence inspire finance fund sponsor back attend visit watch see hear tell follow
"""
_VERBS: Final = frozenset(_VERBS_WORDS.split())
_PASTS: Final = {inflect_verb(base, "VBD"): base for base in sorted(_VERBS)}
_PARTICIPLES: Final = {inflect_verb(base, "VBN"): base for base in sorted(_VERBS)}


def find_voice_edits(parse: Parse) -> list[Edit]:
    """Wide edits; empty where the sentence is anything but simple."""
    return [*_to_passive(parse), *_to_active(parse)]


def _is_simple(parse: Parse, root: Node) -> bool:
    return not parse.children(
        root, "conj", "ccomp", "xcomp", "parataxis", "compound:prt", "iobj", "cop", "mark"
    ) and not any(mark in parse.text for mark in '"“”:;')


def _to_passive(parse: Parse) -> Iterator[Edit]:
    """ "Police arrested two men on Monday" -> "Two men were arrested by police on Monday"."""
    root = parse.root
    if root is None or root.tag != "VBD" or root.low not in _PASTS or not _is_simple(parse, root):
        return
    subjects, objects = parse.children(root, "nsubj"), parse.children(root, "obj")
    if len(subjects) != 1 or len(objects) != 1 or parse.children(root, "aux", "advmod"):
        return
    agent, thing = parse.span(subjects[0]), parse.span(objects[0])
    start = opening_end(parse.text)
    if (
        agent is None
        or thing is None
        or agent[0] != start
        or not _fits(parse, subjects[0])
        or not _fits(parse, objects[0])
    ):
        return
    if agent[1] + 1 != root.start or root.end + 1 != thing[0]:
        return
    plural = (
        objects[0].tag in ("NNS", "NNPS")
        or objects[0].low in ("number", "couple", "majority")
        or bool(parse.children(objects[0], "conj"))
    )
    verb = f" {'were' if plural else 'was'} {inflect_verb(_PASTS[root.low], 'VBN')} by "
    pieces: tuple[Piece, ...] = (
        parse.text[thing[0]].upper(), (thing[0] + 1, thing[1]), verb, *lower_first(parse, *agent)
    )  # fmt: skip
    yield Edit("passive", agent[0], thing[1], pieces, 0.05, wide=True, root=None)


def _to_active(parse: Parse) -> Iterator[Edit]:
    """ "Two men were arrested by police on Monday" -> "Police arrested two men on Monday"."""
    root = parse.root
    if root is None or root.tag != "VBN" or root.low not in _PARTICIPLES or not _is_simple(parse, root):
        return
    subjects, agents = parse.children(root, "nsubj:pass"), parse.children(root, "obl:agent")
    forms = parse.children(root, "aux:pass")
    if len(subjects) != 1 or len(agents) != 1 or len(forms) != 1 or forms[0].low not in ("was", "were"):
        return
    patient, agent = parse.span(subjects[0]), parse.span(agents[0])
    start = opening_end(parse.text)
    if patient is None or agent is None or patient[0] != start or parse.children(root, "aux", "advmod") != forms:
        return
    if not _fits(parse, subjects[0]) or not _fits(parse, agents[0]) or forms[0].end + 1 != root.start:
        return
    by_end = agent[0] + 3
    if root.end + 1 != agent[0] or parse.text[agent[0] : by_end] != "by " or patient[1] + 1 != forms[0].start:
        return
    verb = f" {inflect_verb(_PARTICIPLES[root.low], 'VBD')} "
    pieces: tuple[Piece, ...] = (
        parse.text[by_end].upper(), (by_end + 1, agent[1]), verb, *lower_first(parse, *patient)
    )  # fmt: skip
    yield Edit("active", patient[0], agent[1], pieces, 0.04, wide=True, root=None)


def _fits(parse: Parse, node: Node) -> bool:
    """A short noun phrase without clauses, pronouns and commas."""
    nodes = parse.subtree(node)
    return (
        len(nodes) <= _LONGEST
        and node.tag[:2] == "NN"
        and not any(token.tag in ("PRP", "PRP$", "WP", "WDT", "VBD", "VBZ", "VBP", ",", ":", "TO") for token in nodes)
        and not parse.children(node, "acl", "acl:relcl", "appos")
        and (node.relation == "obl:agent" or not parse.children(node, "case"))
    )
