"""Edits that cannot change what is meant: contractions, numbers, dates, "that" and other words with a function only."""

import re
from collections.abc import Iterator
from typing import Final

from modelbridge.systems.controlled_extract.edits import Edit, Span, swap_words
from modelbridge.systems.controlled_extract.parsing import Node, Parse

_SMALL_WORDS = """
    two three four five six seven eight nine ten eleven twelve
"""
_SMALL: Final = _SMALL_WORDS.split()
_DIGITS: Final = {word: str(number) for number, word in enumerate(_SMALL, 2)}
_WORDS: Final = {digits: word for word, digits in _DIGITS.items()}
_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH_DAY: Final = re.compile(rf"\b({_MONTHS}) (\d{{1,2}})(?:st|nd|rd|th)?(?![-–\d])(?=(,)? ?(\d{{4}})?)\b")
_DAYS_WORDS = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
"""
_DAYS: Final = frozenset(_DAYS_WORDS.split())
_PERCENT: Final = re.compile(r"(?<=\d)( percent\b|%)")
_DOLLARS: Final = re.compile(r"\$(\d[\d,.]*\d|\d)( (?:million|billion|trillion))?(?![\d-])(?! \w+-)")
_US: Final = re.compile(r"\bU\.S\. (?=[a-z])")
_THE_US: Final = re.compile(r"\b([Tt])he (U\.S\.|United States)(?=[ ,.;])(?! [A-Z])(?!')")
_CONTRACTED: Final = {
    ("do", "n't"): "do not", ("does", "n't"): "does not", ("did", "n't"): "did not", ("is", "n't"): "is not",
    ("are", "n't"): "are not", ("was", "n't"): "was not", ("were", "n't"): "were not", ("ca", "n't"): "cannot",
    ("could", "n't"): "could not", ("wo", "n't"): "will not", ("would", "n't"): "would not",
    ("should", "n't"): "should not", ("have", "n't"): "have not", ("has", "n't"): "has not", ("had", "n't"): "had not",
}  # fmt: skip
_EXPANDED: Final = {
    ("do", "not"): "don't", ("does", "not"): "doesn't", ("did", "not"): "didn't", ("is", "not"): "isn't",
    ("are", "not"): "aren't", ("was", "not"): "wasn't", ("were", "not"): "weren't", ("could", "not"): "couldn't",
    ("will", "not"): "won't", ("would", "not"): "wouldn't", ("has", "not"): "hasn't", ("had", "not"): "hadn't",
    ("have", "not"): "haven't",
}  # fmt: skip
_CLITICS: Final = {
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
    "'m": " am",
    "’re": " are",
    "’ve": " have",
    "’ll": " will",
}
_NO_PERSONS_WORDS = """
    something everything anything nothing one all it this that those these
"""
_NO_PERSONS: Final = frozenset(_NO_PERSONS_WORDS.split())
_SPEAKING_WORDS = """
    say says said believe believes believed think thinks thought claim claims claimed know knew hope hopes hoped
"""
_SPEAKING: Final = frozenset(_SPEAKING_WORDS.split())
_DROPPED_WORDS = """
    really very just actually also quite rather simply certainly absolutely obviously clearly basically generally
    literally definitely truly highly extremely particularly apparently frankly totally completely already
    currently indeed famously notably
"""
_DROPPED: Final = frozenset(_DROPPED_WORDS.split())
_EMPHATIC_WORDS = """
    huge massive enormous incredible amazing brutal horrific shocking stunning terrible horrible awful dramatic
    remarkable extraordinary sheer utter complete total vast giant great wonderful fantastic beautiful famous
    legendary iconic beloved popular acclaimed prestigious devastating tragic deadly bloody savage sweeping bold
    controversial striking ambitious spectacular powerful intense fierce bitter lavish luxurious sprawling
"""
_EMPHATIC: Final = frozenset(_EMPHATIC_WORDS.split())
_THAT_AFTER_WORDS = """
    said says say believe believes believed think thinks thought claim claims claimed hope hopes hoped announced
