"""Chooses sentences and their variants: several starting points, then local search until nothing improves.

The search is deterministic: candidates are tried in source order and ties go to the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from epitome.measures.readability import fkgl_of_counts
from epitome.systems.controlled_extract.increments import NO_SENTENCE, Piece, Pieces, RequestedTerms
from epitome.systems.controlled_extract.targets import Cost
from epitome.systems.controlled_extract.variants import Variant
from epitome.systems.controlled_extract.writing import Item, may_join, write_stretch

State = tuple[Item, ...]
Sums = tuple[float, ...]
ROUNDS = 14
SEEDS = 3
CONTROL: Mapping[str, float] = {
    "length": 1.5,
    "specificity": 1.0,
    "extractiveness": 0.3,
    "speaker": 1.2,
    "readability": 0.7,
}
"""The weight of each measure's error in the objective."""
LONG = 34
"""Sentences with more tokens than this are penalized as hard to read."""


@dataclass(frozen=True)
class Candidate:
    """One sentence of the source with its variants. score: its relevance, 0 to 1."""

    number: int
    score: float
    flaw: float
    leans: bool
    stems: frozenset[str]
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Balance:
    """The weights of the objective's terms; control costs have the weights in CONTROL."""

    relevance: float = 1.5
    flaw: float = 0.8
    form: float = 0.8
    long: float = 0.02
    doubled: float = 0.5
    leans: float = 0.25
    joins: float = 0.06
    topic: float = 1.5


@dataclass(frozen=True)
class Problem:
    """candidates: in the source's order. costs: by measure. needs: (bit of a requested word, its weight)."""

    candidates: tuple[Candidate, ...]
    costs: Mapping[str, Cost]
    needs: tuple[tuple[int, float], ...]
    balance: Balance
    pieces: Pieces
    terms: RequestedTerms
    in_words: bool


