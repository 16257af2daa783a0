"""What the page of contrastive examples shows: counts by rule and filter, shortfall, histogram, random examples."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Max, Min

from annotation.kinds import get_task_kind
from annotation.models import Contrastive, ContrastiveSet, ContrastiveState, Project
from annotation.services.contrastives.set_options import SetOptions, read_shares
from epitome.contrastives import RULES, set_quotas
from epitome.contrastives.pairs import AVAILABLE, DRAWN, FILTERS, PAIRS

SHOWN_EXAMPLES = 20


class RuleRow(NamedTuple):
    """One rule of a set that was made here. removed: by each filter. quota: of all golds together. short: what is
    missing to it, because a gold has fewer."""

    rule: str
    pairs: int
    removed: tuple[int, ...]
    available: int
    quota: int
    drawn: int

    @property
    def short(self) -> int:
        return max(0, self.quota - self.drawn)


class Piece(NamedTuple):
    """A piece of an example's text. was: what the gold says instead, for a changed piece; None for the same text."""

    text: str
    was: str | None = None


@dataclass(frozen=True, slots=True)
class ShownExample:
    """One example as it is shown. gold: the whole text."""

    public_id: Any
    rule: str
    sample_key: str
    document_id: Any
    gold: str
    pieces: tuple[Piece, ...]


def list_rule_rows(contrastive_set: ContrastiveSet) -> list[RuleRow]:
    """The rules of a set, and all of them together. Imported sets only know how many examples each has."""
    options = SetOptions.from_dict(contrastive_set.options)
    quotas = set_quotas(options.per_gold, read_shares(contrastive_set.options))
    is_made = contrastive_set.origin == ContrastiveSet.Origin.MADE
    rows = []
    for rule in RULES if not is_made else options.rules:
        steps = Counter(contrastive_set.counts.get("rules", {}).get(rule, {}))
        rows.append(
            RuleRow(
                rule,
                pairs=steps[PAIRS],
                removed=tuple(steps[name] for name in FILTERS),
                available=steps[AVAILABLE],
                quota=quotas[rule] * contrastive_set.golds if is_made else steps[DRAWN],
                drawn=steps[DRAWN],
            )
        )
    return rows


def add_rule_rows(rows: Sequence[RuleRow]) -> RuleRow:
    """The total of the rules."""
    return RuleRow(
        "",
        pairs=sum(row.pairs for row in rows),
        removed=tuple(map(sum, zip(*(row.removed for row in rows), strict=True))) if rows else (),
        available=sum(row.available for row in rows),
        quota=sum(row.quota for row in rows),
        drawn=sum(row.drawn for row in rows),
    )


def count_states(project: Project) -> dict[str, int]:
    """How many examples are excluded and how many withdrawn."""
    rows = Contrastive.objects.filter(project=project).exclude(state=ContrastiveState.ACTIVE).order_by()
    return dict(rows.values_list("state").annotate(n=Count("pk")))


def list_histogram(contrastive_set: ContrastiveSet) -> list[tuple[int, int]]:
    """(examples of a gold, number of golds) in order."""
    return sorted((int(number), golds) for number, golds in contrastive_set.counts.get("per_gold", {}).items())


def draw_examples(
    project: Project, draw: int, n: int = SHOWN_EXAMPLES, *, state: ContrastiveState = ContrastiveState.ACTIVE
) -> list[ShownExample]:
    """Random examples of a state; the same number draws the same ones."""
    rows = Contrastive.objects.filter(project=project, state=state)
    ends = rows.aggregate(low=Min("pk"), high=Max("pk"))
    if ends["low"] is None:
        return []
    generator = random.Random(draw)
    keys = [generator.randint(ends["low"], ends["high"]) for _number in range(5 * n)]
    drawn = list(rows.filter(pk__in=keys).order_by("pk").values_list("pk", flat=True))
    if len(drawn) < n:  # rows of other projects are between
        drawn = list(rows.filter(pk__gte=min(keys)).order_by("pk").values_list("pk", flat=True)[: 5 * n])
    chosen = generator.sample(drawn, min(n, len(drawn)))
    shown_rows = rows.filter(pk__in=chosen).select_related("sample__document", "annotation").order_by("pk")
    kind = get_task_kind(project.kind, has_sample=True)
    return [_show_example(row, kind.text_of(row.annotation.payload)) for row in shown_rows]


def _show_example(row: Contrastive, gold: str) -> ShownExample:
    return ShownExample(
        public_id=row.public_id,
        rule=row.rule,
        sample_key=f"{row.sample.document.external_id}#{row.sample.position}",
        document_id=row.sample.document.public_id,
        gold=gold,
        pieces=tuple(split_pieces(gold, row.edits)),
    )


def split_pieces(gold: str, edits: Sequence[dict[str, Any]]) -> list[Piece]:
    """The text of an example in pieces, the changed ones with what the gold says."""
    pieces, position = [], 0
    for edit in edits:
        pieces += [Piece(gold[position : edit["start"]]), Piece(edit["now"], edit["was"])]
        position = edit["end"]
    return [piece for piece in (*pieces, Piece(gold[position:])) if piece.text or piece.was]