"""
_THAT_AFTER: Final = frozenset(_THAT_AFTER_WORDS.split())


def find_closed_class_edits(parse: Parse) -> list[Edit]:
    """All of these edits, in no special order; they may overlap."""
    return [
        *_written_forms(parse),
        *_attributions(parse),
        *_negations(parse),
        *_clitics(parse),
        *_complementizers(parse),
        *_relatives(parse),
        *_auxiliaries(parse),
        *_numbers(parse),
        *_weekdays(parse),
        *_dropped_modifiers(parse),
        *_serial_commas(parse),
    ]


def _written_forms(parse: Parse) -> Iterator[Edit]:
    """ "April 18" -> "18 April", "5 percent" -> "5%", "$3 million" -> "3 million dollars", "U.S. officials"."""
    text = parse.text
    for match in _MONTH_DAY.finditer(text):
        if match[4] is None and match[3] is None:
            yield Edit("date", match.start(), match.end(), (match.span(2), " ", match.span(1)), 0.02)
    for match in _PERCENT.finditer(text):
        yield swap_words("percent", *match.span(), "%" if "percent" in match[0] else " percent", 0.0)
    for match in _DOLLARS.finditer(text):
        start, end = match.span()
        following = next((node for node in parse.nodes if node.start >= end), None)
        if following is not None and following.tag[:2] in ("NN", "JJ"):
            continue
        if re.match(r" (?:and|to|or) \$", text[end:]) or re.search(r"\$[\d.,]+ (?:and|to|or) $", text[:start]):
            continue
        yield Edit("money", start, end, ((start + 1, end), " dollars"), 0.03)
    for match in _US.finditer(text):
        following = next((node for node in parse.nodes if node.start == match.end()), None)
        if following is None or following.tag not in ("NN", "NNS", "JJ"):
            continue
        yield swap_words("country", match.start(), match.start() + 4, "American", 0.03)
    for match in _THE_US.finditer(text):
        new = "United States" if match[2] == "U.S." else "U.S."
        yield swap_words("country", *match.span(2), new, 0.0)


def _attributions(parse: Parse) -> Iterator[Edit]:
    """ "..., the police said." -> "..., the police stated."; not where a clause follows without "that"."""
    for node in parse.nodes[2:]:
        following = parse.after(node)
        if (
            node.low == "said"
            and node.tag == "VBD"
            and (following is None or following.text in (".", ",") or following.text in _DAYS)
        ):
            yield swap_words("saying", node.start, node.end, "stated", 0.07)


def _negations(parse: Parse) -> Iterator[Edit]:
    for node in parse.nodes[:-1]:
        following = parse.nodes[node.place + 1]
        pair = node.low, following.low.replace("’", "'")
        new = _CONTRACTED.get(pair) or _EXPANDED.get(pair)
        if new is not None and parse.text[node.end : following.start] in ("", " "):
            text = new[0].upper() + new[1:] if node.text[0].isupper() else new
            yield swap_words("contraction", node.start, following.end, text, 0.0 if pair in _CONTRACTED else 0.05)


def _clitics(parse: Parse) -> Iterator[Edit]:
    for node in parse.nodes[1:]:
        if node.low in _CLITICS:
            yield swap_words("contraction", node.start, node.end, _CLITICS[node.low], 0.0)
        elif node.low in ("'s", "’s") and node.tag == "VBZ":
            following = parse.after(node)
            if parse.nodes[node.place - 1].tag in ("PRP", "EX", "WP", "DT") and following and following.tag != "VBN":
                yield swap_words("contraction", node.start, node.end, " is", 0.0)


def _complementizers(parse: Parse) -> Iterator[Edit]:
    """ "said he" -> "said that he", and the other way round."""
    for clause in parse.having("ccomp"):
        verb, nodes = parse.nodes[clause.head], parse.subtree(clause)
        marks = [node for node in parse.children(clause, "mark") if node.low == "that"]
        inside = verb.plain_relation == "acl" or (nodes and nodes[0].low == "that" and nodes[0].tag != "IN")
        if verb.place > clause.place or verb.low not in _THAT_AFTER or not nodes or inside:
            continue
        if marks and marks[0].place == verb.place + 1 and verb.low in _SPEAKING:
            yield Edit("that", marks[0].start - 1, marks[0].end, (), 0.02)
        elif (
            not marks
            and nodes[0].place == verb.place + 1
            and nodes[0].tag[:2] in ("PR", "DT", "NN", "EX", "JJ", "CD")
            and parse.children(clause, "nsubj", "nsubj:pass", "expl")
            and parse.text[verb.end : nodes[0].start] == " "
        ):
            yield Edit("that", nodes[0].start, nodes[0].start, ("that ",), 0.0)


def _relatives(parse: Parse) -> Iterator[Edit]:
    """ "people who were held" -> "people held"; "the plan that" -> "the plan which"; "men who" -> "men that"."""
    for clause in parse.having("acl:relcl"):
        nodes = parse.subtree(clause)
        if len(nodes) < 3 or nodes[0].tag not in ("WP", "WDT") or nodes[0].low not in ("who", "that", "which"):
            continue
        pronoun, following = nodes[0], nodes[1]
        head, previous = parse.nodes[clause.head], parse.before(nodes[0])
        if previous is None or previous.tag[:2] != "NN" or pronoun.relation[:5] != "nsubj":
            continue
        if following.low in ("was", "were", "is", "are") and nodes[2].tag in ("VBN", "VBG") and nodes[2] == clause:
            yield Edit("relative", pronoun.start - 1, following.end, (), 0.02)
        elif pronoun.low == "that" and head.tag in ("NN", "NNS") and not _may_be_person(head) and head.low != "reason":
            yield swap_words("relative", pronoun.start, pronoun.end, "which", 0.06)
        elif pronoun.low == "which" and previous.text != ",":
            yield swap_words("relative", pronoun.start, pronoun.end, "that", 0.0)
        elif pronoun.low == "who" and head.tag == "NNS":
            yield swap_words("relative", pronoun.start, pronoun.end, "that", 0.10)


def _may_be_person(node: Node) -> bool:
    return node.low in _NO_PERSONS or bool(
        re.search(r"(?:man|men|woman|women|people|person|child|children|er|ers|or|ors|ist|ists|ian|ians|ant|ants"
                  r"|police|kid|kids|team|group|family|ee|ees|ent|ents|ies)$", node.low)
    )  # fmt: skip


def _auxiliaries(parse: Parse) -> Iterator[Edit]:
    """ "will take" -> "is going to take", "is going to take" -> "will take"; the number is the subject's."""
    for node in parse.nodes:
        following = parse.after(node)
        if (
            following is None
            or following.tag != "VB"
            or following.low == "go"
            or node.low != "will"
            or node.tag != "MD"
        ):
            continue
        subject = next(iter(parse.children(parse.nodes[node.head], "nsubj")), None)
        if (
            subject is not None
            and subject.tag not in ("WDT", "WP")
            and subject.low != "i"
            and subject.place < node.place
        ):
            plural = (
                subject.tag in ("NNS", "NNPS", "CD")
                or subject.low in ("they", "we", "you", "police")
                or _has_conjunct(parse, subject)
            )
            yield swap_words("auxiliary", node.start, node.end, "are going to" if plural else "is going to", 0.10)


