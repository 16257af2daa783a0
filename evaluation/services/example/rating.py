"""The rounds of the example: yes or no, pairs, and one that still waits for its raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Project
from epitome.measures.source import SourceIndex
from epitome.rounds.writing import Sketch, build_toml
from evaluation.models import Item, ItemAssignment, Round
from evaluation.services.example import judging
from evaluation.services.example.clock import Clock
from evaluation.services.rating import answers, item_claims
from evaluation.services.rounds import instructions, launch, round_access

YES_NO = "Do the systems follow the request?"
PAIRS = "Human or machine: which is better?"
OPEN = "How good are the summaries?"
SEED = 11
LEFT_FOR_VISITORS = 6
"""Items of the open round that each rater has rated already; the rest waits."""


@dataclass(frozen=True)
class RoundPlan:
    """day: of the week after the writing, on which it is held."""

    name: str
    template: str
    n: int
    runs: Sequence[str]
    day: int


PLANS = (
    RoundPlan(YES_NO, "macsum-yes-no", 14, ("lead", "textrank", "controlled-extract"), day=1),
    RoundPlan(PAIRS, "pairwise-preference", 14, ("lead", "controlled-extract"), day=2),
    RoundPlan(OPEN, "likert", 8, ("controlled-extract",), day=3),
)


def launch_round(*, project: Project, plan: RoundPlan, run_ids: dict[str, str], by: User) -> Round:
    """Draft and launch a round over the human summaries and some runs."""
    sketch = Sketch(
        name=plan.name,
        template=plan.template,
        n=plan.n,
        raters_per_item=2,
        seed=SEED,
        runs=[(run_ids[key], key) for key in plan.runs],
        raters=sorted(judging.HABITS),
    )
    round_ = launch.make_draft(project=project, text=build_toml(sketch), by=by)
    launch.launch_round(round_=round_, by=by)
    return round_


def rate(round_: Round, rater: User, clock: Clock, limit: int | None = None) -> int:
    """Confirm the instructions and rate, at most `limit` items; returns how many."""
    shown = instructions.instructions_hash(round_)
    instructions.confirm_instructions(round_=round_, rater=rater, shown_hash=shown)
    n_rated = 0
    while limit is None or n_rated < limit:
        claimed = item_claims.claim_next(round_=round_, rater=rater).assignment
        if claimed is None:
            break
        view = round_access.own_item_assignment(rater, claimed.public_id)
        payload = {"answers": _answer(view, judging.HABITS[rater.get_username()]), "note": ""}
        clock.advance(0.5 + len(payload["answers"]) * 0.2)
        answers.save_answers(assignment=view, payload=payload, finish=True)
        n_rated += 1
    return n_rated


def _answer(view: ItemAssignment, habit: judging.Habit) -> dict[str, Any]:
    """The rater's answers to what is asked about the item."""
    items = Item.objects.select_related("sample__group__document__source_text", "first", "second")
    item, rules = items.get(pk=view.item_id), view.round.rules
    segments = item.sample.group.document.source_text.segments
    index = SourceIndex(segments, domain="document")  # type: ignore[arg-type]
    margins_of = partial(judging.list_margins, values=item.sample.attributes, index=index)
    first = margins_of(item.first.text)
    key = item.first.text + (item.second.text if item.second is not None else "")
    if item.second is not None:
        return {"better": _side(view, judging.answer_preference(habit, first, margins_of(item.second.text), key))}
    yes_no = judging.answer_yes_no(habit, first, key)
    given: dict[str, Any] = {}
    for name in item.questions:
        options = rules.question(name).asks.options(rules.question(name))
        if name in yes_no and len(options) == 2:
            given[name] = yes_no[name]
        else:
            step = judging.answer_scale(habit, first, key, name, len(options))
            given[name] = {"answer": options[step - 1].value, "unsure": False}
    return given


def _side(view: ItemAssignment, preferred: str) -> dict[str, Any]:
    """a is the text that this rater sees on the left."""
    if preferred == "tie":
        return {"answer": "tie", "unsure": False}
    place = 1 if preferred == "first" else 2
    return {"answer": "a" if place == view.left else "b", "unsure": False}
