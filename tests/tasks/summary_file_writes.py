"""The writes of the second door, as tests/tasks/all_writes.py has them."""

from collections.abc import Callable
from typing import Any

from evaluation.services.summary_files.first_round import SCALES, start_first_round
from evaluation.services.summary_files.project_creation import create_project_from_table
from tests.summary_files.test_project_creation import SETTINGS, build_table

Work = Callable[[], Any]


def project_made(world: Any) -> Work:
    admin = world.people["admin"]
    return lambda: create_project_from_table(table=build_table(2), file_name="table.csv", by=admin, **SETTINGS)


def round_started(world: Any) -> Work:
    project, _runs = project_made(world)()
    values = {"name": "Blind", "template": SCALES, "n_texts": 2, "n_raters": 2}
    return lambda: start_first_round(project=project, by=world.people["admin"], **values)


SUMMARY_FILE_WRITES: dict[str, Callable[[Any], Work]] = {
    "project made of a table": project_made,
    "first round started": round_started,
}
