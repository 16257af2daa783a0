"""`random`: sentences drawn at random with the seed of each request. The lower bound for other systems."""

import random
from collections.abc import Sequence

from epitome.systems.config import SystemConfig
from epitome.systems.extractive_base import ExtractiveBaseline, NoOptions, parse_options
from epitome.systems.protocol import Follows, Request
from epitome.systems.sentence_units import Unit

parse_options = parse_options


class RandomSentences(ExtractiveBaseline):
    def order(self, sentences: Sequence[Unit], request: Request) -> Sequence[int]:
        places = list(range(len(sentences)))
        random.Random(request.seed).shuffle(places)
        return places


def followed_attributes(settings: NoOptions) -> Follows:
    return RandomSentences.follows


def make_system(config: SystemConfig) -> RandomSentences:
    return RandomSentences(config)
