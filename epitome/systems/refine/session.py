"""The way of one sample: a draft, its measures, and further drafts as the plan asks for them, within the budget."""

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from epitome.prompts.refinement import Feedback, Miss, later_turns
from epitome.systems.protocol import Follows, Output, Request, followed_values
from epitome.systems.refine.drafts import Draft, Measurer, draft_as_json
from epitome.systems.refine.moved_ranges import aim_request, move_aims
from epitome.systems.refine.options import RefineOptions
from epitome.systems.refine.plans import NEXT_STEP, NextStep, Search
from epitome.systems.refine.ranges import list_wanted_ranges

SATISFIED, UNMEASURED, EXHAUSTED = "satisfied", "unmeasured", "exhausted"
EMPTY, CALLS, TOKENS, COST = "empty", "calls", "tokens", "cost"
"""Why a sample got no further draft: every range is met; no requested attribute has one; nothing is left to ask for;
the first draft is empty; the budget of calls, tokens or money is used."""


class Session:
    """The drafts of one request. `pending` is what the base is asked next, None once it has ended. A failing call
    changes nothing: it can be repeated, and what was answered before stays."""

    def __init__(self, request: Request, options: RefineOptions, follows: Follows) -> None:
        self.request, self.options = request, options
        self.wanted = list_wanted_ranges(request, options.bands)
        self.measurer = Measurer(request, self.wanted)
        self.search = Search(self._list_adjustable(followed_values(follows, request)))
        self.outputs: dict[int, Output] = {}
        self.n_calls, self.usage, self.seconds = 0, dict[str, float](), 0.0
        self.stopped = ""
        self._way = self._write_drafts()
        self.pending: Request | None = next(self._way)

    def take(self, output: Output) -> None:
        """The base's answer to `pending`."""
        self.n_calls += 1
        self.seconds += output.seconds
        self.usage = _add_usage(self.usage, output.usage)
        try:
            self.pending = self._way.send(output)
        except StopIteration:
            self.pending = None

    def finish(self) -> Output:
        """The output once nothing is pending: the kept draft, and all that led to it."""
        drafts = self.search.drafts
        chosen = drafts[0] if drafts[0].is_empty else self.search.best if self._keeps_best else self.search.current
        output = self.outputs[chosen.number]
        return replace(
            output,
            prompt=self.outputs[1].prompt,
            decoding={**output.decoding, "refine": self._describe(chosen)},
            seconds=self.seconds,
            usage={**self.usage, "calls": self.n_calls},
            steps=tuple(draft_as_json(draft, self.wanted) for draft in drafts),
        )

    @property
    def _keeps_best(self) -> bool:
        return self.options.keep == "best"

    def _describe(self, kept: Draft) -> dict[str, Any]:
        return {
            "plan": self.options.plan,
            "base": self.options.base.key,
            "base_kind": self.options.base.kind,
            "keep": self.options.keep,
            "kept_draft": kept.number,
            "drafts": len(self.search.drafts),
            "stopped": self.stopped,
            "missed": list(kept.missed),
            "left_to_model": {row.attribute.key: row.reason for row in self.wanted if not row.has_range},
        }

    def _list_adjustable(self, followed: Mapping[str, object]) -> list[str]:
        """What the base can be asked for, in the order of the plan."""
        in_words = self.options.base_kind.adjusts_by == "turns"
        keys = [
            row.attribute.key
            for row in self.wanted
            if row.has_range and row.attribute.key in followed and (in_words or row.attribute.has_distance)
        ]
        order = [key for key in self.options.order if key in keys]
        return [*order, *(key for key in keys if key not in order)]

    def _write_drafts(self) -> Generator[Request, Output, None]:
        self._add(Draft(1, ""), (yield self.request))
        while (step := self._choose_step()) is not None:
            self.search.tried.add((step.parent.state, step.asked_keys))
            self.search.last_asked = step.asked_keys[-1]
            draft = Draft(len(self.search.drafts) + 1, "", parent=step.parent.number, asked_keys=step.asked_keys)
            if self.options.base_kind.adjusts_by == "ranges":
                aims = move_aims(step.parent.aims, self.wanted, step.parent.measured, step.asked_keys)
                answer = yield aim_request(self.request, self.wanted, aims)
                self._add(replace(draft, aims=aims), answer)
            else:
                yield from self._ask_in_words(step, draft)

    def _ask_in_words(self, step: NextStep, draft: Draft) -> Generator[Request, Output, None]:
        """The draft after feedback; where the model is to explain itself, after its explanation."""
        feedback, usage = self._give_feedback(step), dict[str, float]()
        turns: tuple[str, ...] = (feedback.ask_for_change(),)
        if self.options.plan == "guide":
            question = feedback.ask_for_reasons()
            reasons = yield self._continue(step, question)
            usage = dict(reasons.usage)
            turns = (question, reasons.text, feedback.ask_after_reasons())
        answer = yield self._continue(step, *turns)
        self._add(replace(draft, turns=turns), answer, usage)

    def _continue(self, step: NextStep, *turns: str) -> Request:
        return replace(self.request, turns=later_turns(step.parent.text, *turns))

    def _add(self, draft: Draft, answer: Output, earlier_usage: Mapping[str, float] | None = None) -> None:
        measured = self.measurer.measure(answer.text)
        usage = _add_usage(earlier_usage or {}, answer.usage)
        distances = self.measurer.distances(measured)
        self.search.drafts.append(replace(draft, text=answer.text, measured=measured, distances=distances, usage=usage))
        self.outputs[draft.number] = answer

    def _choose_step(self) -> NextStep | None:
        """The next step; None, with the reason in `stopped`, where there is none."""
        newest = self.search.drafts[-1]
        if self.search.drafts[0].is_empty:
            self.stopped = EMPTY
        elif not newest.distances:
            self.stopped = UNMEASURED
        elif not newest.is_empty and not newest.missed:
            self.stopped = SATISFIED
        else:
            self.stopped = self._check_budget()
        if self.stopped:
            return None
        step = NEXT_STEP[self.options.plan](self.search)
        self.stopped = "" if step else EXHAUSTED
        return step

    def _check_budget(self) -> str:
        budget = self.options.budget
        if self.n_calls + (2 if self.options.plan == "guide" else 1) > budget.calls:
            return CALLS
        n_tokens = self.usage.get("prompt_tokens", 0) + self.usage.get("completion_tokens", 0)
        if budget.tokens and n_tokens >= budget.tokens:
            return TOKENS
        return COST if budget.cost and self.usage.get("cost", 0.0) >= budget.cost else ""

    def _give_feedback(self, step: NextStep) -> Feedback:
        rows = {row.attribute.key: row for row in self.wanted}
        misses = []
        for key in step.asked_keys:
            row, measured = rows[key], step.parent.measured[key]
            value = self.request.values[key]
            misses.append(Miss(row.attribute, value, measured.value, row.low, row.high, bool(row.unit)))
        fitting = [rows[key].attribute for key, distance in step.parent.distances.items() if distance == 0]
        return Feedback(misses, fitting, self.options.prompt)


def _add_usage(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    return {key: first.get(key, 0) + second.get(key, 0) for key in {**first, **second}}
