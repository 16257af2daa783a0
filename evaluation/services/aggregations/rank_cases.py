"""One list as several runs ranked it, and what systems wrote for its instance."""

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Project, RankingList
from annotation.services.core.errors import NotFound
from epitome.systems.protocol import AggregationTask
from evaluation.services.aggregations.rank_tables import name_run
from modelbridge.models import OutputState, Run, SystemOutput
from modelbridge.services.runs.aggregation_requests import describe_task

MAX_WRITTEN = 10
MAX_WRITERS = 6


@dataclass(frozen=True)
class PlacedText:
    """A candidate or a written phrase, with the score from the system. probability: of a written one."""

    text: str
    is_gold: bool
    score: float | None = None
    probability: float | None = None


@dataclass(frozen=True)
class RankedColumn:
    """The result of one run for a list, best first."""

    run: Run
    name: str
    texts: Sequence[PlacedText]


@dataclass(frozen=True)
class RankCase:
    """ranked: per run the candidates. written: per run of a writing system its phrases, golds marked but for case."""

    listed: RankingList
    task: AggregationTask
    golds: Sequence[str]
    ranked: Sequence[RankedColumn]
    written: Sequence[RankedColumn]

    @property
    def names(self) -> str:
        """The entities, as the heading of the page."""
        return ", ".join(entity.name for entity in self.task.entities)


def list_cases(project: Project, tag: str, split: str) -> "QuerySet[RankingList]":
    """The lists of a split, in order."""
    lists = RankingList.objects.of_release(project, tag).filter(split=split)
    return lists.select_related("sample__instance", "sample__document").order_by("pk")


def read_case(project: Project, tag: str, sample: uuid.UUID, runs: Sequence[Run]) -> RankCase:
    """The list of a sample in a release as the runs ranked it. Raises NotFound."""
    lists = RankingList.objects.of_release(project, tag).filter(sample__public_id=sample)
    listed = lists.select_related("sample__instance", "sample__document__source_text").first()
    if listed is None:
        raise NotFound(_("There is no such list."))
    golds = [text for text, gold in zip(listed.candidates, listed.golds, strict=True) if gold]
    task = describe_task(listed.sample.instance, listed.sample)
    outputs = _find_outputs(listed, runs)
    ranked = [
        RankedColumn(run, name_run(run), _place_candidates(outputs[run.pk], golds)) for run in runs if run.pk in outputs
    ]
    return RankCase(listed, task, golds, ranked, _read_written(listed, golds))


def _find_outputs(listed: RankingList, runs: Sequence[Run]) -> dict[int, SystemOutput]:
    rows = SystemOutput.objects.filter(sample=listed.sample_id, run__in=runs, state=OutputState.DONE)
    return {row.run_id: row for row in rows}


def _place_candidates(output: SystemOutput, golds: Sequence[str]) -> list[PlacedText]:
    return [PlacedText(ranked["text"], ranked["text"] in golds, ranked["score"]) for ranked in output.candidates]


def _read_written(listed: RankingList, golds: Sequence[str]) -> list[RankedColumn]:
    """What the newest runs wrote for the instance."""
    runs = Run.objects.writing().done().filter(project=listed.project_id)
    rows = SystemOutput.objects.filter(sample=listed.sample_id, run__in=runs, state=OutputState.DONE)
    rows = rows.select_related("run__revision__system").order_by("-run_id")[:MAX_WRITERS]
    lower = {gold.lower() for gold in golds}
    return [RankedColumn(row.run, name_run(row.run), _place_written(row, lower)) for row in rows]


def _place_written(output: SystemOutput, golds: set[str]) -> list[PlacedText]:
    """The hypotheses with their probabilities; of a system that gives one text, this one."""
    if not output.candidates:
        return [PlacedText(output.text, output.text.lower() in golds)]
    return [
        PlacedText(
            written["text"], written["text"].lower() in golds, written["score"], math.exp(min(written["score"], 0.0))
        )
        for written in output.candidates[:MAX_WRITTEN]
    ]
