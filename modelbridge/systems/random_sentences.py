"""`random`: sentences drawn without looking, by the seed of each request. The floor under every other system."""

import random
from collections.abc import Sequence

from modelbridge.systems.config import SystemConfig
from modelbridge.systems.picking import NoOptions, Picker, no_options
from modelbridge.systems.protocol import Follows, Request
from modelbridge.systems.units import Unit

options = no_options


class RandomSentences(Picker):
    def order(self, found: Sequence[Unit], request: Request) -> Sequence[int]:
        places = list(range(len(found)))
        random.Random(request.seed).shuffle(places)
        return places


def follows(settings: NoOptions) -> Follows:
    return RandomSentences.follows


def make(config: SystemConfig) -> RandomSentences:
    return RandomSentences(config)
