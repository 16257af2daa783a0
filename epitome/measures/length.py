"""Length (Len): word tokens, punctuation counted."""

from epitome.measures.values import Profile
from epitome.text import tokens

__all__ = ["TOKENISER", "list_sentences", "n_tokens", "split_tokens"]

TOKENISER = tokens.VERSION


def list_sentences(text: str, profile: Profile = "release") -> list[str]:
    """The text's sentences without the white space around them; [] for an empty text."""
    return tokens.sentence_texts(text, profile)


def split_tokens(text: str, profile: Profile = "release") -> list[str]:
    """The tokens of the sentences in order, without white space. A straight double quote becomes `` or ''."""
    return tokens.split_tokens(text, profile)


def n_tokens(text: str, profile: Profile = "release") -> int:
    """Number of tokens of the text's sentences, each tokenised as the Penn Treebank does. 0 for an empty text.

    Source: MACSum's Len, as its authors' released code counts it.
    """
    return tokens.n_tokens(text, profile)
