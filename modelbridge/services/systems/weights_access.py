"""Which weights the people of a project may name: those of the operator's folders, of the hub, and of its trainings."""

from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from modelbridge.models import TrainingRun
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.weights import is_permitted


def list_weight_names(config: SystemConfig) -> list[str]:
    """The folders and files that a configuration names: weights, prefixes, adapters."""
    options = config.settings
    names = [getattr(options, "weights", ""), getattr(options, "prefixes", "")]
    return [name for name in [*names, *getattr(options, "adapters", {}).values()] if name]


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
