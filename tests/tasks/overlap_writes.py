"""The writes about what is written next, by name, as tests/tasks/all_writes.py has them: one more text where annotators
disagree, and the priority of sources."""

from collections.abc import Callable
from typing import Any

from annotation.jobs import NoProgress
from annotation.models import Annotation, Project, SourceDocument
from annotation.services.overlap import extra_texts
from annotation.services.people import projects
from annotation.services.sources import priorities
from tests.overlap.factories import newest_annotation, written_by

Work = Callable[[], Any]


def disagreeing() -> Project:
    """Two people chose different sentences."""
    project, _sample, attempts, _reviewers = written_by(2, slug="disagreeing", start=70)
    for number, attempt in enumerate(attempts):
        annotation = newest_annotation(attempt)
        payload = {**annotation.payload, "relevant_segments": [number]}
        Annotation.objects.filter(pk=annotation.pk).update(payload=payload)
    projects.change_settings(project=project, by=None, extra_below=0.5)
    return Project.objects.get(pk=project.pk)


def texts_requested(world: Any) -> Work:
    project = disagreeing()
    fields = {"project": project, "by": world.people["admin"]}
    return lambda: extra_texts.request_extra_texts(progress=NoProgress(), **fields)


def request_started(world: Any) -> Work:
    project = disagreeing()
    return lambda: extra_texts.start_extra_texts(project=project, by=world.people["admin"])


def request_started_by_night(_world: Any) -> Work:
    """The job of the last night is taken off the list."""
    project = disagreeing()
    last = extra_texts.start_extra_texts(project=project, by=None, automatic=True)
    type(last).objects.filter(pk=last.pk).update(state="done")
    return lambda: extra_texts.start_extra_texts(project=project, by=None, automatic=True)


def priority_given(world: Any) -> Work:
    sources = SourceDocument.objects.filter(project=world.project)
    fields = {"project": world.project, "sources": sources, "by": world.people["admin"]}
    return lambda: priorities.set_priority(priority=3, **fields)


OVERLAP_WRITES: dict[str, Callable[[Any], Work]] = {
    "one more text": texts_requested,
    "one more text, job": request_started,
    "one more text, job by night": request_started_by_night,
    "priority of sources": priority_given,
}
