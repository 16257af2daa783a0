"""The writes about publications, by name, as tests/tasks/all_writes.py has them."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from annotation.models import Publication, SourceDocument
from annotation.services.publications import publication_jobs, publications
from annotation.services.publications.folder_writer import write_folder
from annotation.services.publications.publication_check import check_publication
from tests.contrastives.factories import make_gold_project
from tests.tasks.several_writes import Several

Work = Callable[[], Any]


def _start(by: Any) -> Publication:
    project = make_gold_project("published", golds=("Write to a@example.org.",))
    SourceDocument.objects.filter(project=project).update(licence="CC0")
    return publications.start_publication(project=project, tag="v1", state="latest", by=by)


def _check(by: Any) -> Publication:
    publication = _start(by)
    check_publication(publication=publication)
    return publication


def publication_checked(world: Any) -> Work:
    """The release is frozen, the publication gets it, the hits are stored."""
    publication = _start(world.people["admin"])
    return Several(
        lambda: check_publication(publication=Publication.objects.select_related("project").get(pk=publication.pk)),
        writes=3,
    )


def hits_decided(world: Any) -> Work:
    publication = _check(None)
    hits, by = publication.hits.all(), world.people["admin"]
    return lambda: publications.decide_hits(publication=publication, hits=hits, decision="mask", by=by)


def _decided() -> Publication:
    publication = _check(None)
    publications.decide_hits(publication=publication, hits=publication.hits.all(), decision="mask", by=None)
    publications.save_choices(publication=publication, choices={"leaks": "keep"}, by=None)
    return publication


def folder_written(_world: Any) -> Work:
    publication = _decided()
    return lambda: write_folder(publication=publication, folder=Path(tempfile.mkdtemp()))


def folder_uploaded(_world: Any) -> Work:
    publication = _decided()

    def work() -> str:
        with mock.patch.object(publication_jobs, "upload_folder", return_value="https://hub.example/d"):
            return publication_jobs.push_folder(publication, Path("out"), "lab/news", private=True, by=None)

    return work


PUBLICATION_WRITES = {
    "publication checked": publication_checked,
    "personal data decided": hits_decided,
    "publication written": folder_written,
    "publication uploaded": folder_uploaded,
}
