"""Jobs on sources, texts and publications, each with what it needs (benchmarks/job_scenarios.py)."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.job_places import Place, make_admin, work_folder

# Sources.


def make_import(n: int) -> int:
    import json

    from annotation.services.people.projects import create_project

    path = work_folder() / "sources.jsonl"
    with path.open("w") as out:
        for number in range(n):
            text = f"Ferry {number} left the harbour late. A storm had closed the channel {number % 7} times."
            out.write(json.dumps({"id": f"source-{number}", "text": text}) + "\n")
    return start_import(create_project(slug="imported", schema="macsum-doc", name="Imported"), path)


def start_import(project: Any, path: Path) -> int:
    from django.core.files import File

    from annotation.services.sources import importing
    from epitome.formats.options import ImportOptions

    with path.open("rb") as stream:
        upload = File(stream, name=path.name)
        job = importing.start_import(project=project, upload=upload, options=ImportOptions(), by=make_admin(project))
    return int(job.pk)


def make_restore(_place: Any) -> int:
    from annotation.services.exports.exporting import ExportOptions, export_to
    from annotation.services.people.projects import create_project
    from tests.rounds.factories import project_with_gold

    path = work_folder() / "whole.jsonl"
    export_to(project=project_with_gold("gold"), path=path, options=ExportOptions(format="jsonl", state="latest"))
    return start_import(create_project(slug="restored", schema="macsum-doc", name="Restored"), path)


def make_export(_place: Any) -> int:
    from annotation.services.exports import exporting
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold", documents=20)
    options = exporting.ExportOptions(format="jsonl", state="latest", release="v1")
    return int(exporting.start_export(project=project, options=options, by=make_admin(project)).pk)


def make_token_counts(_place: Any) -> int:
    from annotation.jobs import create_job
    from tests.tasks.factories import make_project

    return int(create_job(kind="count_tokens", project=make_project("counted", documents=60), by=None).pk)


def make_extraction(_place: Any) -> int:
    from annotation.models import Candidate
    from annotation.services.sources import candidates
    from tests.tasks.factories import make_project

    project = make_project("extracted", documents=12, groups=0)
    Candidate.objects.all().delete()
    return int(candidates.start_extraction(project=project, by=make_admin(project)).pk)


def make_draw(_place: Any) -> int:
    from annotation.services.sampling import draw
    from tests.tasks.factories import make_project

    project = make_project("drawn", documents=80, groups=0)
    options = draw.default_options(project, seed=5)
    return int(draw.start_sampling(project=project, options=options, by=make_admin(project)).pk)


def make_tuples(_place: Any) -> int:
    from annotation.services.aggregations.extraction import ExtractionOptions, start_extraction
    from tests.aggregations.factories import make_articles

    project = make_articles(work_folder())
    return int(start_extraction(project=project, options=ExtractionOptions(n=0), by=make_admin(project)).pk)


# Texts.


def make_scores(_place: Any) -> int:
    from annotation.services.scores import score_jobs
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold")
    return int(score_jobs.start_scoring(project=project, by=make_admin(project)).pk)


def make_statistics(_place: Any) -> int:
    from annotation.services.statistics import stored
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold")
    return int(stored.start_statistics(project=project, by=make_admin(project)).pk)


def make_extra_texts(_place: Any) -> int:
    from annotation.models import Project
    from annotation.services.overlap import extra_texts
    from tests.overlap.factories import written_by

    project, *_rest = written_by(2)
    Project.objects.filter(pk=project.pk).update(extra_below=1.0, extra_most=10)
    project = Project.objects.get(pk=project.pk)
    return int(extra_texts.start_extra_texts(project=project, by=make_admin(project)).pk)


def make_meter(_place: Any) -> int:
    from annotation.services.tasks import claim, live_meters
    from tests.tasks.factories import make_people, make_project

    project = make_project("metered", documents=1, frozen=True, assistance="full")
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    assert task is not None
    return int(live_meters.request_measurement(assignment=task, summary="The council met.", revision=0).pk)


def ask_meter_again(job_id: int) -> bool:
    """A draft is measured in one attempt: the page asks again for what was not, and the failed job is swept."""
    from annotation.models import Assignment, Job
    from annotation.services.tasks import live_meters

    failed = Job.objects.filter(pk=job_id, state="dead").first()
    if failed is None:
        return False
    task = Assignment.objects.get(pk=failed.arguments["assignment"])
    failed.delete()
    live_meters.request_measurement(assignment=task, summary="The council met.", revision=0)
    return True


def make_contrastives(_place: Any) -> int:
    from annotation.services.contrastives import making
    from annotation.services.contrastives.set_options import SetOptions
    from tests.contrastives.factories import make_gold_project

    project = make_gold_project("contrasted")
    return int(making.start_making(project=project, options=SetOptions(), by=make_admin(project)).pk)


def make_contrastives_import(_place: Any) -> int:
    from django.core.files import File

    from annotation.models import Contrastive, ContrastiveSet
    from annotation.services.contrastives import exporting, importing
    from tests.contrastives.factories import make_gold_project, store_contrastives

    project, path = make_gold_project("contrasted"), work_folder() / "set.jsonl"
    store_contrastives(project)
    exporting.export_to(project=project, path=path)
    Contrastive.objects.all().delete()
    ContrastiveSet.objects.all().delete()
    with path.open("rb") as stream:
        upload = File(stream, name=path.name)
        return int(importing.start_contrastives_import(project=project, upload=upload, by=make_admin(project)).pk)


# Publications.


def make_publication(step: str) -> int:
    from django.contrib.auth import get_user_model

    from annotation.services.publications import publication_jobs, publications
    from tests.publications import factories

    project = factories.make_project(work_folder(), get_user_model())
    by = make_admin(project)
    if step == "check":
        publication = publications.start_publication(project=project, tag="v1.0", by=by)
        return int(publication_jobs.start_check(publication=publication, by=by).pk)
    publication = factories.make_ready(project)
    if step == "write":
        return int(publication_jobs.start_writing(publication=publication, by=by).pk)
    return int(publication_jobs.start_upload(publication=publication, repository="lab/news", private=True, by=by).pk)


class Hub(Place):
    """A hub: the files of the dataset that was uploaded."""

    def __init__(self, stub: Any) -> None:
        self.stub = stub

    def restore(self, kept: Any = None) -> None:
        self.stub.files.clear()

    def count(self) -> Counter[str]:
        return Counter({f"on the hub: {name}": 1 for name in self.stub.files})


@contextmanager
def open_hub() -> Iterator[Place]:
    from django.test import override_settings

    from tests.publications.test_hub import TOKEN, HubStub

    stub = HubStub()
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    with override_settings(EPITOME_HUB_URL=stub.url, EPITOME_HUB_TOKEN=TOKEN):
        yield Hub(stub)
    stub.server.shutdown()
