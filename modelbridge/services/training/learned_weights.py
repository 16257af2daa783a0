"""The weights of rankers that are logistic regressions, with the intervals of the training that learned them."""

from typing import Any

from django.utils.translation import gettext as _

from epitome.figures.tables import Cell, Column, Table
from epitome.schema import SchemaError
from epitome.systems.ranking.features import EMBEDDINGS, FEATURES
from epitome.systems.ranking.logistic import Settings
from epitome.systems.ranking.vectors import NONE
from modelbridge.models import SystemRevision, TrainingRun, TrainingState

METHOD = "rank-logistic"
"""The method of training."""


def build_training_weights(run: TrainingRun) -> Table | None:
    """The table of one finished training; None where the method learns other weights, or before its end."""
    rows = run.result.get("weights")
    if run.method != METHOD or not rows:
        return None
    return _build_table(run.key, _("Weights of the features"), rows, str(run.result.get("vectors", NONE)))


def build_system_weights(revision: SystemRevision, name: str) -> Table | None:
    """The table of a system, with intervals if it was trained in this project; None for other kinds of systems."""
    try:
        settings = revision.config.settings
    except SchemaError:  # a newer program no longer reads the text
        return None
    if not isinstance(settings, Settings):
        return None
    title = _("Weights of %(name)s") % {"name": name}
    training_run = TrainingRun.objects.filter(revision=revision, state=TrainingState.DONE).order_by("-pk").first()
    if training_run is not None and training_run.result.get("weights"):
        vectors = str(training_run.result.get("vectors", NONE))
        return _build_table(revision.system.key, title, training_run.result["weights"], vectors)
    pairs = zip(FEATURES, settings.coefficients, strict=True)
    rows = [{"feature": feature, "weight": weight, "low": None, "high": None} for feature, weight in pairs]
    return _build_table(revision.system.key, title, rows, settings.vectors)


def _build_table(key: str, title: str, rows: list[dict[str, Any]], vectors: str) -> Table:
    columns = [Column(_("Feature"), kind="text"), Column(_("Weight"), interval=True)]
    cells = [[Cell(str(row["feature"])), _build_cell(row, vectors)] for row in rows]
    return Table(
        f"weights-{key}", title, columns, cells, notes=_list_notes(rows), signature=f"{METHOD}|vectors:{vectors}"
    )


def _build_cell(row: dict[str, Any], vectors: str) -> Cell:
    if row["weight"] is not None:
        return Cell(float(row["weight"]), low=row["low"], high=row["high"])
    if row["feature"] in EMBEDDINGS and vectors == NONE:
        return Cell(None, _("no word vectors were given"))
    return Cell(None, _("the same for every candidate of train"))


def _list_notes(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    notes = [_("Of standardised features: the change of the log-odds of a gold by one standard deviation on train.")]
    if any(row["low"] is not None for row in rows):
        notes.append(_("95 % intervals: the middle of maximum-likelihood fits to 200 draws of whole articles."))
    else:
        notes.append(_("Without intervals: the system was trained elsewhere."))
    return tuple(notes)
