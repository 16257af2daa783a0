"""What the scenarios of jobs share: the place outside the site, folders, and who works."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Place:
    """What is outside the site and keeps something, such as a server that is called: nothing."""

    def restore(self, kept: Any = None) -> None:
        """Be as after the scenario was made; kept: what its `make` returned for it."""

    def count(self) -> Counter[str]:
        """What was seen outside."""
        return Counter()

    def compare(self, expected: Counter[str], found: Counter[str]) -> list[str]:
        return [] if expected == found else [f"outside: {dict(found)} for {dict(expected)}"]


@contextmanager
def open_pipelines() -> Iterator[Place]:
    """The language pipelines are loaded once, before workers are forked."""
    from annotation.services.scores.measure_batches import settings_tagger
    from annotation.services.sources.candidates import default_extractor

    settings_tagger().tag([["The", "ferry", "left", "."]])
    list(default_extractor().extract_many([[]], 1))
    yield Place()


def data_folder() -> Path:
    from django.conf import settings

    return Path(settings.DATA_DIR)


def work_folder() -> Path:
    """A folder outside the data folder for files that are made first."""
    folder = data_folder().parent / "made"
    folder.mkdir(exist_ok=True)
    return folder


def make_admin(project: Any) -> Any:
    from annotation.models import Role
    from tests.tasks.factories import make_people

    return make_people(1, project, role=Role.ADMIN)[0]
