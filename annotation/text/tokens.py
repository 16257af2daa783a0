"""Word tokens in the manner of the Penn Treebank, sentence by sentence, punctuation counted.

"don't" is do + n't, "Gordon's" is Gordon + 's; a decimal number, a hyphened word and an abbreviation such as U.S.
stay whole; a full stop is a token of its own only at the end of a sentence, so the sentences are cut first.
The tokeniser is the one in NLTK (no downloaded data); the sentences are cut by the rules in sentences.py.
"""

from annotation.text.sentences import split_sentences
from annotation.text.treebank import treebank_tokenize

VERSION = "sentences+treebank@2"


def sentence_texts(text: str) -> list[str]:
    """The sentences, without the white space around them; [] where there is none."""
    return [text[start:end] for start, end in split_sentences(text)]


def split_tokens(text: str) -> list[str]:
    """The tokens in their order; white space is none. A straight double quote becomes `` or ''."""
    tokenize = treebank_tokenize()
    return [token for sentence in sentence_texts(text) for token in tokenize(sentence)]


def n_tokens(text: str) -> int:
    """How many tokens the text has."""
    return len(split_tokens(text))
