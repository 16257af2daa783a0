"""What the report's tables of combined estimates rest on, of rounds whose design declares judges or a stopping rule."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from annotation.services.core.errors import NotFound
from epitome.combined.rows_file import write_rows
from epitome.reports.combined import CombinedMaterial
from evaluation.models import Round
from evaluation.services.reports import combined_rows


def has_combined_rows(round_: Round) -> bool:
    """Whether the round's report says more than people's answers and those of judges beside them."""
    rules = round_.rules
    return rules.stopping.looks or (bool(rules.judging.systems) and rules.judging.combine == "ppi")


def load_material(round_: Round) -> CombinedMaterial | None:
    """None for a round whose design declares neither."""
    if not has_combined_rows(round_):
        return None
    rules = round_.rules
    rows = combined_rows.load_rows(round_)
    combines = bool(rules.judging.systems) and rules.judging.combine == "ppi"
    return CombinedMaterial(
        rows=tuple(row for row in rows if row.judge or not combines),
        combines=combines,
        selection=rules.selection.for_people.choice,
        rule=rules.stopping.rule,
        width=rules.stopping.width,
        maximum=rules.stopping.maximum,
        looked_at=rules.stopping.questions,
    )


def export_rows(round_: Round) -> Iterator[bytes]:
    """The rows as JSON lines with pi, H and G. The caller has checked that the round is unblinded: they name systems.
    Raises NotFound for a round without such rows."""
    if not has_combined_rows(round_):
        raise NotFound(_("This round has no combined estimates: its design declares no judge."))
    yield from write_rows(combined_rows.load_rows(round_))