def _has_conjunct(parse: Parse, node: Node) -> bool:
    return bool(parse.children(node, "conj"))


def _numbers(parse: Parse) -> Iterator[Edit]:
    """ "three people" -> "3 people", "10 people" -> "ten people"."""
    for node in parse.nodes[:-1]:
        following = parse.nodes[node.place + 1]
        previous = parse.before(node)
        if (
            node.tag != "CD"
            or following.tag not in ("NNS", "JJ")
            or (previous and previous.tag in ("CD", "$", "NNP", ":"))
        ):
            continue
        if previous is None or parse.text[node.end : following.start] != " " or previous.text == "-":
            continue
        new = _WORDS.get(node.text) or _DIGITS.get(node.text)
        if new is not None:
            yield swap_words("number", node.start, node.end, new, 0.0 if node.text in _WORDS else 0.08)


def _weekdays(parse: Parse) -> Iterator[Edit]:
    """ "said Monday" -> "said on Monday"."""
    for node in parse.nodes[1:]:
        previous = parse.nodes[node.place - 1]
        if node.text in _DAYS and previous.tag[:2] in ("VB", "NN") and previous.tag not in ("NNP", "NNPS"):
            following = parse.after(node)
            if following is None or following.tag[:2] != "NN":
                yield Edit("weekday", node.start, node.start, ("on ",), 0.0)


def _dropped_modifiers(parse: Parse) -> Iterator[Edit]:
    """Adverbs and adjectives that only emphasize."""
    for node in parse.nodes[1:]:
        previous, following = parse.nodes[node.place - 1], parse.after(node)
        if (
            following is None
            or following.low == "than"
            or previous.low in ("not", "n't", "as", "so", "too", "how", "more", "most", "and", "or", ",")
        ):
            continue
        adverb = node.tag == "RB" and node.low in _DROPPED and following.text not in (",", ".", "and", "or")
        adverb = adverb or _is_mere_even(node, following)
        adjective = node.relation == "amod" and node.low in _EMPHATIC and following.tag[:2] in ("NN", "JJ")
        is_own = node.low == "own" and previous.tag in ("PRP$", "POS") and following.tag[:2] in ("NN", "JJ")
        if (adverb or adjective or is_own) and parse.text[node.end : following.start] == " ":
            yield Edit("dropped", node.start, node.end + 1, (), 0.03)


def _is_mere_even(node: Node, following: Node) -> bool:
    """ "even" that no clause and no comparison needs."""
    return (
        node.low == "even" and following.tag[:2] in ("VB", "DT", "NN") and following.low not in ("if", "though", "more")
    )


def _serial_commas(parse: Parse) -> Iterator[Edit]:
    """ "red, white and blue" -> "red, white, and blue"."""
    for node in parse.having("cc"):
        last = parse.nodes[node.head]
        first = parse.nodes[last.head]
        series = parse.children(first, "conj")
        previous = parse.before(node)
        alike = len({first.tag, *(token.tag for token in series)}) == 1
        if (
            alike
            and len(series) >= 2
            and node.low in ("and", "or")
            and previous is not None
            and previous.text != ","
            and series[-1] == last
            and any(child.text == "," for child in parse.children(series[0], "punct"))
        ):
            yield Edit("comma", previous.end, previous.end, (",",), 0.0)


def list_quotes(text: str) -> list[Span]:
    """Spans of quoted text, with the marks; an open quote reaches to the end."""
    return [match.span() for match in re.finditer(r"\"[^\"]*(?:\"|$)|“[^”]*(?:”|$)", text)]
