"""Parsed texts written by hand: `police/NN arrested/VBD`, with a relation where a rule needs one."""

from epitome.contrastives.words import Token

PUNCTUATION = frozenset(",.;:")


def read_tagged(text: str) -> tuple[str, list[Token]]:
    """(plain text, tokens) of `word/TAG[/relation[/head's relation]]`; a relation `det` makes a determiner of the next
    word, and `.`, `,` and `'s` are written to the word before."""
    plain, tokens, begins = "", [], True
    for piece in text.split():
        word, tag, *relations = piece.split("/")
        glued = word in PUNCTUATION or tag == "POS"
        plain += word if not plain or glued else f" {word}"
        relation, head_relation = (*relations, "", "")[:2]
        start = len(plain) - len(word)
        tokens.append(Token(word, start, len(plain), tag, relation, head_relation, begins, relation == "det"))
        begins = word in (".", "!", "?")
    return plain, tokens
