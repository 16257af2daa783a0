"""Writes of aggregation projects, by name: what each needs is made first, then comes the write."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from django.conf import settings

from annotation.jobs import NoProgress
from annotation.models import BackgroundState, EntityBackground, Project
from annotation.services.aggregations import backgrounds, extraction, wikipedia
from annotation.services.aggregations.extraction import ExtractionOptions
from tests.aggregations.factories import given_backgrounds, make_articles, make_instances
from tests.tasks.several_writes import Several

Work = Callable[[], Any]


def make_folder() -> Path:
    return Path(tempfile.mkdtemp(dir=settings.DATA_DIR))


def bare_instances() -> Project:
    project = make_articles(make_folder())
    extraction.extract_tuples(project=project, options=ExtractionOptions())
    return project


def extracted(_world: Any) -> Work:
    project = make_articles(make_folder())
    return lambda: extraction.extract_tuples(project=project, options=ExtractionOptions(), given=given_backgrounds())


def extraction_started(_world: Any) -> Work:
    project = make_articles(make_folder())
    return lambda: extraction.start_extraction(project=project, options=ExtractionOptions())


def extraction_run(_world: Any) -> Work:
    project = make_articles(make_folder())
    job = extraction.start_extraction(project=project, options=ExtractionOptions())
    return lambda: extraction.run_extraction(job, NoProgress())


def backgrounds_filled(_world: Any) -> Work:
    project = bare_instances()
    return lambda: backgrounds.fill_backgrounds(project=project, given=given_backgrounds(), by=None)


def background_changed(_world: Any) -> Work:
    row = EntityBackground.objects.get(project=make_instances(make_folder()), name="Dunmere")
    return lambda: backgrounds.change_background(background=row, title="", url="", text="A town.", by=None)


def entity_dropped(_world: Any) -> Work:
    row = EntityBackground.objects.get(project=make_instances(make_folder()), name="Dunmere")
    return lambda: backgrounds.drop_entity(background=row, by=None)


def backgrounds_looked_up(_world: Any) -> Work:
    project = bare_instances()

    def answer(title: str) -> wikipedia.Lookup:
        if title == "Corvin Shipping":
            return wikipedia.Lookup(BackgroundState.AMBIGUOUS)
        return wikipedia.Lookup(BackgroundState.FOUND, title, "", "A text.")

    def look_up() -> Any:
        with mock.patch.object(wikipedia, "look_up", answer):
            return wikipedia.look_up_backgrounds(project=project)

    return Several(look_up, writes=6)


AGGREGATION_WRITES: dict[str, Callable[[Any], Work]] = {
    "instances extracted": extracted,
    "extraction started": extraction_started,
    "extraction run": extraction_run,
    "backgrounds filled": backgrounds_filled,
    "background changed": background_changed,
    "entity dropped": entity_dropped,
    "backgrounds looked up": backgrounds_looked_up,
}
