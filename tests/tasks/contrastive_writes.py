"""The writes about contrastive examples, by name, as tests/tasks/all_writes.py has them."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotation.models import Annotation, Assignment, Project
from annotation.services.contrastives import excluding, exporting, importing, making, withdrawing
from annotation.services.contrastives.set_options import SetOptions
from epitome.formats.reading import input_file
from tests.contrastives.factories import make_gold_project, store_contrastives
from tests.tasks.several_writes import Several

Work = Callable[[], Any]


def contrastives_excluded(world: Any) -> Work:
    project = make_gold_project("contrastives")
    ids = [row.pk for row in store_contrastives(project)]
    return lambda: excluding.exclude_contrastives(project=project, ids=ids, by=world.people["admin"])


def contrastives_included(world: Any) -> Work:
    project = make_gold_project("contrastives")
    ids = [row.pk for row in store_contrastives(project)]
    excluding.exclude_contrastives(project=project, ids=ids, by=None)
    return lambda: excluding.include_again(project=project, ids=ids, by=world.people["admin"])


def contrastives_made(_world: Any) -> Work:
    """The set, the examples of one batch, the end."""
    project = make_gold_project("contrastives", golds=("Men saw two dogs.",))
    options = SetOptions(per_gold=4)
    return Several(lambda: making.make_contrastives(project=_read_again(project), options=options), writes=3)


def contrastives_imported(_world: Any) -> Work:
    """In place of others, which go in the same transaction."""
    project = make_gold_project("contrastives", golds=("Men saw two dogs.",))
    store_contrastives(project)
    path = Path(tempfile.mkdtemp()) / "set.jsonl"
    path.write_text(json.dumps({"sample_id": "contrastives-0#0", "rule": "G-N", "text": "Dogs saw two men."}))
    return lambda: importing.import_contrastives(project=_read_again(project), file=input_file(path), replace=True)


def contrastives_exported(_world: Any) -> Work:
    project = make_gold_project("contrastives")
    store_contrastives(project)
    path = Path(tempfile.mkdtemp()) / "out.jsonl"
    return lambda: exporting.export_to(project=project, path=path)


def contrastives_withdrawn(world: Any) -> Work:
    project = world.project
    Assignment.objects.filter(pk=Annotation.objects.get(pk=world.annotation.pk).assignment_id).update(state="accepted")
    store_contrastives(project)
    projects = Project.objects.filter(pk=project.pk)
    return lambda: withdrawing.empty_examples(projects, world.people["annotator"].pk)


def _read_again(project: Project) -> Project:
    return Project.objects.get(pk=project.pk)


CONTRASTIVE_WRITES: dict[str, Callable[[Any], Work]] = {
    "contrastives excluded": contrastives_excluded,
    "contrastives included": contrastives_included,
    "contrastives made": contrastives_made,
    "contrastives imported": contrastives_imported,
    "contrastives exported": contrastives_exported,
    "contrastives withdrawn": contrastives_withdrawn,
}
