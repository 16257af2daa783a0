"""How likely each word of the source stands in a reference: what a summary should keep when it is shortened."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from modelbridge.systems.controlled_extract.relevance import Material, Relevance, stem_word, topic_stems
from modelbridge.systems.controlled_extract.request_targets import RequestTargets

_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+")
FEATURES: Final = ("bias", "count", "early", "near", "topic", "name")
WEIGHTS: Final[Mapping[bool, tuple[float, ...]]] = {
    False: (-4.793, 1.422, 1.392, 1.299, 0.0, 0.195),
    True: (-5.833, 0.913, 1.273, 2.585, 4.455, 0.003),
}
"""By whether a topic is requested, in the order of FEATURES: see `python -m benchmarks.extract_tuning --words`."""


def features_of_words(
    material: Material, relevance: Relevance, targets: RequestTargets
) -> dict[str, tuple[float, ...]]:
    """FEATURES of each stem of the source."""
    counts = Counter(word_stem for stems in material.sentence_stems for word_stem in stems)
    first: dict[str, int] = {}
    near: dict[str, float] = {}
    for number, stems in enumerate(material.sentence_stems):
        for word_stem in stems:
            first.setdefault(word_stem, number)
            near[word_stem] = max(near.get(word_stem, 0.0), relevance.sentences[number])
    top = max(relevance.sentences, default=0.0) or 1.0
    topics = topic_stems([*targets.topics, *targets.keywords])
    names = {stem_word(word.lower()) for text in material.texts for word in _NAME.findall(text)}
    return {
        word_stem: (
            1.0,
            math.log1p(count),
            math.exp(-first[word_stem] / 6),
            near[word_stem] / top,
            float(word_stem in topics),
            float(word_stem in names),
        )
        for word_stem, count in counts.items()
    }


def expect_words(material: Material, relevance: Relevance, targets: RequestTargets) -> dict[str, float]:
    """By stem, 0 to 1; nothing for dialogues, whose words are chosen by relevance alone."""
    if material.dialogue:
        return {}
    weights = WEIGHTS[bool(targets.topics or targets.keywords)]
    return {
        word_stem: 1 / (1 + math.exp(-sum(a * b for a, b in zip(weights, features, strict=True))))
        for word_stem, features in features_of_words(material, relevance, targets).items()
    }
