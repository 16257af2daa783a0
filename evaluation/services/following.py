"""How a round goes, for staff: places filled, and who did how much."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Count

from annotation.claiming import SlotState
from annotation.services.pseudonyms import Pseudonyms
from evaluation.models import RatingSlot, Round
from evaluation.services import quality
from evaluation.services.quality import RaterFigures


@dataclass(frozen=True)
class RaterRow:
    """One rater as staff see them."""

    name: str
    pseudonym: str
    figures: RaterFigures
    broken: list[str]


@dataclass
class Following:
    """places: items x raters. taken: held at this moment."""

    places: int = 0
    filled: int = 0
    taken: int = 0
    raters: list[RaterRow] = field(default_factory=list)

    @property
    def open(self) -> int:
        return self.places - self.filled - self.taken


def places(round_: Round) -> Following:
    """How many ratings there will be, are and are being made. One query."""
    rows = RatingSlot.objects.filter(round=round_).values_list("state").annotate(n=Count("pk"))
    states = dict(rows.values_list("state", "n"))
    return Following(sum(states.values()), states.get(SlotState.FILLED, 0), states.get(SlotState.TAKEN, 0))


def follow(round_: Round) -> Following:
    """A handful of queries, whatever the number of items."""
    found = places(round_)
    figures = quality.figures(round_)
    names = dict(User.objects.filter(pk__in=[one.rater_id for one in figures]).values_list("pk", "username"))
    pseudonyms = Pseudonyms(round_.project)
    rules = round_.rules.exclusion
    found.raters = [
        RaterRow(names[one.rater_id], pseudonyms.of(one.rater_id) or "", one, one.broken(rules)) for one in figures
    ]
    return found
