"""Which weights the people of a project may name: those of the operator's folders, of the hub, and of its trainings."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from epitome.systems.config import SystemConfig
from epitome.systems.neural.weights import is_permitted
from modelbridge.models import TrainingRun


def list_weight_names(config: SystemConfig) -> list[str]:
    """The folders and files that a configuration names: weights, prefixes, adapters; also those of a system inside."""
    return [name for options in _all_settings(config.settings) for name in _names_in(options) if name]


def _all_settings(options: Any) -> list[Any]:
    """The settings, and those of the systems that they wrap."""
    wrapped = (getattr(options, name, None) for name in ("scorer_settings", "base_settings"))
    return [options, *(setting for inner in wrapped if inner is not None for setting in _all_settings(inner))]


def _names_in(options: Any) -> list[str]:
    weights: list[str] = [getattr(options, name, "") for name in ("weights", "prefixes", "fused")]
    return [*weights, *getattr(options, "adapters", {}).values()]


def refuse_foreign_weights(*, project: Project, names: Iterable[str]) -> None:
    """Raise BadInput for a path outside of those folders, with the same words whether it exists or not."""
    runs = TrainingRun.objects.filter(project=project).values_list("public_id", flat=True)
    own_folders = [Path(settings.DATA_DIR) / "training" / str(public_id) for public_id in runs]
    for name in names:
        if not is_permitted(name, own_folders):
            raise BadInput(
                _(
                    '"%(name)s" is none of the weights that this project may use. Name a folder below '
                    "EPITOME_MODELS_DIR, a model of the hub, or a training of the project."
                )
                % {"name": name[:200]},
                field="toml",
                code="weights",
            )
