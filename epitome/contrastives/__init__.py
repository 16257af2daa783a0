"""Contrastive examples: a gold summary with one or two words changed by a rule, so that it says something else.

After Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive Examples",
NAACL 2019. What the paper does not print is inferred; docs/contrastive.md says what.
"""

from epitome.contrastives.edits import Edit, EditFault, apply_edits, check_edits, derive_edits, undo_edits
from epitome.contrastives.making import Example, MadeTuple, MakerOptions, make_examples
from epitome.contrastives.pairs import STEPS
from epitome.contrastives.quotas import (
    RULES,
    Shares,
    count_shares,
    parse_rules,
    set_quotas,
)

__all__ = [
    "GENERATOR",
    "RULES",
    "STEPS",
    "Edit",
    "EditFault",
    "Example",
    "MadeTuple",
    "MakerOptions",
    "Shares",
    "apply_edits",
    "check_edits",
    "count_shares",
    "derive_edits",
    "make_examples",
    "parse_rules",
    "set_quotas",
    "undo_edits",
]

GENERATOR = "contrastives@1"
