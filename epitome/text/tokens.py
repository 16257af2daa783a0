"""Word tokens in the style of the Penn Treebank, sentence by sentence, including punctuation.

"don't" is do + n't, "Gordon's" is Gordon + 's; a decimal number, a hyphened word and an abbreviation such as U.S.
stay whole; a full stop is a token of its own only at the end of a sentence, so sentences are split first.
The rules are NLTK's (treebank_rules.py); sentences are split by the rules in sentences.py. Scripts that write no words
apart are cut further by ICU's dictionaries (unspaced.py), and the marks of other scripts, such as "।" and "،", are
tokens of their own as a comma is.
"""

import re

from epitome.text.sentences import MARKS, SentenceProfile, split_sentences
from epitome.text.treebank_rules import tokenize_sentence
from epitome.text.unspaced import cut_runs, has_unspaced

VERSION = "sentences+treebank+icu@5"

_MARKS = re.compile(f"([{MARKS}])")


def sentence_texts(text: str, profile: SentenceProfile = "import") -> list[str]:
    """The sentences, without surrounding white space; [] for an empty text."""
    return [text[start:end] for start, end in split_sentences(text, profile)]


def split_tokens(text: str, profile: SentenceProfile = "import") -> list[str]:
    """The tokens in order, without white space. A straight double quote becomes `` or ''."""
    tokens = [token for sentence in sentence_texts(text, profile) for token in tokenize_sentence(sentence)]
    if text.isascii():
        return tokens
    if _MARKS.search(text):
        tokens = [piece for token in tokens for piece in _MARKS.split(token) if piece]
    if not has_unspaced(text):
        return tokens
    return [piece for token in tokens for piece in (cut_runs(token) if has_unspaced(token) else [token])]


def n_tokens(text: str, profile: SentenceProfile = "import") -> int:
    """How many tokens the text has."""
    return len(split_tokens(text, profile))
