"""Stores uploaded predictions of a system that runs elsewhere as a run: the complete file or nothing."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, Sample, build_split_expression
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.systems.predictions import Prediction, read_predictions
from modelbridge.models import OutputState, Run, RunState, System, SystemOutput, SystemRevision
from modelbridge.services.runs.contrastive_texts import KEY as CONTRASTIVES
from modelbridge.services.runs.run_announcements import announce_run
from modelbridge.services.runs.runs import BATCH
from modelbridge.services.runs.sample_selection import complete_samples
from modelbridge.services.runs.score_upload import match_scores
from modelbridge.services.systems.systems import register_uploaded

MAX_FAULTS = 100
ELSEWHERE = "elsewhere"
"""Placeholder for the weights of external systems."""


@dataclass
class MatchedPredictions:
    """The samples of a project (or split) in order, and the predictions matched to them so far. splits: of the samples.
    needs_split: a line must say of which split it is. scored: lines with scores of contrastive examples instead, by
    place; a file holds the one or the other."""

    ids: list[int]
    places: dict[str, int]
    splits: list[str] = field(default_factory=list)
    needs_split: bool = False
    predictions: dict[int, Prediction] = field(default_factory=dict)
    scored: dict[int, list[Prediction]] = field(default_factory=dict)
    system: str = ""

    def take(self, prediction: Prediction, number: int, named_system: str) -> None:
        """Match the number-th prediction to its sample. named_system: the caller's system. Raises FieldFault."""
        self._same_system(prediction, named_system)
        if prediction.has_scores_alone:
            self._take_scores(prediction, number)
            return
        if self.scored:
            raise FieldFault(("prediction",), "stands in a file of scores of contrastive examples", code="mixed")
        place = self._place(prediction, number)
        if place in self.predictions:
            line = self.predictions[place].spot.line
            raise FieldFault(
                _place_field(prediction), f"is the same sample as line {line}", prediction.sample_id, "doubled"
            )
        self.predictions[place] = prediction

    def _take_scores(self, prediction: Prediction, number: int) -> None:
        """A sample may have several lines, one for each gold summary. Raises FieldFault."""
        if self.predictions:
            raise FieldFault(("scores",), "without a prediction stand in a file of predictions", code="mixed")
        if not prediction.sample_id and prediction.position is None:
            raise FieldFault(("sample_id",), "is missing: scores name their sample", code="missing")
        self.scored.setdefault(self._place(prediction, number), []).append(prediction)

    def _same_system(self, prediction: Prediction, named_system: str) -> None:
        known = named_system or self.system
        if known and prediction.system and prediction.system != known:
            message = f'is not "{known}"; a file holds the predictions of one system'
            raise FieldFault(("system",), message, prediction.system, "system")
        self.system = known or prediction.system

    def _place(self, prediction: Prediction, number: int) -> int:
        if self.needs_split and not prediction.split:
            message = (
                "is missing: the summaries of this project keep splits of their own, and their ids count all files "
                "together. Choose the split of the file, or name it in every line"
            )
            raise FieldFault(("split",), message, code="missing")
        place = self._find_place(prediction, number)
        if prediction.split and self.splits[place] and prediction.split != self.splits[place]:
            message = f"is not that of the sample, which is in the split {self.splits[place]}"
            raise FieldFault(("split",), message, prediction.split, "split")
        return place

    def _find_place(self, prediction: Prediction, number: int) -> int:
        if prediction.sample_id:
            place = self.places.get(prediction.sample_id)
            if place is None:
                raise FieldFault(("sample_id",), "is no sample of the list", prediction.sample_id, "unknown")
            return place
        place = number if prediction.position is None else prediction.position
        if place >= len(self.ids):
            raise FieldFault(
                ("position",), f"is {place}, but there are {len(self.ids)} samples (from 0)", place, "unknown"
            )
        return place


def _place_field(prediction: Prediction) -> tuple[str, ...]:
    return ("sample_id",) if prediction.sample_id else ("position",)


def upload_predictions(
    *,
    project: Project,
    file: InputFile,
    by: AbstractBaseUser | None,
    system: str = "",
    name: str = "",
    split: str = "",
    label: str = "",
) -> Run:
    """Store the predictions of a JSONL file as a finished run of kind `upload`; the same file again gives the same run.

    system: the key; "" takes it from the lines. split: the split that all lines are of, and whose samples `position`
    indexes. Lines with a `sample_id` may cover some of the samples only; without one there must be a line for every
    sample. Where summaries keep splits of their own, the split is chosen here or named in every line.
    Raises BadInput; `faults` lists the first 100, each with its line.
    """
    matched, faults = _match_file(file, project, system, split)
    scores: dict[int, dict[str, Any]] = {}
    if not faults and matched.scored:
        lines = {matched.ids[place]: matched.scored[place] for place in sorted(matched.scored)}
        scores, faults = match_scores(project, lines)
        matched.predictions = {place: lines[0] for place, lines in matched.scored.items()}
    if not faults and not split and _counts_over_splits(matched):
        message = "names samples by position alone, but they are in several splits: choose the split of the file"
        faults.append(file.fault(message, line=1, code="split", fatal=True))
    if not faults and not matched.predictions:
        faults.append(file.fault("holds no prediction", line=1, code="empty", fatal=True))
    if not faults and _uses_line_order(matched) and len(matched.predictions) != len(matched.ids):
        message = f"holds {len(matched.predictions)} predictions, but there are {len(matched.ids)} samples"
        faults.append(file.fault(message, line=len(matched.predictions), code="count", fatal=True))
    if faults:
        raise BadInput(str(faults[0]), field="file", code="faults", faults=[asdict(fault) for fault in faults])
    if not matched.system:
        raise BadInput(_("Enter the key of the system that made these predictions."), field="system", code="missing")
    digest = hashlib.sha256(file.path.read_bytes()).hexdigest()
    notes = {"file": file.name, "sha256": digest, "of_samples": len(matched.ids)}
    with write_transaction():
        revision = register_uploaded(project=project, key=matched.system, name=name, by=by)
        list(System.objects.select_for_update().filter(pk=revision.system_id).values_list("pk"))
        existing = Run.objects.filter(revision=revision, split=split, notes__sha256=digest).first()
        return existing or _store_run(revision, matched, scores, by=by, split=split, label=label, notes=notes)


