"""Grids of trainings in a project: one configuration with every combination of some settings, compared on dev."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.transactions import write_transaction
from epitome.training.config import TrainingConfig
from epitome.training.grid_cells import BadGrid, GridCell, describe_changes, parse_grid
from epitome.training.shipped import shipped_text
from epitome.training.variants import change_settings
from epitome.training.watching import SELECTION
from modelbridge.models import TrainingGroup, TrainingMetric, TrainingRun
from modelbridge.services.training import training


@dataclass(frozen=True)
class GroupMember:
    """A training of a group. label: what sets it apart. curve: (update, dev score), lower is better. best: the lowest,
    None before the first evaluation."""

    training: TrainingRun
    label: str
    curve: tuple[tuple[int, float], ...]

    @property
    def best(self) -> float | None:
        return min((score for _step, score in self.curve), default=None)


def start_group(
    *,
    project: Project,
    toml_text: str,
    grid: Sequence[str],
    by: AbstractBaseUser | None,
    name: str = "training.toml",
) -> TrainingGroup:
    """Queue one training for every combination. grid: lines such as `learning_rate=1e-5,3e-5,1e-4`. The trainings count
    as one job of their person.

    Raises BadInput naming line and key, or what is missing; Conflict while a training of one of the keys is under way.
    """
    text = shipped_text(toml_text) or toml_text
    config = training.parse_project_training(project, text, name)
    training.check_ready(project, config)
    _check_dev(project, config)
    try:
        cells = parse_grid(grid, config.key)
        texts = [change_settings(text, {**cell.changes, "training.key": cell.key}) for cell in cells]
    except BadGrid as error:
        raise BadInput(_("The grid cannot be used: %(why)s.") % {"why": error}, field="grid", code="grid") from error
    configs = [
        training.parse_project_training(project, cell_text, f"{cell.key}.toml")
        for cell, cell_text in zip(cells, texts, strict=True)
    ]
    try:
        with write_transaction():
            group = TrainingGroup.objects.create(
                project=project,
                key=config.key,
                name=config.name,
                config_toml=text,
                axes=_list_axes(cells),
                created_by_id=by.pk if by is not None else None,
            )
            for index, (cell, cell_config) in enumerate(zip(cells, configs, strict=True)):
                training.create_training(
                    project=project,
                    config=cell_config,
                    text=texts[index],
                    by=by,
                    group=group,
                    changes=cell.changes,
                    is_counted=not index,
                )
    except IntegrityError as error:
        raise training.under_way(config.key) from error
    return group


def _check_dev(project: Project, config: TrainingConfig) -> None:
    """Raises BadInput where nothing says which of the trainings is the best."""
    lists = training.count_lists(project) if config.ranks else None
    n_dev = (lists[1] if lists else {}).get("dev", 0) if config.ranks else training.count_summaries(project)["dev"]
    if not n_dev:
        message = _("A grid needs dev samples: they decide which of its trainings is the best.")
        raise BadInput(message, field="grid", code="nodev")


def _list_axes(cells: Sequence[GridCell]) -> dict[str, list[object]]:
    axes: dict[str, list[object]] = {}
    for cell in cells:
        for name, setting in cell.changes.items():
            if setting not in axes.setdefault(name, []):
                axes[name].append(setting)
    return axes


def groups_of(project: Project) -> QuerySet[TrainingGroup]:
    """Newest first."""
    return TrainingGroup.objects.filter(project=project).order_by("-pk")


def group_of(project: Project, public_id: uuid.UUID | str) -> TrainingGroup:
    """Raises NotFound; another project's group is not found either."""
    group = groups_of(project).filter(public_id=public_id).first()
    if group is None:
        raise NotFound(_("There is no such grid."))
    return group


def list_members(group: TrainingGroup) -> list[GroupMember]:
    """The trainings of a group with their dev curves, in the order of the grid. Two queries."""
    dev_metrics = TrainingMetric.objects.filter(split="dev").order_by("step")
    runs = group.trainings.select_related("revision__system").prefetch_related(Prefetch("metrics", dev_metrics))
    return [
        GroupMember(
            run,
            describe_changes(run.changes),
            tuple((row.step, float(row.values[SELECTION])) for row in run.metrics.all() if SELECTION in row.values),
        )
        for run in runs.order_by("pk")
    ]


def find_winner(members: Sequence[GroupMember]) -> GroupMember | None:
    """The one with the lowest dev score so far, of equal ones the first; None before the first evaluation."""
    scored = [member for member in members if member.best is not None]
    return min(scored, key=lambda member: member.best or 0.0, default=None)


def cancel_group(*, group: TrainingGroup, by: AbstractBaseUser | None) -> int:
    """Cancel the trainings that wait or run; returns how many."""
    n_cancelled = 0
    with write_transaction():
        for run in TrainingRun.objects.under_way().filter(group=group).select_related("project"):
            with suppress(Conflict):  # it has just ended
                training.cancel_training(run=run, by=by)
                n_cancelled += 1
    return n_cancelled
