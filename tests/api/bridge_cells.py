"""What the access table says of systems and runs: researchers and admins, nobody else. (status, body, form data)"""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from modelbridge.models import TrainingGroup, TrainingRun
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from tests.construction.factories import make_rewrite


def predictions() -> dict[str, Any]:
    line = b'{"position": 0, "system": "elsewhere", "prediction": "The council met."}\n'
    return {"file": SimpleUploadedFile("p.jsonl", line)}


CELLS: dict[tuple[str, str], tuple[int, Any, Any]] = {
    ("api-systems", "GET"): (200, None, None),
    ("api-systems", "POST"): (201, {"shipped": "lead"}, None),
    ("api-system", "GET"): (200, None, None),
    ("api-runs", "GET"): (200, None, None),
    ("api-runs", "POST"): (202, {"system": "lead"}, None),
    ("api-run", "GET"): (200, None, None),
    ("api-run-cancel", "POST"): (200, None, None),
    ("api-run-resume", "POST"): (409, None, None),
    ("api-run-upload", "POST"): (201, None, predictions),
    ("api-run-outputs", "GET"): (200, None, None),
    ("api-run-export", "GET"): (200, None, None),
    ("api-sample-outputs", "GET"): (200, None, None),
    ("api-trainings", "GET"): (200, None, None),
    ("api-trainings", "POST"): (422, {"shipped": "rank-logistic"}, None),  # no release of the world has ranking lists
    ("api-training", "GET"): (200, None, None),
    ("api-training-cancel", "POST"): (200, None, None),
    ("api-training-resume", "POST"): (409, None, None),
    ("api-training-groups", "GET"): (200, None, None),
    ("api-training-groups", "POST"): (422, {"shipped": "rank-logistic", "grid": ["seed=1,2"]}, None),
    ("api-training-group", "GET"): (200, None, None),
    ("api-training-group-cancel", "POST"): (200, None, None),
    ("api-construction", "GET"): (200, None, None),
    ("api-construction", "POST"): (422, {"step": "keywords"}, None),
    ("api-construction-stop", "POST"): (200, {"step": "readability"}, None),
    ("api-rewrites", "GET"): (200, None, None),
    ("api-rewrite-verdict", "POST"): (200, {"aspect": "summary", "verdict": "drop"}, None),
}


def bridge_of(world: Any) -> dict[str, Any]:
    """Made once: a system, a run of it that waits, a rewrite of a construction, a grid with a training that waits."""
    if not hasattr(world, "bridge"):
        revision = systems.register_shipped(project=world.project, key="textrank", by=None)
        run = runs.start_run(project=world.project, revision=revision, by=None)
        rewrite = make_rewrite(world.project, world.document)
        group = TrainingGroup.objects.create(project=world.project, key="hp", name="HP", config_toml="", axes={})
        waiting = {"key": "hp-1", "name": "HP", "method": "finetune", "config_toml": "", "config_hash": ""}
        training = TrainingRun.objects.create(project=world.project, group=group, **waiting)
        world.bridge = {
            "runs": run.public_id,
            "systems": revision.system.public_id,
            "rewrites": rewrite.public_id,
            "trainings": training.public_id,
            "training-groups": group.public_id,
        }
    return world.bridge