def _match_file(file: InputFile, project: Project, system: str, split: str) -> tuple[MatchedPredictions, list[Fault]]:
    samples = complete_samples(project, split).annotate(in_split=build_split_expression())
    rows = list(samples.values_list("pk", "document__external_id", "position", "in_split"))
    places = {f"{external_id}#{position}": place for place, (_pk, external_id, position, _split) in enumerate(rows)}
    needs_split = not split and Sample.objects.filter(project=project).exclude(split="").exists()
    matched = MatchedPredictions([row[0] for row in rows], places, [row[3] for row in rows], needs_split)
    faults: list[Fault] = []
    try:
        for index, item in enumerate(read_predictions(file, settings.EPITOME_MAX_OUTPUT)):
            if len(faults) >= MAX_FAULTS:
                break
            if isinstance(item, Fault):
                faults.append(item)
                continue
            try:
                matched.take(item, index, system)
            except FieldFault as error:
                faults.append(item.spot.fault(error))
    except UnreadableFile as error:
        faults.append(error.fault)
    return matched, faults


def _uses_line_order(matched: MatchedPredictions) -> bool:
    """Whether any line has neither sample id nor position, so that the order of lines matters."""
    return any(not prediction.sample_id and prediction.position is None for prediction in matched.predictions.values())


def _counts_over_splits(matched: MatchedPredictions) -> bool:
    """Whether places of some samples, counted over those of several splits, represent all that names them."""
    is_named = all(prediction.sample_id or prediction.split for prediction in matched.predictions.values())
    return not is_named and len(matched.predictions) != len(matched.ids) and len(set(matched.splits)) > 1


def _store_run(
    revision: SystemRevision,
    matched: MatchedPredictions,
    scores: Mapping[int, Mapping[str, Any]],
    *,
    by: AbstractBaseUser | None,
    split: str,
    label: str,
    notes: dict[str, Any],
) -> Run:
    now = timezone.now()
    project = revision.system.project
    run = Run.objects.create(
        project=project,
        revision=revision,
        label=label[:200],
        state=RunState.DONE,
        split=split,
        over=CONTRASTIVES if matched.scored else "",
        n_samples=len(matched.predictions),
        seed=0,
        notes=notes,
        created_by_id=by.pk if by is not None else None,
        started_at=now,
        finished_at=now,
    )
    places = sorted(matched.predictions)
    SystemOutput.objects.bulk_create(
        (
            _build_output(run, matched.ids[place], position, matched.predictions[place], scores, now)
            for position, place in enumerate(places)
        ),
        batch_size=BATCH,
    )
    audit.record_event(
        project=project, actor=by, verb=AuditVerb.RUN_UPLOAD, target=f"run:{run.public_id}", samples=len(places)
    )
    announce_run(run)
    return run


def _build_output(
    run: Run,
    sample_id: int,
    position: int,
    prediction: Prediction,
    scores: Mapping[int, Mapping[str, Any]],
    now: Any,
) -> SystemOutput:
    """scores: by sample, of contrastive examples; else those of the line are kept as they are."""
    about = dict(prediction.about)
    usage = about.get("usage", {})
    cost = usage.get("cost", 0.0)
    return SystemOutput(
        project_id=run.project_id,
        run=run,
        sample_id=sample_id,
        position=position,
        work_order=position,
        state=OutputState.DONE,
        attempts=1,
        worker="upload",
        finished_at=now,
        text=prediction.text,
        told=about.get("told", {}),
        prompt=about.get("prompt", ""),
        decoding={"uploaded": run.notes["sha256"], **about.get("decoding", {})},
        seed=about.get("seed", 0),
        weights=about.get("weights", "")[:80] or ELSEWHERE,
        versions=about.get("versions", {}) or {ELSEWHERE: "unknown"},
        truncated=min(about.get("truncated", 0), 2**31 - 1),
        seconds=about.get("seconds", 0.0),
        usage=usage,
        cost=float(cost) if isinstance(cost, int | float) else 0.0,
        candidates=list(prediction.candidates),
        steps=about.get("steps", []),
        scores=dict(scores.get(sample_id, prediction.scores)),
        flags=[],
    )


def faults_of(error: BadInput) -> Sequence[dict[str, Any]]:
    """The faults of a refused upload, each with line, field, value and message."""
    faults: Sequence[dict[str, Any]] = error.extra.get("faults", ())
    return faults
