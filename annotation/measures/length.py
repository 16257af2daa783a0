"""Length (Len): word tokens, punctuation counted."""

from annotation.text.tokens import VERSION as TOKENISER
from annotation.text.tokens import n_tokens as count
from annotation.text.tokens import sentence_texts, split_tokens

__all__ = ["TOKENISER", "list_sentences", "n_tokens", "split_tokens"]


def list_sentences(text: str) -> list[str]:
    """The text's sentences without the white space around them; [] for an empty text."""
    return sentence_texts(text)


def n_tokens(text: str) -> int:
    """Number of tokens of the text's sentences, each tokenised as the Penn Treebank does. 0 for an empty text.

    Source: MACSum's Len, as its authors' released code counts it.
    """
    return count(text)
