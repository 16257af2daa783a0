"""`lead`: the first sentences of the source."""

from collections.abc import Sequence
from typing import ClassVar

from modelbridge.systems.config import SystemConfig
from modelbridge.systems.picking import NoOptions, Picker, no_options
from modelbridge.systems.protocol import Follows, Request
from modelbridge.systems.units import Unit

options = no_options


class Lead(Picker):
    gaps: ClassVar[bool] = False  # without holes: it ends where one more sentence would be too much

    def order(self, found: Sequence[Unit], request: Request) -> Sequence[int]:
        return range(len(found))


def follows(settings: NoOptions) -> Follows:
    return Lead.follows


def make(config: SystemConfig) -> Lead:
    return Lead(config)
