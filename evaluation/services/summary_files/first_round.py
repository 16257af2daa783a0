"""The first blind round of a project whose summaries were brought: launched at once, with a link for each rater."""

import secrets
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.people.crowd_links import LinkSettings, make_link
from annotation.transactions import write_transaction
from epitome.rounds.writing import Sketch, build_toml
from evaluation.models import Round
from evaluation.services.rounds.launch import launch_round, make_draft
from evaluation.services.rounds.round_material import gold_annotations
from modelbridge.models import OutputState, Run, SystemOutput

SCALES, PAIRS = "overall-quality", "overall-preference"
RATER = "rater"
"""Parameter of a rater's link."""
MOST_RATERS = 20
DAYS = 60
UNLIMITED = 100_000
"""Items of each person in the design; the links say how many there are."""


@dataclass(frozen=True)
class Offer:
    """What a round can show. runs: finished ones, the newest of each system. with_references, all_texts: texts that all
    runs have a summary of, with and whether or not they have a reference."""

    runs: tuple[Run, ...] = ()
    with_references: int = 0
    all_texts: int = 0

    @property
    def has_gold(self) -> bool:
        """Whether the references can be judged beside the systems without losing texts."""
        return bool(self.with_references) and self.with_references == self.all_texts

    @property
    def n_targets(self) -> int:
        return len(self.runs) + self.has_gold

    @property
    def template(self) -> str:
        """Two are compared directly; more are rated one by one."""
        return PAIRS if self.n_targets == 2 else SCALES

    @property
    def can_pair(self) -> bool:
        return self.n_targets >= 2


class RaterLink(NamedTuple):
    """The address of a rater's own link is that of the secret with this id as its parameter `rater`."""

    secret: str
    id: str


def find_offer(project: Project) -> Offer:
    """What a first round of the project can show."""
    runs: dict[str, Run] = {}
    for run in Run.objects.writing().done().filter(project=project).select_related("revision__system").order_by("-pk"):
        runs.setdefault(run.revision.system.key, run)
    ordered = tuple(sorted(runs.values(), key=lambda run: run.pk))
    gold = set(gold_annotations(project))
    texts = set(gold)
    for index, run in enumerate(ordered):
        outputs = SystemOutput.objects.filter(run=run, state=OutputState.DONE).exclude(text="")
        covered = set(outputs.values_list("sample_id", flat=True))
        texts = covered if not index else texts & covered
    return Offer(ordered, len(texts & gold), len(texts))


def start_first_round(
    *, project: Project, name: str, template: str, n_texts: int, n_raters: int, by: AbstractBaseUser
) -> tuple[Round, list[RaterLink]]:
    """Launch a round over all systems and, where every text has one, the references; with a link for each rater. All of
    it or nothing. Raises BadInput naming the field, Conflict."""
    offer = find_offer(project)
    _check_wish(offer, template, n_texts, n_raters)
    sketch = Sketch(
        name=name,
        template=template,
        n=n_texts,
        raters_per_item=n_raters,
        seed=secrets.randbelow(2**31),
        gold=offer.has_gold,
        runs=[(str(run.public_id), run.revision.system.key) for run in offer.runs],
    )
    text = f"{build_toml(sketch)}\n[crowd]\nitems_per_person = {UNLIMITED}\n"
    with write_transaction():
        round_ = make_draft(project=project, text=text, by=by)
        launch_round(round_=round_, by=by)
        settings = LinkSettings(
            name=name[:100],
            tasks=round_.n_items,
            max_uses=n_raters,
            days=DAYS,
            id_parameter=RATER,
            study_parameter="",
            session_parameter="",
            role="rater",
            target=str(round_.public_id),
        )
        _link, secret = make_link(project=project, by=by, link_settings=settings)
    return round_, [RaterLink(secret, secrets.token_hex(8)) for _number in range(n_raters)]


def _check_wish(offer: Offer, template: str, n_texts: int, n_raters: int) -> None:
    if template not in (SCALES, PAIRS) or (template == PAIRS and not offer.can_pair):
        raise BadInput(_("Pairs need two systems, or a system and references."), field="template")
    if not 1 <= n_raters <= MOST_RATERS:
        raise BadInput(_("Choose 1 to %(n)d raters.") % {"n": MOST_RATERS}, field="n_raters")
    if not offer.all_texts:
        raise BadInput(_("No text has a summary of every system."), field="n_texts")
    if not 1 <= n_texts <= offer.all_texts:
        message = ngettext(
            "%(n)d text has a summary of every system.",
            "%(n)d texts have a summary of every system.",
            offer.all_texts,
        )
        raise BadInput(message % {"n": offer.all_texts}, field="n_texts")
