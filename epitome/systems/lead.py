"""`lead`: the first sentences of the source."""

from collections.abc import Sequence
from typing import ClassVar

from epitome.systems.config import SystemConfig
from epitome.systems.extractive_base import ExtractiveBaseline, NoOptions, parse_options
from epitome.systems.protocol import Follows, Request
from epitome.systems.sentence_units import Unit

parse_options = parse_options


class Lead(ExtractiveBaseline):
    gaps: ClassVar[bool] = False  # stops at the first sentence that would exceed the target length

    def order(self, sentences: Sequence[Unit], request: Request) -> Sequence[int]:
        return range(len(sentences))


def followed_attributes(settings: NoOptions) -> Follows:
    return Lead.follows


def make_system(config: SystemConfig) -> Lead:
    return Lead(config)
