"""Parses what a round's file says of one more rating where raters disagree. Raises SchemaError."""

from epitome.rounds.config import RoundConfig
from epitome.schema.tables import Table

KEY = "extra_ratings"


def read_extra_ratings(head: Table) -> int:
    """Items at most that get one more rating; 0 for none. head: [round]."""
    return head.whole(KEY, 0, least=0, most=100_000)


def check_extra_ratings(head: Table, config: RoundConfig) -> None:
    """Whether one more rating goes together with the form, the raters and the other tables. Raises SchemaError."""
    if not config.extra_ratings:
        return
    if config.form == "list":
        head.fail(KEY, "goes with forms that show one summary or two; this form shows a list")
    if not config.decidable_questions:
        head.fail(KEY, "needs a question on which answers can disagree; marked errors and notes are none")
    if config.raters_per_item == 1:
        head.fail(KEY, "needs raters_per_item = 2 or more: one rater disagrees with nobody")
    if config.judging.systems:
        head.fail(KEY, "does not go with [judge]: judges and people are combined by the planned ratings")
    if config.stopping.looks:
        head.fail(KEY, f'does not go with rule = "{config.stopping.rule}" in [stopping]: interim analyses look at '
                  "items as soon as their planned ratings are in")  # fmt: skip
    if 0 < len(config.raters) <= config.raters_per_item and not config.items_per_person:
        head.fail(KEY, f"needs a rater who has not rated the item: name more than {config.raters_per_item} in raters, "
                  "or lower raters_per_item")  # fmt: skip
