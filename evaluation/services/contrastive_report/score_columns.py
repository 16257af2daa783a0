"""Loads the scores of contrastive examples by runs as columns: one query for the examples, one per run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from django.utils.translation import gettext as _

from annotation.models import Contrastive, ContrastiveState, Project
from annotation.services.core.errors import BadInput
from modelbridge.models import OutputState, Run
from modelbridge.services.runs.contrastive_texts import EXAMPLE, GOLD

if TYPE_CHECKING:
    import numpy as np

    from epitome.metrics.scored_tuples import Bools, ScoredTuples

    Ints = np.ndarray[Any, np.dtype[np.int64]]

ScoreKind = Literal["sum", "mean"]
LOADED_AT_ONCE = 500


@dataclass(frozen=True)
class ExampleColumns:
    """All contrastive examples of a project but those withdrawn with their gold: id in ascending order, gold, its
    source, rule (index in `rules`), whether active."""

    ids: "Ints"
    golds: "Ints"
    sources: "Ints"
    rule: "Ints"
    active: "Bools"
    rules: tuple[str, ...]


@dataclass(frozen=True)
class LoadedScores:
    """Scores of one run. excluded: contrastives that were scored and excluded since, counted or not. unscored: active
    ones of scored tuples without a score. tuples_missing: tuples of the project with active ones and no score."""

    scored: "ScoredTuples"
    excluded: int
    unscored: int
    tuples_missing: int


def load_examples(project: Project) -> ExampleColumns:
    import numpy as np

    rows = (
        Contrastive.objects.filter(project=project)
        .exclude(state=ContrastiveState.WITHDRAWN)
        .order_by("pk")
        .values_list("pk", "annotation_id", "sample__document_id", "rule", "state")
    )
    numbers: dict[str, int] = {}
    table = [
        (pk, gold, source, numbers.setdefault(rule, len(numbers)), state == ContrastiveState.ACTIVE)
        for pk, gold, source, rule, state in rows.iterator(10_000)
    ]
    ids, golds, sources, rule, active = np.array(table, dtype=np.int64).reshape(-1, 5).T
    return ExampleColumns(ids, golds, sources, rule, active.astype(bool), tuple(numbers))


def load_scores(
    run: Run, examples: ExampleColumns, *, score: ScoreKind = "sum", counts_excluded: bool = False
) -> LoadedScores:
    """counts_excluded: whether scored contrastives count that people excluded. Raises BadInput: the run has no such
    score."""
    import numpy as np

    from epitome.metrics.scored_tuples import ScoredTuples

    gold_scores, ids, values = _read_rows(run, score)
    keys = np.array(list(gold_scores), dtype=np.int64)
    contrastives, scores = np.array(ids, dtype=np.int64), np.array(values, dtype=float)
    known = np.isin(contrastives, examples.ids)
    contrastives, scores = contrastives[known], scores[known]
    places = np.searchsorted(examples.ids, contrastives)
    key_order = np.argsort(keys, kind="stable")
    of_scored_tuple = np.isin(examples.golds[places], keys)
    places, contrastives, scores = places[of_scored_tuple], contrastives[of_scored_tuple], scores[of_scored_tuple]
    source_of = dict(zip(examples.golds.tolist(), examples.sources.tolist(), strict=True))
    scored = ScoredTuples(
        keys=keys,
        gold=np.array(list(gold_scores.values()), dtype=float),
        tuples=key_order[np.searchsorted(keys, examples.golds[places], sorter=key_order)],
        contrastives=contrastives,
        rule=examples.rule[places],
        scores=scores,
        rules=examples.rules,
        sources=np.array([source_of.get(key, -key) for key in keys.tolist()], dtype=np.int64),
    )
    active = examples.active[places]
    missing = ~np.isin(examples.ids, contrastives) & examples.active
    has_tuple = np.isin(examples.golds, keys)
    return LoadedScores(
        scored=scored if counts_excluded else scored.keep_contrastives(active),
        excluded=int(np.count_nonzero(~active)),
        unscored=int(np.count_nonzero(missing & has_tuple)),
        tuples_missing=len(np.unique(examples.golds[missing & ~has_tuple])),
    )


def _read_rows(run: Run, score: ScoreKind) -> tuple[dict[int, float], list[int], list[float]]:
    """gold -> its score; ids of contrastives and their scores."""
    golds: dict[int, float] = {}
    ids: list[int] = []
    values: list[float] = []
    rows = run.outputs.filter(state=OutputState.DONE).order_by("position").values_list("scores", flat=True)
    for scores in rows.iterator(LOADED_AT_ONCE):
        for text in (scores.get("gold", {}), *scores.get("texts", {}).values()):
            if score not in text:
                message = _("%(run)s has no %(score)s per text; it was uploaded with one number for each.")
                raise BadInput(message % {"run": run, "score": score}, field="score", code="score")
            if text["of"].startswith(EXAMPLE):
                ids.append(int(text["of"].removeprefix(EXAMPLE)))
                values.append(text[score])
            else:
                golds[int(text["of"].removeprefix(GOLD))] = text[score]
    return golds, ids, values


def name_runs(runs: Sequence[Run]) -> list[str]:
    """A name for each run, all different: system and label, with the time where they are the same, then a number."""
    plain = [_describe_run(run) for run in runs]
    timed = [
        f"{name}, {run.created_at:%Y-%m-%d %H:%M}" if plain.count(name) > 1 else name
        for name, run in zip(plain, runs, strict=True)
    ]
    return [f"{name} ({position})" if timed.count(name) > 1 else name for position, name in enumerate(timed, 1)]


def _describe_run(run: Run) -> str:
    name = run.revision.system.name
    return f"{name}: {run.label}" if run.label else name
