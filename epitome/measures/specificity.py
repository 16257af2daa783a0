"""Specificity (Spe): density of detail per sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from epitome.measures.length import list_sentences, split_tokens
from epitome.measures.stopwords import STOP_WORDS
from epitome.measures.tagger import Tagger
from epitome.measures.values import Profile, Value
from epitome.text.scripts import OTHER_SCRIPT, is_latin


def specificity(text: str, tagger: Tagger, profile: Profile = "release") -> float:
    """f_Spe of one text; 0 for an empty one. See `specificity_many`, which is much faster for many.

    Raises Undefined for a text in another script than English.
    """
    return float(specificity_many([text], tagger, profile)[0])


def specificity_many(texts: Sequence[str], tagger: Tagger, profile: Profile = "release") -> list[Value]:
    """f_Spe = (0.1 verbs + 0.2 tokens + 0.3 nouns + 0.4 numerals) / sentences, one value per text; undefined for a text
    in another script than English, whose words the tagger does not know.

    release: lower-case, tokenise, drop stop words, tag the rest; verbs = VBG, nouns = NN, numerals = CD, tokens =
    the rest, punctuation included. literal: all tokens, tagged as they are; verbs = VB*, nouns = NN*.
    """
    batch = [_select_tokens(text, profile) for text in texts]
    tags = tagger.tag(batch)
    return [
        Value.none(OTHER_SCRIPT)
        if not is_latin(text)
        else Value.of(_weigh_tags(text_tags, len(list_sentences(text, profile)), profile))
        for text, text_tags in zip(texts, tags, strict=True)
    ]


def _select_tokens(text: str, profile: Profile) -> list[str]:
    if profile == "literal":
        return split_tokens(text, profile)
    return [token for token in map(str.lower, split_tokens(text, profile)) if token not in STOP_WORDS]


def _weigh_tags(tags: Sequence[str], n_sentences: int, profile: Profile) -> float:
    if not n_sentences:
        return 0.0
    counts = Counter(tags)
    if profile == "literal":
        verbs = sum(n for tag, n in counts.items() if tag.startswith("VB"))
        nouns = sum(n for tag, n in counts.items() if tag.startswith("NN"))
    else:
        verbs, nouns = counts["VBG"], counts["NN"]
    return (0.1 * verbs + 0.2 * len(tags) + 0.3 * nouns + 0.4 * counts["CD"]) / n_sentences
