"""`lead`: the first sentences of the source."""

from collections.abc import Sequence
from typing import ClassVar

from modelbridge.systems.config import SystemConfig
from modelbridge.systems.extractive_base import ExtractiveBaseline, NoOptions, parse_options
from modelbridge.systems.protocol import Follows, Request
from modelbridge.systems.sentence_units import Unit

parse_options = parse_options


class Lead(ExtractiveBaseline):
    gaps: ClassVar[bool] = False  # stops at the first sentence that would exceed the target length

    def order(self, sentences: Sequence[Unit], request: Request) -> Sequence[int]:
        return range(len(sentences))


def followed_attributes(settings: NoOptions) -> Follows:
    return Lead.follows


def make_system(config: SystemConfig) -> Lead:
    return Lead(config)
