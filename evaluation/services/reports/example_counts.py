"""How the contrastive examples of a round were drawn, and how many of the project's are excluded."""

import json
from typing import Any

from annotation.models import Contrastive, ContrastiveState
from evaluation.models import Item, Round


def example_of(item: Item) -> int:
    """Primary key of the contrastive example that an item shows."""
    return int(item.targets[0]["row"])


def count_examples(round_: Round) -> dict[str, Any] | None:
    """Facts for the report; None for rounds over other texts. not_dodged_by: the system whose failures were drawn."""
    if not round_.rules.is_contrastive:
        return None
    examples = Contrastive.objects.filter(project=round_.project)
    excluded = examples.filter(state=ContrastiveState.EXCLUDED)
    shown_examples = [
        example_of(item) for item in Item.objects.filter(round=round_, kind=Item.Kind.REAL).only("targets")
    ]
    return {
        "per_rule": round_.rules.selection.per_rule,
        "not_dodged_by": _name_system(round_),
        "total": examples.count(),
        "excluded": excluded.count(),
        "excluded_here": excluded.filter(pk__in=shown_examples).count(),
    }


def _name_system(round_: Round) -> str:
    """The system, as it was called at the launch; "" where examples were drawn whether dodged or not."""
    targets = json.loads(round_.design).get("targets", [])
    return next((f"{target['system']}, revision {target['revision']}" for target in targets if "system" in target), "")