class Search:
    """The search for one request. `best` returns the finalists."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._of = {id(variant): candidate for candidate in problem.candidates for variant in candidate.variants}
        self._parts: dict[tuple[int, bool, bool], tuple[Sums, int]] = {}
        self._seen: dict[tuple[tuple[int, bool], ...], float] = {}
        self._control = 0.0
        self._costs = [(name, cost, CONTROL.get(name, 1.0)) for name, cost in problem.costs.items()]

    def best(self, limit: int) -> list[State]:
        """The best states visited, best first."""
        starts = [(Item(variant),) for candidate in self.problem.candidates for variant in candidate.variants]
        ordered = self._ordered(starts)
        value_by_state: dict[State, float] = {}
        begun: set[int] = set()
        for start in ordered:
            number = self._number(start[0])
            if number in begun:
                continue
            begun.add(number)
            state = self._climb(start, value_by_state)
            value_by_state[state] = self.value(state)
            if len(begun) == SEEDS:
                break
        return sorted(value_by_state, key=lambda state: (round(value_by_state[state], 9), self._key(state)))[:limit]

    def _climb(self, state: State, value_by_state: dict[State, float]) -> State:
        value = self.value(state)
        for _ in range(ROUNDS):
            better, at = value, state
            for other in self._neighbours(state):
                worth = self.value(other)
                if worth < better - 1e-9:
                    better, at = worth, other
            if at is state:
                break
            value_by_state[state] = value
            state, value = at, better
        return state

    def _ordered(self, states: Sequence[State]) -> list[State]:
        return sorted(states, key=lambda state: (round(self.value(state), 9), self._number(state[0])))

    def _number(self, item: Item) -> int:
        return item.variant.sentence.number

    def _key(self, state: State) -> tuple[tuple[int, str, bool], ...]:
        return tuple((self._number(item), item.variant.text, item.joined) for item in state)

    def _neighbours(self, state: State) -> Iterator[State]:
        chosen_numbers = {self._number(item) for item in state}
        for candidate in self.problem.candidates:
            if candidate.number not in chosen_numbers:
                yield from self._insertions(state, candidate)
        for index, item in enumerate(state):
            others = state[:index] + state[index + 1 :]
            if others:
                yield _drop_impossible_joins(others)
            for variant in self._of[id(item.variant)].variants:
                if variant is not item.variant:
                    yield _drop_impossible_joins((*state[:index], Item(variant, item.joined), *state[index + 1 :]))
            if index and may_join(state[index - 1].variant, item.variant):
                yield (*state[:index], Item(item.variant, not item.joined), *state[index + 1 :])
        if len(state) <= 6:
            for index in range(len(state)):
                others = state[:index] + state[index + 1 :]
                for candidate in self.problem.candidates:
                    if candidate.number not in chosen_numbers:
                        yield from self._insertions(others, candidate, joins=False, forms=2)

    def _insertions(
        self, state: State, candidate: Candidate, *, joins: bool = True, forms: int = 99
    ) -> Iterator[State]:
        index = sum(self._number(item) < candidate.number for item in state)
        for variant in candidate.variants[:forms]:
            yield _drop_impossible_joins((*state[:index], Item(variant), *state[index:]))
            if joins and index and may_join(state[index - 1].variant, variant):
                yield _drop_impossible_joins((*state[:index], Item(variant, True), *state[index:]))

    def value(self, state: State) -> float:
        """The objective, to be minimized."""
        key = tuple((id(item.variant), item.joined) for item in state)
        if key not in self._seen:
            self._seen[key] = self._value(state)
        return self._seen[key]

    def _value(self, state: State) -> float:
        if not state:
            return 99.0
        sums = [0.0] * 14
        mask, sentences, long, run = 0, 0, 0.0, 0.0
        for index, item in enumerate(state):
            item_sums, bits = self._part(state, index)
            mask |= bits
            if not item.joined:
                sentences += 1
                long += max(0.0, run - LONG)
                run = 0.0
            run += item_sums[0]
            for position, amount in enumerate(item_sums):
                sums[position] += amount
        long += max(0.0, run - LONG)
        return self._judged(sums, mask, sentences, long, len(state)) + self._style(state)

    def _judged(self, sums: Sequence[float], mask: int, sentences: int, long: float, items: int) -> float:
        tokens, dense, content, said_tokens, pairs, pairs_in, triples, triples_in, words, *others = sums
        score, flaw, form, plain, syllables = others
        balance = self.problem.balance
        borders = max(0, items - 1)
        measured = {
            "length": words if self.problem.in_words else tokens + sentences,
            "specificity": dense / sentences + 0.2,
            "extractiveness": (pairs_in / max(1, pairs + borders) + triples_in / max(1, triples + 2 * borders)) / 2,
            "speaker": said_tokens / content if content else 0.0,
            "readability": max(0.0, fkgl_of_counts(int(plain) or 1, sentences, int(syllables))),
        }
        self._control = self.control(measured)
        value = self._control + balance.topic * sum(weight for bit, weight in self.problem.needs if not mask >> bit & 1)
        value -= balance.relevance * score / max(1.0, tokens)
        return value + balance.flaw * flaw / items + balance.form * form / items + balance.long * long

    def control(self, measured: Mapping[str, float]) -> float:
        """The control costs of measured values."""
        return sum(weight * cost(measured[name]) for name, cost, weight in self._costs if name in measured)

    def rest(self, state: State) -> float:
        """The objective without the costs of control."""
        value = self._value(state)
        return value - self._control

    def _part(self, state: State, place: int) -> tuple[Sums, int]:
        """What the item at a place adds, which depends on its neighbours alone."""
        item = state[place]
        again = place > 0 and item.variant.sentence.speaker == state[place - 1].variant.sentence.speaker
        key = (id(item.variant), item.joined, again)
        if key not in self._parts:
            self._parts[key] = self._made(state, place)
        return self._parts[key]

    def _made(self, state: State, place: int) -> tuple[Sums, int]:
        variant, candidate = state[place].variant, self._of[id(state[place].variant)]
        stretch = write_stretch(state, place)
        words, text = stretch.lead, stretch.text
        if words == ";":  # counted like the ", and" of neighbours, so that joins are no way to save words
            words = ", and"
        body, content = self.problem.pieces.of(text, candidate.number)
        front, lead_content = self.problem.pieces.of(words, NO_SENTENCE) if words else (Piece(), ())
        said_tokens = (
            sum(token in self.problem.terms.said for token in (*content, *lead_content))
            if self.problem.terms.said
            else 0
        )
        border = 1 if words else 0
        sums = (
            body.tokens + front.tokens,
            body.dense + front.dense,
            body.content + front.content,
            said_tokens,
            body.pairs + front.pairs + border,
            body.pairs_in + front.pairs_in,
            body.triples + front.triples + 2 * border,
            body.triples_in + front.triples_in,
            body.words + front.words,
            candidate.score * body.tokens,
            candidate.flaw,
            variant.cost,
            body.plain + front.plain,
            body.syllables + front.syllables,
        )
        return tuple(map(float, sums)), self.problem.terms.mask(f"{words} {text}")

    def _style(self, state: State) -> float:
        """Penalties for sentences that refer to a missing one, for joins, and for repetition."""
        previous_number, total = -9, 0.0
        for item in state:
            candidate = self._of[id(item.variant)]
            if candidate.leans and previous_number != candidate.number - 1:
                total += self.problem.balance.leans
            if item.joined:
                total += self.problem.balance.joins
            previous_number = candidate.number
        return total + self._doubled(state)

    def _doubled(self, state: State) -> float:
        """Penalty for pairs of chosen sentences with a large overlap of stems."""
        total = 0.0
        for index, item in enumerate(state):
            stems = self._of[id(item.variant)].stems
            for other in state[:index]:
                theirs = self._of[id(other.variant)].stems
                smaller = min(len(stems), len(theirs))
                if smaller:
                    total += max(0.0, len(stems & theirs) / smaller - 0.4)
        return self.problem.balance.doubled * total


def _drop_impossible_joins(state: State) -> State:
    """Undo joins that are no longer possible after a change."""
    fixed = []
    for index, item in enumerate(state):
        joined = item.joined and index > 0 and may_join(state[index - 1].variant, item.variant)
        fixed.append(item if joined == item.joined else Item(item.variant, joined))
    return tuple(fixed)
