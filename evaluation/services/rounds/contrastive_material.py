"""Contrastive examples as the material of a round: which are drawn, their golds and their marked words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Contrastive, Project
from annotation.services.core.errors import BadInput, Conflict
from epitome.metrics.scored_texts import read_scored_sample
from epitome.rounds.config import RoundConfig
from epitome.rounds.contrastives import draw_per_rule, find_marks
from modelbridge.models import OutputState, Run, SystemOutput

OVER = "contrastives"
"""`Run.over` of the runs that score contrastive examples."""


@dataclass(frozen=True)
class ExampleRow:
    """One contrastive example with its database keys. annotation: the gold."""

    pk: int
    public_id: str
    sample: int
    annotation: int
    rule: str

    @property
    def names(self) -> dict[str, Any]:
        """What a scorer's run may know the example by."""
        return {"pk": self.pk, "public_id": self.public_id, "annotation": self.annotation}


@dataclass(frozen=True)
class DrawnExamples:
    """The examples of a round. n_by_rule: how many of each rule there were to draw from. run: whose failures they are,
    None where all examples were."""

    rows: tuple[ExampleRow, ...]
    n_by_rule: dict[str, int] = field(default_factory=dict)
    run: Run | None = None

    def count_drawn(self) -> dict[str, int]:
        """rule -> examples, of every rule that the project has."""
        drawn = Counter(row.rule for row in self.rows)
        return {rule: drawn[rule] for rule in sorted(self.n_by_rule)}


def draw_examples(project: Project, config: RoundConfig, samples: Collection[int]) -> DrawnExamples:
    """Draw from the active examples of some samples; of those alone that a run did not dodge, where the configuration
    names one. Raises BadInput for a run that scored no contrastive examples."""
    selection = config.selection
    run = find_scorer_run(project, selection.not_dodged_by) if selection.not_dodged_by else None
    examples = _load_examples(project, set(samples))
    ids_by_rule: dict[str, list[str]] = {row.rule: [] for row in examples.values()}
    eligible = examples.keys() if run is None else _list_not_dodged(run, examples.values())
    for public_id in eligible:
        ids_by_rule[examples[public_id].rule].append(public_id)
    drawn = draw_per_rule(ids_by_rule, selection.per_rule, config.seed)
    n_by_rule = {rule: len(ids) for rule, ids in ids_by_rule.items()}
    return DrawnExamples(tuple(examples[example_id] for example_id in drawn), n_by_rule, run)


def list_scorer_runs(project: Project) -> QuerySet[Run]:
    """Finished runs over contrastive examples."""
    runs = Run.objects.done().filter(project=project).select_related("revision__system")
    return runs.filter(Q(over=OVER) | Q(over__startswith=f"{OVER}:"))


def find_scorer_run(project: Project, name: str) -> Run:
    """A finished run over contrastive examples, by id or label, the newest of that label. Raises BadInput."""
    runs = list_scorer_runs(project)
    try:
        run = runs.filter(public_id=UUID(name)).first()
    except ValueError:
        run = runs.filter(label=name).order_by("-pk").first()
    if run is None:
        message = _("There is no finished run %(run)s that scored contrastive examples in this project.")
        raise BadInput(message % {"run": name[:60]}, field="selection", code="run")
    return run


def _load_examples(project: Project, samples: set[int]) -> dict[str, ExampleRow]:
    """Public id -> row, of the active examples of these samples."""
    columns = ("pk", "public_id", "sample_id", "annotation_id", "rule")
    rows = Contrastive.objects.active().filter(project=project).order_by().values_list(*columns)
    return {
        str(public_id): ExampleRow(pk, str(public_id), sample, annotation, rule)
        for pk, public_id, sample, annotation, rule in rows.iterator(5000)
        if sample in samples
    }


def _list_not_dodged(run: Run, examples: Iterable[ExampleRow]) -> list[str]:
    """Public ids of the examples that the run scored and did not dodge, by the sum of log-probabilities."""
    by_sample: defaultdict[int, list[ExampleRow]] = defaultdict(list)
    for row in examples:
        by_sample[row.sample].append(row)
    outputs = SystemOutput.objects.filter(run=run, state=OutputState.DONE).values_list("sample_id", "scores")
    not_dodged = []
    for sample, scores in outputs.iterator(500):
        scored = read_scored_sample(scores)
        for row in by_sample[sample] if scored is not None else ():
            if scored is not None and scored.is_dodged(**row.names) is False:
                not_dodged.append(row.public_id)
    return not_dodged


def find_example_marks(examples: Mapping[str, ExampleRow]) -> dict[str, list[list[Any]]]:
    """key -> the changed words of each example, as `Mark.as_list` gives them. Raises Conflict where one is gone."""
    rows = Contrastive.objects.in_bulk([example.pk for example in examples.values()])
    golds = Annotation.objects.filter(pk__in={example.annotation for example in examples.values()})
    texts = {
        pk: get_task_kind(kind, has_sample=True).text_of(payload)
        for pk, payload, kind in golds.values_list("pk", "payload", "project__kind")
    }
    marks = {}
    for key, example in examples.items():
        row = rows.get(example.pk)
        if row is None:
            raise Conflict(
                _("The contrastive examples were replaced meanwhile. Check the design again."), code="changed"
            )
        marks[key] = [mark.as_list() for mark in find_marks(texts[example.annotation], row.text, row.edits)]
    return marks
