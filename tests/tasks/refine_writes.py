"""The writes over first drafts of runs that refine, by name; see tests/tasks/all_writes.py."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from evaluation.services.rounds.draft_pairs import draft_pair_round
from modelbridge.models import Run
from modelbridge.services.runs import runs
from modelbridge.services.runs.first_drafts import make_first_drafts
from modelbridge.services.systems import systems
from tests.refine.factories import refine_toml
from tests.tasks.factories import make_project

Work = Callable[[], Any]


def finish_refined_run() -> Run:
    """A run in whose outputs every first draft was changed."""
    project = make_project("refined", documents=1, frozen=True)
    toml_text = refine_toml('system = "controlled-extract"', "")
    revision = systems.register_system(project=project, toml_text=toml_text, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, queue_it=False)
    steps = [{"text": "The council.", "usage": {}}, {"text": "The council met.", "usage": {}}]
    run.outputs.update(state="done", text="The council met.", steps=steps, finished_at=timezone.now())
    Run.objects.filter(pk=run.pk).update(state="done")
    run.refresh_from_db()
    return run


def first_drafts_made(world: Any) -> Work:
    run = finish_refined_run()
    return lambda: make_first_drafts(run=run, by=world.people["admin"])


def pair_round_designed(world: Any) -> Work:
    run = finish_refined_run()
    return lambda: draft_pair_round(run=run, by=world.people["admin"])


REFINE_WRITES: dict[str, Callable[[Any], Work]] = {
    "first drafts made": first_drafts_made,
    "pair round designed": pair_round_designed,
}
