"""Edits of verbs that keep their stem: progressive and simple, infinitive and gerund, clause and participle."""

from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, swap_words
from modelbridge.systems.controlled_extract.inflecting import inflect_verb
from modelbridge.systems.controlled_extract.parsing import Parse

# Base forms whose progressive and simple forms say the same of a plan, a wish or an investigation.
_LASTING_WORDS = """
    plan consider hope investigate face seek try ask push urge work search prepare expect demand struggle fight
    campaign review study examine negotiate discuss explore monitor call
"""
_GERUNDS: Final = {inflect_verb(base, "VBG"): base for base in _LASTING_WORDS.split()}
_PHASES: Final = frozenset(
    {"begin", "began", "begins", "start", "started", "starts", "continue", "continued", "continues"}
)
_NO_PARTICIPLES_WORDS = """
    be have know want need believe like love own mean think hope seem appear belong contain cost hate prefer
    understand wish say do get come can will
"""
_NO_PARTICIPLES: Final = frozenset(_NO_PARTICIPLES_WORDS.split())
_CONTRACTIONS: Final = {"is": "'s", "are": "'re", "will": "'ll", "am": "'m"}
_ABLE: Final = frozenset({"be", "have", "only", "not", "n't"})


def find_verb_phrase_edits(parse: Parse) -> list[Edit]:
    """All of these edits; they may overlap."""
    return [
        *_progressives(parse),
        *_phases(parse),
        *_participles(parse),
        *_relatives(parse),
        *_modals(parse),
        *_short_pronouns(parse),
        *_second_predicates(parse),
    ]


def _progressives(parse: Parse) -> Iterator[Edit]:
    """ "is planning" -> "plans", "were planning" -> "planned"."""
    tags = {"is": "VBZ", "are": "VBP", "was": "VBD", "were": "VBD"}
    for node in parse.nodes[1:-1]:
        verb = parse.nodes[node.place + 1]
        base = _GERUNDS.get(verb.low, "") if node.low in tags and verb.tag == "VBG" and node.relation == "aux" else ""
        previous = parse.nodes[node.place - 1]
        if (
            base
            and parse.text[node.end : verb.start] == " "
            and previous.tag[:2] in ("NN", "PR")
            and previous.low != "i"
        ):
            yield swap_words("tense", node.start, verb.end, inflect_verb(base, tags[node.low]), 0.03)


def _phases(parse: Parse) -> Iterator[Edit]:
    """ "began to work" -> "began working"."""
    for node in parse.nodes[1:-2]:
        to, verb = parse.nodes[node.place + 1], parse.nodes[node.place + 2]
        phase = node.low in _PHASES and to.low == "to" and node.tag in ("VBD", "VBZ", "VBP")
        if phase and verb.tag == "VB" and verb.low not in ("be", "have", "do", "see", "know"):
            yield swap_words("infinitive", to.start, verb.end, inflect_verb(verb.low, "VBG"), 0.03)


def _participles(parse: Parse) -> Iterator[Edit]:
    """ "families who live there" -> "families living there"."""
    for clause in parse.having("acl:relcl"):
        nodes = parse.subtree(clause)
        noun, previous = parse.nodes[clause.head], parse.before(nodes[0])
        if (
            len(nodes) > 2
            and nodes[0].low in ("who", "that")
            and nodes[0].head == clause.place
            and nodes[0].plain_relation == "nsubj"
            and nodes[1] == clause
            and clause.tag == "VBP"
            and noun.tag == "NNS"
            and previous == noun
            and clause.low not in _NO_PARTICIPLES
        ):
            yield swap_words("relative", nodes[0].start, clause.end, inflect_verb(clause.low, "VBG"), 0.05)


def _relatives(parse: Parse) -> Iterator[Edit]:
    """ "the villa where they stayed" -> "the villa in which they stayed"."""
    for clause in parse.having("acl:relcl"):
        nodes = parse.subtree(clause)
        previous = parse.before(nodes[0])
        if nodes[0].low == "where" and previous is not None and previous.tag == "NN" and previous.place == clause.head:
            yield swap_words("relative", nodes[0].start, nodes[0].end, "in which", 0.05)


def _modals(parse: Parse) -> Iterator[Edit]:
    """ "can leave" -> "is able to leave", "should leave" -> "ought to leave"."""
    for node in parse.nodes[1:-1]:
        verb, previous = parse.nodes[node.place + 1], parse.nodes[node.place - 1]
        if node.tag != "MD" or verb.tag != "VB" or verb.low in _ABLE or parse.text[node.end : verb.start] != " ":
            continue
        if node.low == "should":
            yield swap_words("auxiliary", node.start, node.end, "ought to", 0.06)
        elif (
            node.low == "can" and previous.tag in ("NN", "NNS", "NNP", "PRP") and previous.low not in ("i", "you", "it")
        ):
            plural = previous.tag == "NNS" or previous.low in ("they", "we")
            subject = next(iter(parse.children(parse.nodes[node.head], "nsubj")), None)
            if subject == previous and not parse.children(subject, "conj"):
                new = "are able to" if plural else "is able to"
                yield swap_words("auxiliary", node.start, node.end, new, 0.06)


def _short_pronouns(parse: Parse) -> Iterator[Edit]:
    """ "they are" -> "they're"; not at the end of what they say."""
    for node in parse.nodes[1:-2]:
        previous, following = parse.nodes[node.place - 1], parse.nodes[node.place + 1]
        if (
            previous.low in ("he", "she", "they", "it", "we", "there", "that")
            and previous.tag in ("PRP", "EX")
            and node.low in _CONTRACTIONS
            and (node.low != "will" or previous.low not in ("it", "there"))
            and (previous.low not in ("they", "we") or node.low != "is")
            and (previous.low not in ("there", "that") or node.low == "is")
            and following.low not in ("not", "n't", ",", ".")
            and following.tag not in ("IN", "CC", "TO")
            and parse.text[previous.end : node.start] == " "
        ):
            yield Edit("contraction", previous.end, node.end, (_CONTRACTIONS[node.low],), 0.05)


def _second_predicates(parse: Parse) -> Iterator[Edit]:
    """ "came and left" -> "came and also left"."""
    for node in parse.having("cc"):
        verb = parse.nodes[node.head]
        first = parse.nodes[verb.head]
        if (
            node.low == "and"
            and verb.relation == "conj"
            and verb.tag == "VBD"
            and first.tag == "VBD"
            and verb.place == node.place + 1
            and verb.place - first.place > 3
            and not parse.children(verb, "nsubj", "conj")
            and len(parse.children(first, "conj")) == 1
            and bool(parse.children(verb, "obj"))
        ):
            yield Edit("link", verb.start, verb.start, ("also ",), 0.06)
